"""Notebook 03 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("03-fate")`, then `lab.predicted("03-fate", fates)`; exercises: compilers_exercises.
"""

import pandas as pd

from safepointlab.run.run import Run
from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import compilers, osr
from safepointlab.topics.enumeration import listed

JAVAC, ECLIPSE = compilers.BOTH

FATE = Prediction(
    "03-fate",
    "One source, compiled by javac and by Eclipse's compiler. No flag is set but the collector's. Whose class makes "
    "the JVM hang?",
    {
        "neither": Outcome(
            "Neither: the compiler to bytecode does not decide such things",
            "Both classes run in code that polls.",
            "It does here: some run hangs. Part 2 looks for what differs in the class files.",
        ),
        "serial": Outcome(
            "Eclipse's, on each JDK with Serial; with G1 on 8 only",
            "With Serial Eclipse's class leads to code in which the thread can't stop: Parts 2 and 3 show why. From 10 "
            "on G1 asks for polls.",
            "This needs an 8 among your JDKs, and a hang with Serial on each of them.",
        ),
        "eclipse": Outcome(
            "Eclipse's, on each JDK with both collectors",
            "No collector brings a poll into the loop of Eclipse's class here.",
            "Right for Serial. With G1 something brings a poll back on the JDKs that exit.",
        ),
        "old": Outcome(
            "Eclipse's, on 8 only: a bug of 2016",
            "On the newer JDKs both classes poll.",
            "Nothing of it has been mended for Serial: see the newer JDKs in the picture.",
        ),
        "both": Outcome(
            "Both, on some JDK with some collector",
            "javac's class hangs, too, so the compiler is not what decides.",
            "javac's class exits everywhere here. Part 3 shows why.",
        ),
    },
    lambda fates: _fate(fates),
    "the table of `compilers.everywhere(...)`",
)

SHAPE = Prediction(
    "03-shape",
    "What differs in the bytecode that the two compilers make of this one loop?",
    {
        "same": Outcome(
            "Nothing: the language defines what a loop does",
            "The jumps back are the same in both.",
            "It defines what a loop does, and not where its test stands.",
        ),
        "test": Outcome(
            "The place of the loop's test",
            "Both have one jump back. In one class it leads to the test, in the other it is the test, and leads to the "
            "body.",
            "The test stands in the same place in both.",
        ),
        "number": Outcome(
            "The number of jumps back: one of them unrolls or splits the loop",
            "One class has more jumps back than the other.",
            "Neither compiler optimises: a loop of the source is one jump back. HotSpot's compilers unroll.",
        ),
    },
    lambda first, second: _shape(first, second),
    "the two tables of back edges",
)

POLL = Prediction(
    "03-poll",
    "`outer` is called once. So its compiled code is entered in mid-loop, at the mark ◆. In which of the two versions "
    "has C2 left a poll in the outer loop?",
    {
        "both": Outcome(
            "In both: the loop runs for many minutes",
            "Both outer loops poll. Then something else held the JVM up.",
            "C2 does not ask how long a loop runs, but whether it can count the iterations.",
        ),
        "javac": Outcome(
            "In javac's only",
            "Seen from its entry at the body, Eclipse's loop is a plain counted loop. Seen from the test, javac's is "
            "not.",
            "javac's has none here, or Eclipse's has one.",
        ),
        "ecj": Outcome(
            "In Eclipse's only",
            "Eclipse's loop polls, javac's does not.",
            "A test at the bottom looks more complicated, but it is the order that C2 wants for a counted loop.",
        ),
        "neither": Outcome(
            "In neither: both are counted loops with an `int` index",
            "Neither polls. Then javac's class exits for another reason.",
            "javac's exits, so it must have reached a poll, and the outer loop has it.",
        ),
    },
    lambda javac, ecj: _poll(javac, ecj),
    "the two runs, javac's first",
)

POST = Prediction(
    "03-post",
    "The program of 2016 with Serial, on the JDKs here. `main` sleeps for the post's 5 s, and in other runs for 0.3 s. "
    "When does the JVM of Eclipse's class exit? (javac's is there to compare.)",
    {
        "hangs": Outcome(
            "Never, as in the post, with either sleep",
            "Eclipse's class hangs, as the post says.",
            "So it did in 2016. Here its loop has no poll either at first, but the thread leaves that code.",
        ),
        "both-late": Outcome(
            "Late with either sleep: its loop has no poll",
            "The thread is in code without a poll whenever `main` returns.",
            "The code without a poll lives until the inner loop ends for the first time, and 5 s are longer than that.",
        ),
        "short-late": Outcome(
            "After 5 s on time, after 0.3 s late",
            "The first version by C2 has no poll. It lives until the inner loop ends for the first time, after 2³¹ "
            "iterations, and only a `main` that returns before that has to wait.",
            "This would come if the code without a poll lived for a second or so.",
        ),
        "long-late": Outcome(
            "After 0.3 s on time, after 5 s late: by then C2 has made the code without a poll",
            "C2's code came late, and has no poll.",
            "C2 needs some milliseconds for this method. It is there long before 0.3 s have passed.",
        ),
        "never-late": Outcome(
            "On time with either sleep: such things were mended long ago",
            "Eclipse's class reaches a poll soon on all JDKs here.",
            "C2 has not changed here: its first version of the loop has no poll.",
        ),
    },
    lambda stalls: _post(stalls),
    "the table of `compilers.stalls(...)`",
)

