"""Claims and JDKs -> their verdicts one by one, each kept as soon as it is made, with the time that is left.

`each` measures all of them: topic after topic, and within a topic JDK after JDK, since the claims of a topic share runs
on one JDK, and a few compare two of them. A claim that compares times has the machine to itself. These claims go first,
so that none of their runs was made beside another one; then the others, two JDKs side by side with one JVM each.

`within` is for a page, most of whose time a table of verdicts would take. First comes what needs no new run, since the
page has made it; then, until the time is over, one claim after the other, the cheapest first. What is left stands as it
was measured within the last day by this machine, else as the lab's own machine measured it (docs/claims.json). So does
all of it in a replay: the recordings are a page's runs, and not those of its claims.
"""

import math
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, partial
from itertools import chain, groupby
from typing import Any, get_args

from safepointlab import config
from safepointlab.claims import document, measuring
from safepointlab.claims.base import Claim, State, Verdict
from safepointlab.claims.results import KEPT, Results
from safepointlab.errors import BadInput, Stopped
from safepointlab.phrases import counted
from safepointlab.process import home, machine, stopping
from safepointlab.process.recording import replaying
from safepointlab.run import launch, profile, sweep
from safepointlab.run.frontend import in_notebook
from safepointlab.run.progress import Progress

Step = tuple[Claim, int]
STATES: tuple[State, ...] = get_args(State)
LOG_EVERY_S = 60.0  # how often a log file, which nobody watches, gets a line
MEASURED = home.PROJECT / "docs" / "claims.json"
SECONDS = {"quick": 1.0, "standard": 12.0, "full": math.inf}  # of a page's table, by profile
UNKNOWN_S = 10.0  # what a step counts for if nobody ever measured it
OVER = "not measured: the time of this table was over, and docs/claims.json has no verdict of this version of the claim"


def each(claims: Sequence[Claim], jdks: Sequence[int], reuse: bool = False, patient: bool = False) -> Iterator[Verdict]:
    """Measure each claim on each JDK, or take over what was kept; in a replay nothing is kept or taken over.

    Args:
        claims: in any order; those that are not run give one verdict that says why.
        jdks: feature numbers; one that is not on this machine gives `not run`.
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
    alone, beside = in_turn(rest)
    usual = [(results.seconds(*step) if results else None, _at_once(step, jdks)) for step in alone + beside]
    with TimeLeft([seconds and seconds / at_once for seconds, at_once in usual]) as progress:
        done = list[Verdict]()

        def measure(claim: Claim, jdk: int) -> None:
            progress.step(f"{claim.id} on JDK {jdk}")
            verdict = measuring.run(claim, jdk, patient)
            if results and claim.measure and not verdict.why.startswith(measuring.DEFECT):
                results.add(verdict)
            done.append(verdict)

        def tasks(steps: Iterable[Step]) -> Iterator[Callable[[], None]]:
            for _, topic in groupby(steps, lambda step: step[0].topic):
                yield from (partial(measure, *step) for step in topic)
                yield launch.release  # what other topics share are runs, not their tables

        try:
            for task in tasks(alone):
                task()
                yield from done
                done.clear()
            with sweep.one_at_a_time():
                sweep.together(tasks(beside), max((_at_once(step, jdks) for step in beside), default=1))
        finally:  # an interrupt loses none of those that were made
            yield from done


def in_turn(steps: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """Those that have the machine to themselves, and those that run side by side.

    The latter claim by claim within a topic, so that those beside each other are on two JDKs and have no run in common.
    """
    beside = (step for step in steps if not step[0].times)
    by_claim = (sorted(topic, key=lambda step: step[0].id) for _, topic in groupby(beside, lambda step: step[0].topic))
    return [step for step in steps if step[0].times], list(chain.from_iterable(by_claim))


def _at_once(step: Step, jdks: Sequence[int]) -> int:
    """How many measurements run at the same time where it is one of them."""
    return 1 if step[0].times else min(2, len(jdks), machine.usable_cores())


def majors() -> list[int]:
    """The JDKs of a page's table: those of the profile that are here; in a replay those that the lab has measured."""
    return sorted({jdk for _, jdk in measured()}) if replaying() else profile.versions()


def steps(claims: Sequence[Claim], jdks: Sequence[int]) -> list[Step]:
    """What is measured, in this order: by topic, within it by JDK, within that by claim; what is not run comes once."""
    return [
        (claim, jdk)
        for topic in dict.fromkeys(claim.topic for claim in claims)
        for jdk in jdks
        for claim in claims
        if claim.topic == topic and (jdk == jdks[-1] or claim.measure)
    ]


def usable(seconds: object) -> float:
    """How long a page's table measures: what was asked for, else the variable, else what the profile gives.

    >>> usable(60), usable(float("inf"))
    (60.0, inf)

    Raises:
        BadInput: no number of seconds.
    """
    asked = config.VERDICTS_S.value() if seconds is None else seconds
    if asked is None:
        return SECONDS[profile.name()]
    try:
        number = float(str(asked))
    except ValueError:
        number = math.nan
    if isinstance(asked, bool) or not number >= 0:
        raise BadInput(f"seconds must be a number of seconds >= 0, such as 60, or inf, got {asked!r}")
    return number


def within(claims: Sequence[Claim], jdks: Sequence[int], seconds: float) -> Iterator[Verdict]:
    """The verdict on each claim and JDK, in any order; after `seconds` no run begins, and one under way ends.

    Raises:
        StorageFailed: verdicts cannot be kept.
    """
    if seconds == math.inf and not replaying():
        yield from each(claims, jdks)
        return
    results, left = Results(), steps(claims, jdks)
    if replaying():
        yield from (_before(step, results) for step in left)
        return
    for limit_s in (0.0, seconds):
        for step, verdict in _measured(left if not limit_s else _cheapest_first(left, results), limit_s):
            left.remove(step)
            if step[0].measure:
                results.add(verdict)
            yield verdict
    yield from (_before(step, results) for step in left)


