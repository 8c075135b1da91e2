"""A plan and a deadline -> Finished: the lab's one seam to the outside, which runs a plan or replays its recording."""

import contextlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput, FlagRejected, LabError, NotRecorded, RunFailed, StorageFailed
from safepointlab.process import home, quiet, replay, stopping
from safepointlab.process.child import Child, end_children, kill_group, started
from safepointlab.process.disk_usage import trim, weight_mib
from safepointlab.process.files import bounded_text
from safepointlab.process.recording import RECORD, Finished, as_json, new_folder, recorded, replaying, write_json

__all__ = ["DeadlineHook", "Finished", "Plan", "end_children", "execute", "kill_group", "output_of"]

LEAST_FREE_MIB = 64  # below this a run would be cut off in the middle of its logs
LIMIT_MIB = 256  # how much a child may write in all, unless its plan says otherwise
RESCUED_MIB = 1  # what is kept of each file when the disk is full, to make room for the record
TICK_S = 0.2  # how often the memory of a running child and the size of its folder are measured, and sooner at first
FIRST_S = 0.01
UNWEIGHED_S = 0.05  # so long it is not weighed: that would take its time from a JVM that starts on every core
DeadlineHook = Callable[[int, Path], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Plan:
    """How one child is run.

    Args:
        command: the program and its words.
        env: added to this process's environment.
        about: tells what is kept beside the result: the request, the JDK's build, the machine. It is called while the
            child starts, which need not wait for it.
        folder: the child's working directory; by default a new one under home.runs(), named by the key.
        limit_mib: how much the child may write in all before it is stopped as "flooded"; by default LIMIT_MIB.
        at_deadline: called with (pid, folder) while a child past its deadline still lives; its result is kept.
        around: a context that is entered while the child lives, such as an observer.
        cores: the cores that the command confines itself to, if not all.
    """

    command: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    about: Callable[[], Mapping[str, Any]] = dict
    folder: Path | None = None
    limit_mib: float | None = None
    at_deadline: DeadlineHook | None = None
    around: AbstractContextManager[object] = field(default_factory=nullcontext)
    cores: Sequence[int] | None = None


def execute(
    plan: Plan | Callable[[], Plan], *, deadline: float, key: str = "", what: str = "", recipe: str = ""
) -> Finished:
    """Run a plan and wait for its end, at most `deadline` seconds; in a replay, load what was recorded under the key.

    Args:
        plan: the plan, or a function that makes it. A replay calls that only to hear why a JDK here refuses flags of
            which there is no run; packed recordings have its words, and no JDK is needed.
        key: the name under which the run is recorded and replayed.
        what: what the key stands for, in words.
        recipe: the command that records it, for the message where a replay has no such run.

    Raises:
        BadInput: the deadline is no number of seconds.
        ToolMissing: no such program.
        StorageFailed: the folder cannot be written, or the disk is nearly full.
        NotRecorded: replay is on, and no recording under the key has an outcome that holds for this deadline.
        FlagRejected: replay is on, and the JDK of the recording did not take the flags.
        Stopped: this thread's event was set, see `stopping`; the record says "interrupted".
    """
    seconds = usable(deadline)
    if recordings := replaying():
        if finished := _recorded_for(recordings, key, seconds):
            return finished
        _refuse_again(plan, key)
        raise NotRecorded(_never_recorded(recordings, key, seconds, what or _words(plan), recipe))
    prepared = plan if isinstance(plan, Plan) else plan()
    folder = home.ready(prepared.folder or new_folder(key or "unnamed"))
    _demand_space(folder)
    return _run(replace(prepared, folder=folder), folder, seconds)


def usable(deadline: object) -> float:
    """A deadline in seconds.

    Raises:
        BadInput: it is no number, not positive, or longer than any run.
    """
    if isinstance(deadline, bool) or not isinstance(deadline, int | float) or not 0 < deadline < 10**7:
        advice = "Give the seconds after which a run counts as hung, such as 10."
        raise BadInput(f"deadline={deadline!r} is no time. {advice}")
    return float(deadline)


def _run(plan: Plan, folder: Path, deadline: float) -> Finished:
    limit_mib = LIMIT_MIB if plan.limit_mib is None else plan.limit_mib
    stopping.look()
    interrupt, outcome, examination, told = None, "interrupted", dict[str, Any](), cache(plan.about)
    with started(plan.command, folder, plan.env, plan.cores) as child:
        try:
            with plan.around:
                told()
                outcome, examination = _watch(child, folder, deadline, limit_mib, plan.at_deadline)
        except BaseException as error:  # a Ctrl-C is remembered, and raised once the record is written
            interrupt = error
    about = dict(told())
    if weight_mib(folder) > limit_mib:
        trim(folder, limit_mib)
        about["trimmed_mib"] = limit_mib
    quiet.tell(child.quiet)
    finished = _recorded(child.result(outcome, examination, about))
    if interrupt:
        raise interrupt
    return finished


def _watch(
    child: Child, folder: Path, deadline: float, limit_mib: float, at_deadline: DeadlineHook | None
) -> tuple[str, dict[str, Any]]:
    """Wait for the child's end, its deadline or a flood; returns the outcome, and what an examination found."""
    while not child.exits_within(min(TICK_S, child.elapsed() + FIRST_S, deadline - child.elapsed())):
        stopping.look()
        child.look()
        if child.elapsed() > UNWEIGHED_S and weight_mib(folder) > limit_mib:
            return "flooded", {}
        if child.elapsed() >= deadline:
            child.stop_clock()
            with _bounded(child, folder, limit_mib):
                return "hung", dict((at_deadline(child.pid, folder) if at_deadline else None) or {})
    return "exited", {}


@contextlib.contextmanager
def _bounded(child: Child, folder: Path, limit_mib: float) -> Iterator[None]:
    """Within the block, an examination that takes seconds, the child is killed if it writes more than allowed."""
    done = threading.Event()
    guard = threading.Thread(target=_guard, args=(child, folder, limit_mib, done), daemon=True)
    guard.start()
    try:
        yield
    finally:
        done.set()
        guard.join()


def _guard(child: Child, folder: Path, limit_mib: float, done: threading.Event) -> None:
    while not done.wait(TICK_S):
        if weight_mib(folder) > limit_mib:
            kill_group(child.pid)
            return


def _recorded(finished: Finished) -> Finished:
    """Write the record; on a full disk the logs make room for it: the outcome is worth more than their lines."""
    try:
        write_json(finished.folder / RECORD, as_json(finished))
        return finished
    except StorageFailed:
        trim(finished.folder, RESCUED_MIB)
        cut = replace(finished, about={**finished.about, "cut_mib": RESCUED_MIB})
        write_json(cut.folder / RECORD, as_json(cut))
        return cut


def output_of(
    command: Sequence[str] | Callable[[], Sequence[str]],
    deadline: float = 30,
    env: Mapping[str, str] | None = None,
    key: str | None = None,
) -> str:
    """What a short tool call printed, stdout then stderr; recorded, and replayed, only if it has a key.

    Raises:
        RunFailed: it ended with an error or missed the deadline; the message ends with its last lines.
    """
    if key:
        return _output(execute(lambda: Plan(_made(command), env or {}), deadline=deadline, key=key, what=key))
    if replay.packed():  # recordings name JDKs, and anybody may have made them: what they name is never run
        raise NotRecorded(
            f"recordings are played, and nothing is run meanwhile: {subprocess.list2cmdline(_made(command))}\n"
            "Unset SAFEPOINTLAB_REPLAY to run it."
        )
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
        return _output(_run(Plan(_made(command), env or {}, limit_mib=64), Path(folder), deadline))


def _made(command: Sequence[str] | Callable[[], Sequence[str]]) -> Sequence[str]:
    """The words; a function makes them where a replay may have no JDK to name."""
    return command() if callable(command) else command


def _output(tool: Finished) -> str:
    text = tool.text() + bounded_text(tool.stderr)
    if tool.outcome == "exited" and tool.exit_code == 0:
        return text
    ending = f"exit status {tool.exit_code}" if tool.outcome == "exited" else f"{tool.outcome} ({tool.wall_ms:.0f} ms)"
    raise RunFailed(f"{subprocess.list2cmdline(tool.command)}: {ending}. Its last words:\n{text[-2000:]}")


def _recorded_for(recordings: Path, key: str, deadline: float) -> Finished | None:
    """The newest recording whose outcome holds for this deadline."""
    for finished in recorded(key or "unnamed", recordings):
        if finished.answers(deadline):
            replay.note({"run": finished.folder})
            return replace(finished, replayed=True)
    return None


def _refuse_again(plan: Plan | Callable[[], Plan], key: str) -> None:
    """Raise what the JDK said of the flags, if it took them as little when the page was recorded: that left no run.

    A set of recordings knows it. Beside the runs of this machine's cache its JDKs are asked.
    """
    if refusal := replay.answered("refused", key, lambda: _refusal(plan), unknown=""):
        raise FlagRejected(refusal)


def _refusal(plan: Plan | Callable[[], Plan]) -> str:
    try:
        if callable(plan):
            plan()
    except FlagRejected as refusal:
        return str(refusal)
    except LabError:  # such as no JDK: the run is missing, and that is what the caller says
        pass
    return ""


def _never_recorded(recordings: Path, key: str, deadline: float, what: str, recipe: str) -> str:
    replay.note({"missing": what})
    others = sum(1 for _ in recorded(key or "unnamed", recordings))
    other = f" ({others} were made with another deadline than {deadline:g} s)" if others else ""
    record = f"env -u SAFEPOINTLAB_REPLAY {recipe}" if recipe else "unset SAFEPOINTLAB_REPLAY and run it once"
    return (
        f"SAFEPOINTLAB_REPLAY is set, and this was never recorded{other}: {what}\n"
        f"Looked in {home.shown(recordings)} for {key or 'a run with a key'}. "
        f"To record it on a machine with that JDK: {record}"
    )


def _words(plan: Plan | Callable[[], Plan]) -> str:
    return subprocess.list2cmdline(plan.command) if isinstance(plan, Plan) else ""


def _demand_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free / 2**20
    if free < LEAST_FREE_MIB:
        raise StorageFailed(
            f"only {free:.0f} MiB are free in {folder}; a run needs {LEAST_FREE_MIB}. "
            "Free some space (`safepoint runs prune` drops old recordings), or point SAFEPOINTLAB_RUNS elsewhere."
        )