PREDICTIONS = (FATE, SHAPE, POLL, POST)


def _fate(fates: pd.DataFrame) -> Came:
    hung, by_javac = fates["outcome"] == "hung", fates["compiler"] == JAVAC
    serial, old = fates["gc"] == compilers.NO_POLLS, fates["jdk"] <= 8
    facts = f"{_where(fates[by_javac & hung], 'javac')}; {_where(fates[~by_javac & hung], 'Eclipse')}."
    if (hung & by_javac).any():
        return one("both", facts)
    rules = {"neither": serial & ~serial, "eclipse": serial | ~serial, "serial": serial | old, "old": old}
    keys = [key for key, rule in rules.items() if (hung == (rule & ~by_javac)).all()]
    return Came(frozenset(keys[:1]), facts)


def _where(hung: pd.DataFrame, name: str) -> str:
    """ "Eclipse's class hangs with Serial on JDK 8, 11 and with G1 on JDK 8"."""
    return f"{name}'s class hangs {hung_where(hung).replace(', with', ' and with') or 'nowhere'}"


def hung_where(hung: pd.DataFrame, of_jdks: int = 0) -> str:
    """ "with Serial on JDK 8, 11, with G1 on JDK 8"; "on every JDK" if there are as many as `of_jdks`."""
    jdks = {str(gc): list(map(str, some["jdk"].unique())) for gc, some in hung.groupby("gc", sort=False)}
    named = {gc: "every JDK" if len(some) == of_jdks else f"JDK {', '.join(some)}" for gc, some in jdks.items()}
    return ", ".join(f"with {gc} on {where}" for gc, where in named.items())


LEADS = {"top": "leads to the test", "bottom": "is the test"}


def _shape(first: pd.DataFrame, second: pd.DataFrame) -> Came:
    if len(first) != len(second):
        return one("number", f"Jumps back: {len(first)} by javac, {len(second)} by Eclipse.")
    tests = [str(edges["test"].iloc[0]) for edges in (first, second)]
    told = [LEADS.get(test, "has no test") for test in tests]
    count = "One jump" if len(first) == 1 else f"{len(first)} jumps"
    facts = f"{count} back in each: javac's {told[0]}, Eclipse's {told[1]}."
    return one("same" if tests[0] == tests[1] else "test", facts)


def _poll(javac: Run, ecj: Run) -> Came:
    polled = [outer_polls(run) for run in (javac, ecj)]
    if None in polled:
        return Came(frozenset(), "The machine code of an OSR version was not captured.")
    keys = {(True, True): "both", (True, False): "javac", (False, True): "ecj", (False, False): "neither"}
    words = ["a poll" if has else "no poll" for has in polled]
    return one(keys[bool(polled[0]), bool(polled[1])], f"javac's has {words[0]}, Eclipse's {words[1]}.")


def outer_polls(run: Run) -> bool | None:
    """Does the outer loop of C2's OSR version poll in all its parts? None: no such version was seen."""
    outer = osr.osr_loops(run).query("depth == 1")["polled"]
    return None if outer.empty else bool(outer.all())


def _post(stalls: pd.DataFrame) -> Came:
    ours = stalls[stalls["compiler"] == ECLIPSE]
    if (ours["outcome"] == "hung").any():
        hung = (ours["outcome"] == "hung").sum()
        return Came(frozenset(["hangs"] if hung == len(ours) else []), f"{hung} of {len(ours)} runs hang.")
    lates = ours.groupby("sleep_s")["late_ms"].median().sort_index()
    told = listed(f"{ms:,.0f} ms beyond a sleep of {sleep_s:g} s" for sleep_s, ms in lates.items())
    facts = f"Eclipse's JVMs live, in the median, {told}."
    short, long = (ms > compilers.LATE_MS for ms in (lates.iloc[0], lates.iloc[-1]))
    keys = {(True, True): "both-late", (True, False): "short-late", (False, True): "long-late"}
    return one(keys.get((bool(short), bool(long)), "never-late"), facts)
