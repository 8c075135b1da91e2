"""The recording of page 00's first run -> the hang that the book's first page plays, without a kernel."""

import re
from html import escape
from textwrap import dedent

from safepointlab.plot.interactive import Alive
from safepointlab.process import home, replay
from safepointlab.process.archives import unpack
from safepointlab.run import launch
from safepointlab.run.run import Run

SLEPT_MS = 600  # what main sleeps before it returns
LISTING = re.compile(r" *Thread killer = .*?\"main returns\"\);", re.DOTALL)
STILL_THERE = "main has returned, and only a daemon thread is left, but the JVM is still there. Ask it why, or end it:"
KILLED = "Only this helped, because the operating system does it without asking the JVM. Why didn't the JVM answer?"


def recorded() -> Run:
    """The run as page 00 asks for it, out of the recordings that come with the lab.

    Raises:
        NotRecorded: they hold no such run. BadRecording: an archive is damaged.
    """
    place = unpack.renew(replay.LAB, unpack.committed().get(replay.LAB, []))
    with replay.played_from(place):
        return launch.java("hang/KillerTask", 17, gc="Serial", args=SLEPT_MS, log="safepoint", deadline=3)


def listing() -> str:
    """The end of the program's `main`."""
    found = LISTING.search((home.SAMPLES / "hang" / "KillerTask.java").read_text("utf-8"))
    return dedent(found[0]) if found else ""


def player(run: Run, why: str, link: str) -> Alive:
    """The run to play: its output and threads in real time, then what the lab asked the JVM, to ask it again.

    Args:
        why, link: the page that answers, by its title and its address.
    """
    returned_s, ends_s = float(run.safepoints.attrs["begun_s"]), run.wall_ms / 1000
    examined = run.forensics
    answers = [_ask(answer.question, examined.pid, f"({answer.text})", answer.ms / 1000) for answer in examined.answers]
    began_s = returned_s - SLEPT_MS / 1000
    lanes = [
        ("main", began_s, returned_s, "asleep", "sleeps"),
        (examined.holdup, began_s, ends_s, "runs", "counts odd numbers"),
        ("the JVM", returned_s, ends_s, "waits", "is about to exit, and waits"),
    ]
    data = {
        "command": f"java -XX:+UseSerialGC KillerTask {SLEPT_MS}",
        "ends_s": ends_s,
        "printed": [{"at_s": returned_s, "text": line} for line in run.output.split("\n") if line],
        "lanes": [dict(zip(("name", "begin_s", "end_s", "look", "words"), lane, strict=True)) for lane in lanes],
        "answers": answers,
        "kill": _ask("SIGKILL", examined.pid, "Killed", 0),
        "still_there": STILL_THERE,
        "killed": KILLED,
        "why": {"href": link, "text": why},
        "origin": f"A recording in real time, JDK {run.jdk.version}, {run.finished.started[:10]}, {run.machine}",
    }
    silent = ", ".join(answer.question for answer in examined.answers)
    text = (
        f"$ {data['command']}: main returns after {returned_s:.1f} s. After {ends_s:.1f} s the JVM is still there, "
        f"and doesn't answer to {silent}."
    )
    return Alive("hang", data, f"<p>{escape(text)} <a href='{escape(link)}'>{escape(why)}</a></p>", text)


def _ask(question: str, pid: int, says: str, waited_s: float) -> dict[str, str | float]:
    """A question to the process: what an administrator types, and what came of it after so long.

    >>> _ask("jcmd Thread.print", 12, "no", 2.4)["command"], _ask("SIGQUIT", 12, "no", 0.8)["command"]
    ('jcmd 12 Thread.print', 'kill -QUIT 12')
    """
    tool, _, rest = question.partition(" ")
    command = f"kill -{question[3:]} {pid}" if question.startswith("SIG") else f"{tool} {pid} {rest}".strip()
    return {"question": question, "command": command, "says": says, "waited_s": waited_s}
