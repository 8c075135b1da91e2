"""What all tests share: which of them the gate runs, the marker `each`, and recordings apart from the reader's own.

A test needs no marker to run in the gate, unless it starts a JVM, a kernel, a browser or a container, or compares
times: such a test is `nightly`, except for the few that are marked `gate`. The rest is what `make quick` runs. Where
a test of the gate has a parameter `jdk` or `major`, the gate runs it for two JDKs, and the night for the others.
"""

import inspect
import os
import reprlib
import shutil
import signal
import time
from collections.abc import Callable, Generator, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from safepointlab.process import quiet
from safepointlab.process.quiet import Quiet

PROJECT = Path(__file__).resolve().parent.parent
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
GATE_JDKS = {8, 25}
HEAVY = {"live", "notebook", "browser", "newcomer", "container", "timed"}
settings.register_profile("lab", deadline=None, derandomize=True, database=None)
settings.register_profile("long", deadline=None, max_examples=20_000)  # pytest --hypothesis-profile=long
settings.load_profile("lab")
ENOUGH = 0.75  # of the cores that a timed test needs, the part that must have been free for it on average


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as `nightly` what the gate leaves out."""
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if {"gate", "timed"} <= marks:
            raise pytest.UsageError(f"{item.nodeid} compares times, so it cannot be in the gate")
        if marks & HEAVY and not ("gate" in marks and of_gate_jdk(item)):
            item.add_marker("nightly")


def of_gate_jdk(item: pytest.Item) -> bool:
    """Is a test made for no JDK in particular, or for one of the gate's?"""
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    return {parameters[name] for name in ("jdk", "major") if name in parameters} <= GATE_JDKS


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Without a browser its tests fail on CI, which has to provide one, and are skipped on a reader's machine."""
    if item.get_closest_marker("browser") and not CHROMIUM:
        missing = "no Chromium: apt install chromium, then this test runs"
        pytest.fail(missing, pytrace=False) if os.environ.get("CI") else pytest.skip(missing)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the arguments of `each` be no fixtures; pytest_pyfunc_call gives them their values."""
    for mark in metafunc.definition.iter_markers("each"):
        names = argument_names(mark)
        metafunc.parametrize(names, [pytest.param(*[None] * len(names), id=pytest.HIDDEN_PARAM)])


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test marked `each` for every case of its tables, and fail once, with all cases that fail."""
    __tracebackhide__ = True
    marks = list(pyfuncitem.iter_markers("each"))
    if not marks:
        return None
    fixtures = {name: pyfuncitem.funcargs[name] for name in inspect.signature(pyfuncitem.obj).parameters}
    cases = [{name: value for one in chosen for name, value in one.items()} for chosen in product(*map(rows, marks))]
    failures = [(case, error) for case in cases if (error := failure(pyfuncitem.obj, {**fixtures, **case}))]
    if not cases:
        raise pytest.UsageError(f"{pyfuncitem.nodeid}: a table without a case")
    if failures:
        listed = "\n".join(f"  {', '.join(map(label, case.values()))}: {summary(error)}" for case, error in failures)
        raise AssertionError(f"{len(failures)} of {len(cases)} cases fail\n{listed}") from failures[0][1]
    return True


def failure(test: Callable[..., object], arguments: dict[str, Any]) -> BaseException | None:
    """What a test raises with these arguments."""
    __tracebackhide__ = True
    try:
        test(**arguments)
    except (Exception, pytest.fail.Exception) as error:
        return error
    return None


def rows(mark: pytest.Mark) -> list[dict[str, Any]]:
    """The arguments of each case of one `each`: with several names, a case is a tuple."""
    names = argument_names(mark)
    values = [case if len(names) > 1 else (case,) for case in mark.args[1]]
    return [dict(zip(names, case, strict=True)) for case in values]


def argument_names(mark: pytest.Mark) -> list[str]:
    """The names of `each("name", ...)`; of `each("name, other", ...)`, or a tuple of names, with a tuple per case."""
    return mark.args[0].split(", ") if isinstance(mark.args[0], str) else list(mark.args[0])


def label(value: Any) -> str:
    """A case in a list of those that failed; a value whose repr fails has one, too."""
    names = (getattr(value, name, None) for name in ("nodeid", "stem", "id", "name"))
    return next((name for name in names if isinstance(name, str)), "") or reprlib.repr(value)


def summary(error: BaseException) -> str:
    """The first lines of an error in one."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {' · '.join(lines[:3])}"[:300]


def too_busy(passed: Quiet | None, cores: int) -> str:
    """Why a test that needs so many cores can't tell, after what passed; "" if it can, or if the system doesn't say."""
    if not passed:
        return ""
    others = (passed.others_ms + passed.stolen_ms) / passed.wall_ms
    wanted = ENOUGH * min(cores, passed.cores)
    if passed.cores - others >= wanted:
        return ""
    return f"too busy to tell: others took {others:.1f} of {passed.cores} cores while it ran, and it needs {wanted:.1f}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a timed test that other programs disturbed, whether it passed or not: it decided nothing."""
    marker = item.get_closest_marker("timed")
    if not marker:
        return (yield)
    passed, cores = quiet.watch(), marker.kwargs.get("cores", 2)
    try:
        outcome = yield
    except (Exception, pytest.fail.Exception) as error:
        if reason := too_busy(passed(), cores):
            pytest.fail(f"{reason}. It also failed: {summary(error)}", pytrace=False)
        raise
    if reason := too_busy(passed(), cores):
        pytest.fail(reason, pytrace=False)
    return outcome


def pytest_configure(config: pytest.Config) -> None:
    """After `nohup make test &`, and under some CI, what a test starts would ignore these signals."""
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, usual)


@pytest.fixture(autouse=True)
def lab_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests use the machine's JDKs and compiled samples, but never the reader's runs, verdicts and files."""
    monkeypatch.setenv("SAFEPOINTLAB_PROFILE", "quick")
    monkeypatch.setenv("SAFEPOINTLAB_CLAIMS", str(tmp_path_factory.getbasetemp() / "claims"))
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path_factory.getbasetemp() / "runs"))
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path_factory.getbasetemp() / "work"))
    monkeypatch.delenv("SAFEPOINTLAB_REPLAY", raising=False)


@pytest.fixture(scope="session")
def project() -> Path:
    """The checkout's own folder."""
    return PROJECT


@pytest.fixture
def browser_page() -> Iterator[Any]:
    """An empty page of a Chromium of its own, which speaks to localhost only."""
    from playwright.sync_api import sync_playwright

    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=quiet)
        yield browser.new_page(viewport={"width": 1400, "height": 1000})
        browser.close()


@pytest.fixture(scope="session")
def eventually() -> Callable[[Callable[[], Any], float], Any]:
    """eventually(holds, seconds): what `holds` returns once that is true, or at the end of that time."""

    def wait(holds: Callable[[], Any], seconds: float) -> Any:
        end = time.monotonic() + seconds
        while not (value := holds()) and time.monotonic() < end:
            time.sleep(0.1)
        return value

    return wait
