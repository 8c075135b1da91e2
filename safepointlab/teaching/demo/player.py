"""A demo and a screen -> the demo, one key a step: live, and from its recording where a step isn't through in time."""

import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from safepointlab.course.demo_script import Demo, Facts, Page, Step
from safepointlab.errors import BadInput, LabError, NotRecorded, RunFailed
from safepointlab.process import shell, stopping
from safepointlab.teaching.demo import demos
from safepointlab.teaching.demo.demos import Record
from safepointlab.teaching.demo.screen import Row, Screen, rows_of

TICK_S = 0.1
LOOK_S = 0.5  # how often a waiting page checks whether its terminal has another size
SOON_S, PATIENCE_S = 1.0, 5.0  # how soon a thread that is told to end does so, and how long it may take
KEYS = "space next · b back · n notes · q quit"
KEYS_LAST = KEYS.replace("space next", "end")
KEYS_TO_RUN = KEYS.replace(" · q", " · r recording · q")  # while a run is to come
KEYS_RECORDED = "next run recorded · " + KEYS.replace(" · q", " · r live · q")
KEYS_RUNNING = "r take the recording · q quit"
NOT_WAITED = "not waited for"
CLEAR = "\x1b[2J\x1b[H"
NO_PAGE = (KeyError, TypeError, ValueError, IndexError)  # what a page raises that lacks a number


class _Quit(Exception):
    """The speaker pressed q."""


class Attempt:
    """One live measurement of a step, on a thread of its own so that the timer runs.

    Leave it by `stop`, whatever happened: no JVM outlives it.
    """

    def __init__(self, step: Step) -> None:
        self.facts: Facts = {}
        self.failure = ""
        self._step, self._begin, self._stop = step, time.monotonic(), threading.Event()
        self._thread = threading.Thread(target=self._measure, name=f"demo-{step.name}", daemon=True)
        self._thread.start()

    def _measure(self) -> None:
        try:
            with stopping.stopped_by(self._stop):
                self.facts = self._step.measure() if self._step.measure else {}
        except LabError as error:
            self.failure = str(error).partition("\n")[0]
        except Exception as error:  # a stage is no place for a traceback: the recording goes on, and says why
            self.failure = f"{type(error).__name__}: {error}".partition("\n")[0]

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._begin

    @property
    def over(self) -> bool:
        return not self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(SOON_S)
        if not self.over:  # it examines a JVM that hangs, say: without the JVM that is soon over
            shell.end_children()
            self._thread.join(PATIENCE_S)


