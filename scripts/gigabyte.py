"""A gigabyte of each log that the lab reads, of the JVM's tersest ones too -> docs/figures.md: rows, CPU time, peak.

    .venv/bin/python scripts/gigabyte.py [--mb 1000] [--only gc] [--write]

One run's log is repeated with its stamps and numbers going on, and read in a process of its own. Exit status 1 if a log
of the lab takes more than 700 MB.
"""

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import biglog
import section
from figures import MB, measured_read

import safepointlab as lab
from safepointlab import logs

SECTION, MOST_MB, LEAST_MB_PER_S = "A gigabyte of log", 700, 40
PROGRAM, ARGS, HEAP = "nepotism/NepotismQueue", "3000000", "-Xmx64m"
HEAD = ("log", "rows", "CPU", "MB/s", "peak")


@dataclass(frozen=True)
class Log:
    """A kind of log of one JDK and collector; `flags` write it to {file} or to stdout, without them the lab does."""

    kind: str
    jdk: int
    gc: str = "Serial"
    flags: str = ""

    @property
    def name(self) -> str:
        """As the table says it."""
        gc = f", {self.gc}" if self.kind == "gc" else ""
        terse = f": `{self.flags.removesuffix(':file={file}').replace(' -Xloggc:{file}', '')}`"
        return f"{self.kind}, JDK {self.jdk}{gc}{terse if self.flags else ''}"

    def recorded(self, folder: Path) -> list[Path]:
        """The log, or 8's two, of one run of the program."""
        beside = " gc" if self.kind == "safepoint" and self.jdk == 8 else ""
        flags = f"{HEAP} {self.flags.format(file=folder / 'terse.log')}"
        log = "" if self.flags else self.kind + beside
        run = lab.java(PROGRAM, self.jdk, flags, gc=self.gc, args=ARGS, log=log)
        if not self.flags:
            return logs.paths(self.kind, self.jdk, run.folder)[: 2 if beside else 1]
        if "{file}" not in self.flags:
            (folder / "terse.log").write_text(run.output)
        return [folder / "terse.log"]


TERSE_8 = "-XX:+PrintGC -XX:+PrintGCTimeStamps -Xloggc:{file}"
LOGS = [
    *(Log("safepoint", jdk) for jdk in (8, 11, 17, 21, 25)),
    Log("safepoint", 21, flags="-Xlog:safepoint:file={file}"),
    *(Log("gc", 8, gc) for gc in ("Serial", "Parallel", "CMS", "G1")),
    *(Log("gc", jdk, gc) for jdk, gc in ((17, "Serial"), (25, "G1"), (25, "Z"), (25, "Shenandoah"))),
    *(Log("gc", jdk, gc, flags) for jdk, gc, flags in ((8, "Serial", TERSE_8), (17, "Serial", "-Xlog:gc:file={file}"))),
    Log("gc", 25, "G1", "-Xlog:gc:file={file}"),
    *(Log("compilation", jdk) for jdk in (8, 17, 25)),
    Log("compilation", 17, flags="-XX:+PrintCompilation"),
    Log("compilation", 21, flags="-Xlog:jit+compilation=debug:file={file}"),
    *(Log("inlining", jdk) for jdk in (8, 17, 25)),
]


def main() -> None:
    asked = arguments()
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:  # nobody wants these runs later
        os.environ["SAFEPOINTLAB_RUNS"] = str(Path(folder) / "runs")
        chosen = [log for log in LOGS if asked.only in (None, log.kind)]
        rows = list(measured(chosen, asked.mb * MB, Path(folder)))
    text = told(asked.mb, [row for row, _ in rows])
    print(section.write(SECTION, text) if asked.write else text)
    sys.exit(not all(fits for _, fits in rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=int, default=1000, help="the length of each log (default: %(default)s)")
    parser.add_argument("--only", choices=["safepoint", "gc", "compilation", "inlining"], help="one kind")
    parser.add_argument("--write", action="store_true", help="put the result into docs/figures.md")
    return parser.parse_args()


def measured(chosen: list[Log], size: int, folder: Path) -> Iterator[tuple[tuple[object, ...], bool]]:
    """A row of the table, and whether the log fits into the memory that it may take."""
    for log in chosen:
        files = long_logs(log.recorded(folder), size, folder)
        cpu, rows, peak = measured_read(log.kind, files)
        for file in files:
            file.unlink()
        row = (log.name, f"{rows / 1e6:.1f} M", f"{cpu:.1f} s", f"{size / MB / cpu:.0f}", f"{peak:.0f} MB")
        print(*row, file=sys.stderr)
        yield row, peak <= MOST_MB or bool(log.flags)


def long_logs(sources: list[Path], size: int, folder: Path) -> list[Path]:
    """The logs of one run, made `size` bytes long in all."""
    targets = [folder / f"long-{number}.log" for number, _ in enumerate(sources)]
    if len(sources) > 1:
        biglog.write_together(sources, targets, size)
    else:
        biglog.write(sources[0], targets[0], size)
    return targets


def told(megabytes: int, rows: list[tuple[object, ...]]) -> str:
    """The section's text."""
    command = "scripts/gigabyte.py" + (f" --mb {megabytes}" if megabytes != 1000 else "")
    cores = f"{len(os.sched_getaffinity(0))} of {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end"
    return f"""`{command}`, {datetime.now(UTC):%Y-%m-%d}, {platform.system()} {platform.machine()}, {cores}.
The log of one run of `{PROGRAM}` (`args="{ARGS}"`, `{HEAP}`) is repeated up to {megabytes:,} MB, and read once in a
process of its own, whose peak this is. Logs without flags are the lab's own; those with flags are the tersest of a
JVM. The aims are {MOST_MB} MB and {LEAST_MB_PER_S} MB/s of CPU time.

{section.table(HEAD, rows)}

{missed(rows)}"""


def missed(rows: list[tuple[object, ...]]) -> str:
    """Which logs miss an aim."""
    slow = [f"{name} ({rate})" for name, _, _, rate, *_ in rows if int(str(rate)) < LEAST_MB_PER_S]
    large = [f"{row[0]} ({row[4]})" for row in rows if int(str(row[4]).removesuffix(" MB")) > MOST_MB]
    misses = {f"Fewer than {LEAST_MB_PER_S} MB/s": slow, f"More than {MOST_MB} MB": large}
    return "\n".join([f"{what}: {'; '.join(which) or 'none'}." for what, which in misses.items()])


if __name__ == "__main__":
    main()
