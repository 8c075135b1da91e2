"""A demo and a screen -> the demo, one key a step: live, and from its recording where a step is not through in time."""

from dataclasses import dataclass

from safepointlab.course.demo_script import Demo, Facts, Page, Step
from safepointlab.errors import NotRecorded, RunFailed
from safepointlab.teaching.demo import layout, records
from safepointlab.teaching.demo.live import Attempt
from safepointlab.teaching.demo.notes import Notes
from safepointlab.teaching.demo.records import Record
from safepointlab.teaching.demo.terminal import Screen

TICK_S = 0.1
LOOK_S = 0.5  # how often a waiting page looks whether its terminal has another size
KEYS = "space next · b back · q quit"
KEYS_RUNNING = "r take the recording · q quit"


class _Quit(Exception):
    """The speaker pressed q."""


@dataclass
class Player:
    """One showing of a demo.

    Args:
        replay: measure nothing, take all from the recording.
    """

    demo: Demo
    screen: Screen
    notes: Notes
    replay: bool = False

    def __post_init__(self) -> None:
        self.measured: dict[str, Facts] = {}
        self.sources: dict[str, str] = {}  # by measuring step: "live", or why and when it was recorded
        self._record: Record | None = records.load(self.demo) if self.replay else None

    def play(self) -> None:
        """From the first step until the last one is left, or q.

        Raises:
            NotRecorded: a step could not be measured here, and there is no recording.
        """
        number = 0
        try:
            while number < len(self.demo.steps):
                self._get(number)
                number = max(0, number + (1 if self._shown(number) == "next" else -1))
        except _Quit:
            return

    def _get(self, number: int) -> None:
        """Measure what the step needs, unless it is there already."""
        step = self.demo.steps[number]
        self.notes.tell(self._head(number), step.say)
        if not step.measure or step.name in self.measured:
            return
        why = "" if self.replay else self._measured(number)
        if step.name in self.measured:
            self.sources[step.name] = "live"
        else:
            self._recorded(step, why)

    def _measured(self, number: int) -> str:
        """Measure the step live; returns why that came to nothing, or ""."""
        attempt = Attempt(self.demo.steps[number])
        try:
            while not attempt.over:
                if why := self._waited(number, attempt):
                    return why
        finally:
            attempt.stop()
        if attempt.failure or not self._suffices(attempt):
            return attempt.failure or "its numbers are not complete"
        self.measured[attempt.step.name] = attempt.facts
        return ""

    def _suffices(self, attempt: Attempt) -> bool:
        """Whether the step's page can be made of what was measured."""
        try:
            attempt.step.page({**self.measured, attempt.step.name: attempt.facts})
        except (KeyError, TypeError, ValueError, IndexError):
            return False
        return True

    def _waited(self, number: int, attempt: Attempt) -> str:
        """Show the timer and wait a tick; returns why not to wait any longer, or ""."""
        self.screen.tick(self._rows(number, running(attempt), "running", KEYS_RUNNING))
        key = self.screen.key(TICK_S)
        if key == "quit":
            raise _Quit
        if attempt.late and not attempt.over:
            return f"not through in {attempt.step.seconds:.0f} s"
        return "not waited for" if key == "recording" else ""

    def _recorded(self, step: Step, why: str) -> None:
        try:
            self._record = self._record or records.load(self.demo)
        except NotRecorded as missing:
            raise NotRecorded(f"{step.name}: {why}; and {missing}") from missing
        self.measured[step.name] = self._record.steps[step.name]
        reason = f" ({why})" if why else ""
        self.sources[step.name] = f"RECORDED {self._record.where}{reason}"

    def _shown(self, number: int) -> str:
        """Show the step's page until a key says where to go: "next" or "back"."""
        step, size = self.demo.steps[number], None
        while True:
            if size != self.screen.size():
                size = self.screen.size()
                self.screen.show(self._rows(number, step.page(self.measured), self._source(step), KEYS))
            key = self._key()
            if key == "quit":
                raise _Quit
            if key in ("next", "back"):
                return key

    def _key(self) -> str:
        """A terminal may change its size while the page waits for a key; where nobody presses keys, none is awaited."""
        return self.screen.key(LOOK_S) if self.screen.listens else self.screen.key()

    def _source(self, step: Step) -> str:
        """Where the numbers of this page come from; "" before the first."""
        own = self.sources.get(step.name)
        return own or " and ".join(dict.fromkeys(self.sources.values()))

    def _rows(self, number: int, page: Page, source: str, keys: str) -> list[layout.Row]:
        foot = (*self.notes.on_screen(self.demo.steps[number].say), *([keys] if self.screen.listens else []))
        return layout.screen(page, self._head(number), source, foot, self.screen.size())

    def _head(self, number: int) -> str:
        return f"{self.demo.name} {number + 1}/{len(self.demo.steps)} · {self.demo.title}"


def running(attempt: Attempt) -> Page:
    """The page while a JVM runs: the seconds, and when they end."""
    step, seconds = attempt.step, attempt.elapsed_s
    if step.deadline_s and seconds > step.deadline_s:
        return Page(f"{seconds:.1f} S", (step.command, "Past its deadline: looking who holds it up ..."))
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
        try:
            step.page(measured)
        except (KeyError, TypeError, ValueError, IndexError) as cause:
            raise RunFailed(f"demo {demo.name}, step {step.name}: no page for {measured[step.name]}") from cause
    return measured
