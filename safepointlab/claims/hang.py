"""The program that should exit and does not: claims 000-01 and 000-11 to 000-16, each run again on one JDK.

Two programs carry them. WhenWillItExit is the post's own idea and escapes today, since its thread runs OSR code, which
polls; KillerTask, warmed up before its one long call, enters the code without a poll on every JDK that makes such code.
"""

import math

from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.topics.hang import (
    EXCLUDED,
    INTERPRETED,
    KEEP_POLLS,
    at_the_top,
    fate,
    killer,
    long_index,
    median_ttsp_ms,
    post,
)

STRIP_MINING = "JDK-8186027 (JDK 10) polls counted loops in strips where the collector asks for it, as G1 does"


def _interpreted(jdk: int) -> Evidence:
    return {"with -Xint": fate(killer(jdk, INTERPRETED)), "compiled": fate(killer(jdk))}


def _exits_only_interpreted(measured: Evidence, jdk: int) -> Judgement:
    if measured["with -Xint"] != "exited":
        return fails("the interpreted loop never reached a safepoint either")
    where = "every branch and return" if jdk >= 10 else "the dispatch of every bytecode"
    return holds(f"the same loop stops at once when interpreted: the interpreter looks at {where}")


def _default(jdk: int) -> Evidence:
    return {"default flags": fate(post(jdk)), "entered at the top": fate(at_the_top(jdk))}


def _never_exits(measured: Evidence, jdk: int) -> Judgement:
    if measured["default flags"] == "hung":
        return holds("it was still there at the deadline")
    if measured["entered at the top"] == "hung":
        return fails("its code comes from OSR and has polls; the same loop compiled to be entered at the top hangs")
    return changed(STRIP_MINING)


def _refuses(jdk: int) -> Evidence:
    forensics = killer(jdk).forensics
    words = {True: "answered", False: "silent", None: "not asked"}  # a JRE has neither jcmd nor jstack
    return {name: words[forensics.answered(name)] for name in ("jcmd", "jstack", "SIGTERM")}


def _silent(measured: Evidence, jdk: int) -> Judgement:
    answered = [name for name, answer in measured.items() if answer == "answered"]
    if answered:
        return fails(f"{', '.join(answered)} got an answer")
    return holds("all need a safepoint themselves, or a thread that must wait for one; SIGKILL does not")


def _interpreted_or_excluded(jdk: int) -> Evidence:
    cured = {name: fate(killer(jdk, flag)) for name, flag in {"-Xint": INTERPRETED, "exclude": EXCLUDED}.items()}
    return {"no fix": fate(killer(jdk)), **cured}


def _cured(measured: Evidence, jdk: int) -> Judgement:
    uncured = [name for name, outcome in measured.items() if name != "no fix" and outcome != "exited"]
    if uncured:
        return fails(f"still hangs with {', '.join(uncured)}")
    return holds("hangs without the fix, exits with it") if measured["no fix"] == "hung" else fails("nothing to cure")


def _long_index(jdk: int) -> Evidence:
    default, kept = long_index(jdk), long_index(jdk, KEEP_POLLS)
    return {"ttsp_ms": median_ttsp_ms(default), "ttsp_ms with kept polls": median_ttsp_ms(kept)}


def _reached_soon(measured: Evidence, jdk: int) -> Judgement:
    ratio = measured["ttsp_ms"] / max(measured["ttsp_ms with kept polls"], 1.0)
    if math.isnan(ratio):
        return unclear("no collection was logged")
    if ratio < 20:
        return holds("a loop with a long index is polled, or cut into pieces that are short enough")
    if jdk >= 16:
        return changed("JDK-8223051 (JDK 16) makes a long loop a nest around an int loop, which again has no poll")
    return fails(f"it takes {ratio:.0f} times as long as with polls kept in counted loops")


def _kept_polls(jdk: int) -> Evidence:
    return {"no fix": fate(killer(jdk)), "kept polls": fate(killer(jdk, KEEP_POLLS))}


THEN_FIX = "exits after main's 5 s of sleep"
CLAIMS = [
    Claim(
        "000-01",
        "Interpreted code can stop at a safepoint practically anywhere",
        then="with -Xint the program exits at 5 s",
        measure=_interpreted,
        judge=_exits_only_interpreted,
        refuted_by=({"with -Xint": "hung", "compiled": "hung"}, 8),
    ),
    Claim(
        "000-11",
        "The post's program never exits, with default flags",
        then="hangs (8u60)",
        measure=_default,
        judge=_never_exits,
        refuted_by=({"default flags": "exited", "entered at the top": "hung"}, 8),
    ),
    Claim(
        "000-12",
        "A JVM that waits for a safepoint in vain answers neither jcmd nor jstack nor SIGTERM",
        then="JMX, jmap and jstack refused; only kill -9 helped",
        measure=_refuses,
        judge=_silent,
        refuted_by=({"jcmd": "answered", "jstack": "silent", "SIGTERM": "silent"}, 17),
    ),
    Claim(
        "000-13",
        "Interpreting the method cures it: -Xint, or excluding it from compilation",
        then=THEN_FIX,
        measure=_interpreted_or_excluded,
        judge=_cured,
        refuted_by=({"no fix": "hung", "-Xint": "exited", "exclude": "hung"}, 8),
    ),
    Claim(
        "000-14",
        "A long index cures it, since a loop over a long is polled in each iteration",
        then=THEN_FIX,
        measure=_long_index,
        judge=_reached_soon,
        refuted_by=({"ttsp_ms": 2900.0, "ttsp_ms with kept polls": 0.2}, 11),
    ),
    Claim(
        "000-15",
        "Keeping safepoints in counted loops cures it",
        then="a Zing option, announced for OpenJDK",
        measure=_kept_polls,
        judge=_cured,
        refuted_by=({"no fix": "hung", "kept polls": "hung"}, 8),
    ),
    Claim(
        "000-16",
        "The flag that keeps them, new in 8u92, crashed in production",
        then="a reader's comment; JDK-8161147",
        not_run="needs a build of 2016 (8u92), which the distribution's archive does not hold; vendors' archives do",
    ),
]
