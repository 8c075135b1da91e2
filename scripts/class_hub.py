"""A folder -> a JupyterHub with deploy/hub's configuration, and students who log in to it and run pages.

with started(folder, shared) as hub:
    student = Student(hub, "ada")
    student.logs_in()
    student.starts_server()
    failures = student.runs("02")
"""

import json
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import requests
import websocket

from safepointlab.process import home

PROJECT = Path(__file__).resolve().parents[1]
READY_S, CELL_S = 240, 600
MIB = 2**20


@dataclass(frozen=True)
class Hub:
    """A running Hub: `url` is the proxy's, or the Hub's own where there is no proxy."""

    folder: Path
    url: str
    proxied: bool
    process: "subprocess.Popen[bytes]"

    def server(self, name: str) -> str:
        """The address of a student's server."""
        routes = {} if self.proxied else json.loads((self.folder / "routes.json").read_text("utf-8"))
        return f"{routes.get(f'/user/{name}/', self.url)}/user/{name}"

    def processes(self, name: str = "") -> list[psutil.Process]:
        """What a student's server started, all of it still alive; of all students without a name."""
        return [process for process in psutil.process_iter() if self._owns(process, name)]

    def _owns(self, process: psutil.Process, name: str) -> bool:
        with suppress(psutil.Error):
            marks = process.environ()
            mine = marks.get("CLASS_MARK") == str(self.folder) and process.status() != psutil.STATUS_ZOMBIE
            return mine and name in ("", marks.get("USER"))
        return False

    def jvms(self, name: str = "") -> list[psutil.Process]:
        """The JVMs among them."""
        return [process for process in self.processes(name) if _is_java(process)]