@dataclass
class Player:
    """One showing of a demo.

    Args:
        replay: measure nothing, take all from the recording.
        notes: a terminal, such as /dev/pts/3 (the command `tty` names it), or a file, which grows: what to say goes
            there. Without it, the key n shows and hides what to say at the foot of the screen.

    Raises:
        BadInput: the notes cannot be written there.
        NotRecorded: all is to be taken from the recording, and there is none.
    """

    demo: Demo
    screen: Screen
    replay: bool = False
    notes: str = ""
    says: bool = field(default=False, init=False)  # whether the screen shows what to say: the audience reads it, too
    waits: bool = field(default=True, init=False)  # for the next run; else it comes from the recording
    measured: dict[str, Facts] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)  # by measuring step: "live", or why and when it was recorded

    def __post_init__(self) -> None:
        self._tell("")
        self._record: Record | None = demos.load(self.demo) if self.replay else None

    def play(self) -> None:
        """From the first step until q; without a keyboard, until the last step was shown.

        Raises:
            NotRecorded: a step could not be measured here, and there is no recording.
        """
        number, last = 0, len(self.demo.steps) - 1
        try:
            while True:
                step = self.demo.steps[number]
                self._tell("\n".join([self._head(number), *step.say, "", ""]))
                if step.measure and step.name not in self.measured:
                    self._get(number)
                key = self._show(number)
                if number == last and not self.screen.listens:
                    return
                number = min(number + 1, last) if key == "next" else max(0, number - 1)
        except _Quit:
            return

    def _get(self, number: int) -> None:
        """Measure the step live, or take its facts from the recording and say why."""
        step, why = self.demo.steps[number], ""
        if not self.waits and not self.replay:
            why = NOT_WAITED
        elif not self.replay:
            attempt = Attempt(step)
            try:
                why = self._wait(number, attempt) or attempt.failure
            finally:
                attempt.stop()
            if not why and has_page(step, {**self.measured, step.name: attempt.facts}):
                self.measured[step.name] = attempt.facts
                self.sources[step.name] = ", ".join(["live", *_jdk(attempt.facts)])
                return
            why = why or "its numbers are not complete"
        try:
            self._record = self._record or demos.load(self.demo)
        except NotRecorded as missing:
            raise NotRecorded(f"{step.name}: {why}; and {missing}") from missing
        self.waits = True
        self.measured[step.name] = facts = self._record.steps[step.name]
        self.sources[step.name] = ", ".join([f"RECORDED {self._record.where}", *_jdk(facts)]) + f" ({why})" * bool(why)

    def _wait(self, number: int, attempt: Attempt) -> str:
        """Show the timer until the attempt is over; returns why not to wait any longer, or ""."""
        step = self.demo.steps[number]
        while not attempt.over:
            self.screen.tick(self._rows(number, running(step, attempt.elapsed_s), "running", KEYS_RUNNING))
            key = self._key(TICK_S)
            if attempt.elapsed_s > step.seconds and not attempt.over:
                return f"not through in {step.seconds:.0f} s"
            if key == "recording":
                return NOT_WAITED
        return ""

    def _show(self, number: int) -> str:
        """Show the step's page until a key says where to go: "next" or "back"."""
        step, shown = self.demo.steps[number], None
        to_run = not self.replay and any(each.name not in self.measured for each in self.demo.measuring)
        while True:
            if shown != (self.screen.size(), self.says, self.waits):
                shown = self.screen.size(), self.says, self.waits
                before = [self.sources[each.name] for each in self.demo.steps[:number] if each.name in self.sources]
                source = self.sources.get(step.name) or " and ".join(dict.fromkeys(before))
                page = step.page(self.measured)
                if self.replay and step.command:  # which the audience has seen if it was run
                    page = replace(page, lines=(step.command, *page.lines))
                keys = (KEYS_TO_RUN if self.waits else KEYS_RECORDED) if to_run else KEYS
                if number == len(self.demo.steps) - 1:
                    keys = KEYS_LAST
                self.screen.show(self._rows(number, page, source, keys))
            key = self._key(LOOK_S if self.screen.listens else 0)
            if key == "notes":
                self.says = not self.says
            elif key == "recording" and to_run:
                self.waits = not self.waits
            elif key in ("next", "back"):
                return key

    def _key(self, seconds: float) -> str:
        key = self.screen.key(seconds)
        if key == "quit":
            raise _Quit
        return key

    def _rows(self, number: int, page: Page, source: str, keys: str) -> list[Row]:
        say = tuple(f"» {line}" for line in self.demo.steps[number].say) if self.says else ()
        foot = (*say, keys) if self.screen.listens else say
        return rows_of(page, self._head(number), source, foot, self.screen.size())

    def _head(self, number: int) -> str:
        return f"{self.demo.name} {number + 1}/{len(self.demo.steps)} · {self.demo.title}"

    def _tell(self, text: str) -> None:
        """Write to the speaker's own place, if there is one."""
        if not self.notes:
            return
        try:
            with Path(self.notes).open("a", encoding="utf-8") as out:
                out.write((CLEAR if out.isatty() else "") + text)
        except OSError as cause:
            advice = "Give a file, or the terminal that `tty` names when you type it there."
            raise BadInput(f"--notes {self.notes} cannot be written: {cause.strerror}. {advice}") from cause


def _jdk(facts: Facts) -> list[str]:
    """The build that a step ran on, as a list of one; an empty one where it ran on several."""
    return [f"JDK {facts['jdk']}"] if "jdk" in facts else []


def has_page(step: Step, measured: dict[str, Facts]) -> bool:
    try:
        step.page(measured)
    except NO_PAGE:
        return False
    return True


def running(step: Step, seconds: float) -> Page:
    """The page while a JVM runs: the seconds so far, which stop at its deadline, and when they end."""
    if step.deadline_s and seconds > step.deadline_s:
        end = "Time's up. Finding out which thread holds it up, before it's killed ..."
        return Page(f"{step.deadline_s:.1f} S", (step.command, end))
    until = f"If it is still there after {step.deadline_s:.0f} s, it is killed." if step.deadline_s else ""
    return Page(f"{seconds:.1f} S", tuple(filter(None, (step.command, until))))


def record(demo: Demo) -> dict[str, Facts]:
    """Measure each step of a demo, without its limit of time.

    Raises:
        LabError: a step could not be measured.
        RunFailed: a page cannot be made of what was measured.
    """
    measured: dict[str, Facts] = {}
    for step in demo.measuring:
        assert step.measure
        measured[step.name] = step.measure()
        if not has_page(step, measured):
            raise RunFailed(f"demo {demo.name}, step {step.name}: no page for {measured[step.name]}")
    return measured
