"""This machine's sizes and the agendas -> the message that goes out before the class, in Markdown."""

import sys
from collections.abc import Iterable
from pathlib import Path

from safepointlab import jdks
from safepointlab.run.profile import LAB_SET
from safepointlab.teaching.workshop.agenda import Agenda, clock
from safepointlab.teaching.workshop.needs import LEAST_CORES, LEAST_DISK_GIB, LEAST_MEMORY_GIB, LIVE_S, PORT

TEXT = """# Before the class

*Fill in: DATE, PLACE, WHERE THE LAB IS TO BE HAD, YOUR ADDRESS. Keep one of the lines about the length.*

Subject: Safepoint Lab on DATE: please prepare your machine

Hello,

on DATE in PLACE we look at what the JVM does behind a program's back. Everybody works on a machine of their own, so
please prepare yours beforehand, over a good connection.

## How long the class is

{lengths}

## What you need

- Linux on x86-64 (a virtual machine or a container will do) with Python 3.11 or newer and `make`. No root, and no JDK
  beforehand.
- {cores} cores and {memory} GiB of memory at least, better twice as much.
- Disk: {size},
  and another {disk} GiB free for what you run. All of it goes into the lab's folder and its cache; to be rid of
  the lab, delete these two.
- A browser on the same machine, and a free port ({port} by default).

## What to do

1. Get the lab from WHERE THE LAB IS TO BE HAD, and open a terminal in its folder.
2. `make setup`. It fetches the Python packages and the JDKs {jdks}. That takes some minutes, more of them
   over a slow connection; a second start takes seconds and fetches nothing.
3. `.venv/bin/safepoint doctor --workshop`. It looks at disk, memory, cores, JDKs and ports, and runs a few small
   programs, for {live} seconds at most. Each line says ok, or what to do.
4. `make lab` opens JupyterLab in the browser. If you see a page that asks a question, you are ready.

If a line of the doctor is not ok after you did what it says, send its whole output to YOUR ADDRESS before DATE.

The pages for the class are handed out there. You need not read anything before.
"""


def message(agendas: Iterable[Agenda]) -> str:
    """The message, with places to fill in; its sizes are those of this machine."""
    lengths = "\n".join(f"- {agenda.title} ({clock(agenda.minutes)} hours, breaks included)" for agenda in agendas)
    return TEXT.format(
        lengths=lengths, cores=LEAST_CORES, memory=LEAST_MEMORY_GIB, disk=LEAST_DISK_GIB, size=sizes(),
        port=PORT, live=LIVE_S, jdks=", ".join(map(str, LAB_SET)),
    )  # fmt: skip


def sizes() -> str:
    """How large packages and JDKs are here, in words; JDKs that are missing are not counted, and that is said."""
    newest = {jdk.major: jdk.home for jdk in sorted(jdks.find(), key=jdks.preference) if jdk.major in LAB_SET}
    packages, builds = round(folder_gib(Path(sys.prefix)), 1), round(sum(map(folder_gib, newest.values())), 1)
    missing = len(LAB_SET) - len(newest)
    note = f", {missing} of them not counted, since they are missing where this was measured" if missing else ""
    return (
        f"{packages + builds:.1f} GiB where this message was written "
        f"({packages:.1f} of Python packages, {builds:.1f} of {len(LAB_SET)} JDKs{note})"
    )


def folder_gib(folder: Path) -> float:
    """What the files of a folder take, in GiB; a link counts nothing."""
    files = (path.lstat() for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(file.st_size for file in files) / 2**30
