"""Page 14 in JupyterLab -> docs/page.png, which opens the README: a cell that sweeps the JDKs, and the answer below it.

A page from the middle of the course, so that nobody knows an answer of the first ones before they are asked. The runs
are played from recordings, so that it needs no JDK; the answer committed before is a wrong one.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from playwright.sync_api import Locator, Page, sync_playwright

from safepointlab.process import home

PORT = 20_888
SIZE = {"width": 1400, "height": 860}
CELL = ".jp-CodeCell"
IMPORTS, QUESTION, ANSWER = "import safepointlab", "lab.predict(", "pictures.stop_times(once)"  # in the cells to run
KERNEL = "window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel"
RUN = """text => {
  const notebook = jupyterapp.shell.currentWidget.content;
  notebook.activeCellIndex = notebook.widgets.findIndex(cell => cell.model.sharedModel.source.includes(text));
  jupyterapp.commands.execute("notebook:run-cell");
}"""


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("docs/page.png is taken in Chromium, and there is none. Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        token, folder = secrets.token_hex(16), Path(made)
        server = start(folder, token)
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport=SIZE, color_scheme="light")
            page.set_default_timeout(60_000)
            page.goto(f"http://localhost:{PORT}/lab/tree/work/14-guaranteed-safepoints.ipynb?token={token}")
            page.wait_for_function(f"{KERNEL}?.status === 'idle'")
            play(page)
            page.screenshot(path=home.PROJECT / "docs" / "page.png")
            browser.close()
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # Jupyter ends its kernels, then itself
            server.wait(30)


def start(folder: Path, token: str) -> "subprocess.Popen[bytes]":
    """JupyterLab as `make lab REPLAY=1` starts it, with copies, workspaces and settings of its own."""
    config = home.PROJECT / "scripts" / "jupyter_server.py"
    words = [sys.executable, "-m", "safepointlab", "runs", "play", "--"]
    words += [sys.executable, "-m", "jupyterlab", f"--config={config}", f"--port={PORT}", "--no-browser"]
    words += [f"--IdentityProvider.token={token}", "--LabApp.expose_app_in_browser=True"]
    own = {"SAFEPOINTLAB_WORK": "work", "JUPYTERLAB_WORKSPACES_DIR": "tabs", "JUPYTERLAB_SETTINGS_DIR": "settings"}
    env = {**os.environ, **{name: str(folder / place) for name, place in own.items()}}
    server = subprocess.Popen(words, cwd=folder, env=env, stderr=subprocess.DEVNULL, start_new_session=True)
    for _ in range(120):
        with suppress(OSError), urllib.request.urlopen(f"http://localhost:{PORT}/api?token={token}", timeout=5):
            return server
        time.sleep(0.5)
    os.killpg(server.pid, signal.SIGTERM)
    sys.exit("JupyterLab did not answer within a minute")


def play(page: Page) -> None:
    """Run the page's first cells, commit the obvious answer, run the cell that tells, and scroll to it."""
    run(page, IMPORTS)
    question = run(page, QUESTION)
    question.get_by_text("Never: the JVM").click()
    question.get_by_role("button", name="Commit").click()
    question.get_by_text("You said").wait_for()
    answer = run(page, ANSWER)
    answer.get_by_text("And yours").wait_for()
    page.wait_for_timeout(2_000)  # the outputs above settle
    answer.evaluate("cell => cell.scrollIntoView({ block: 'start' })")
    page.mouse.move(0, 0)
    page.wait_for_timeout(1_000)


def run(page: Page, text: str) -> Locator:
    """Run the first code cell with this text; returns its place on the page."""
    page.evaluate(RUN, text)
    return page.locator(CELL, has_text=text).first


if __name__ == "__main__":
    main()
