"""Notebook 20 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("20-dumps")`, then `lab.predicted("20-dumps", dumps)`; its exercises are in blame_exercises.
"""

import pandas as pd

from safepointlab.errors import BadInput
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import blame_output

NEAREST = {name: name for name in blame_output.CASES[:4]}  # the method that calls the hot loop, case by case
AT_THE_END = {"innocentSetter": "setResult", "farAway": "level9"}
UNSTRIPPED = {"Serial", "Parallel"}  # collectors that never ask for strip mining
ANY_PART = 0.5  # a place has most of a case's dumps

DUMPS = Prediction(
    "20-dumps",
    "All of the time, but for some nanoseconds a call, goes into the marked line of `sum` (or its twin `sumApart`). "
    "Which method is on top of most thread dumps in the four cases, on JDK 8 with Serial?",
    {
        "loop": Outcome(
            "`sum` or `sumApart`, which has the loop, in all four",
            "The thread stops inside the hot loop, so the loop has a poll.",
            "That is where the thread is. But a dump is taken at a safepoint, and the thread stops at its next "
            "poll: C2 left none in this counted loop.",
        ),
        "caller": Outcome(
            "The method that calls the loop, in all four: `inlined`, `notInlined`, `innocentSetter`, `farAway`",
            "The next poll after the loop belongs to the method that calls it.",
            "Right for `notInlined`. In the others the next poll is further on: where the caller has returned, or in "
            "what it calls next.",
        ),
        "elsewhere": Outcome(
            "Where a list is walked after the loop, the method that walks it; in the other cases a caller",
            "A dump is taken at a safepoint, and the thread reaches it at its next poll. The hot loop has none. The "
            "short loop over a list has one; without such a loop it is the return to a caller.",
            "It would need a poll in the loop over the list, and none in the hot loop.",
        ),
        "spread": Outcome(
            "Now this one, now that one: no method has most of the dumps of its case",
            "The thread meets several polls about as often.",
            "A call meets its polls in the same order each time, and the first one after the hot loop sees the thread.",
        ),
    },
    lambda dumps: _dumps(dumps),
    "the table of the dumps, as `blame_output.read` made it",
)

COLLECTORS = Prediction(
    "20-collectors",
    "The same program and the same dumps, on other JDKs and with other collectors. Does any of them find the "
    "hot loop of `farAway`?",
    {
        "none": Outcome(
            "No: it is the same profiler, and it blames the same method",
            "No collector gives the hot loop a poll on these JDKs.",
            "The profiler is the same, but it can only see polls, and these depend on the collector.",
        ),
        "newer": Outcome(
            "Yes, on newer JDKs, with each collector",
            "The hot loop has a poll on newer JDKs whatever the collector is.",
            "JDK 10 brought strip mining, and with it a poll; but only some collectors ask for it. Serial does not.",
        ),
        "g1": Outcome(
            "Yes, with one of the collectors, on newer JDKs",
            "Strip mining came with JDK 10 (JDK-8186027): it cuts the loop in two and puts a poll in between. "
            "G1 asks for it, Serial and Parallel do not.",
            "It would take a poll that comes with the collector.",
        ),
        "always": Outcome(
            "Yes, with one of the collectors, on every JDK",
            "That collector's loops poll on each of your JDKs.",
            "Right for newer JDKs. Strip mining came with 10, so that on 8 no collector has it.",
        ),
    },
    lambda polls: _collectors(polls),
    "the table of `blame.dumps_over(versions, collectors)`",
)

