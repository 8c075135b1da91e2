"""Notebook 05 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("05-shapes")`, then `lab.predicted("05-shapes", run)`; exercises: counted_exercises.
"""

import pandas as pd

from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import counted
from safepointlab.topics.hang import TOP

FEW, MANY = 0.1, 0.3  # parts of all loops without a poll: a tile or two by mistake, and a rule
COUNTED = "C2 knows before the first iteration how many there will be at most, so the loop is counted, without a poll."

SHAPES = Prediction(
    "05-shapes",
    "JDK 17, Serial, compiled by C2. A stop is requested while the loop runs. Which of these can be stopped in "
    "mid-loop? (All have the same body; `turns` is an `int`.)",
    {
        "intParameter": Outcome("`for (int i = 0; i < turns; i++)`", "It should be counted: look again.", COUNTED),
        "intToLongLimit": Outcome(
            "`for (int i = 0; i < longLimit; i++)`, where the limit is a `long`",
            "C2 does not recognise an `int` index that is compared with a `long`, even where it would fit.",
            "C2 does not count where an `int` index is compared with a `long`: look again.",
        ),
        "longIndex": Outcome(
            "`for (long i = 0; i < longLimit; i++)`",
            "In this run a poll came in time.",
            "Since 16 C2 makes a nest of it. The outer loop polls, but only after up to 2³¹ iterations of the inner.",
        ),
        "strideTwo": Outcome(
            "`for (int i = 0; i < 2 * turns; i += 2)`",
            "C2 did not count it.",
            "C2 counts it; Part 2 says how.",
        ),
        "strideVariable": Outcome(
            "`for (int i = 0; i < turns; i += step)`",
            "C2 wants a constant: with a step of 0 the loop would have no end.",
            "C2 wants a constant step: look again.",
        ),
        "whilePostfix": Outcome(
            "`while (i++ < turns)`",
            "C2 did not count it.",
            "C2 tests the value after the step against a limit that is larger by one. It checks once that the larger "
            "limit is an `int`, and counts.",
        ),
        "callInlined": Outcome(
            "`for (int i …)`, a call of a small method inside",
            "The call is still a call, and a method polls when it returns.",
            "The small method was inlined, and an inlined method has no return of its own, so no poll.",
        ),
        "callNotInlined": Outcome(
            "`for (int i …)`, a call inside that has four possible targets",
            "C2 does not inline four targets, so the call stays, and a method that is called polls when it returns.",
            "C2 inlined the call: then nothing polls.",
        ),
    },
    lambda run: _shapes(run),
    "the run of `counted.mapped(17)`",
    several=True,
)

GUARD = Prediction(
    "05-guard",
    "A loop with `i += 2` is warmed up, runs for long, and a stop is requested. Then one call has the limit "
    "`Integer.MAX_VALUE`; from its odd start it ends after 2,000 iterations. Then the method is warmed up in the same "
    "way once more, the same long loop runs again, and a stop is requested again. Which of the two requests waits for "
    "the end of the loop?",
    {
        "both": Outcome(
            "Both: it is the same loop",
            "C2's code has no poll in the loop, before and after.",
            "It is the same source, but not the same code: one call has changed what C2 may assume.",
        ),
        "neither": Outcome(
            "Neither: a step of two may miss its limit, so C2 does not count such a loop",
            "C2 did not count it in either version.",
            "C2 does count it, as long as its check of the limit has never failed.",
        ),
        "first": Outcome(
            "The first only",
            "C2 had bet that the limit is not too large, and checked it before the loop. The one call lost the bet. "
            "The new code does without it, cannot count the loop, and polls.",
            "This needs a check that fails: look what the log says about the method.",
        ),
        "second": Outcome(
            "The second only",
            "The first version polls, the second does not.",
            "It is the other way round: the more C2 may assume, the fewer polls it leaves.",
        ),
    },
    lambda run: _guard(run),
    "the run of `counted.guard(17)`",
)

JDKS = Prediction(
    "05-jdks",
    "All shapes of the program on older and newer JDKs, with Serial and with G1, no other flag. How does the map "
    "change from the oldest JDK here to the newest?",
    {
        "same": Outcome(
            "Nothing: the rules are mathematics, and both collectors have the same compiler",
            "No rule has changed, and the collector changes nothing.",
            "The compiler is the same, but the collector says whether it does strip mining.",
        ),
        "better": Outcome(
            "Loop after loop can be stopped, with both collectors",
            "Polls came back with both.",
            "Serial asks for no more polls than it did: its users want speed between two stops.",
        ),
        "g1": Outcome(
            "With Serial nothing changes; with G1 all loops can be stopped on the newest JDK",
            "Since 10 G1 asks for strip mining (JDK-8186027); Serial does not.",
            "Right for G1. With Serial a loop that could be stopped on the oldest JDK cannot be on the newest.",
        ),
        "apart": Outcome(
            "With Serial fewer loops can be stopped, with G1 all",
            "Since 10 G1 asks for strip mining. With Serial a loop with a `long` index is stopped in time up to JDK "
            "15; since 16 it has a counted loop inside, and is not.",
            "Right for G1 at most: with Serial no loop has lost its poll here.",
        ),
    },
    lambda clock: _jdks(clock),
    "the first table of `counted.by_collector(versions)`",
)

