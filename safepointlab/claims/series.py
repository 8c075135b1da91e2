"""Claims and JDKs -> their verdicts one by one, each kept as soon as it is made, with the time that is left.

Topic after topic, and within a topic JDK after JDK: the claims of a topic share runs on one JDK, and a few compare
two of them. Nothing is measured side by side.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from safepointlab.claims import measuring
from safepointlab.claims.base import Claim, Verdict
from safepointlab.claims.results import Results
from safepointlab.claims.table import jdk_name
from safepointlab.process.recording import replaying
from safepointlab.run import launch
from safepointlab.run.frontend import in_notebook
from safepointlab.run.progress import Progress

Step = tuple[Claim, int]
LOG_EVERY_S = 60.0  # how often a log file, which nobody watches, gets a line


def each(claims: Sequence[Claim], jdks: Sequence[int], reuse: bool = False, patient: bool = False) -> Iterator[Verdict]:
    """Measure each claim on each JDK, or take over what was kept; in a replay nothing is kept or taken over.

    Args:
        claims: in any order; those that are not run give one verdict that says why.
        jdks: feature numbers; one that is not on this machine gives `unclear`.
        reuse: take over kept verdicts (`results.Results.get`).
        patient: go on where a measure or a judge has a defect, with a verdict that says so and is not kept.

    Raises:
        StorageFailed: verdicts cannot be kept.
    """
    results = None if replaying() else Results()
    if results and results.note:
        print(results.note, file=sys.stderr)
    kept, rest = list[Verdict](), list[Step]()
    for step in steps(claims, jdks):
        verdict = results.get(*step) if reuse and results else None
        kept.append(verdict) if verdict else rest.append(step)
    yield from kept
    with TimeLeft([results.seconds(*step) if results else None for step in rest]) as progress:
        for number, (claim, jdk) in enumerate(rest):
            if number and claim.topic != rest[number - 1][0].topic:
                launch.release()  # what other topics share are runs, not their tables
            progress.step(f"{claim.id} on {jdk_name(0 if claim.arithmetic else jdk)}")
            verdict = measuring.patiently(claim, jdk) if patient else measuring.run(claim, jdk)
            if results and claim.measure and not measuring.is_defect(verdict):
                results.add(verdict)
            yield verdict


def steps(claims: Sequence[Claim], jdks: Sequence[int]) -> list[Step]:
    """What is measured, in this order: by topic, within it by JDK, within that by claim.

    What no JVM decides is measured once. Its measure is given the newest JDK, in case it needs any.
    """
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.topic, []).append(claim)
    return [step for group in groups.values() for jdk in jdks for step in _on(group, jdk, jdks)]


def _on(group: Iterable[Claim], jdk: int, jdks: Sequence[int]) -> Iterator[Step]:
    once = jdk == jdks[-1]
    yield from ((claim, jdk) for claim in group if once or (claim.measure and not claim.arithmetic))


def ordered(verdicts: Iterable[Verdict], claims: Sequence[Claim]) -> list[Verdict]:
    """The verdicts in the order of the claims, and for each claim from the oldest JDK on."""
    place = {claim.id: number for number, claim in enumerate(claims)}
    return sorted(verdicts, key=lambda verdict: (place[verdict.claim.id], verdict.jdk))


def kept_words(verdicts: Sequence[Verdict], advice: str = "") -> str:
    """One sentence on what was not measured in this session, then some advice; "" if all was measured."""
    dates = [datetime.fromisoformat(verdict.date).astimezone() for verdict in verdicts if verdict.kept]
    if not dates:
        return ""
    since = min(dates)
    when = f"{since:%H:%M}" if since.date() == datetime.now().astimezone().date() else f"{since:%Y-%m-%d %H:%M}"
    return f"{len(dates)} of {len(verdicts)} verdicts kept from {when} on{advice}."


def counts(verdicts: Iterable[Verdict]) -> str:
    """How many verdicts of each state: "512 holds, 201 changed, 3 fails"."""
    number = Counter[str](verdict.state for verdict in verdicts)
    states = ("holds", "changed", "fails", "unclear", "not asked")
    return ", ".join(f"{number[state]} {state}" for state in states if number[state])


class TimeLeft(Progress):
    """Progress over the claims, with an estimate from what each took last time, where that is known."""

    def __init__(self, seconds: Sequence[float | None]) -> None:
        super().__init__(len(seconds), "claims")
        self.seconds, self._logged = list(seconds), 0.0

    def _estimate(self) -> str:
        known = [each for each in self.seconds if each is not None]
        usual = sum(known) / len(known) if known else self.elapsed() / self.done
        expected = [usual if each is None else each for each in self.seconds]
        done, left = sum(expected[: self.done]), sum(expected[self.done :])
        slower = self.elapsed() / done if done > 60 else 1.0  # than last time
        return f", about {duration(left * slower)} left"

    def _say(self, text: str, last: bool = False) -> None:
        """As every progress line, and once a minute also where stderr is a file. A page has its own line."""
        super()._say(text, last)
        if self._inner or sys.stderr.isatty() or in_notebook():
            return
        if last or self.elapsed() - self._logged > LOG_EVERY_S:
            self._logged = self.elapsed()
            print(text, file=sys.stderr, flush=True)


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(0.4), duration(95), duration(3720)
    ('0 s', '95 s', '62 min')
    """
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
