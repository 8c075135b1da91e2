"""What every JupyterLab of the lab is told: this machine only, behind a token, one line at the start, nothing outside.

`make lab` and `safepoint workbench` read it by --config, and say the rest themselves.
"""

import os
from pathlib import Path

import zmq
from traitlets.config import Config

c = globals().get("get_config", Config)()  # Jupyter puts get_config there
c.ServerApp.ip = "localhost"
c.ServerApp.allow_root = os.geteuid() == 0  # a container's only user, often; the token still guards the page
c.ServerApp.log_level = c.LabApp.log_level = "WARN"
c.ServerApp.answer_yes = True  # Ctrl-C ends it without a question
if zmq.has("curve"):  # a kernel that can encrypt what it says does, and else warns in the terminal that it doesn't
    c.KernelManager.transport_encryption = "auto"
c.ServerApp.jpserver_extensions = {"jupyter_lsp": False, "safepointlab.widgets.address": True}
c.LabApp.news_url = None
c.LabApp.check_for_updates_class = "jupyterlab.NeverCheckForUpdate"
c.LabApp.app_settings_dir = str(Path(__file__).parent / "lab-settings")  # no question about news either
