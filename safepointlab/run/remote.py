"""A sweep's runs, made on an executor's machines: a ticket goes to a worker, its run comes back with its logs.

    ticket     {"sample", "source", "digest", "point", "settings", "again", "sweep", "lab"}     goes to a worker
    answer     {"host", "machine", "stamp", "run", "attempts", "files", "sample", "lab"}        comes back
               {"host", "machine", "stamp", "error", "reason", "lab"}                           a JDK is missing

Any `concurrent.futures.Executor` will do: threads or processes of this machine, or a cluster's, such as Dask's
`client.get_executor()`. Both are made of Python's own types, so that it can pickle them; files travel as compressed
bytes. What was made before an interrupt, or before a worker broke, is kept among this machine's runs.
"""

import hashlib
import json
import platform
import re
import secrets
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from safepointlab.errors import BadInput, LabError, SampleNotFound, Stopped
from safepointlab.process import home, machine, machine_lock, recording, stopping
from safepointlab.process.files import write_whole
from safepointlab.process.recording import RECORD
from safepointlab.run import build, profile, stamp
from safepointlab.run.again import Budget, quietest
from safepointlab.run.launch import java
from safepointlab.run.run import Run
from safepointlab.version import __version__

Point = dict[str, Any]
Ticket = Mapping[str, Any]
Answer = dict[str, Any]
LOST = "lost"  # the outcome of a run whose worker broke
GRACE_S = 5.0  # how long an interrupt waits for the runs of this machine to end
PLACE = ("host", "machine", "stamp")
NO_RUN = {"FlagRejected": "not possible", "JdkNotFound": "no JDK", "CompileFailed": "does not compile"}
NAME = re.compile(r"[\w$.-]+")  # of a folder or file in an answer


def rows(
    executor: Executor,
    sample: str,
    plan: Sequence[Point],
    settings: Mapping[str, Any],
    row: Callable[[Point, Run, int], dict[str, Any]],
    step: Callable[[Point], None],
) -> list[dict[str, Any]]:
    """A row for each point of the plan, in this order, with the columns host, machine and stamp.

    Args:
        row: makes a row of a run that came back, and of how often it was made.
        step: called with each point before its result is waited for.

    Raises:
        BadInput: the executor takes no work any more.
        LabError: not one run came back.
    """
    sweep, again = secrets.token_hex(16), profile.by_effort(quick=0, standard=1)
    work: deque[tuple[Point, Ticket, Future[Answer]]] = deque()
    made: list[dict[str, Any]] = []
    try:
        for point in plan:
            ticket: Ticket = ticket_of(sample, point, settings, again, sweep)
            try:
                future = executor.submit(run_on_worker, ticket)
            except BrokenExecutor as broken:  # while the first ones ran already
                future = Future()
                future.set_exception(broken)
            except RuntimeError as closed:
                advice = "Give one that has not been shut down."
                raise BadInput(f"the executor takes no work: {closed}. {advice}") from closed
            work.append((point, ticket, future))
        while work:
            point, ticket, future = work[0]
            step(point)
            made.append(_row(point, ticket, future, row))
            work.popleft()  # and with it the logs that came with the answer
    except BaseException:
        _cancel(sweep, work)
        raise
    if all(each["outcome"] == LOST for each in made):
        raise LabError(f"not one of {len(made)} runs came back from the executor. {made[0]['reason']}")
    return made


def _row(
    point: Point, ticket: Ticket, future: Future[Answer], row: Callable[[Point, Run, int], dict[str, Any]]
) -> dict[str, Any]:
    try:
        answer = future.result()
    except Exception as error:  # a broken worker, one without the lab, arguments that cannot be pickled
        words = str(error).strip() or "no reason given"
        reason = f"The executor's worker did not answer: {type(error).__name__}: {words}"
        return {**point, "outcome": LOST, "reason": reason, **dict.fromkeys(PLACE, "")}
    place = {name: answer[name] for name in PLACE}
    if kind := answer.get("error"):
        return {**point, "outcome": NO_RUN.get(kind, LOST), "reason": answer["reason"], **place}
    return {**row(point, receive(answer, ticket), answer["attempts"]), **place}


def _cancel(sweep: str, work: Iterable[tuple[Point, Ticket, Future[Answer]]]) -> None:
    """Cancel what has not begun, end what runs on this machine, keep what was made; other machines finish theirs."""
    cancelled = marker(sweep)
    with suppress(OSError):
        cancelled.touch()
    begun = [future for _, _, future in work if not future.cancel()]
    unfinished = wait(begun, timeout=GRACE_S).not_done
    for _, ticket, future in work:
        with suppress(Exception):
            if future.done() and not future.cancelled() and "files" in (answer := future.result()):
                receive(answer, ticket)
    if not unfinished:
        cancelled.unlink(missing_ok=True)


