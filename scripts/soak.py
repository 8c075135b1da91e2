"""Hung JVMs in a row, in labs that are killed, crowded or short of disk -> a table of what was lost and what was left.

    .venv/bin/python scripts/soak.py [--hangs 1000] [--seed 1] [--jobs 2] [--jdks 8 17 25] [--write]

An episode is one lab, or two at once, with some hung JVMs each; its way and the moment of a kill come from the seed.
After each episode no process of it may live, and each run that its journal names must be readable. In the end what
killed labs left is made two days old and pruned: then no temporary folder, no draft and no held lock may be there.
All of it lies in a cache of its own, which only borrows this machine's JDKs. Exit status 1 if anything is wrong.
"""

import argparse
import contextlib
import fcntl
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import psutil
import section

from safepointlab import jdks
from safepointlab.cli.options import Several
from safepointlab.errors import NotRecorded
from safepointlab.process import home, recording

KILLER = "hang/KillerTask"
LAB, FLOOD = Path(__file__).with_name("soak_lab.py"), Path(__file__).with_name("Flood.java")
DEADLINE_S, GONE_WITHIN_S, EXAMINED = 0.8, 5.0, 25  # of so many hung JVMs one is examined
TWO_DAYS_S = 48 * 3600
TMPFS_MIB = 80  # a run begins with 64 MiB free, and may write 256


@dataclass
class Soak:
    """One soak: where it is, and what it has counted so far."""

    folder: Path
    hangs: int
    seed: int
    jdks: list[str]
    counts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)
    begun: float = field(default_factory=time.monotonic)

    @property
    def env(self) -> dict[str, str]:
        """The environment of its labs: a cache and a temporary folder of their own."""
        own = {"SAFEPOINTLAB_CACHE": self.folder / "cache", "TMPDIR": self.folder / "tmp"}
        old = {name: value for name, value in os.environ.items() if not name.startswith("SAFEPOINTLAB_")}
        return {**old, "SAFEPOINTLAB_PROFILE": "quick", **{name: str(path) for name, path in own.items()}}

    def found(self, **counts: int) -> None:
        with self.lock:
            self.counts.update({name.replace("_", " "): number for name, number in counts.items()})

    def complain(self, what: str) -> None:
        with self.lock:
            self.wrong.append(what)


