"""A plan and a deadline -> Finished: the lab's one seam to the outside, which runs a plan or replays its recording."""

import contextlib
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from safepointlab.errors import BadInput, FlagRejected, LabError, NotRecorded, RunFailed, StorageFailed
from safepointlab.process import home, quiet, replay, stopping
from safepointlab.process.child import Child, end_children, kill_group, started
from safepointlab.process.files import bounded_text, size_mib, trim
from safepointlab.process.recording import RECORD, Finished, as_json, new_folder, recorded, replaying, write_json

__all__ = ["DeadlineHook", "Finished", "Plan", "end_children", "execute", "kill_group", "output_of"]

LEAST_FREE_MIB = 64  # below this a run would be cut off in the middle of its logs
LIMIT_MIB = 256  # how much a child may write in all, unless its plan says otherwise
RESCUED_MIB = 1  # what is kept of each file when the disk is full, to make room for the record
TICK_S = 0.2  # how often the memory of a running child and the size of its folder are measured, and sooner at first
FIRST_S = 0.01
UNMEASURED_S = 0.05  # so long its folder isn't measured: that would take its time from a JVM that starts on every core
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
        cores: the only cores that the child may use; None leaves it all.
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
    plan: Plan | Callable[[], Plan],
    *,
    deadline: float,
    key: str = "",
    what: object = "",
    recipe: Callable[[], str] | None = None,
) -> Finished:
    """Run a plan and wait for its end, at most `deadline` seconds; in a replay, load what was recorded under the key.

    Args:
        plan: the plan, or a function that makes it. A replay calls that only to hear why a JDK here refuses flags of
            which there is no run; packed recordings have its words, and no JDK is needed.
        key: the name under which the run is recorded and replayed.
        what: what the key stands for; it is printed where a replay has no such run.
        recipe: tells the command that records it, for the same message.

    Raises:
        BadInput: the deadline is not a positive number of seconds.
        ToolMissing: no such program.
        StorageFailed: the folder cannot be written, or the disk is nearly full.
        NotRecorded: replay is on, and no recording under the key has an outcome that holds for this deadline.
        FlagRejected: replay is on, and the JDK of the recording did not take the flags.
        Stopped: this thread's event was set, see `stopping`; the record says "interrupted".
    """
    seconds = usable(deadline)
    if recordings := replaying():
        others = 0
        for finished in recorded(key or "unnamed", recordings):
            if finished.is_valid_for(seconds):
                replay.note({"run": finished.folder})
                return replace(finished, replayed=True)
            others += 1
        if refusal := replay.answered("refused", key, lambda: _refusal(plan), unknown=""):
            raise FlagRejected(refusal)
        request = str(what) or (subprocess.list2cmdline(plan.command) if isinstance(plan, Plan) else "")
        replay.note({"missing": request})
        other = f" ({others} were made with another deadline than {seconds:g} s)" if others else ""
        record = f"env -u SAFEPOINTLAB_REPLAY {recipe()}" if recipe else "unset SAFEPOINTLAB_REPLAY and run it once"
        raise NotRecorded(
            f"SAFEPOINTLAB_REPLAY is set, and this was never recorded{other}: {request}\n"
            f"Looked in {home.shown(recordings)} for {key or 'a run with a key'}. "
            f"To record it on a machine with that JDK: {record}"
        )
    made = plan if isinstance(plan, Plan) else plan()
    folder = home.ready(made.folder or new_folder(key or "unnamed"))
    if (free := shutil.disk_usage(folder).free / 2**20) < LEAST_FREE_MIB:
        raise StorageFailed(
            f"only {free:.0f} MiB are free in {folder}; a run needs {LEAST_FREE_MIB}. "
            "Free some space (`safepoint runs prune` drops old recordings), or point SAFEPOINTLAB_RUNS elsewhere."
        )
    return _run(made, folder, seconds)


def usable(deadline: object) -> float:
    """A deadline in seconds.

    Raises:
        BadInput: it is not a number, not positive, or longer than any run.
    """
    if isinstance(deadline, bool) or not isinstance(deadline, int | float) or not 0 < deadline < 10**7:
        raise BadInput(f"deadline must be a positive number of seconds (e.g. 10), got {deadline!r}")
    return float(deadline)


