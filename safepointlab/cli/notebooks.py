"""A notebook -> the same notebook executed top to bottom in a fresh kernel, its outputs saved and its time taken.

Two options execute nothing. `--copies` brings the reader's copies in work/ up to date, as `make lab` does, and
`--original` puts the page as it was made in place of one of them.
"""

import argparse
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from safepointlab import config
from safepointlab.claims import links
from safepointlab.errors import BadInput, LabError, RunFailed
from safepointlab.phrases import counted
from safepointlab.process import home, recording
from safepointlab.process.files import write_whole
from safepointlab.widgets import copies
from safepointlab.widgets.expect import METADATA

if TYPE_CHECKING:  # at run time it costs every `safepoint` command a third of a second, and only one needs it
    from nbformat import NotebookNode

FOLDER = home.PROJECT / "notebooks"
EXECUTED = home.PROJECT / "build" / "notebooks"
NOT_HEADLESS = "skip-headless"  # the tag of a cell that hangs its own kernel: run it by hand
GRADED = re.compile(r'lab\.grade\("([^"]+)"')
DEADLINE_S = 900
Say = Callable[[str], object]
EPILOG = """one page, or all of them; the results are in build/notebooks:
  safepoint notebooks 02
  safepoint notebooks
all of them from the recorded runs, four at once:
  safepoint runs play -- safepoint notebooks --jobs 4
your copies in work/, for an editor of your own, and the original of one:
  safepoint notebooks --copies
  safepoint notebooks --original 02"""


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


