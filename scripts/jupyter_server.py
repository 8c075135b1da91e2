"""What `make lab` serves: the reader's copies of the notebooks. How is in the package's jupyter_config.py."""

import json
import os
import sys
from pathlib import Path

from safepointlab import widgets
from safepointlab.errors import LabError
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.widgets import copies

# JupyterLab cuts a long name; its list tells the name in the attribute `title`, too: "Name: 02-when-will-it-exit.ipynb"
TITLE = """\
.jp-DirListing-item[title^="Name: {name}"] .jp-DirListing-itemText {{ white-space: normal; line-height: 1.25; }}
.jp-DirListing-item[title^="Name: {name}"] .jp-DirListing-itemText > span {{ display: none; }}
.jp-DirListing-item[title^="Name: {name}"] .jp-DirListing-itemText::after {{ content: {title}; }}
"""


def pages() -> Path:
    """The folder with the reader's copies, brought up to date; the notebooks themselves if it can't be written."""
    try:
        for sentence in copies.renew():
            print(sentence, flush=True)
        return copies.folder()
    except LabError as error:
        print(
            f"{error}\nThe pages themselves are served, with answers: what you save changes the checkout.", flush=True
        )
        return copies.ORIGINALS


def titles(served: Path) -> Path:
    """A folder with JupyterLab's custom.css: the list of files shows each page's title in place of its file's name."""
    rules = ""
    for page in sorted(copies.ORIGINALS.glob("*.ipynb")):
        if (copy := served / page.name).exists():
            title = "".join(json.loads(copy.read_text("utf-8"))["cells"][0]["source"]).partition("\n")[0]
            text = json.dumps(f"{page.name[:2]}  {title.removeprefix('# ')}", ensure_ascii=False)
            rules += TITLE.format(name=page.name, title=text)
    return write_whole(home.ready(home.cache() / "jupyterlab") / "custom.css", rules).parent


def forwarded_host(default_port: str = "8888") -> str:
    """The name under which a Codespace's browser reaches this server; "" on any other machine."""
    if not (name := os.environ.get("CODESPACE_NAME")):
        return ""
    ports = [word.removeprefix("--port=") for word in sys.argv if word.startswith("--port=")]
    domain = os.environ.get("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN", "app.github.dev")
    return f"{name}-{(ports or [default_port])[-1]}.{domain}"


served = pages()
root = Path.cwd() if served.is_relative_to(Path.cwd()) else served.parent
load_subconfig(str(Path(widgets.__file__).with_name("jupyter_config.py")))  # type: ignore[name-defined]  # noqa: F821
c = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter puts both there)
if host := forwarded_host():
    c.ServerApp.allow_origin = f"https://{host}"
    c.ServerApp.local_hostnames = ["localhost", host]
c.ServerApp.root_dir = str(root)
c.ServerApp.tornado_settings = {"static_custom_path": [str(titles(served))]}
c.LabApp.custom_css = True
c.FileContentsManager.preferred_dir = str(served)
c.LabApp.default_url = f"/lab/tree/{served.relative_to(root)}/00-start-here.ipynb"