def _refusal(plan: Plan | Callable[[], Plan]) -> str:
    """What this machine's JDK says of the plan's flags if it does not take them: that leaves no run to record."""
    try:
        if callable(plan):
            plan()
    except FlagRejected as refusal:
        return str(refusal)
    except LabError:  # such as no JDK: the run is missing, and that is what the caller says
        pass
    return ""


def _run(plan: Plan, folder: Path, deadline: float) -> Finished:
    """Run the plan in the folder and record it there; an interrupt is remembered, and raised once it is recorded."""
    limit_mib = LIMIT_MIB if plan.limit_mib is None else plan.limit_mib
    stopping.raise_if_stopped()
    interrupt: BaseException | None = None
    told: Mapping[str, Any] | None = None
    outcome, examination = "interrupted", dict[str, Any]()
    with started(plan.command, folder, plan.env, plan.cores) as child:
        try:
            with plan.around:
                told = plan.about()
                outcome, examination = _watch(child, folder, deadline, limit_mib, plan.at_deadline)
        except BaseException as error:
            interrupt = error
    about = dict(plan.about() if told is None else told)
    if size_mib(folder) > limit_mib:
        trim(folder, limit_mib)
        about["trimmed_mib"] = limit_mib
    finished = child.result(outcome, examination, about)
    quiet.publish(quiet.Quiet.from_dict(finished.quiet), about.get("request", {}))  # as it is when it is used again
    try:
        write_json(folder / RECORD, as_json(finished))
    except StorageFailed:  # on a full disk the logs make room for the record: the outcome is worth more than lines
        trim(folder, RESCUED_MIB)
        finished = replace(finished, about={**about, "cut_mib": RESCUED_MIB})
        write_json(folder / RECORD, as_json(finished))
    if interrupt:
        raise interrupt
    return finished


def _watch(
    child: Child, folder: Path, deadline: float, limit_mib: float, at_deadline: DeadlineHook | None
) -> tuple[str, dict[str, Any]]:
    """Wait for the child's end, its deadline or a flood; returns the outcome, and what an examination found."""
    while not child.exits_within(min(TICK_S, child.elapsed() + FIRST_S, deadline - child.elapsed())):
        stopping.raise_if_stopped()
        child.sample_memory()
        if child.elapsed() > UNMEASURED_S and size_mib(folder) > limit_mib:
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

    def kill_a_flood() -> None:
        while not done.wait(TICK_S):
            if size_mib(folder) > limit_mib:
                return kill_group(child.pid)

    thread = threading.Thread(target=kill_a_flood, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def output_of(
    command: Sequence[str] | Callable[[], Sequence[str]],
    deadline: float = 30,
    env: Mapping[str, str] | None = None,
    key: str | None = None,
) -> str:
    """What a short tool call printed, stdout then stderr; recorded, and replayed, only if it has a key.

    Args:
        command: its words, or a function that makes them where a replay may have no JDK to name.

    Raises:
        RunFailed: it ended with an error or missed the deadline; the message ends with its words, first and last.
    """

    def plan() -> Plan:
        return Plan(command() if callable(command) else command, env or {}, limit_mib=None if key else 64)

    if not key and replay.packed():  # recordings name JDKs, and anybody may have made them: what they name is never run
        raise NotRecorded(
            f"recordings are played, and nothing is run meanwhile: {subprocess.list2cmdline(plan().command)}\n"
            "Unset SAFEPOINTLAB_REPLAY to run it."
        )
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
        here = Path(folder)
        tool = execute(plan, deadline=deadline, key=key, what=key) if key else _run(plan(), here, deadline)
        text = tool.text() + bounded_text(tool.stderr)
    if tool.outcome == "exited" and tool.exit_code == 0:
        return text
    ending = f"exit status {tool.exit_code}" if tool.outcome == "exited" else f"{tool.outcome} ({tool.wall_ms:.0f} ms)"
    raise RunFailed(f"{subprocess.list2cmdline(tool.command)}: {ending}. Its words:\n{_both_ends(text)}")


def _both_ends(text: str, most: int = 2000) -> str:
    """The text, or where it is longer, whole lines from its start, where a compiler's first error is, and its end."""
    if len(text) <= most:
        return text
    head, tail = text[: most // 2], text[-most // 2 :]
    return "\n[...]\n".join((head.rpartition("\n")[0] or head, tail.partition("\n")[2] or tail))
