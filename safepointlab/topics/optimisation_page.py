"""Notebook 13 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("13-index")`, then `lab.predicted("13-index", scores)`; exercises: optimisation_exercises.
"""

import pandas as pd

from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import optimisation

MANY, HARDLY = 2.0, 1.3  # times as long
NESTS, SHORT = 16, 26  # the JDKs that first made a nest of a long loop, and none of one that runs short

INDEX = Prediction(
    "13-index",
    "A loop copies 1,000 ints, once with an `int` index, once with a `long` one. In 2015 the long one took ten times "
    "as long. And on the JDKs here?",
    {
        "never": Outcome(
            "About the same on every JDK: it is one addition an iteration",
            "The loops do the same work at the same speed here.",
            "It is not the addition that costs. C2 does something else with the loop.",
        ),
        "cured": Outcome(
            "Much slower on the oldest JDK, about the same on the newest up to 25",
            "C2 has learned to treat the two alike.",
            "C2 has learned something about long loops in 16, but not enough: see part 4.",
        ),
        "always": Outcome(
            "Twice as long or more, on every JDK up to 25",
            "A long index costs more than an addition: C2 does less with such a loop, on each of these JDKs.",
            "On one of the JDKs the two are closer than that.",
        ),
        "worse": Outcome(
            "About the same on the oldest JDK, much slower on the newest up to 25",
            "What C2 does with long loops has become worse.",
            "The oldest JDK does not count a long loop at all, and is slow.",
        ),
    },
    lambda scores: _index(scores),
    "the table of `optimisation.scores(…)`",
)

MISSING = Prediction(
    "13-missing",
    "The sum with an `int` index: which of the four does JDK 8 do with it?",
    {
        "unrolling": Outcome(
            "Unrolling: the work of several iterations, then one test of the index",
            "C2 unrolls a loop whose iterations it can count.",
            "C2 could count the iterations, and yet each pass does one of them here.",
        ),
        "vectors": Outcome(
            "Vectors: several ints with one instruction",
            "SuperWord adds several ints at once here.",
            "SuperWord of JDK 8 packs no running sum: each addition needs the result of the one before it. Part 4 has "
            "the newer JDKs.",
        ),
        "stub": Outcome(
            "The fill routine: a call in place of the whole loop",
            "A routine of the JVM adds up the array here.",
            "The fill routine fills, and nothing else.",
        ),
        "checks": Outcome(
            "Range checks taken out of the loop",
            "C2 knows all values of the index, and checks before the loop.",
            "C2 could check before the loop, and does so in each pass here.",
        ),
    },
    lambda work: _missing(work),
    "the table of `optimisation.work(scores)`",
    several=True,
)

NEST = Prediction(
    "13-nest",
    "Since JDK 16 C2 makes two loops of a long one: an outer one that polls, and an inner one with an `int` index, "
    "which is counted. What did the copy get back by that, on 17 to 25?",
    {
        "unrolling": Outcome(
            "Unrolling",
            "The inner loop is counted, and so unrolled.",
            "The inner loop is counted, but here it goes one by one.",
        ),
        "vectors": Outcome(
            "Vectors",
            "SuperWord works on the inner loop.",
            "A loop that may leave in the middle of each iteration gets no vectors, and a range check is such an exit.",
        ),
        "checks": Outcome(
            "Range checks taken out of the inner loop",
            "C2 took the checks out of the inner loop.",
            "The index of the array is a long that is cut to an int in each iteration, and here C2 does not look "
            "through that.",
        ),
    },
    lambda work: _nest(work),
    "the table of `optimisation.work(scores)`, with JDK 17 or later",
    several=True,
)

BOTH = Prediction(
    "13-both",
    "With Serial `-XX:+UseCountedLoopSafepoints` puts a poll into each pass of the `int` loop; G1 polls between "
    "strips. Where does the copy lose its vectors by that?",
    {
        "everywhere": Outcome(
            "With a poll of either kind, on every JDK",
            "A poll and vectors do not go together.",
            "At least one loop has both.",
        ),
        "inside": Outcome(
            "With the poll in each pass, on every JDK; between strips on none",
            "A loop with a poll in each pass gets no vectors.",
            "One of the JDKs puts the poll in after the vectors.",
        ),
        "old": Outcome(
            "With the poll in each pass, on the older JDKs only; between strips on none",
            "Since 19 C2 prepares every counted loop for strips, puts it on vectors, and only then puts in the poll "
            "(JDK-8281322).",
            "The JDKs here are all of one kind, or one lost its vectors otherwise.",
        ),
        "nowhere": Outcome(
            "Nowhere: a poll is only an instruction or two",
            "The poll is an instruction or two among the others here.",
            "It is only an instruction or two, but for C2 up to 18 a reason to leave the vectors out.",
        ),
    },
    lambda code: _both(code),
    "the table of `optimisation.work(polls)`",
)

