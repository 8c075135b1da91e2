"""A reader's clicks in a real page: Run All gives outputs, and a hung kernel answers to a restart only."""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Page, sync_playwright

from safepointlab.process.home import PROJECT

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.live,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not CHROMIUM, reason="no Chromium: apt install chromium, then this test runs"),
]
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
QUIET += ["--disable-component-update", "--disable-sync"]  # a browser that speaks to localhost only
CELLS = "jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code')"


@dataclass(frozen=True)
class Lab:
    """A JupyterLab that was started as `make lab` starts it, on copies of the notebooks without outputs."""

    url: str
    token: str

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        asked = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return dict(json.load(answer))

    def page_of(self, name: str) -> str:
        """In a workspace of its own, so that no other notebook's tab comes back beside it."""
        return f"{self.url}/lab/workspaces/{name}/tree/notebooks/{name}.ipynb?token={self.token}"


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("lab")
    without_outputs(PROJECT / "notebooks", folder / "notebooks")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Lab(f"http://localhost:{port}", secrets.token_hex(16))
    with jupyter(folder, port, server.token):
        answers(server, time.monotonic() + 60)
        yield server


def without_outputs(saved: Path, copies: Path) -> None:
    copies.mkdir()
    for path in saved.glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        nbformat.write(notebook, copies / path.name)


@contextlib.contextmanager
def jupyter(folder: Path, port: int, token: str) -> Iterator[None]:
    config = PROJECT / "scripts" / "jupyter_server.py"
    command = [sys.executable, "-m", "jupyterlab", f"--config={config}", f"--port={port}", "--no-browser"]
    command += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    own = {"SAFEPOINTLAB_RUNS": str(folder / "runs"), "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces")}
    environment = {**os.environ, "SAFEPOINTLAB_PROFILE": "quick", **own}  # no tab of an earlier session comes back
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        os.killpg(server.pid, signal.SIGTERM)  # Jupyter ends its kernels, then itself
        server.wait(30)


def answers(lab: Lab, end: float) -> None:
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            urllib.request.urlopen(f"{lab.url}/api?token={lab.token}", timeout=5)
            return
        time.sleep(0.2)
    pytest.fail("JupyterLab did not answer within a minute")


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield browser.new_page(viewport={"width": 1400, "height": 1000})
        browser.close()


def open_notebook(page: Page, lab: Lab, name: str, kernel: str) -> None:
    """The session is made before the page asks for one, so that there is one kernel and it is the right one."""
    body = {"path": f"notebooks/{name}.ipynb", "name": name, "type": "notebook", "kernel": {"name": kernel}}
    lab.post("/api/sessions", body)
    page.goto(lab.page_of(name))
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
    status(page, "idle")


def status(page: Page, wanted: str) -> None:
    kernel = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status"
    page.wait_for_function(f"{kernel} === '{wanted}'", timeout=60_000)


def menu(page: Page, *labels: str) -> None:
    """Click through the menu bar as a reader does."""
    page.locator(".lm-MenuBar-item", has_text=labels[0]).first.click()
    page.locator(".lm-Menu-item", has_text=labels[1]).first.click()


def prompt(page: Page, cell: int) -> str:
    """What stands in the brackets of a code cell: its number, `*` while it runs, a blank before."""
    return str(page.evaluate(f"{CELLS}[{cell}].inputArea.promptNode.textContent")).strip("[]: ")


def text_of(page: Page, cell: int) -> str:
    """All that a code cell has put out, as the page holds it."""
    return str(page.evaluate(f"JSON.stringify({CELLS}[{cell}].model.outputs.toJSON())"))


def test_run_all_gives_every_cell_of_the_first_notebook_its_output(page, lab):
    open_notebook(page, lab, "00-start-here", "python3")
    menu(page, "Run", "Run All Cells")
    failed = f"{CELLS}.some(cell => cell.model.outputs.toJSON().some(out => out.output_type === 'error'))"
    page.wait_for_function(f"{failed} || {CELLS}.every(cell => cell.model.executionCount)", timeout=180_000)
    outputs = [text_of(page, cell) for cell in range(page.evaluate(f"{CELLS}.length"))]
    assert not [text for text in outputs if '"output_type":"error"' in text]
    assert page.locator(".jp-OutputArea-output img, .jp-OutputArea-output svg").count() >= 1


def test_a_hung_java_kernel_ignores_an_interrupt_and_comes_back_by_a_restart(page, lab):
    open_notebook(page, lab, "90-hang-your-own-kernel", "java-serial")
    hanging = page.evaluate(f"{CELLS}.findIndex(cell => cell.model.sharedModel.source.includes('hundred years'))")
    menu(page, "Run", "Run All Cells")
    page.wait_for_function(f"{CELLS}[{hanging - 1}].model.executionCount", timeout=120_000)
    menu(page, "Kernel", "Interrupt Kernel")
    page.wait_for_timeout(5_000)
    assert prompt(page, hanging) == "*"

    menu(page, "Kernel", "Restart Kernel…")
    page.locator(".jp-Dialog button", has_text="Restart").click()
    status(page, "idle")
    select(page, hanging + 1)
    menu(page, "Run", "Run Selected Cell")
    menu(page, "Run", "Run Selected Cell")
    page.wait_for_function(f"{CELLS}[{hanging + 2}].model.executionCount", timeout=60_000)
    assert "a collection beside the counted loop" in text_of(page, hanging + 2)


def select(page: Page, cell: int) -> None:
    notebook = "jupyterapp.shell.currentWidget.content"
    page.evaluate(f"{notebook}.activeCellIndex = {notebook}.widgets.indexOf({CELLS}[{cell}])")
