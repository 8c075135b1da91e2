"""Measurements on this machine -> the first table of docs/figures.md; each as a ratio to something bare beside it."""

import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import biglog
from readme import PROJECT, between

import safepointlab as lab
from safepointlab import logs
from safepointlab.process import home
from safepointlab.run import build

PAIRS = 15
MB = 10**6
LOG_MB = int(os.environ.get("FIGURES_LOG_MB", "200"))
BIG_MB = int(os.environ.get("FIGURES_BIG_MB", "1000"))
HEAD = "| what | measured | compared with | ratio or difference | aim |\n|---|---|---|---|---|\n"
# kind -> what `grep -c` counts: a word that the lines of its rows have
MARK_OF = {"compilation": " bytes)", "gc": "] GC(", "inlining": " @ ", "safepoint": 'Safepoint "'}


def main() -> None:
    table = [row for measure in (overhead, imports, page, readers) for row in told(measure)]
    note = f"\n{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, Python {platform.python_version()}.\n"
    file = PROJECT / "docs" / "figures.md"
    file.write_text(between(file.read_text(), "figures", HEAD + "".join(table) + note, "docs/figures.md"))


def told(measure: Callable[[], Iterator[str]]) -> Iterator[str]:
    for row in measure():
        print(row, end="", flush=True)
        yield row


def overhead() -> Iterator[str]:
    """A whole `lab.java` against a bare start of the very same command, in turns."""
    program = build.find_sample("hang/KillerTask")
    run = lab.java(str(program), 17, args="0 1 1")
    bare, through = [], []
    for _ in range(PAIRS):
        bare.append(seconds(lambda: bare_start(run.finished.command, run.folder)))
        through.append(seconds(lambda: lab.java(str(program), 17, args="0 1 1")))
    more = 1000 * statistics.median(ours - theirs for ours, theirs in zip(through, bare, strict=True))
    ours, theirs = 1000 * statistics.median(through), 1000 * statistics.median(bare)
    yield f"| a run by `lab.java`, recorded | {ours:.0f} ms | bare `java`: {theirs:.0f} ms | {more:+.1f} ms | +5 ms |\n"


def bare_start(command: Sequence[str], folder: Path) -> None:
    """In a session of its own, as the lab does it: the kernel gives each session its share of a busy machine."""
    subprocess.run(command, cwd=folder, stdout=-3, check=True, start_new_session=True)


