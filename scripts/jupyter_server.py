"""How `make lab` serves the notebooks: as copies, on this machine only, behind a token, with no word to the outside."""

import os
import sys
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.widgets import copies


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


def forwarded_host(default_port: str = "8888") -> str:
    """The name under which a Codespace's browser reaches this server; "" on any other machine."""
    if not (name := os.environ.get("CODESPACE_NAME")):
        return ""
    ports = [word.removeprefix("--port=") for word in sys.argv if word.startswith("--port=")]
    domain = os.environ.get("GITHUB_CODESPACES_PORT_FORWARDING_DOMAIN", "app.github.dev")
    return f"{name}-{(ports or [default_port])[-1]}.{domain}"


served = pages()
root = Path.cwd() if served.is_relative_to(Path.cwd()) else served.parent
c = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter puts it there)
c.ServerApp.ip = "localhost"
c.ServerApp.log_level = c.LabApp.log_level = "WARN"
c.ServerApp.jpserver_extensions = {"jupyter_lsp": False, "safepointlab.widgets.address": True}
if host := forwarded_host():
    c.ServerApp.allow_origin = f"https://{host}"
    c.ServerApp.local_hostnames = ["localhost", host]
c.ServerApp.root_dir = str(root)
c.FileContentsManager.preferred_dir = str(served)
c.LabApp.default_url = f"/lab/tree/{served.relative_to(root)}/00-start-here.ipynb"
c.ServerApp.allow_root = os.geteuid() == 0  # a container's only user, often; the token still guards the page
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.app_settings_dir = str(Path(__file__).parent / "lab-settings")  # no question about news either