LADDER = Prediction(
    "13-ladder",
    "Flags take one thing after the other from the copy with an `int` index, on JDK 8. At which rung does it lose the "
    "most, that is, by the largest factor?",
    {
        "− fill routine": Outcome(
            "Without the fill routine",
            "The routine did the copy's work.",
            "The fill routine fills. A copy has no use for it.",
        ),
        "− vectors": Outcome(
            "Without vectors",
            "One instruction did the work of several ints.",
            "Another rung costs more here.",
        ),
        "− unrolling": Outcome(
            "Without unrolling",
            "The index is tested after each int now.",
            "The index is tested after each int then, but a processor predicts that test well.",
        ),
        "+ checks": Outcome(
            "With range checks",
            "Each int is asked about twice now, once for each array.",
            "The checks always come out the same, and the processor predicts them.",
        ),
        "+ poll": Outcome(
            "With a poll in each iteration",
            "The poll is what costs.",
            "The poll is one load that nobody waits for. At this rung all else is lost already.",
        ),
    },
    lambda ladder: _ladder(ladder),
    "the table of `optimisation.ladder()`",
)

PREDICTIONS = (INDEX, MISSING, LADDER, NEST, BOTH)


def _index(scores: pd.DataFrame) -> Came:
    best = scores[scores["jdk"] < SHORT].pivot_table(index="jdk", columns="method", values="best").sort_index()
    ratio = best["copyLong"] / best["copyInt"]
    facts = ", ".join(f"{times:.1f} times on {jdk}" for jdk, times in ratio.items())
    slow, alike = ratio >= MANY, ratio <= HARDLY
    first, last = ratio.index[0], ratio.index[-1]
    rules = {
        "never": alike.all(),
        "always": slow.all(),
        "cured": slow[first] and alike[last],
        "worse": alike[first] and slow[last],
    }
    return Came(frozenset([key for key, holds in rules.items() if holds][:1]), f"The copy took {facts} as long.")


def _missing(work: pd.DataFrame) -> Came:
    row = work[(work["jdk"] == 8) & (work["method"] == "sumInt")].iloc[0]
    rules = {
        "unrolling": row["work"] in ("vector", "unrolled"),
        "vectors": row["work"] == "vector",
        "stub": row["work"] == "stub",
        "checks": row["range_checks"] == 0,
    }
    facts = (
        f"On 8 the sum with an int index is {row['work']}, with {row['range_checks'] or 'no'} range checks in a pass."
    )
    return Came(frozenset(key for key, holds in rules.items() if holds), facts)


def _ladder(ladder: pd.DataFrame) -> Came:
    best = ladder[ladder["method"] == "copyInt"].set_index("step")["best"].reindex(list(optimisation.RUNGS))
    times = (best / best.shift()).dropna()
    if times.empty or times.max() < HARDLY:
        return Came(frozenset(), "No rung makes the copy much slower.")
    return one(str(times.idxmax()), ", ".join(f"{rung}: {factor:.1f} times" for rung, factor in times.items()) + ".")


def _nest(work: pd.DataFrame) -> Came:
    rows = work[work["jdk"].between(NESTS, SHORT - 1) & (work["method"] == "copyLong")]
    facts = "; ".join(f"on {row.jdk} it is {row.work}, with {row.range_checks} checks" for row in rows.itertuples())
    keys = {
        "unrolling": rows["work"].isin(["vector", "unrolled"]).all(),
        "vectors": (rows["work"] == "vector").all(),
        "checks": (rows["range_checks"] == 0).all(),
    }
    came = frozenset(key for key, holds in keys.items() if holds and len(rows))
    return Came(came, f"The copy with a long index: {facts or 'no JDK from 16 to 25 was run'}.")


def _both(code: pd.DataFrame) -> Came:
    bare = code[code["where"] != "no poll"]
    lost, inside = bare["work"] != "vector", bare["where"] == optimisation.IN_LOOP
    facts = f"{int(lost.sum())} of {len(bare)} loops with a poll have no vectors."
    if lost.all():
        return one("everywhere", facts)
    if not lost.any():
        return one("nowhere", facts)
    if (lost & ~inside).any():
        return Came(frozenset(), facts)
    jdks = bare[inside].set_index("jdk").sort_index()["work"] != "vector"
    if jdks.all():
        return one("inside", facts)
    return one("old", facts) if jdks.iloc[0] and jdks.is_monotonic_decreasing else Came(frozenset(), facts)
