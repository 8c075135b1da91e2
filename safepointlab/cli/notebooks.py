"""A notebook -> the same notebook executed top to bottom in a fresh kernel, its outputs saved and its time taken.

Two options execute nothing. `--copies` brings the reader's copies in work/ up to date, as `make lab` does, and
`--original` puts the page as it was made in place of one of them.
"""

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab import config
from safepointlab.claims import links
from safepointlab.errors import BadInput, LabError, RunFailed
from safepointlab.process import home, recording
from safepointlab.process.files import write_whole
from safepointlab.widgets import copies
from safepointlab.widgets.expect import METADATA

if TYPE_CHECKING:  # at run time they cost every `safepoint` command a third of a second, and only one needs them
    from nbclient import NotebookClient
    from nbformat import NotebookNode

FOLDER = home.PROJECT / "notebooks"
EXECUTED = home.PROJECT / "build" / "notebooks"
NOT_HEADLESS = "skip-headless"  # the tag of a cell that hangs its own kernel: run it by hand
DEADLINE_S = 900
Say = Callable[[str], object]


@dataclass(frozen=True)
class Executed:
    """One notebook's execution: how many code cells ran, how long it took, where the outputs are, what was not met."""

    name: str
    cells: int
    seconds: float
    saved: Path
    unmet: tuple[str, ...] = ()


def find(wanted: str = "") -> list[Path]:
    """The notebooks whose file name starts with `wanted` (`02`, `02-when`; "" is all), in the order of the course."""
    notebooks = sorted(FOLDER.glob("*.ipynb"))
    chosen = [path for path in notebooks if path.name.startswith(Path(wanted).name)]
    if chosen:
        return chosen
    names = ", ".join(path.stem for path in notebooks) or "none at all"
    raise LabError(f"no notebook starts with {wanted!r}. Looked in {home.shown(FOLDER)}: {names}")


def execute(path: Path, save: Path | None = None, deadline: float = DEADLINE_S, say: Say = print) -> Executed:
    """Run every code cell except those tagged `skip-headless`; outputs go to `save`, by default build/notebooks.

    Raises:
        RunFailed: a cell failed; the message has its source and its error. The outputs up to there are saved.
    """
    import nbformat
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    notebook = nbformat.read(path, as_version=4)
    saved, start = save or EXECUTED / path.name, time.monotonic()
    try:
        _client(notebook, path, start + deadline).execute(stderr=subprocess.DEVNULL)  # JJava's own chatter
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        message = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip()  # IPython colours its tracebacks
        raise RunFailed(f"{path.name}: {message}\nIts outputs up to there: {home.shown(saved)}") from error
    finally:
        home.ready(saved.parent)
        nbformat.write(notebook, saved)
    took_s, failed = time.monotonic() - start, unmet(notebook)
    executed = Executed(path.stem, len(list(headless(notebook))), took_s, saved, failed)
    end = f"{len(failed)} expectation{'s' * (len(failed) != 1)} NOT MET" if failed else "ok"
    say(f"{executed.name:32} {executed.cells:3} cells {executed.seconds:7.1f} s   {end}")
    return executed


def unmet(notebook: "NotebookNode") -> tuple[str, ...]:
    """What the page's `lab.expect` said where a condition was not met, each with the cell's id."""
    outputs = ((cell, output) for cell in notebook.cells for output in cell.get("outputs", []))
    marks = ((cell, output.get("metadata", {}).get(METADATA, {})) for cell, output in outputs)
    return tuple(f"cell {cell.get('id')}: {mark['unmet']}" for cell, mark in marks if "unmet" in mark)


def headless(notebook: "NotebookNode") -> "Iterator[NotebookNode]":
    """The cells that are executed."""
    code = (cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip())
    return (cell for cell in code if NOT_HEADLESS not in cell.metadata.get("tags", []))


def _client(notebook: "NotebookNode", path: Path, end: float) -> "NotebookClient":
    from nbclient import NotebookClient

    return NotebookClient(
        notebook,
        resources={"metadata": {"path": str(path.parent)}},
        skip_cells_with_tag=NOT_HEADLESS,
        record_timing=False,  # a saved notebook changes only where its outputs do
        timeout_func=lambda _: max(1, int(end - time.monotonic())),
        kernel_name=notebook.metadata.kernelspec.name,
        on_notebook_start=_take_back_ctrl_c,
    )


def _take_back_ctrl_c(**_: Any) -> None:
    """nbclient turns Ctrl-C into one dead kernel and continues with the next notebook; a user means all of them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


EPILOG = """one page, or all of them; the results are in build/notebooks:
  safepoint notebooks 02
  safepoint notebooks
all of them from the recorded runs, four at once:
  safepoint runs play -- safepoint notebooks --jobs 4
