"""A statement of a post and one JDK -> Verdict: the claim is run again, its evidence measured and judged.

Measuring and judging are two functions: kept evidence can be judged again, and a test can hand the judge a result in
which the claim is false. The judge sees the evidence alone, and says whether it agrees with the statement. What follows
from that on one JDK is the framework's part (`rule`): `changed` where the JDK has the change that explains the answer.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

State = Literal["holds", "changed", "never did", "unclear", "not run", "not applicable"]
# Names and numbers of one measurement, fit for JSON; see UNITS. NaN is what could not be measured, and neither yes nor
# no follows from it (`ruling.judged`). None is what was found not to be there.
Evidence = Mapping[str, Any]
# Evidence in which a statement is true, or false: measured by the measure itself on another program or setting (a
# function of the JDK), or else invented, where no program can be written that gives it.
Control = Callable[[int], Evidence] | Evidence
Made = Mapping[str, Any]  # runs that a measurement made of one kind, see `Verdict`

# What the last word of a name may be, as in "ttsp_ms" or "TTSP with kept polls, ms". A fraction without one of these is
# a defect, and a test says so; a whole number without one counts what the name says ("stops").
UNITS = {
    "ms": "ms", "us": "µs", "ns": "ns", "s": "s", "bytes": "bytes", "kib": "KiB", "mib": "MiB", "gib": "GiB",
    "percent": "%", "times": "times", "cores": "cores", "per_ms": "per ms", "per_s": "per s",
    "bytes_per_ns": "bytes/ns", "s_per_gib": "s per GiB",
}  # fmt: skip

POSTS = {
    "000": "N. Wakart, Safepoints: Meaning, Side Effects and Overheads (14 December 2015)",
    "001": "M. Price, JVM guaranteed safepoints (5 August 2015)",
    "002": "How can JVM jitter get caused by a for loop with no object allocations? (14 April 2013)",
    "003a": "N. Wakart, Fixing Coordinated Omission in Cassandra Stress (18 July 2016)",
    "003b": "N. Wakart, The Pros and Cons of AsyncGetCallTrace Profilers (23 June 2016)",
    "003c": "N. Wakart, GC 'Nepotism' And Linked Queues (21 March 2016)",
    "003d": "N. Wakart, Why (Most) Sampling Java Profilers Are Fucking Terrible (24 February 2016)",
    "003e": "N. Wakart, Wait For It: Counted/Uncounted loops, Safepoints and OSR Compilation (1 February 2016)",
    "004": "A. Shipilev, RFR(XL) 8203469: Faster safepoints (hotspot-dev, 15 January 2019)",
}


@dataclass(frozen=True)
class Change:
    """A change of HotSpot that explains why a statement is no longer true.

    Args:
        since: the first feature release that has it.
        cause: what it changed, with the JEP or JDK bug, "JDK-8186027: G1's counted loops poll once in 1,000
            iterations"; "" if the measurement differs from that JDK on and nobody has found out why.
    """

    since: int
    cause: str


@dataclass(frozen=True)
class Judgement:
    """What the evidence of one JDK says about a statement, and why: what was measured, not the mechanism behind it."""

    answer: Literal["holds", "differs", "unclear", "not applicable"]
    why: str
    changes: tuple[Change, ...] = ()


def holds(why: str) -> Judgement:
    """The measured relation is the claimed one."""
    return Judgement("holds", why)


def differs(why: str, *changes: Change) -> Judgement:
    """The measured relation is another one; each of the changes makes it so from its JDK on."""
    return Judgement("differs", why, changes)


def unclear(why: str) -> Judgement:
    """Measured, and too close, too noisy or contradictory."""
    return Judgement("unclear", why)


def not_applicable(why: str) -> Judgement:
    """This JDK lacks the flag or the thing that the statement is about, as its own refusal or its flags showed."""
    return Judgement("not applicable", why)


def decide(*rules: tuple[bool, Judgement], otherwise: Judgement) -> Judgement:
    """The judgement of the first rule whose condition is met.

    >>> decide((3 > 5, holds("over five")), (3 > 2, unclear("over two")), otherwise=differs("two at most"))
    Judgement(answer='unclear', why='over two', changes=())
    """
    return next((judgement for met, judgement in rules if met), otherwise)


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a post, in our own words, and how it is run again.

    Args:
        id: as in the list of claims, "000-12": the post, and a number.
        statement: what is claimed, in the present tense; understood by itself, since it is also the page's title.
        as_published: what the post measured or printed, with its unit.
        measure: runs it on the JDK of that feature number; with `collectors` it is also given the collector, as
            `lab.java` takes it (None: the JDK's own choice).
        judge: turns the evidence into a judgement; pure.
        rule: what the judge asks of the evidence, in one sentence.
        mechanism: why it is so, with the JEP, JDK bug or source that says it; this is read, not measured.
        setup: what differs from the post's own set-up: another program, compiler, size or machine.
        collectors: the answer depends on polls in counted loops, so it is measured with the JDK's own collector and
            with Serial, and each has a verdict.
        times: the judge compares times that a JVM beside it can change. It is measured alone, and disturbed runs decide
            nothing. Not so where the times are so far apart that such a JVM, or any other process, changes no answer.
        supported_by: evidence in which the statement is true. Needed where no JDK's own evidence says so.
        refuted_by: evidence in which it is false, likewise.
        not_run: why the lab can't run it at all; then it has neither measure nor judge.
        full: too long for the standard profile; run where SAFEPOINTLAB_PROFILE=full, or where it is named.
        ours: a statement of the lab's own, about something that the post leads to.
        topic: the word of its lesson, which the lesson's folder gives it.
        version: raise it by one when `measure` does something else: another program, flag, argument, size or number of
            runs, or another way to compute a value from them, whether the change is in the measure itself, in what it
            calls or in the Java sample. Verdicts of an earlier version no longer count and have to be measured again.
            Leave it as it is when only the judge, the texts or the form of the code change: kept evidence is judged
            again.
    """

    id: str
    statement: str
    as_published: str
    measure: Callable[..., Evidence] | None = None
    judge: Callable[[Evidence], Judgement] | None = None
    rule: str = ""
    mechanism: str = ""
    setup: str = ""
    collectors: bool = False
    times: bool = False
    supported_by: Control | None = None
    refuted_by: Control | None = None
    not_run: str = ""
    full: bool = False
    ours: bool = False
    topic: str = ""
    version: int = 1

    def __post_init__(self) -> None:
        if bool(self.not_run) == bool(self.measure and self.judge):
            raise ValueError(f"claim {self.id} needs either measure and judge, or the reason why it is not run")

    @property
    def source(self) -> str:
        """The post that makes the statement."""
        return POSTS[self.id.partition("-")[0]]