def _is_java(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.name() == "java"
    return False


@contextmanager
def started(folder: Path, shared: Path, **settings: str) -> Iterator[Hub]:
    """The Hub with everything that it writes in that folder; its end is the end of all servers.

    Args:
        shared: the cache whose JDKs and jars all students use.
        settings: variables of deploy/hub's configuration, such as LAB_IDLE_S="5".
    """
    ports = _free_ports(3)
    variables = {"CLASS_FOLDER": str(folder), "CLASS_PORTS": ",".join(map(str, ports)), "LAB_SHARED": str(shared)}
    quiet = {"NO_PROXY": "127.0.0.1,localhost", "no_proxy": "127.0.0.1,localhost", "LAB_CORES_RESERVED": "0"}
    path = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    env = {**_without_lab(), **variables, **quiet, **path, **settings}
    proxied = subprocess.run(["which", "configurable-http-proxy"], env=env, capture_output=True).returncode == 0
    command = [sys.executable, "-m", "jupyterhub", "-f", str(PROJECT / "scripts" / "class_config.py")]
    with (folder / "hub.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=log, stderr=log)
    hub = Hub(folder, f"http://127.0.0.1:{ports[0] if proxied else ports[1]}", proxied, process)
    try:
        _wait(lambda: _answers(hub), f"the Hub does not answer: {folder / 'hub.log'}")
        yield hub
    finally:
        process.terminate()
        process.wait(60)


def shared_cache(folder: Path, pages: Sequence[str]) -> Path:
    """What an admin prepares for all students: this machine's JDKs and jars, and the recordings of those pages."""
    folder.mkdir(parents=True)
    for fetched in ("jdks", "maven"):
        if (home.cache() / fetched).is_dir():
            (folder / fetched).symlink_to(home.cache() / fetched)
    archives = [str(next((PROJECT / "recordings").glob(f"{page}*.tar.xz"))) for page in pages]
    command = [sys.executable, "-m", "safepointlab", "runs", "import", *archives]
    env = {**_without_lab(), "SAFEPOINTLAB_CACHE": str(folder)}
    subprocess.run(command, env=env, cwd=PROJECT, check=True, capture_output=True)
    return folder


def _without_lab() -> dict[str, str]:
    """Our environment without settings of the lab: students have their own."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("SAFEPOINTLAB_", "LAB_"))}


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports


def _answers(hub: Hub) -> bool:
    if hub.process.poll() is not None:
        raise RuntimeError(f"the Hub ended: {(hub.folder / 'hub.log').read_text('utf-8')[-2000:]}")
    with suppress(requests.RequestException):
        return requests.get(f"{hub.url}/hub/api/", timeout=5).ok
    return False


def _wait(condition: Any, complaint: str, seconds: float = READY_S, every: float = 0.3) -> float:
    """The seconds until the condition held."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > seconds:
            raise TimeoutError(complaint)
        time.sleep(every)
    return time.monotonic() - begin


@dataclass
class Student:
    """Somebody with a browser, as the Hub sees one: a session with cookies, then a token for the server's kernels."""

    hub: Hub
    name: str
    browser: requests.Session = field(default_factory=requests.Session)

    def logs_in(self) -> None:
        """By the Hub's own form."""
        self.browser.trust_env = False
        address = f"{self.hub.url}/hub/login"
        self.browser.get(address, timeout=60).raise_for_status()
        form = {"username": self.name, "password": "-", "_xsrf": self.browser.cookies["_xsrf"]}
        self.browser.post(address, form, timeout=60, allow_redirects=False).raise_for_status()

    def starts_server(self) -> float:
        """The seconds from the click to a server that answers."""
        begin = time.monotonic()
        self._asks("POST", "/server")
        _wait(self._ready, f"{self.name}'s server is not ready after {READY_S} s", every=0.5)
        token = self._asks("POST", "/tokens", json={"note": "class"}).json()["token"]
        self.browser.headers["Authorization"] = f"token {token}"
        _wait(self._lab_answers, f"{self.name}'s server does not answer")
        return time.monotonic() - begin

    def _ready(self) -> bool:
        server = self._asks("GET", "").json()["servers"].get("", {})
        return bool(server.get("ready"))

    def _lab_answers(self) -> bool:
        with suppress(requests.RequestException):
            return requests.get(f"{self._server()}/api/status", headers=self._token(), timeout=30).ok
        return False

    def stops_server(self) -> None:
        """As the Hub's button does it; returns when the Hub has seen its end."""
        self._asks("DELETE", "/server")
        _wait(lambda: not self._asks("GET", "").json()["servers"], f"{self.name}'s server does not end", 90)

    def _asks(self, verb: str, path: str, **body: Any) -> requests.Response:
        self.browser.headers["X-XSRFToken"] = self.browser.cookies.get("_xsrf", "")
        address = f"{self.hub.url}/hub/api/users/{self.name}{path}"
        answer = self.browser.request(verb, address, timeout=60, **body)
        answer.raise_for_status()
        return answer

    def _server(self) -> str:
        return self.hub.server(self.name)

    def _token(self) -> dict[str, str]:
        return {"Authorization": str(self.browser.headers["Authorization"])}

    def opens_kernel(self, page: str = "class.ipynb") -> str:
        """A page's kernel; returns its id."""
        body = {"path": page, "name": page, "type": "notebook", "kernel": {"name": "python3"}}
        answer = requests.post(f"{self._server()}/api/sessions", json=body, headers=self._token(), timeout=120)
        answer.raise_for_status()
        return str(answer.json()["kernel"]["id"])

    def kernels(self) -> list[str]:
        """The ids of the kernels that run."""
        answer = requests.get(f"{self._server()}/api/kernels", headers=self._token(), timeout=60)
        return [kernel["id"] for kernel in answer.json()]

    def runs(self, start: str) -> list[str]:
        """Every cell of the page whose name starts so; a line for each cell that fails."""
        page = next((PROJECT / "notebooks").glob(f"{start}*.ipynb"))
        cells = [cell for cell in json.loads(page.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        kernel, failures = self.opens_kernel(f"safepoint-lab/{page.name}"), []
        for number, cell in enumerate(cells):
            if failure := self.executes(kernel, "".join(cell["source"])):
                failures.append(f"{self.name}, {page.stem}, code cell {number}: {failure}")
        requests.delete(f"{self._server()}/api/kernels/{kernel}", headers=self._token(), timeout=60)
        return failures

    def executes(self, kernel: str, code: str, wait: bool = True) -> str:
        """What went wrong, "" if nothing did; without `wait`, the code runs on."""
        address = self._server().replace("http", "ws", 1) + f"/api/kernels/{kernel}/channels"
        line = websocket.create_connection(address, timeout=CELL_S, header=self._token(), http_no_proxy=["127.0.0.1"])
        asked = uuid.uuid4().hex
        try:
            line.send(json.dumps(_message(asked, code)))
            return self._reply(line, asked) if wait else ""
        finally:
            line.close()

    def _reply(self, line: websocket.WebSocket, asked: str) -> str:
        while True:
            said = json.loads(line.recv())
            if said.get("msg_type") == "execute_reply" and said["parent_header"].get("msg_id") == asked:
                content = said["content"]
                return "" if content["status"] == "ok" else f"{content.get('ename')}: {content.get('evalue')}"

    def pss_mib(self) -> float:
        """The memory of the server and all that it started; shared pages are counted in parts (PSS), in MiB."""
        return sum(map(_pss_mib, self.hub.processes(self.name)))


def _message(identity: str, code: str) -> dict[str, Any]:
    header = {"msg_id": identity, "msg_type": "execute_request", "username": "", "session": identity, "version": "5.3"}
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": False}
    return {"header": header, "parent_header": {}, "metadata": {}, "channel": "shell", "content": content}


def _pss_mib(process: psutil.Process) -> float:
    with suppress(OSError):
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text("utf-8")
        return next((int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith("Pss:")), 0.0)
    return 0.0