your copies in work/ for an editor of your own, and one of them as it was made:
  safepoint notebooks --copies
  safepoint notebooks --original 02"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint notebooks`: what `make notebooks` runs."""
    parser.epilog = EPILOG
    parser.add_argument("which", nargs="*", help="the start of a notebook's name, such as 02 (default: all)")
    parser.add_argument("--in-place", action="store_true", help="save quiet executions in notebooks/ itself")
    parser.add_argument("--again", type=int, default=0, metavar="N", help="execute a disturbed page up to N times more")
    parser.add_argument(
        "--disturbed-too", action="store_true", help="with --in-place: save disturbed executions as well"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="play N pages at once; only of recordings")
    parser.add_argument(
        "--links", action="store_true", help="execute nothing: link the JEPs, bugs and posts in the text"
    )
    parser.add_argument(
        "--copies", action="store_true", help="execute nothing: make your copies in work/, or bring them up to date"
    )
    parser.add_argument(
        "--original", action="store_true", help="bring your copy in work/ back to the original; yours is kept beside it"
    )
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    chosen = [path for which in arguments.which or [""] for path in find(which)]
    if arguments.links:
        return _link(chosen)
    if arguments.copies:
        return _copies()
    if arguments.original:
        return _original(chosen, bool(arguments.which))
    print(f"{len(chosen)} notebooks, profile {config.PROFILE.text() or 'standard'}", flush=True)
    if arguments.jobs > 1:
        return _at_once(chosen, arguments.jobs)
    failed = [path.stem for path in chosen if not _tried(path, arguments)]
    where = home.shown(FOLDER if arguments.in_place else EXECUTED)
    done = "executed and saved" if arguments.in_place else "executed"
    print(f"{len(chosen) - len(failed)} of {len(chosen)} {done}; see {where}")
    return 1 if failed else 0


def _at_once(chosen: list[Path], jobs: int) -> int:
    """Play pages side by side, each by a command of its own.

    Raises:
        BadInput: pages that run JVMs were asked for: those would disturb each other's times.
    """
    if not recording.packed():
        raise BadInput("--jobs plays recordings only: safepoint runs play -- safepoint notebooks --jobs 4")
    with ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(_by_itself, chosen))
    print(f"{sum(done)} of {len(chosen)} played; see {home.shown(EXECUTED)}")
    return 0 if all(done) else 1


def _by_itself(page: Path) -> bool:
    command = [sys.executable, "-m", "safepointlab", "notebooks", page.stem]
    played = subprocess.run(command, capture_output=True, text=True, check=False)
    print("\n".join((played.stdout + played.stderr).splitlines()[1:-1]), flush=True)
    return played.returncode == 0


def _link(chosen: list[Path]) -> int:
    linked = {path: links.in_notebook(path.read_text("utf-8")) for path in chosen}
    changed = [path for path, text in linked.items() if text != path.read_text("utf-8")]
    for path in changed:
        write_whole(path, linked[path])
    print(f"{len(changed)} of {len(chosen)} notebooks got links; the others had all of them")
    return 0


def _copies() -> int:
    """Make what the reader has no copy of yet, and renew what nobody has edited."""
    print("".join(f"{sentence}\n" for sentence in copies.renew()), end="")
    print(f"Your copies of the notebooks are in {home.shown(copies.folder())}")
    return 0


def _original(chosen: list[Path], named: bool) -> int:
    """Bring the reader's copies of these pages back; all of them only if each is named."""
    if not named:
        raise LabError("Which page? Say the start of its name: safepoint notebooks --original 02")
    for page in chosen:
        print(copies.original(page.name))
    return 0


def _tried(path: Path, arguments: argparse.Namespace) -> bool:
    try:
        return any(_executed(path, arguments) for _ in range(1 + arguments.again))
    except RunFailed as error:
        print(f"{path.stem:32} FAILED\n{error}", flush=True)
        return False


def _executed(path: Path, arguments: argparse.Namespace) -> bool:
    """Execute the page; in place it is saved only if all it expects was met, and no run of it was disturbed."""
    begin = time.time()
    with _as_it_will_be_saved() if arguments.in_place else nullcontext():
        executed = execute(path, say=lambda line: print(line, flush=True))
    _list(executed.unmet)
    if executed.unmet:
        return _refused(executed, "NOT MET is what the page expects")
    if not arguments.in_place:
        return True
    disturbed = recording.disturbed(since=begin)
    _list(disturbed)
    if disturbed and not arguments.disturbed_too:
        return _refused(executed, "NOT SAVED: others disturbed it")
    write_whole(path, links.in_notebook(executed.saved.read_text("utf-8")))
    return True


@contextmanager
def _as_it_will_be_saved() -> Iterator[None]:
    """Let a kernel that starts here check what holds of saved runs alone, and measure each verdict to its end."""
    before = dict(os.environ)
    os.environ[config.SAVING.name] = "1"
    os.environ.setdefault(config.VERDICTS_S.name, "inf")
    try:
        yield
    finally:
        for name in (config.SAVING.name, config.VERDICTS_S.name):
            if name in before:
                os.environ[name] = before[name]
            else:
                os.environ.pop(name, None)


def _list(lines: Iterable[str]) -> None:
    print("".join(f"    {line}\n" for line in lines), end="", flush=True)


def _refused(executed: Executed, reason: str) -> bool:
    print(f"{executed.name:32} {reason}. Its outputs: {home.shown(executed.saved)}", flush=True)
    return False
