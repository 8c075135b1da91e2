"""A Java file, a sample or nothing -> a page with the workbench alone, and the command that opens it in JupyterLab.

The page, and all that JupyterLab writes beside a file that it saves, is in the lab's cache: in the Java file's folder
nothing is written but the Java file. The server's root is the machine's, so that one JupyterLab opens both; the kernel
starts in the Java file's folder, and finds the file by its name. The page runs itself: the small extension in
labextension/ is offered to this one server, runs a page with the mark MARK, and opens its Java file in the editor.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from safepointlab import widgets
from safepointlab.errors import BadInput
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import build
from safepointlab.widgets.workbench import hints

MARK = "safepointlab_workbench"
EXTENSIONS = Path(__file__).parent / "labextension"
CONFIG = Path(widgets.__file__).with_name("jupyter_config.py")


def prepare(program: str, port: int, more: Sequence[str] = ()) -> list[str]:
    """Write the page for a Java file, for a sample, or for the reader's choice; returns the command that serves it.

    A Java file that does not exist is begun from the template. The server listens on this machine only, behind a token,
    and opens the page in the browser. No file outside the package is needed: it is the same from a checkout.

    Raises:
        BadInput: neither a Java file nor a sample.
        StorageFailed: the file or the page cannot be written.
    """
    folder, name, source = Path.cwd(), "", ""
    if program.endswith(".java"):
        file = Path(program).expanduser()
        if not file.parent.is_dir():
            raise BadInput(f"no folder {home.shown(file.parent)} for {file.name}. Make it, or give another place.")
        if not file.exists():
            hints.new_file(file.name, file.parent)
        folder, name = file.parent.resolve(), file.name
        source = (folder / name).as_posix().lstrip("/")
    elif program:
        name = build.sample_name(build.find_sample(program))
    place = home.cache() / "workbench" / sha256(str(folder / name).encode()).hexdigest()[:12]
    shutil.rmtree(place, ignore_errors=True)  # no tab of an earlier session comes back beside the page
    call = f"lab.workbench({json.dumps(name, ensure_ascii=False)})" if name else "lab.workbench()"
    cell: dict[str, object] = {
        "cell_type": "code", "id": "workbench", "execution_count": None,
        "metadata": {"jupyter": {"source_hidden": True}}, "outputs": [],
        "source": f"import safepointlab as lab\n\nbench = {call}\nbench",
    }  # fmt: skip
    metadata = {
        "kernelspec": {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"},
        MARK: {"source": source},
    }
    notebook = {"cells": [cell], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    page = home.ready(place) / "workbench.ipynb"
    write_whole(page, json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    settings = {
        "ServerApp.port": port,
        "ServerApp.root_dir": "/",
        "ContentsManager.allow_hidden": True,  # the cache is below ~/.cache
        "FileContentsManager.preferred_dir": folder,
        "FileCheckpoints.checkpoint_dir": home.ready(place / "checkpoints"),
        "MappingKernelManager.root_dir": folder,
        "LabApp.default_url": f"/lab/workspaces/workbench/tree{quote(page.as_posix())}",
        "LabApp.workspaces_dir": home.ready(place / "workspaces"),
        "LabApp.extra_labextensions_path": EXTENSIONS,
    }
    options = [f"--{option}={value}" for option, value in settings.items()]
    return [sys.executable, "-P", "-m", "jupyterlab", f"--config={CONFIG}", *options, *more]
