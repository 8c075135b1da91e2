"""What a sweep asks for -> the same run on another machine -> its record and logs, among this machine's runs.

    ticket     {"sample", "source", "digest", "point", "settings", "again", "sweep", "lab"}     travels there
    answer     {"host", "machine", "stamp", "run", "attempts", "files", "sample", "lab"}        comes back
               {"host", "machine", "stamp", "error", "reason", "lab"}                           a JDK is missing

Both are made of Python's own types, so that any executor can pickle them. Files travel as compressed bytes.
"""

import hashlib
import json
import platform
import re
import threading
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from safepointlab.errors import LabError, SampleNotFound, Stopped
from safepointlab.process import home, machine, machine_lock, recording, stopping
from safepointlab.process.files import write_whole
from safepointlab.process.recording import RECORD
from safepointlab.run import build, stamp
from safepointlab.run.again import Budget, quietest
from safepointlab.run.launch import java
from safepointlab.run.run import Run
from safepointlab.version import __version__

NAME = re.compile(r"[\w$.-]+")


def ticket(
    sample: str, point: Mapping[str, Any], settings: Mapping[str, Any], again: int, sweep: str
) -> dict[str, Any]:
    """What travels: the arguments of `lab.java`, and the program's text for a machine that has another or none.

    Raises:
        SampleNotFound: there is no such program here.
    """
    source = build.find_sample(sample)
    text = source.read_bytes()
    about = {"sample": build.sample_name(source), "source": text, "digest": hashlib.sha256(text).hexdigest()}
    asked = {"point": dict(point), "settings": dict(settings), "again": again, "sweep": sweep}
    return {**about, **asked, "lab": __version__}


def there(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Make the run on this machine, as soon as no other run is made on it.

    Raises:
        Stopped: the sweep was interrupted.
    """
    if asked["lab"] != __version__:
        return _answer(_complaint(_other_version(asked["lab"])))
    with stopping.by(_Cancelled(asked["sweep"])), machine_lock.taken():
        stopping.look()
        try:
            return _answer(_made(asked))
        except LabError as error:
            return _answer(_complaint(error))


def _made(asked: Mapping[str, Any]) -> dict[str, Any]:
    if recording.replaying():
        raise LabError("SAFEPOINTLAB_REPLAY is set there: it plays recordings and runs nothing. Unset it.")
    sample, point = _sample(asked), {**asked["point"], **asked["settings"]}
    run, attempts = quietest(
        lambda again: java(sample, **{**point, "check": False, **({"reuse": False} if again else {})}),
        Budget(asked["again"]),
    )
    return {"run": run.id, "attempts": attempts, "sample": sample, "files": _packed(run.folder)}


def _answer(content: Mapping[str, Any]) -> dict[str, Any]:
    """With the machine that it was made on: its name, its facts in words, its whole stamp."""
    facts = {"host": platform.node(), "machine": f"{machine.cores()} cores, {machine.system()}"}
    with suppress(LabError):
        facts["stamp"] = str(stamp.stamp()).partition("\n")[0]
    return {"stamp": "", **facts, "lab": __version__, **content}


def _complaint(error: LabError) -> dict[str, str]:
    if isinstance(error, Stopped):
        raise error
    return {"error": type(error).__name__, "reason": str(error)}


def _other_version(theirs: str) -> LabError:
    return LabError(f"Safepoint Lab {__version__} is installed there, and {theirs} asks. Install the same.")


def _sample(asked: Mapping[str, Any]) -> str:
    """The name of the same program here; it is written into the cache if there is none, or another one."""
    with suppress(SampleNotFound, OSError):
        if hashlib.sha256(build.find_sample(asked["sample"]).read_bytes()).hexdigest() == asked["digest"]:
            return str(asked["sample"])
    file = home.ready(home.cache() / "sent" / asked["digest"][:12]) / f"{PurePosixPath(asked['sample']).stem}.java"
    return str(write_whole(file, asked["source"]))


def _packed(folder: Path) -> dict[str, bytes]:
    """The regular files of a run's folder; its record without this machine's folders."""
    files = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and not file.is_symlink()}
    named = {file.relative_to(folder).as_posix(): content for file, content in files.items()}
    named[RECORD] = home.neutral(named[RECORD].decode()).encode()
    return {name: zlib.compress(content, 1) for name, content in named.items()}


def arrived(answer: Mapping[str, Any], asked: Mapping[str, Any]) -> Run:
    """The run of an answer, its files in a folder of this machine's runs; one that was made here is there already.

    Raises:
        LabError: the answer holds a name that is no file of a run.
        StorageFailed: the files cannot be written.
    """
    _demand_plain(answer)
    folder = home.runs() / answer["run"]
    if not (folder / RECORD).is_file():
        for name in sorted(answer["files"], key=lambda name: name == RECORD):  # the record last: then the run is whole
            home.ready((folder / name).parent)
            content = zlib.decompress(answer["files"][name])
            write_whole(folder / name, _here(content, answer, asked) if name == RECORD else content)
        recording.set_aside(folder)  # a replay on this machine prefers the runs of this machine
    return Run(recording.load(folder))


def _demand_plain(answer: Mapping[str, Any]) -> None:
    parts = [answer["run"], *(part for name in answer["files"] for part in name.split("/"))]
    if odd := [part for part in parts if not NAME.fullmatch(part) or part.startswith("..")]:
        raise LabError(f"the answer of {answer['host']} holds {odd[0]!r}, which is no file of a run. Nothing was kept.")


def _here(record: bytes, answer: Mapping[str, Any], asked: Mapping[str, Any]) -> bytes:
    """The record with this machine's folders, and with the program where it lies here."""
    about = json.loads(home.local(record.decode()))
    if answer["sample"] != asked["sample"]:
        about["about"]["request"]["sample"] = asked["sample"]
        about["about"]["program"] |= {"name": asked["sample"], "source": str(build.find_sample(asked["sample"]))}
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