BETWEEN = Prediction(
    "20-between",
    "JFR suspends the thread wherever it is, async-profiler interrupts it by a signal. Neither waits for a poll to "
    "note where the thread is. Which of them finds the hot loop of `farAway`, with Serial?",
    {
        "both": Outcome(
            "Both: they sample in the loop",
            "Both have an address in the loop, and a table that knows its line.",
            "Both have an address in the loop. JFR looks it up in C2's table, which has entries for polls and "
            "calls only, and takes the next one.",
        ),
        "async": Outcome(
            "async-profiler, which walks the stack at that very instruction; not JFR",
            "Both have an address in the loop, and look it up in C2's table. By default that table has entries "
            "for polls and calls only. async-profiler switches `DebugNonSafepoints` on as it is loaded, so "
            "that C2 keeps more lines; for JFR you set the flag.",
            "The table of C2 decides: look whom JFR blames without the flag.",
        ),
        "jfr": Outcome(
            "JFR, the JVM's own recorder; async-profiler is as wrong as the dumps",
            "JFR's address was looked up in a table that has the line, and that of async-profiler was not.",
            "It is the other way round. The JVM's own recorder does not ask C2 for a better table.",
        ),
        "neither": Outcome(
            "Neither: an address in the loop is not yet a line of the source",
            "The table of C2 has no entry for the loop, for neither of them.",
            "Plain JFR does. For async-profiler C2 keeps more lines in its table.",
        ),
    },
    lambda everybody: _between(everybody),
    "the table of `blame.between_polls(jdks)`, or one that has it as a part",
)

PREDICTIONS = (DUMPS, COLLECTORS, BETWEEN)


def _dumps(dumps: pd.DataFrame) -> Came:
    most = blame_output.most(dumps).set_index("case")
    blamed = {str(case): str(method) for case, method in most["method"].items()}
    facts = f"Most dumps blame {', '.join(f'`{blamed[case]}` in `{case}`' for case in NEAREST)}."
    if (most["share"] < ANY_PART).any():
        return one("spread", facts)
    if most["right"].all():
        return one("loop", facts)
    if blamed == NEAREST:
        return one("caller", facts)
    ends = all(blamed[case] == method for case, method in AT_THE_END.items())
    return one("elsewhere", facts) if ends and not most["right"].any() else Came(frozenset(), facts)


def _collectors(polls: pd.DataFrame) -> Came:
    far = blame_output.most(polls).query("case == 'farAway'")
    right, new = far["right"].fillna(False).astype(bool), far["jdk"] > 8
    facts = f"The dumps find it with {_listed(far[right]) or 'no collector on any JDK'}."
    if not right.any():
        return one("none", facts)
    finders = set(far.loc[right, "gc"])
    some = far["gc"].isin(finders)
    rules = {"newer": new} if some.all() else {"g1": some & new, "always": some} if not finders & UNSTRIPPED else {}
    keys = [key for key, rule in rules.items() if (right == rule).all()]
    return Came(frozenset(keys[:1]), facts)


def _listed(found: pd.DataFrame) -> str:
    """Which JDKs of each collector: "G1 on 11, 17"."""
    return "; ".join(f"{gc} on {', '.join(map(str, rows['jdk']))}" for gc, rows in found.groupby("gc", sort=False))


def _between(everybody: pd.DataFrame) -> Came:
    far = blame_output.most(everybody).query("case == 'farAway'")
    right = far.groupby("profiler")["right"].all()
    names = ["JFR", "JFR +lines", "async-profiler"]
    if missing := [name for name in names if name not in right]:
        raise BadInput(f"there is no row of {', '.join(missing)}")
    jfr, lines, signals = (bool(right[name]) for name in names)
    facts = f"{_found(far) or 'Nobody found it'}."
    if signals and not jfr:
        return one("async", facts) if lines else Came(frozenset(), facts)
    return one("both" if signals else "jfr" if jfr else "neither", facts)


def _found(far: pd.DataFrame) -> str:
    """Who found the loop on each JDK, and who on some: "X and Y found it on each JDK, Z on 25"."""
    good = far[far["right"].astype(bool)]
    jdks = {str(name): list(rows["jdk"]) for name, rows in good.groupby("profiler", sort=False)}
    everywhere = [name for name, found in jdks.items() if len(found) == far["jdk"].nunique()]
    words = [f"{' and '.join(everywhere)} found it on each JDK"] if everywhere else []
    words += [f"{name} on {_few(found, far, name)}" for name, found in jdks.items() if name not in everywhere]
    return ", ".join(words)


def _few(found: list[int], far: pd.DataFrame, name: str) -> str:
    """The JDKs on which a profiler found the loop: "25, the only one here that has it"."""
    alone = len(found) == 1 and found == list(far.loc[far["profiler"] == name, "jdk"])
    return f"{', '.join(map(str, found))}{', the only one here that has it' if alone else ''}"