@dataclass
class Episode:
    """Some hung JVMs of one or two labs; `dice` decides what happens to them."""

    soak: Soak
    number: int

    def __post_init__(self) -> None:
        self.dice = random.Random(f"{self.soak.seed}-{self.number}")
        self.name = f"{os.getpid()}-{self.number}"

    def journal(self, lab: int = 0) -> Path:
        return self.soak.folder / f"journal-{self.number}-{lab}"

    def start(self, lab: int = 0, sample: str = KILLER, hangs: int = 6, **env: str) -> subprocess.Popen[bytes]:
        """A lab that hangs so many JVMs, one after the other."""
        chosen = [self.dice.choice(self.soak.jdks) for _ in range(hangs)]
        words = [f"{jdk}?" if sample == KILLER and not self.dice.randrange(EXAMINED) else jdk for jdk in chosen]
        command = [sys.executable, str(LAB), str(self.journal(lab)), sample, str(DEADLINE_S), *words]
        with self.soak.folder.joinpath("labs.log").open("ab") as log:
            marked = {**self.soak.env, "SOAK_EPISODE": self.name, **env}
            return subprocess.Popen(command, env=marked, stdout=log, stderr=log, start_new_session=True)

    def ends(self, *labs: subprocess.Popen[bytes]) -> None:
        """Wait for labs that nobody kills; they end without an error."""
        for lab in labs:
            if status := lab.wait(300):
                self.soak.complain(f"episode {self.number}: a lab ended with status {status}, see labs.log")

    def check(self) -> None:
        """No process of the episode lives, and each run of its journals is there."""
        deadline = time.monotonic() + GONE_WITHIN_S
        while (living := list(self.living())) and time.monotonic() < deadline:
            time.sleep(0.05)
        for process in living:
            self.soak.complain(f"episode {self.number}: {process} still lives")
            process.kill()
        for lab in (0, 1):
            self.read(self.journal(lab))

    def living(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get("SOAK_EPISODE") == self.name:
                    yield process

    def read(self, journal: Path) -> None:
        for line in journal.read_text("utf-8").splitlines() if journal.exists() else []:
            outcome, _, rest = line.partition(" ")
            self.soak.found(**{f"recorded as {outcome}" if rest.startswith("/") else f"refused with {outcome}": 1})
            if not rest.startswith("/"):  # an error
                if outcome != "StorageFailed":
                    self.soak.complain(f"episode {self.number}: {line}")
            elif problem := unreadable(Path(rest), outcome):
                self.soak.complain(f"episode {self.number}: {problem}")


def unreadable(folder: Path, outcome: str) -> str:
    """What is wrong with a run that was recorded, "" if nothing."""
    try:
        kept = recording.load(folder).outcome
    except NotRecorded as lost:
        return f"a recorded run is lost: {lost}"
    return "" if kept == outcome else f"{folder} says {kept}, not {outcome}"


def undisturbed(episode: Episode) -> None:
    episode.ends(episode.start(hangs=10))
    episode.check()


def killed(episode: Episode) -> None:
    """SIGKILL at some moment between the imports and the last JVM."""
    lab = episode.start()
    with contextlib.suppress(subprocess.TimeoutExpired):
        lab.wait(episode.dice.uniform(0.2, 7.0))
    lab.kill()
    lab.wait()
    episode.soak.found(labs_killed_by_SIGKILL=1)
    episode.check()


def two_at_once(episode: Episode) -> None:
    """Both find no compiled program, and one of them is killed now and then."""
    with contextlib.suppress(OSError):
        for program in (episode.soak.folder / "cache" / "programs").glob("KillerTask-*"):
            program.rename(program.with_name(f"gone-{episode.name}-{program.name}"))
    labs = [episode.start(lab) for lab in (0, 1)]
    if episode.dice.random() < 0.5:
        time.sleep(episode.dice.uniform(0.5, 4.0))
        labs.pop().kill()
        episode.soak.found(labs_killed_by_SIGKILL=1)
    episode.ends(*labs)
    episode.check()


def clock_set(episode: Episode) -> None:
    episode.ends(episode.start(SOAK_CLOCK="1"))
    episode.check()


def full_disk(episode: Episode) -> None:
    """The program fills the disk that its run is to be recorded on."""
    with tmpfs(episode) as disk:
        episode.ends(episode.start(sample=str(FLOOD), hangs=2, SAFEPOINTLAB_RUNS=str(disk)))
        episode.check()
        cut = [folder for folder in disk.iterdir() if '"cut_mib"' in (folder / recording.RECORD).read_text("utf-8")]
        episode.soak.found(**{"recorded as hung, the logs cut to make room for the record": len(cut)})


def read_only(episode: Episode) -> None:
    with tmpfs(episode) as disk:
        mount("-o", "remount,ro", str(disk))
        episode.ends(episode.start(hangs=3, SAFEPOINTLAB_RUNS=str(disk)))
        episode.check()


WAYS: dict[Callable[[Episode], None], int] = {  # and how often each is taken
    undisturbed: 8,
    killed: 12,
    two_at_once: 5,
    clock_set: 3,
    full_disk: 2,
    read_only: 1,
}
NEED_ROOT = (full_disk, read_only)


@contextlib.contextmanager
def tmpfs(episode: Episode) -> Iterator[Path]:
    disk = home.ready(episode.soak.folder / f"disk-{episode.number}")
    mount("-t", "tmpfs", "-o", f"size={TMPFS_MIB}m", "tmpfs", str(disk))
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


def can_mount(folder: Path) -> bool:
    """Whether this user may put a small disk somewhere, and take it away."""
    disk = home.ready(folder / "disk")
    try:
        mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk))
    except (OSError, subprocess.CalledProcessError):
        return False
    return not subprocess.run(["umount", str(disk)], check=False).returncode


def worked(soak: Soak, numbers: Iterator[int], ways: dict[Callable[[Episode], None], int]) -> None:
    """One after the other, until enough JVMs have hung."""
    while soak.counts["recorded as hung"] < soak.hangs:
        with soak.lock:
            episode = Episode(soak, next(numbers))
        order = list(ways)  # the first episodes take each way once, so that a short soak has them all
        first = order[episode.number] if episode.number < len(order) else None
        way = first or episode.dice.choices(order, list(ways.values()))[0]
        way(episode)
        soak.found(**{f"episodes: {way.__name__}": 1})


def leftovers(soak: Soak) -> dict[str, list[Path]]:
    """What labs that were killed could not clear away, by kind."""
    cache, runs = soak.folder / "cache", soak.folder / "cache" / "runs"
    drafts = [path for path in cache.glob("*/.*") if path.name != ".lock"] + list(cache.glob("*/*/.*"))
    return {
        "runs without a record": [path for path in runs.iterdir() if not (path / recording.RECORD).exists()],
        "drafts": [path for path in drafts if not path.is_relative_to(cache / "jdks")],
        "temporary folders": list((soak.folder / "tmp").iterdir()),
        "held locks": [path for path in soak.folder.rglob("*.lock") if held(path)],
    }


