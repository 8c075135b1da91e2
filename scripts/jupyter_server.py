"""How `make lab` serves the notebooks: on this machine only, behind a token, and without a word to the outside."""

import os
from pathlib import Path

c = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter puts it there)
c.ServerApp.ip = "localhost"
c.ServerApp.root_dir = str(Path.cwd())
c.FileContentsManager.preferred_dir = str(Path.cwd() / "notebooks")
c.LabApp.default_url = "/lab/tree/notebooks/00-start-here.ipynb"
c.ServerApp.allow_root = os.geteuid() == 0  # a container's only user, often; the token still guards the page
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.app_settings_dir = str(Path(__file__).parent / "lab-settings")  # no question about news either