def execute(
    path: Path, save: Path | None = None, deadline: float = DEADLINE_S, say: Say = print, answers: bool = False
) -> Executed:
    """Run every code cell except those tagged `skip-headless`; outputs go to `save`, by default build/notebooks.

    The page writes files into temporary folders: those of the reader and of the checkout stay as they are.

    Args:
        answers: grade each exercise's solution and its wrong answers as well, and expect the right grades.

    Raises:
        RunFailed: a cell failed; the message has its source and its error. The outputs up to there are saved.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    def take_back_ctrl_c(**_: object) -> None:
        """nbclient turns Ctrl-C into one dead kernel and goes on with the next notebook; a user means all of them."""
        signal.signal(signal.SIGINT, signal.default_int_handler)

    notebook = nbformat.read(path, as_version=4)
    own = list(notebook.cells)
    if answers:
        notebook.cells = list(_answered(own))
    saved, start = save or EXECUTED / path.name, time.monotonic()
    try:
        with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
            here, work = (home.ready(Path(folder) / name) for name in ("notebooks", "work"))  # as in the checkout
            client = NotebookClient(
                notebook,
                resources={"metadata": {"path": str(here)}},
                skip_cells_with_tag=NOT_HEADLESS,
                record_timing=False,  # a saved notebook changes only where its outputs do
                timeout_func=lambda _: max(1, int(start + deadline - time.monotonic())),
                kernel_name=notebook.metadata.kernelspec.name,
                on_notebook_start=take_back_ctrl_c,
            )
            with config.temporarily({config.WORK: str(work)}):
                client.execute(stderr=subprocess.DEVNULL)  # JJava's own chatter
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        message = re.sub(r"\x1b\[[\d;]*m", "", str(error)).strip()  # IPython colours its tracebacks
        raise RunFailed(f"{path.name}: {message}\nIts outputs up to there: {home.shown(saved)}") from error
    finally:
        home.ready(saved.parent)
        nbformat.write(nbformat.from_dict({**notebook, "cells": own}), saved)
    code = [cell for cell in own if cell.cell_type == "code" and cell.source.strip()]
    count = sum(NOT_HEADLESS not in cell.metadata.get("tags", []) for cell in code)
    executed = Executed(path.stem, count, time.monotonic() - start, saved, unmet(notebook))
    failed = len(executed.unmet)
    end = f"{counted(failed, 'expectation')} NOT MET" if failed else "ok"
    say(f"{executed.name:32} {executed.cells:3} cells {executed.seconds:7.1f} s   {end}")
    return executed


def _answered(cells: "list[NotebookNode]") -> "Iterator[NotebookNode]":
    """The cells, and after those of an exercise the ones that grade its solution and its wrong answers."""
    asked = dict[str, None]()
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        yield cell
        if cell.cell_type == "code":
            asked |= dict.fromkeys(GRADED.findall(cell.source))
        if not following or (following.cell_type == "markdown" and following.source.startswith("#")):
            for name in asked:
                yield from _graded(name)
            asked.clear()


def _graded(name: str) -> "Iterator[NotebookNode]":
    """A cell for each answer to an exercise that the lab records."""
    from nbformat.v4 import new_code_cell

    from safepointlab.course import lessons

    exercise = lessons.exercise(name)
    for answer in (exercise.solution, *exercise.wrong):
        right = answer is exercise.solution
        edited = "" if isinstance(answer, str) else f"lessons.exercise({name!r}).edited({dict(answer)!r})"
        what = f"{name}: {answer} is {'right' if right else 'wrong'}"
        yield new_code_cell(
            f"import safepointlab; from safepointlab.course import lessons\n"
            f"_grade = safepointlab.grade({name!r}, {edited or answer})\n"
            f"safepointlab.expect(_grade.solved is {right}, {what!r}, seen=_grade)"
        )


def unmet(notebook: "NotebookNode") -> tuple[str, ...]:
    """What the page's `lab.expect` said where a condition was not met, each with the cell's id."""
    outputs = ((cell, output) for cell in notebook.cells for output in cell.get("outputs", []))
    marks = ((cell, output.get("metadata", {}).get(METADATA, {})) for cell, output in outputs)
    return tuple(f"cell {cell.get('id')}: {mark['unmet']}" for cell, mark in marks if "unmet" in mark)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("which", nargs="*", help="the start of a notebook's name, such as 02 (default: all)")
    parser.add_argument("--in-place", action="store_true", help="save quiet executions in notebooks/ itself")
    told = "execute a disturbed page again, up to N times"
    parser.add_argument("--again", type=int, default=0, metavar="N", help=told)
    told = "with --in-place: save disturbed executions as well"
    parser.add_argument("--disturbed-too", action="store_true", help=told)
    told = "also grade each exercise's solution, and two answers that are wrong"
    parser.add_argument("--answers", action="store_true", help=told)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="play N pages at once (only with recordings)")
    parser.add_argument("--links", action="store_true", help="don't execute: link the JEPs, bugs and posts in the text")
    told = "don't execute: make your copies in work/, or update them"
    parser.add_argument("--copies", action="store_true", help=told)
    told = "don't execute: restore the original in work/, and keep your copy next to it"
    parser.add_argument("--original", action="store_true", help=told)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    chosen = [path for which in arguments.which or [""] for path in find(which)]
    if arguments.links:
        linked = {path: links.in_notebook(path.read_text("utf-8")) for path in chosen}
        changed = [path for path, text in linked.items() if text != path.read_text("utf-8")]
        for path in changed:
            write_whole(path, linked[path])
        print(f"{len(changed)} of {len(chosen)} notebooks got links; the others had all of them")
        return 0
    if arguments.copies:
        print("".join(f"{sentence}\n" for sentence in copies.renew()), end="")
        print(f"Your copies of the notebooks are in {home.shown(copies.folder())}")
        return 0
    if arguments.original:
        if not arguments.which:
            raise LabError("Which page? Say the start of its name: safepoint notebooks --original 02")
        for page in chosen:
            print(copies.original(page.name))
        return 0
    print(f"{len(chosen)} notebooks, profile {config.PROFILE.text() or 'standard'}", flush=True)
    if arguments.jobs > 1:
        return _play_side_by_side(chosen, arguments)
    saved = [path for path in chosen if _save(path, arguments)]
    where = home.shown(FOLDER if arguments.in_place else EXECUTED)
    print(f"{len(saved)} of {len(chosen)} executed{' and saved' * arguments.in_place}; see {where}")
    return int(len(saved) < len(chosen))


def _play_side_by_side(chosen: list[Path], arguments: argparse.Namespace) -> int:
    """Play pages side by side, each by a command of its own.

    Raises:
        BadInput: pages that run JVMs were asked for: those would disturb each other's times.
    """
    if not recording.packed():
        raise BadInput("--jobs plays recordings only: safepoint runs play -- safepoint notebooks --jobs 4")

    chosen_options = [name for name in ("in_place", "disturbed_too", "answers") if getattr(arguments, name)]
    options = [f"--{name.replace('_', '-')}" for name in chosen_options]

    def play(page: Path) -> bool:
        command = [sys.executable, "-m", "safepointlab", "notebooks", *options, page.stem]
        played = subprocess.run(command, capture_output=True, text=True, check=False)
        print("\n".join((played.stdout + played.stderr).splitlines()[1:-1]), flush=True)
        return played.returncode == 0

    with ThreadPoolExecutor(arguments.jobs) as pool:
        done = list(pool.map(play, chosen))
    where = home.shown(FOLDER if arguments.in_place else EXECUTED)
    print(f"{sum(done)} of {len(chosen)} played{' and saved' * arguments.in_place}; see {where}")
    return int(not all(done))


def _save(path: Path, arguments: argparse.Namespace) -> bool:
    """Execute the page, again where others disturbed it; whether it is what the page expects, and saved."""
    try:
        return any(_attempt(path, arguments) for _ in range(1 + arguments.again))
    except RunFailed as error:
        print(f"{path.stem:32} FAILED\n{error}", flush=True)
        return False


def _attempt(path: Path, arguments: argparse.Namespace) -> bool:
    """Execute the page; in place it is saved only if all it expects was met, and no run of it was disturbed."""
    begin = time.time()
    # A kernel that starts here checks what holds of saved runs alone, and measures each verdict to its end.
    saving = {config.SAVING: "1", config.VERDICTS_S: config.VERDICTS_S.value() or "inf"}
    with config.temporarily(saving if arguments.in_place else {}):
        executed = execute(path, say=lambda line: print(line, flush=True), answers=arguments.answers)
    disturbed = recording.disturbed(since=begin) if arguments.in_place and not executed.unmet else []
    print("".join(f"    {line}\n" for line in (*executed.unmet, *disturbed)), end="", flush=True)
    reason = "NOT MET is what the page expects" if executed.unmet else ""
    if disturbed and not arguments.disturbed_too:
        reason = "NOT SAVED: others disturbed it"
    if reason:
        print(f"{executed.name:32} {reason}. Its outputs: {home.shown(executed.saved)}", flush=True)
    elif arguments.in_place:
        write_whole(path, links.in_notebook(executed.saved.read_text("utf-8")))
    return not reason
