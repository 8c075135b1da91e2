"""JupyterLab and Chromium for the tests of files test_browser*.py: a reader opens a page, clicks, and looks.

    def test_…(reader):
        reader.opens_cells("1 + 1")          # or reader.opens("02-when-will-it-exit")
        reader.runs_all()
        assert "2" in reader.output(0)

Such a file needs no marker of its own: all its tests are marked `browser` and `live`.
"""

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Locator, Page

from safepointlab.process.home import PROJECT

CELLS = "jupyterapp.shell.currentWidget.content.widgets.filter(cell => cell.model.type === 'code')"

CONTRAST = """nodes => nodes.filter(node => node.checkVisibility()).map(node => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = colors => {
    for (const color of colors) { canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const behind = [];
  for (let at = node; at; at = at.parentElement) behind.unshift(getComputedStyle(at).backgroundColor);
  const [text, paper] = [light([...behind, getComputedStyle(node).color]), light(behind)];
  return [node.className, node.textContent, Math.max(text, paper) / Math.min(text, paper)];
})"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What every browser test is marked with."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name.startswith("test_browser"):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.live)


@dataclass(frozen=True)
class Lab:
    """A JupyterLab that was started as `make lab` starts it; its reader's copies are in work/ below `folder`."""

    url: str
    token: str
    folder: Path

    def answers(self) -> bool:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{self.url}/api?token={self.token}", timeout=5):
            return True
        return False

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"token {self.token}", "Content-Type": "application/json"}
        asked = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return dict(json.load(answer))

    def page_of(self, name: str) -> str:
        """In a workspace of its own, so that no other notebook's tab comes back beside it."""
        return f"{self.url}/lab/workspaces/{name}/tree/work/{name}.ipynb?token={self.token}"

    def saves(self, name: str, *cells: nbformat.NotebookNode) -> None:
        """Put a page of these cells into the lab's folder; nobody has signed it, so its outputs are untrusted."""
        kernel = {"name": "python3", "display_name": "Python", "language": "python"}
        notebook = nbformat.v4.new_notebook(cells=[*cells], metadata={"kernelspec": kernel})
        nbformat.write(notebook, self.folder / "work" / f"{name}.ipynb")


@dataclass(frozen=True)
class Reader:
    """Somebody before a page of the lab; cells are counted from 0, code cells only."""

    page: Page
    lab: Lab

    def opens(self, name: str, kernel: str = "python3") -> None:
        """The session is made before the page asks for one, so that there is one kernel and it is the right one."""
        body = {"path": f"work/{name}.ipynb", "name": name, "type": "notebook", "kernel": {"name": kernel}}
        self.lab.post("/api/sessions", body)
        self.page.goto(self.lab.page_of(name))
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=60_000)
        self.waits_for_kernel("idle")

    def opens_saved(self, name: str) -> None:
        """The page as the checkout has it, with its outputs, which this reader's JupyterLab has no reason to trust."""
        shutil.copy(PROJECT / "notebooks" / f"{name}.ipynb", self.lab.folder / "work")
        self.opens(name)

    def opens_outputs(self, *outputs: Mapping[str, Any], name: str = "untrusted") -> None:
        """A page of cells with these outputs, by their mime types; nobody has trusted it."""
        shown = [nbformat.v4.new_output("display_data", {"text/plain": "-", **data}) for data in outputs]
        self.lab.saves(name, *(nbformat.v4.new_code_cell("'saved'", outputs=[each]) for each in shown))
        self.opens(name)

    def opens_cells(self, *sources: str, name: str = "own") -> None:
        """A page of these code cells."""
        self.lab.saves(name, *map(nbformat.v4.new_code_cell, sources))
        self.opens(name)

    def waits_for_kernel(self, wanted: str) -> None:
        kernel = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status"
        self.page.wait_for_function(f"{kernel} === '{wanted}'", timeout=60_000)

    def clicks(self, *labels: str) -> None:
        """Through the menu bar: clicks("Run", "Run All Cells")."""
        self.page.locator(".lm-MenuBar-item", has_text=labels[0]).first.click()
        self.page.locator(".lm-Menu-item", has_text=labels[1]).first.click()

    def runs_all(self, seconds: float = 180) -> None:
        """Until every code cell has its number, or one failed."""
        self.clicks("Run", "Run All Cells")
        failed = f"{CELLS}.some(cell => cell.model.outputs.toJSON().some(out => out.output_type === 'error'))"
        ended = f"{CELLS}.every(cell => cell.model.executionCount || !cell.model.sharedModel.source.trim())"
        self.page.wait_for_function(f"{failed} || {ended}", timeout=seconds * 1000)

    def runs(self, cell: int, seconds: float = 60) -> None:
        """One cell, until it has ended."""
        self.selects(cell)
        self.clicks("Run", "Run Selected Cell")
        self.waits_for(cell, seconds)

    def waits_for(self, cell: int, seconds: float = 60) -> None:
        """Until that cell has its number."""
        self.page.wait_for_function(f"{CELLS}[{cell}].model.executionCount", timeout=seconds * 1000)

    def selects(self, cell: int) -> None:
        notebook = "jupyterapp.shell.currentWidget.content"
        self.page.evaluate(f"{notebook}.activeCellIndex = {notebook}.widgets.indexOf({CELLS}[{cell}])")

    def cells(self) -> int:
        return int(self.page.evaluate(f"{CELLS}.length"))

    def cell_with(self, text: str) -> int:
        """The first cell whose source has this text, -1 if none has."""
        has = f"cell.model.sharedModel.source.includes({json.dumps(text)})"
        return int(self.page.evaluate(f"{CELLS}.findIndex(cell => {has})"))

    def prompt(self, cell: int) -> str:
        """What stands in the brackets of a code cell: its number, `*` while it runs, a blank before."""
        return str(self.page.evaluate(f"{CELLS}[{cell}].inputArea.promptNode.textContent")).strip("[]: ")

    def output(self, cell: int) -> str:
        """All that a code cell has put out, as the page's model holds it: JSON."""
        return str(self.page.evaluate(f"JSON.stringify({CELLS}[{cell}].model.outputs.toJSON())"))

    def seen(self, cell: int) -> Locator:
        """The place of a cell's outputs on the page, scrolled to."""
        self.selects(cell)
        node = self.page.locator(".jp-CodeCell").nth(cell)
        node.scroll_into_view_if_needed()
        return node.locator(".jp-Cell-outputArea")

    def toggles_side_bar(self) -> None:
        self.page.evaluate("jupyterapp.commands.execute('application:toggle-left-area')")

    def takes_theme(self, theme: str) -> None:
        """takes_theme("Light") or takes_theme("Dark"): the system's theme, which the lab's pages follow."""
        self.page.emulate_media(color_scheme="dark" if theme == "Dark" else "light")
        self.page.wait_for_selector(f"body[data-jp-theme-light={str(theme == 'Light').lower()}]", state="attached")

    def unreadable(self, words: Locator) -> list[list[Any]]:
        """Those that are seen and have less contrast than 4.5 to 1: class, text and contrast; some must be seen."""
        self.page.wait_for_timeout(500)
        contrasts = words.evaluate_all(CONTRAST)
        assert contrasts
        return [each for each in contrasts if each[2] < 4.5]