def seconds(action: Callable[[], object]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def imports() -> Iterator[str]:
    """The setup cell's import, and the first frame, against what Python and pandas take by themselves."""
    ours = python_ms("import safepointlab as lab; lab.java; lab.sweep; lab.stamp")
    bare, pandas = python_ms("pass"), python_ms("import pandas, matplotlib.pyplot")
    yield f"| `import safepointlab` | {ours:.0f} ms | bare Python: {bare:.0f} ms | {ours - bare:+.0f} ms | 700 ms |\n"
    full = python_ms("import safepointlab as lab; lab.plot.safepoints; import safepointlab.logs.safepoint")
    beside = f"pandas, matplotlib: {pandas:.0f} ms"
    yield f"| the same with its plots and readers | {full:.0f} ms | {beside} | {full / pandas:.2f} | |\n"


def python_ms(code: str) -> float:
    start = [sys.executable, "-c", code]
    return 1000 * statistics.median(seconds(lambda: subprocess.run(start, check=True)) for _ in range(7))


def page() -> Iterator[str]:
    """From typing `make lab`, set up before, to the page's answer."""
    environment = {**os.environ, "LAB_OPTIONS": "--no-browser --IdentityProvider.token=figures", "PORT": "18917"}
    begin = time.perf_counter()
    make = ["make", "-C", str(home.PROJECT), "lab"]
    with subprocess.Popen(make, env=environment, stdout=-3, stderr=-3, start_new_session=True) as server:
        while not answers("http://localhost:18917/lab?token=figures"):
            time.sleep(0.05)
        took = time.perf_counter() - begin
        os.killpg(server.pid, signal.SIGTERM)
    yield f"| warm `make lab` to the page | {took:.1f} s | | | seconds |\n"


def answers(address: str) -> bool:
    try:
        return bool(urllib.request.urlopen(address, timeout=5).status == 200)
    except OSError:
        return False


def readers() -> Iterator[str]:
    """CPU of read() against `grep -c` of one word; peak memory of a process that reads a bigger log."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in sorted(MARK_OF):
            run = lab.java("nepotism/NepotismQueue", 17, "-Xmx64m", gc="Serial", args="3000000", log=kind)
            (source,) = logs.paths(kind, 17, run.folder)[:1]
            yield reader(kind, source, Path(folder) / f"{kind}.log")
        yield two_files(Path(folder))


def reader(kind: str, source: Path, log: Path) -> str:
    lines = biglog.write(source, log, LOG_MB * MB)
    grep = min(grep_s(kind, log) for _ in range(3))
    cpu, rows, _ = measured_read(kind, [log])
    biglog.write(source, log, BIG_MB * MB)
    _, _, peak = measured_read(kind, [log])
    log.unlink()
    counted = f"{rows / 1e6:.1f} M rows of {lines / 1e6:.1f} M lines"
    word = f"`grep -c '{MARK_OF[kind]}'`: {grep:.2f} s"
    peaked = f"peak {peak:.0f} MB for {BIG_MB} MB"
    what = f"| reading {LOG_MB} MB of `{kind}` ({counted}) | {cpu:.1f} s CPU"
    return f"{what} | {word} | {LOG_MB / cpu:.0f} MB/s, {peaked} | 40 MB/s, 700 MB |\n"


def two_files(folder: Path) -> str:
    """Safepoints of 8 with their table in one file and their total times in the other."""
    run = lab.java("nepotism/NepotismQueue", 8, "-Xmx64m", gc="Serial", args="3000000", log="safepoint gc")
    sources = logs.paths("safepoint", 8, run.folder)
    targets = [folder / source.name for source in sources]
    biglog.write_together(sources, targets, LOG_MB * MB)
    cpu, rows, _ = measured_read("safepoint", targets)
    biglog.write_together(sources, targets, BIG_MB * MB)
    _, _, peak = measured_read("safepoint", targets)
    what = f"| reading {LOG_MB} MB of `safepoint` of 8 in two files ({rows / 1e6:.1f} M rows) | {cpu:.1f} s CPU"
    return f"{what} | | {LOG_MB / cpu:.0f} MB/s, peak {peak:.0f} MB for {BIG_MB} MB | 40 MB/s, 700 MB |\n"


def grep_s(kind: str, log: Path) -> float:
    """Into a pipe: a grep that writes to /dev/null stops at the first match."""
    grep = f"import resource, subprocess as s; s.run({['grep', '-cF', MARK_OF[kind], str(log)]!r}, stdout=s.PIPE); "
    return float(
        python("u = resource.getrusage(resource.RUSAGE_CHILDREN); print(u.ru_utime + u.ru_stime)", before=grep)
    )


def measured_read(kind: str, files: list[Path]) -> tuple[float, int, float]:
    """CPU seconds of read(), rows, peak MB; in a process of its own, as memory only ever grows."""
    reads = "compilation.inlining" if kind == "inlining" else f"{kind}.read"
    code = "import json, resource, time; from pathlib import Path; "
    code += "from safepointlab.logs import compilation, gc, safepoint; "
    code += f"c = time.process_time(); rows = len({reads}(map(Path, {[*map(str, files)]!r}))); "
    code += "cpu = time.process_time() - c; "
    code += "print(json.dumps([cpu, rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6]))"
    cpu, rows, peak = json.loads(python(code))
    return cpu, rows, peak


def python(code: str, before: str = "") -> str:
    return subprocess.run([sys.executable, "-c", before + code], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