def ticket_of(
    sample: str, point: Mapping[str, Any], settings: Mapping[str, Any], again: int, sweep: str
) -> dict[str, Any]:
    """The arguments of `lab.java`, and the program's text for a machine that has another one or none.

    Raises:
        SampleNotFound: there is no such program here.
    """
    source = build.find_sample(sample)
    text = source.read_bytes()
    about = {"sample": build.sample_name(source), "source": text, "digest": hashlib.sha256(text).hexdigest()}
    asked = {"point": dict(point), "settings": dict(settings), "again": again, "sweep": sweep}
    return {**about, **asked, "lab": __version__}


def run_on_worker(ticket: Ticket) -> Answer:
    """Make the run on this machine, as soon as no other run is made on it.

    Raises:
        Stopped: the sweep was interrupted.
    """
    if ticket["lab"] != __version__:
        reason = f"Safepoint Lab {__version__} is installed there, and {ticket['lab']} asks. Install the same."
        return _answer({"error": "LabError", "reason": reason})
    with stopping.stopped_by(_Cancelled(ticket["sweep"])), machine_lock.held():
        stopping.raise_if_stopped()
        try:
            return _answer(make_run(ticket))
        except Stopped:
            raise
        except LabError as error:
            return _answer({"error": type(error).__name__, "reason": str(error)})


def _answer(content: Mapping[str, Any]) -> Answer:
    """With the machine that it was made on: its name, its facts in words, its whole stamp."""
    answer = {"host": platform.node(), "machine": f"{machine.cores()} cores, {machine.system()}", "stamp": ""}
    with suppress(LabError):
        answer["stamp"] = str(stamp.stamp()).partition("\n")[0]
    return {**answer, "lab": __version__, **content}


def make_run(ticket: Ticket) -> dict[str, Any]:
    """The run, made here: its id, how often it was made, its files, and the name of its program here."""
    if recording.replaying():
        raise LabError("SAFEPOINTLAB_REPLAY is set there: it plays recordings and runs nothing. Unset it.")
    sample, settings = sample_here(ticket), {**ticket["point"], **ticket["settings"], "check": False}
    run, attempts = quietest(
        lambda again: java(sample, **(settings | {"reuse": False} if again else settings)), Budget(ticket["again"])
    )
    return {"run": run.id, "attempts": attempts, "sample": sample, "files": pack(run.folder)}


def sample_here(ticket: Ticket) -> str:
    """The name of the same program here; it is written into the cache if there is none, or another one."""
    with suppress(SampleNotFound, OSError):
        if hashlib.sha256(build.find_sample(ticket["sample"]).read_bytes()).hexdigest() == ticket["digest"]:
            return str(ticket["sample"])
    file = home.ready(home.cache() / "sent" / ticket["digest"][:12]) / f"{PurePosixPath(ticket['sample']).stem}.java"
    return str(write_whole(file, ticket["source"]))


def pack(folder: Path) -> dict[str, bytes]:
    """The regular files of a run's folder, compressed; its record without this machine's folders."""
    files = [file for file in folder.rglob("*") if file.is_file() and not file.is_symlink()]
    named = {file.relative_to(folder).as_posix(): file.read_bytes() for file in files}
    named[RECORD] = home.neutral(named[RECORD].decode()).encode()
    return {name: zlib.compress(content, 1) for name, content in named.items()}


def receive(answer: Mapping[str, Any], ticket: Ticket) -> Run:
    """The run of an answer, its files in a folder of this machine's runs; one that was made here is there already.

    Raises:
        LabError: the answer holds a name that is not that of a file of a run.
        StorageFailed: the files cannot be written.
    """
    parts = [answer["run"], *(part for name in answer["files"] for part in name.split("/"))]
    if odd := [part for part in parts if not NAME.fullmatch(part) or part.startswith("..")]:
        raise LabError(f"the answer of {answer['host']} names {odd[0]!r}, not a file of a run. Nothing was kept.")
    folder = home.runs() / answer["run"]
    if not (folder / RECORD).is_file():
        for name in sorted(answer["files"], key=lambda name: name == RECORD):  # the record last: then the run is whole
            home.ready((folder / name).parent)
            content = zlib.decompress(answer["files"][name])
            write_whole(folder / name, _localized(content, answer, ticket) if name == RECORD else content)
        recording.set_aside(folder)  # a replay on this machine prefers the runs of this machine
    return Run(recording.load(folder))


def _localized(record: bytes, answer: Mapping[str, Any], ticket: Ticket) -> bytes:
    about = json.loads(home.local(record.decode()))
    if answer["sample"] != ticket["sample"]:
        about["about"]["request"]["sample"] = ticket["sample"]
        source = str(build.find_sample(ticket["sample"]))
        about["about"]["program"] |= {"name": ticket["sample"], "source": source}
    return (json.dumps(about, indent=1) + "\n").encode()


def marker(sweep: str) -> Path:
    """The file whose presence ends what an interrupted sweep still runs on this machine."""
    return machine_lock.shared_folder() / f"safepointlab-{sweep}.cancelled"


class _Cancelled(threading.Event):
    """Set as soon as the sweep's marker is there, in whichever process of this machine it was made."""

    def __init__(self, sweep: str) -> None:
        super().__init__()
        self._marker = marker(sweep)

    def is_set(self) -> bool:
        return self._marker.exists()
