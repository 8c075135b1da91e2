"""A notebook -> the same notebook executed top to bottom in a fresh kernel, its outputs saved and its time taken."""

import argparse
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safepointlab.errors import LabError, RunFailed
from safepointlab.process import home

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
    """One notebook's execution: how many code cells ran, how long it took, where the outputs are."""

    name: str
    cells: int
    seconds: float
    saved: Path


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
    executed = Executed(path.stem, len(list(headless(notebook))), time.monotonic() - start, saved)
    say(f"{executed.name:32} {executed.cells:3} cells {executed.seconds:7.1f} s   ok")
    return executed


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


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint notebooks`: what `make notebooks` runs."""
    parser.add_argument("which", nargs="*", help="the start of a notebook's name, such as 02 (default: all)")
    parser.add_argument("--in-place", action="store_true", help="save the outputs in notebooks/ itself")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    chosen = [path for which in arguments.which or [""] for path in find(which)]
    print(f"{len(chosen)} notebooks, profile {os.environ.get('SAFEPOINTLAB_PROFILE', 'standard')}", flush=True)
    failed = [path.stem for path in chosen if not _tried(path, arguments.in_place)]
    where = home.shown(FOLDER if arguments.in_place else EXECUTED)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} executed; see {where}")
    return 1 if failed else 0


def _tried(path: Path, in_place: bool) -> bool:
    try:
        execute(path, path if in_place else None, say=lambda line: print(line, flush=True))
    except RunFailed as error:
        print(f"{path.stem:32} FAILED\n{error}", flush=True)
        return False
    return True
