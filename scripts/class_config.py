"""The configuration of deploy/hub, for a class that a script plays: made-up users, no passwords, loopback only.

Who may enter is decided by the configuration itself: all made-up users are in the group `students`, except strangers.

The routes of the Hub's proxy are also written into routes.json, by which the script reaches a student's server where
no configurable-http-proxy is installed. Nothing but the proxy is left out then.
"""

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jupyterhub.auth import PAMAuthenticator
from jupyterhub.proxy import Proxy

FOLDER = Path(os.environ["CLASS_FOLDER"])
PORTS = [int(port) for port in os.environ["CLASS_PORTS"].split(",")]
NOBODY, STUDENTS = 65534, 4242  # groups


class NoProxy(Proxy):
    """The proxy's book-keeping alone: who asks a server goes to its own port."""

    should_start = False

    def __init__(self, **traits: Any) -> None:
        super().__init__(**traits)
        self.routes: dict[str, dict[str, Any]] = {}

    async def add_route(self, routespec: str, target: str, data: dict[str, Any]) -> None:
        self.routes[routespec] = {"routespec": routespec, "target": target, "data": data}
        self._write()

    async def delete_route(self, routespec: str) -> None:
        self.routes.pop(routespec, None)
        self._write()

    async def get_all_routes(self) -> dict[str, dict[str, Any]]:
        return self.routes

    def _write(self) -> None:
        text = json.dumps({spec: route["target"] for spec, route in self.routes.items()})
        (FOLDER / "routes.new").write_text(text, "utf-8")
        (FOLDER / "routes.new").replace(FOLDER / "routes.json")


class MadeUpUsers(PAMAuthenticator):
    """PAM's authenticator on a machine whose users have any name and no password."""

    async def authenticate(self, _handler: Any, data: dict[str, str]) -> str:
        return data["username"]

    @staticmethod
    def _getpwnam(name: str) -> SimpleNamespace:
        return SimpleNamespace(pw_name=name, pw_gid=NOBODY)

    @staticmethod
    def _getgrnam(name: str) -> SimpleNamespace:
        if name != "students":
            raise KeyError(name)
        return SimpleNamespace(gr_gid=STUDENTS)

    @staticmethod
    def _getgrouplist(name: str, group: int) -> list[int]:
        return [group] if name.startswith("stranger") else [group, STUDENTS]


def replays(spawner: Any) -> str:
    """All but those whose name says that they run live."""
    return "" if spawner.user.name.startswith("live") else "1"


c = get_config()  # type: ignore[name-defined]  # noqa: F821  (JupyterHub puts it there)
load_subconfig(str(Path(__file__).parents[1] / "deploy" / "hub" / "jupyterhub_config.py"))  # type: ignore[name-defined]  # noqa: F821
if not shutil.which("configurable-http-proxy"):
    c.JupyterHub.proxy_class = NoProxy
c.JupyterHub.spawner_class = "simple"
c.JupyterHub.authenticator_class = MadeUpUsers
c.SimpleLocalProcessSpawner.home_dir_template = str(FOLDER / "homes" / "{username}")
c.Spawner.environment["LAB_REPLAY"] = replays
c.Spawner.environment["CLASS_MARK"] = str(FOLDER)
c.Spawner.environment["SAFEPOINTLAB_PROFILE"] = "quick"
c.Spawner.environment["PATH"] = os.environ["PATH"]
c.JupyterHub.bind_url = f"http://127.0.0.1:{PORTS[0]}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{PORTS[1]}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{PORTS[2]}"
c.JupyterHub.db_url = f"sqlite:///{FOLDER / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(FOLDER / "secret")
c.ConfigurableHTTPProxy.pid_file = str(FOLDER / "proxy.pid")