@dataclass(frozen=True)
class Verdict:
    """What became of a claim on one JDK, with the measured numbers beside the post's.

    Args:
        jdk: the feature number.
        why: what was measured, and why that is the verdict.
        cause: the JEP or JDK bug that a change is put down to.
        collectors: where it was measured with several collectors, the state with each, the JDK's own first; `measured`
            then has the evidence of each by the same names.
        build: the JDK's full version and vendor, "28-ea+18-1-Debian, Debian".
        seconds: how long measuring took, all tries together.
        date: when it was measured, UTC in ISO form.
        quiet: what the runs of the measurement were like (`process.quiet.summary`); None where none was started.
        runs: what they were: of each kind the sample or benchmark, compiler, gc ("" is the JDK's own), flags, args,
            jars, and how many JVMs.
        kept: taken over from an earlier session, not measured in this one.
        machine: whose verdict a kept one is, "" if this machine's.
    """

    claim: Claim
    jdk: int
    state: State
    why: str
    cause: str = ""
    collectors: Mapping[str, State] = field(default_factory=dict)
    measured: Evidence = field(default_factory=dict)
    build: str = ""
    seconds: float = 0.0
    date: str = ""
    quiet: Mapping[str, Any] | None = None
    runs: Sequence[Made] = ()
    kept: bool = False
    machine: str = ""

    def row(self) -> dict[str, Any]:
        """One row of the claims table."""
        about = {name: getattr(self.claim, name) for name in ("id", "statement", "as_published")}
        found = {"verdict": self.state, "measured": shown(self.measured), "why": self.why, "cause": self.cause}
        return {**about, "jdk": self.jdk, **found, "collectors": by_collector(self.collectors), "kept": self.kept}


def by_collector(states: Mapping[str, str]) -> str:
    """The verdict with each collector in one line; "" where only one was measured.

    >>> by_collector({"G1": "changed", "Serial": "holds"})
    'G1: changed; Serial: holds'
    """
    return "; ".join(f"{gc}: {state}" for gc, state in states.items())


def shown(measured: Evidence, between: str = ", ") -> str:
    """The evidence in one line, each number with its unit.

    >>> shown({"outcome": "hung", "ttsp_ms": 2324.0, "TTSP with kept polls, ms": 0.2, "stops": 12})
    'outcome hung, ttsp 2,324 ms, TTSP with kept polls 0.2 ms, stops 12'
    """
    return between.join(f"{label(name)} {quantity(name, value)}" for name, value in measured.items())


def unit_of(name: str) -> str:
    """The unit that ends a name, as UNITS spells it; "" if there is none.

    >>> unit_of("ttsp_us"), unit_of("speed, bytes_per_ns"), unit_of("stops")
    ('us', 'bytes_per_ns', '')
    """
    ending = [unit for unit in UNITS if name.endswith((f"_{unit}", f", {unit}"))]
    return max(ending, key=len, default="")


def label(name: str) -> str:
    """What a name of the evidence says without its unit.

    >>> label("ttsp_us"), label("speed, bytes_per_ns"), label("stops")
    ('ttsp', 'speed', 'stops')
    """
    unit = unit_of(name)
    return name[: -len(unit) - 1].rstrip(",") if unit else name


def quantity(name: str, value: Any) -> str:
    """A value of the evidence with the unit that its name ends in.

    >>> quantity("ttsp_ms", 2324.0), quantity("stops", 12), quantity("ttsp_ms", float("nan")), quantity("polled", True)
    ('2,324 ms', '12', 'none', 'yes')
    >>> quantity("by tag", {"read": 1200, "write": 7})
    'read 1,200 · write 7'
    """
    unit, text = unit_of(name), _value(value)
    return f"{text} {UNITS[unit]}" if unit and text != "none" else text


def spread(values: Sequence[float], unit: str = "") -> str:
    """The smallest and the largest of some values with their unit, or one number if they look the same.

    >>> spread([8.61, 9.1, 9.0]), spread([1.0, 1.001], "us")
    ('8.61 to 9.1', '1 µs')
    """
    return " to ".join(dict.fromkeys(quantity(f"_{unit}", end) for end in (min(values), max(values))))


def _value(value: Any) -> str:
    if value is None or value != value:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
    if isinstance(value, Mapping):
        return shown(value, " · ")
    return " · ".join(map(_value, value)) or "none" if isinstance(value, list | tuple) else str(value)