ENDLESS = Prediction(
    "05-endless",
    "With Serial, a daemon runs `for (int i = 0; i < Integer.MAX_VALUE; i += 2)`. It steps over the limit, wraps "
    "around, and never ends. `main` sleeps for half a second and returns. Does the JVM exit? (Once by default, once "
    f"compiled before the first call: `{TOP}`.)",
    {
        "never": Outcome(
            "Never: one cannot wait for the end of an endless loop",
            "The loop has no poll, and the JVM waits for it.",
            "The JVM does not wait for the end of the loop, only for a poll; and there is one.",
        ),
        "default": Outcome(
            "By default yes; compiled before the first call it hangs",
            "Code that is entered in mid-loop polls here, and code that is entered at the top does not.",
            "Then C2 would have to count the loop where it is entered at the top.",
        ),
        "exits": Outcome(
            "It exits, both times",
            "A check of the limit would fail for certain, so C2 does not count the loop, and leaves its poll in.",
            "A loop that C2 can't count keeps its poll: this should not be.",
        ),
    },
    lambda runs: _endless(runs),
    "the table of `counted.endless_runs(versions)`",
)

PREDICTIONS = (SHAPES, GUARD, JDKS, ENDLESS)


def _shapes(run: Run) -> Came:
    clock = counted.clocked(run).set_index("shape")["polled"].reindex(list(SHAPES.outcomes))
    stopped = frozenset(clock.index[clock.fillna(False).astype(bool)])
    short = f" {clock.isna().sum()} of them ended too soon to tell." if clock.isna().any() else ""
    return Came(stopped, f"{len(stopped)} of {len(clock)} were stopped in mid-loop.{short}")


def _guard(run: Run) -> Came:
    clock = counted.clocked(run).dropna().set_index("shape")
    if set(clock.index) != {"before", "after"}:
        return Came(frozenset(), "One of the two loops ended too soon to tell.")
    facts = f"The first request took {clock['ms']['before']:,} ms, the second {clock['ms']['after']:,} ms."
    waits = not clock["polled"]["before"], not clock["polled"]["after"]
    keys = {(True, True): "both", (False, False): "neither", (True, False): "first", (False, True): "second"}
    return one(keys[waits], facts)


def _jdks(clock: pd.DataFrame) -> Came:
    (old, new), (old_strips, new_strips) = (_bare(clock, gc) for gc in (counted.NO_POLLS, counted.STRIPS))
    more = int(new.sum() - old.sum())
    facts = (
        f"Loops in which the stop waits for the end, of {len(new)}, on the oldest JDK and on the newest: with Serial "
        f"{old.sum()} and {new.sum()}, with G1 {old_strips.sum()} and {new_strips.sum()}."
    )
    with_serial = {-1: "better", 0: "g1", 1: "apart"}[(more > 0) - (more < 0)]
    if new_strips.mean() <= FEW:
        return one(with_serial, facts)
    return one("same", facts) if not more and new_strips.mean() >= MANY else Came(frozenset(), facts)


def _bare(clock: pd.DataFrame, gc: str) -> "tuple[pd.Series[bool], pd.Series[bool]]":
    """Which loops are not stopped in time with this collector, on the oldest JDK and on the newest."""
    rows = clock[clock["gc"] == gc].dropna(subset="polled")
    ends = (rows[rows["jdk"] == end].set_index("shape")["polled"] for end in (rows["jdk"].min(), rows["jdk"].max()))
    old, new = (~polled.astype(bool) for polled in ends)
    return old, new


def _endless(runs: pd.DataFrame) -> Came:
    hung, at_the_top = runs["outcome"] == "hung", runs["flags"] == TOP
    facts = f"{(~hung).sum()} of {len(runs)} runs exit."
    rules = {"exits": ~(hung | ~hung), "never": hung | ~hung, "default": at_the_top}
    keys = [key for key, rule in rules.items() if (hung == rule).all()]
    return Came(frozenset(keys[:1]), facts)
