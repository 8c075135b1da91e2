"""How JupyterLab serves the notebooks in the image, whoever starts it: the image's own command, Binder or a Hub."""

import os

load_subconfig("/opt/safepoint-lab/scripts/jupyter_server.py")  # type: ignore[name-defined]  # noqa: F821
c = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter puts both there)
if "JUPYTERHUB_SERVICE_URL" in os.environ:
    del c.ServerApp.ip  # the Hub says where it expects the server
    c.ServerApp.default_url = c.LabApp.default_url  # its own would be the launcher
else:
    c.ServerApp.ip = "0.0.0.0"  # within the container; who publishes its port decides who reaches it
