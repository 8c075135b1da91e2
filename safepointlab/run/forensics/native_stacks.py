"""A process and some of its threads -> their native stacks, where there is a gdb that may attach; else nothing.

gdb unwinds HotSpot's own frames, "SafepointSynchronize::synchronize_threads" among them if the build kept its symbols.
Of generated code it knows only the address, which is enough to find the loop in the same run's assembly.
"""

import contextlib
import re
import shutil
import tempfile
from pathlib import Path

from safepointlab.errors import LabError
from safepointlab.process import shell
from safepointlab.process.shell import Plan

FRAMES = 8

Mapping = tuple[int, int, str]  # from, to, the file behind it ("" for generated code)


def native_stacks(pid: int, threads: dict[int, str], bound: float) -> dict[str, list[str]]:
    """The innermost frames of the threads (tid -> name), by a gdb that may take `bound` seconds."""
    gdb = shutil.which("gdb")
    if not (gdb and threads):
        return {}
    quiet = ["-nx", "-batch", "-iex", "set auto-load no", "-iex", "set debuginfod enabled off"]
    command = [gdb, *quiet, "-p", str(pid), "-ex", f"thread apply all bt {FRAMES}"]
    with contextlib.suppress(LabError, OSError), tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
        finished = shell.execute(Plan(command, folder=Path(folder), limit_mib=16), deadline=bound)
        return parse(finished.text(), threads, mappings(pid))
    return {}


def parse(text: str, threads: dict[int, str], places: list[Mapping]) -> dict[str, list[str]]:
    """gdb's backtraces of these threads, the innermost frame first.

    >>> text = 'Thread 9 (LWP 7 "killer"):\\n#0  0x00007f31c1114739 in ?? ()\\n#1  0x0000000000000001 in ?? ()\\n'
    >>> parse(text, {7: "killer"}, [(0x7F31C1000000, 0x7F31C2000000, "")])
    {'killer': ['0x7f31c1114739 in code that the JVM made']}
    """
    stacks = {}
    for thread in re.split(r"^Thread \d+ ", text, flags=re.MULTILINE)[1:]:
        tid = re.match(r"\(.*?LWP (\d+)", thread)  # (LWP 7 "killer"): or (Thread 0x7f... (LWP 7) "killer"):
        if tid and int(tid[1]) in threads:
            frames = re.findall(r"^#\d+ +(?:0x([0-9a-f]+) in )?([\w:~<>?]+)", thread, re.MULTILINE)
            stacks[threads[int(tid[1])]] = _described(frames, places)
    return stacks


def _described(frames: list[tuple[str, str]], places: list[Mapping]) -> list[str]:
    """The names of the frames; of generated code the address alone, since gdb cannot unwind through it."""
    if frames and frames[0][1] == "??" and frames[0][0]:
        address = int(frames[0][0], 16)
        if any(low <= address < high and not file for low, high, file in places):
            return [f"{address:#x} in code that the JVM made"]
    return [name for _, name in frames if name != "??"] or [f"0x{address.lstrip('0')}" for address, _ in frames[:1]]


def mappings(pid: int) -> list[Mapping]:
    """The executable mappings of the process's memory; none if they cannot be read."""
    try:
        lines = Path(f"/proc/{pid}/maps").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    # 7f31c1000000-7f31c1270000 rwxp 00000000 00:00 0
    matches = (re.match(r"([0-9a-f]+)-([0-9a-f]+) ..x\S* \S+ \S+ \S+ *(.*)", match) for match in lines)
    return [(int(match[1], 16), int(match[2], 16), match[3]) for match in matches if match]