def _measured(steps: Sequence[Step], limit_s: float) -> Iterator[tuple[Step, Verdict]]:
    """Those steps that the time suffices for, with their verdicts."""
    over = threading.Event()
    timer = threading.Timer(limit_s, over.set)
    timer.daemon = True
    timer.start() if limit_s else over.set()
    try:
        with Progress(len(steps), "verdicts") as progress:
            for claim, jdk in list(steps):
                progress.step(f"{claim.id} on JDK {jdk}")
                try:
                    with stopping.stopped_by(over):
                        verdict = measuring.run(claim, jdk)
                except Stopped:
                    continue
                yield (claim, jdk), verdict
    finally:
        timer.cancel()
    launch.release()


def _cheapest_first(steps: Sequence[Step], results: Results) -> list[Step]:
    """By what all JDKs of a claim took together; each claim's JDKs stay side by side."""
    cost = dict.fromkeys((claim.id for claim, _ in steps), 0.0)
    for claim, jdk in steps:
        cost[claim.id] += _usual_s((claim, jdk), results)
    return sorted(steps, key=lambda step: (cost[step[0].id], step[0].id))


def _usual_s(step: Step, results: Results) -> float:
    """How many seconds the step took last time, here or on the lab's own machine."""
    here = results.seconds(*step)
    lab = float(measured().get((step[0].id, step[1]), {}).get("seconds", UNKNOWN_S))
    return lab if here is None else here


def work_ahead(claims: Sequence[Claim], jdks: Sequence[int], reuse: bool) -> str:
    """How many measurements `each` would make, and about how long they take; "" if it would make none."""
    if replaying():
        return ""
    results = Results()
    rest = [step for step in steps(claims, jdks) if step[0].measure and not (reuse and results.get(*step))]
    seconds = sum(_usual_s(step, results) / _at_once(step, jdks) for step in rest)
    many = counted(len(rest), "measurement")
    return f"{many}, about {duration(seconds)}." if rest else ""


def _before(step: Step, results: Results) -> Verdict:
    """The verdict as it was measured before, by this machine or the lab's; `not run` if by neither."""
    claim, jdk = step
    if not claim.measure:
        return measuring.run(claim, jdk)
    if not replaying() and (verdict := results.get(claim, jdk)):
        return verdict
    entry = measured().get((claim.id, jdk), {})
    if not document.is_current(entry, claim):
        return Verdict(claim, jdk, "not run", OVER)
    about = {name: entry[name] for name in ("why", "cause", "collectors", *KEPT)}
    return Verdict(claim, jdk, entry["verdict"], **about, kept=True, machine=document.place(document.load(MEASURED)))


@cache
def measured() -> Mapping[tuple[str, int], Mapping[str, Any]]:
    """What the lab's own machine measured, by claim and JDK; nothing where the package is installed by itself."""
    entries = document.load(MEASURED)["verdicts"] if MEASURED.is_file() else []
    return {(entry["id"], entry["jdk"]): entry for entry in entries}


def ordered(verdicts: Iterable[Verdict], claims: Sequence[Claim]) -> list[Verdict]:
    """The verdicts in the order of the claims, and for each claim from the oldest JDK on."""
    place = {claim.id: number for number, claim in enumerate(claims)}
    return sorted(verdicts, key=lambda verdict: (place[verdict.claim.id], verdict.jdk))


def note(verdicts: Sequence[Verdict], names: Sequence[str], seconds: float) -> str:
    """What the line below a page's table says of what was not measured here; "" if all was."""
    kept = [verdict for verdict in verdicts if verdict.kept]
    if not kept:
        return ""
    machines = " and ".join(dict.fromkeys(verdict.machine or "this machine" for verdict in kept))
    days = sorted({verdict.date[:10] for verdict in kept})
    rest = duration(sum(verdict.seconds for verdict in kept))
    call = ", ".join([*map(repr, names), 'jdk=..., seconds=float("inf")'])
    here = len(verdicts) - len(kept)
    within_s = f", in {seconds:.0f} s" if here and seconds < math.inf else ""
    now = f"{here} of {len(verdicts)} verdicts {'was' if here == 1 else 'were'} measured here{within_s}."
    before = f"Those marked “before” were measured on {' to '.join(dict.fromkeys([days[0], days[-1]]))} on {machines}."
    return f"{now} {before} All of them here, in about {rest} more: lab.claims.verdicts({call})"


def kept_words(verdicts: Sequence[Verdict], advice: str = "") -> str:
    """One sentence on what was not measured in this session, then some advice; "" if all was measured."""
    dates = [datetime.fromisoformat(verdict.date).astimezone() for verdict in verdicts if verdict.kept]
    if not dates:
        return ""
    since = min(dates)
    when = f"{since:%H:%M}" if since.date() == datetime.now().astimezone().date() else f"{since:%Y-%m-%d %H:%M}"
    return f"{len(dates)} of {len(verdicts)} verdicts kept from {when} on{advice}."


def counts(verdicts: Iterable[Verdict]) -> str:
    """How many verdicts of each state: "512 holds, 201 changed, 3 never did"."""
    number = Counter[str](verdict.state for verdict in verdicts)
    return ", ".join(f"{number[state]} {state}" for state in STATES if number[state])


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
