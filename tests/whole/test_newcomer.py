"""A newcomer with an empty home types the README's two commands, and gets the page, the notebook and its verdicts."""

import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest

from safepointlab.process import home

pytestmark = [pytest.mark.newcomer, pytest.mark.live, pytest.mark.timeout(900)]
NOWHERE = "http://127.0.0.1:9"  # a proxy that refuses: whoever wants to download fails


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of somebody who has just logged in; only the lab's cache is as warm as it is."""
    folder = tmp_path_factory.mktemp("newcomer")
    (folder / "home").mkdir()
    path = [entry for entry in os.environ["PATH"].split(":") if ".venv" not in entry]
    ours = {
        name: value
        for name, value in os.environ.items()
        if not re.match("SAFEPOINTLAB|VIRTUAL_ENV|PYTEST|MAKE|MFLAGS", name)
    }
    trust = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    lab = {"SAFEPOINTLAB_CACHE": str(home.cache()), "SAFEPOINTLAB_PROFILE": "quick", "HOME": str(folder / "home")}
    return ours | trust | lab | {"PATH": ":".join(path), "LAB_OPTIONS": "--no-browser"}


@pytest.fixture(scope="module")
def clone(machine: dict[str, str]) -> Path:
    if not (home.PROJECT / ".git").exists():
        pytest.skip("not a git checkout, so there is nothing to clone")
    fresh = Path(machine["HOME"]) / "safepoint-lab"
    subprocess.run(["git", "clone", "-q", home.PROJECT, fresh], env=machine, check=True)
    return fresh


@pytest.fixture(scope="module")
def commands(clone: Path) -> list[str]:
    """What stands in the README's blocks of shell commands."""
    blocks = re.findall(r"^```sh\n(.*?)^```", (clone / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    listed = "".join(blocks).splitlines()
    assert [command.split()[:2] for command in listed] == [["make", "lab"], ["make", "test"]]
    return listed


def get(address: str) -> str:
    """The page; "" from a server that has just said its address and needs a moment until it answers."""
    try:
        with urllib.request.urlopen(address, timeout=30) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError:
        raise
    except OSError:
        return ""


def test_the_first_command_opens_the_page_with_the_notebooks(clone, machine, commands, start_server, eventually):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = {"PORT": str(free.getsockname()[1])}
    with start_server(commands[0].split(), clone, machine | port) as log:
        # a line may come in pieces
        said = eventually(lambda: re.search(r"http://127\.0\.0\.1:\d+/\S+token=\w{48}\b", log.read_text()), 600)
        assert said, log.read_text()[-3000:]
        address = said[0]
        assert "<title>JupyterLab" in eventually(lambda: get(address), 60)
        assert "/lab/tree/work/00-start-here.ipynb" in address
        assert "00-start-here.ipynb" in get(re.sub(r"/lab/.*\?", "/api/contents/work?", address))


def test_the_page_is_a_copy_so_that_the_checkout_stays_as_it_was_cloned(clone, machine):
    status = ["git", "status", "--porcelain", "--", "notebooks", "java-samples", "docs", "safepointlab"]
    assert not subprocess.run(status, cwd=clone, env=machine, check=True, capture_output=True, text=True).stdout
    (copy,) = (clone / "work").glob("00-*.ipynb")
    assert not [cell for cell in nbformat.read(copy, as_version=4).cells if cell.get("outputs")]
    assert "work/" in (clone / ".gitignore").read_text()


def test_the_second_command_runs_the_tests(clone, machine, commands):
    """One file stands for all: the whole of it is what runs us, and would start itself again."""
    chosen = machine | {"PYTEST_OPTIONS": "tests/run/test_request.py"}
    tested = subprocess.run(
        commands[1], shell=True, cwd=clone, env=chosen, check=True, timeout=300, capture_output=True, text=True
    )
    assert re.search(r"\d+ passed", tested.stdout) and "failed" not in tested.stdout


def test_a_notebook_runs_without_a_page_and_its_verdicts_are_in_the_output(clone, machine):
    all_measured = machine | {"SAFEPOINTLAB_VERDICTS_S": "inf"}
    subprocess.run(["make", "notebooks", "NB=02"], cwd=clone, env=all_measured, check=True, timeout=300)
    (executed,) = (clone / "build" / "notebooks").glob("02-*.ipynb")
    cells = nbformat.read(executed, as_version=4).cells
    shown = [out.get("data", {}) for cell in cells if cell.cell_type == "code" for out in cell.outputs]
    rows = [row for data in shown for row in str(data.get("text/html", "")).split("<tr>") if "scope='row'" in row]
    states = {row[:200]: set(re.findall(r"<b>[✓↷✗?·] ([a-z ]+)</b>", row)) for row in rows}
    for claim in ("000-12", "000-13", "000-15"):
        assert "holds" in next(found for head, found in states.items() if claim in head)
    assert [found for head, found in states.items() if "000-11" in head] == [{"not run", "unclear"}]  # no 8u60 here


def test_a_second_set_up_downloads_nothing(clone, machine):
    offline = machine | {"http_proxy": NOWHERE, "https_proxy": NOWHERE, "PIP_INDEX_URL": NOWHERE, "UV_OFFLINE": "1"}
    start = time.monotonic()
    subprocess.run(["make", "setup"], cwd=clone, env=offline, check=True, timeout=60)
    assert time.monotonic() - start < 30
