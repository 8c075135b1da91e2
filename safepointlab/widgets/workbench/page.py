"""A Java file, a sample or nothing -> a page with the workbench alone, and the command that opens it in JupyterLab.

The page is beside the Java file, so that its kernel and JupyterLab's editor find the file by name. It runs itself:
the small extension in labextension/ is offered to this one server, and runs a page with the mark MARK only.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from safepointlab.errors import BadInput, StorageFailed
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import build
from safepointlab.widgets.workbench import hints

MARK = "safepointlab_workbench"
EXTENSIONS = Path(__file__).parent / "labextension"
SETTINGS = Path(__file__).parent / "lab-settings"  # no question about news, and no look for updates
MOST_NAMES = 100


def prepare(program: str = "") -> Path:
    """Write the page for a Java file, for a sample, or for the reader's choice; returns its path.

    A Java file that does not exist is begun from the template. A page of that name that is not ours is left alone.

    Raises:
        BadInput: neither a Java file nor a sample.
        StorageFailed: the folder cannot be written.
    """
    folder, name = Path.cwd(), ""
    if program.endswith(".java"):
        file = Path(program).expanduser()
        if not file.parent.is_dir():
            raise BadInput(f"no folder {home.shown(file.parent)} for {file.name}. Make it, or give another place.")
        if not file.exists():
            hints.new_file(file.name, file.parent)
        folder, name = file.parent.resolve(), file.name
    elif program:
        name = build.sample_name(build.find_sample(program))
    names = ("workbench.ipynb", *(f"workbench-{number}.ipynb" for number in range(1, MOST_NAMES)))
    path = next((path for each in names if not (path := folder / each).exists() or _is_ours(path)), None)
    if path is None:
        raise StorageFailed(f"{home.shown(folder)} has {MOST_NAMES} pages called workbench already. Delete some.")
    call = f"lab.workbench({json.dumps(name, ensure_ascii=False)})" if name else "lab.workbench()"
    cell: dict[str, object] = {
        "cell_type": "code", "id": "workbench", "execution_count": None,
        "metadata": {"jupyter": {"source_hidden": True}}, "outputs": [],
        "source": f"import safepointlab as lab\n\nbench = {call}\nbench",
    }  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    page = {"cells": [cell], "metadata": {"kernelspec": kernel, MARK: True}, "nbformat": 4, "nbformat_minor": 5}
    return write_whole(path, json.dumps(page, indent=1, ensure_ascii=False) + "\n")


def _is_ours(path: Path) -> bool:
    try:
        return MARK in json.loads(path.read_text("utf-8"))["metadata"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def server(page: Path, port: int, more: Sequence[str] = ()) -> list[str]:
    """The command that serves the page on this machine only, behind a token, and opens it in the browser.

    The same from a checkout and from an installed package: no file outside the package is needed.
    """
    workspaces = home.ready(home.cache() / "workbench" / "workspaces")
    shutil.rmtree(workspaces, ignore_errors=True)  # no tab of an earlier session comes back beside the page
    settings = {
        "ServerApp.ip": "localhost",
        "ServerApp.port": port,
        "ServerApp.root_dir": page.parent,
        "LabApp.default_url": f"/lab/workspaces/workbench/tree/{page.name}",
        "LabApp.workspaces_dir": home.ready(workspaces),
        "LabApp.app_settings_dir": SETTINGS,
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.extra_labextensions_path": EXTENSIONS,
    }
    options = [f"--{name}={value}" for name, value in settings.items()]
    return [sys.executable, "-P", "-m", "jupyterlab", *options, *more]