def _free_port() -> int:
    """A port below those that the kernel gives out: a kernel of another test can't take it before the server does."""
    for port in secrets.SystemRandom().sample(range(20_000, 32_000), 100):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise OSError("no free port")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory, start_server: Any, eventually: Any) -> Iterator[Lab]:
    """A JupyterLab in a fresh clone: it makes the reader's copies, and nobody has ever trusted a page."""
    folder = tmp_path_factory.mktemp("lab")
    port = _free_port()
    lab = Lab(f"http://localhost:{port}", secrets.token_hex(16), folder)
    config = PROJECT / "scripts" / "jupyter_server.py"
    words = [sys.executable, "-m", "jupyterlab", f"--config={config}", f"--port={port}", "--no-browser"]
    words += [f"--IdentityProvider.token={lab.token}", "--LabApp.expose_app_in_browser=True"]
    words += ["--NotebookNotary.db_file=:memory:"]  # nobody has ever trusted a page
    own = {"SAFEPOINTLAB_RUNS": folder / "runs", "SAFEPOINTLAB_WORK": folder / "work"}
    own["JUPYTERLAB_WORKSPACES_DIR"] = folder / "workspaces"  # no tab of an earlier session comes back
    own["JUPYTERLAB_SETTINGS_DIR"] = folder / "settings"  # a test's theme is not the reader's
    env = {**os.environ, "SAFEPOINTLAB_PROFILE": "quick", **{name: str(path) for name, path in own.items()}}
    with start_server(words, folder, env):
        assert eventually(lab.answers, 60), "JupyterLab did not answer within a minute"
        yield lab


@pytest.fixture(scope="session")
def start_server() -> Callable[..., AbstractContextManager[Path]]:
    """start_server(words, folder, env): a server in that folder, and the file with what it says; it ends at the end."""

    @contextlib.contextmanager
    def started(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Path]:
        log = folder / "server.log"
        with log.open("wb") as out:
            server = subprocess.Popen(words, cwd=folder, env=env, stdout=out, stderr=out, start_new_session=True)
        try:
            yield log
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # Jupyter ends its kernels, then itself
            server.wait(30)

    return started


@pytest.fixture
def axe(page: Page) -> Callable[..., dict[str, str]]:
    """What axe finds grave on the page, or every fault: the name of each rule, and the first element that breaks it."""
    asked = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install .[site]").Axe()

    def faults(every: bool = False) -> dict[str, str]:
        found = asked.run(page).response["violations"]
        worst = [each for each in found if every or each["impact"] in ("serious", "critical")]
        return {each["id"]: each["nodes"][0]["html"][:200] for each in worst}

    return faults


@pytest.fixture
def page(browser_page: Page) -> Page:
    return browser_page


@pytest.fixture
def reader(page: Page, lab: Lab) -> Reader:
    """A reader of the copies that the lab has just made."""
    return Reader(page, lab)