def held(lock: Path) -> bool:
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def pruned(soak: Soak) -> None:
    """`safepoint runs prune`, two days later."""
    then = time.time() - TWO_DAYS_S
    for path in (path for paths in leftovers(soak).values() for path in paths):
        os.utime(path, (then, then))
    command = [sys.executable, "-m", "safepointlab", "runs", "prune", "--keep", "1000000"]
    subprocess.run(command, env=soak.env, check=True, capture_output=True)


def finish(soak: Soak) -> list[tuple[object, ...]]:
    """The rows of the table; what must not be is complained about."""
    before = {kind: len(paths) for kind, paths in leftovers(soak).items()}
    pruned(soak)
    rows: list[tuple[object, ...]] = []
    for kind, paths in leftovers(soak).items():
        rows.append(
            (f"{kind}, after the last episode · after `safepoint runs prune`", f"{before[kind]} · {len(paths)}")
        )
        for path in paths:
            soak.complain(f"{kind}: {path}")
    for journal in soak.folder.glob("journal-*"):
        for outcome, _, folder in (line.partition(" ") for line in journal.read_text("utf-8").splitlines()):
            if folder.startswith(str(soak.folder / "cache")) and (problem := unreadable(Path(folder), outcome)):
                soak.complain(f"after the prune: {problem}")
    lost = sum("lost" in wrong for wrong in soak.wrong)
    living = sum("still lives" in wrong for wrong in soak.wrong)
    return [*rows, ("recorded runs lost or half written", lost), ("processes that outlived their lab", living)]


def described(soak: Soak, ways: dict[Callable[[Episode], None], int], rows: list[tuple[object, ...]]) -> str:
    machine = f"{os.uname().sysname} {os.uname().machine}, {len(os.sched_getaffinity(0))} CPUs"
    skipped = "" if len(ways) == len(WAYS) else " Full disk and read-only cache were skipped: they need root, to mount."
    took = time.monotonic() - soak.begun
    intro = (
        f"`scripts/soak.py --hangs {soak.hangs} --seed {soak.seed}`, {datetime.now(UTC):%Y-%m-%d}, {machine}, "
        f"{took / 60:.1f} minutes, JDKs {', '.join(soak.jdks)}. Each JVM hangs in `hang/KillerTask` with the Serial "
        f"collector and is killed after {DEADLINE_S:g} s; one in {EXAMINED} gets 3 s, is examined, and must blame "
        f"the thread `killer`. A JVM that is recorded as exited did so by itself, sooner. A lab that is refused with "
        f"StorageFailed has a read-only folder for its runs. A changed clock is one that jumps by days within the "
        f"lab's own process, not the machine's.{skipped}"
    )
    counted = [(name, number) for name, number in sorted(soak.counts.items())]
    wrong = [("anything else that is wrong", len(soak.wrong))]
    return f"{intro}\n\n{section.table(('what', 'how often'), [*counted, *rows, *wrong])}"


def main() -> int:
    arguments = _parser().parse_args()
    chosen = arguments.jdks or [str(jdk.major) for jdk in jdks.find()]
    with tempfile.TemporaryDirectory(prefix="safepoint-soak-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        soak = Soak(folder, arguments.hangs, arguments.seed, chosen)
        prepare(folder)
        ways = {way: often for way, often in WAYS.items() if way not in NEED_ROOT or can_mount(folder)}
        numbers = count()
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for done in [pool.submit(worked, soak, numbers, ways) for _ in range(arguments.jobs)]:
                done.result()
        text = described(soak, ways, finish(soak))
        if soak.wrong and arguments.keep:
            shutil.copytree(folder, arguments.keep, symlinks=True, dirs_exist_ok=True)
    print(text, *soak.wrong, sep="\n")
    if arguments.write:
        section.write("Soak", text)
    return bool(soak.wrong)


def prepare(folder: Path) -> None:
    """A cache of its own: this machine's JDKs, and nothing compiled."""
    home.ready(folder / "cache" / "runs")
    home.ready(folder / "tmp")
    if home.jdk_store().is_dir():
        (folder / "cache" / "jdks").symlink_to(home.jdk_store())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hangs", type=int, default=1000, help="how many hung JVMs (default: 1,000)")
    parser.add_argument("--seed", type=int, default=1, help="decides the way of each episode and the moment of a kill")
    parser.add_argument("--jobs", type=int, default=2, help="how many episodes at once (default: 2)")
    parser.add_argument("--jdks", nargs="+", action=Several, help="such as 8 17 25 (default: all of this machine)")
    parser.add_argument("--keep", type=Path, help="copy everything there if something is wrong")
    parser.add_argument("--write", action="store_true", help="write the table into docs/figures.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
