"""The program that should exit and does not: claims 000-01, 000-11 to 000-16 and 000-51, each run again on one JDK.

Two programs carry them. WhenWillItExit is the post's own, run as the post ran it; it escapes today, since its thread
runs OSR code, which polls. KillerTask, warmed up before its one long call, enters the code without a poll on every JDK
that makes such code.
"""

import math
from collections.abc import Mapping
from functools import partial

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, unclear
from safepointlab.course.nb01_safepoint import polls
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import fate, killer
from safepointlab.errors import RunFailed
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

BRANCHES = "JEP 312 (JDK 10): the interpreter polls at taken branches, switches and returns"
NESTS = "JDK-8223051 (JDK 16) makes a long loop a nest around an int loop, which again has no poll"
NOT_TRIED = "the post's 8u60 is not tried here (it would be, once `safepoint jdks install zulu:8u60` has fetched it)"
ASKED = ("JMX", "jmap", "jstack", "SIGTERM")


def _interpreted(jdk: int) -> Evidence:
    pieces = polls.interpreted(jdk)
    printed = pieces[(pieces["instructions"] > 0) & (pieces["number"] < 202)]  # beyond are HotSpot's own bytecodes
    return {
        "the loop with -Xint": fate(killer(jdk, hang.INTERPRETED)),
        "bytecodes printed": len(printed),
        "that poll by themselves": int(printed["poll"].notna().sum()),
    }


def _between_any_two(measured: Evidence) -> Judgement:
    if measured["the loop with -Xint"] != "exited":
        return differs("the interpreted loop never reached a safepoint either")
    if not measured["bytecodes printed"]:
        return unclear("this JDK prints the interpreter's code only with the disassembler hsdis")
    if measured["that poll by themselves"] == 0:
        return holds("no bytecode tests anything: the VM exchanges the table through which each finds the next one")
    if measured["that poll by themselves"] >= measured["bytecodes printed"]:
        return holds("each bytecode polls")
    return differs("only some bytecodes poll, and the thread runs on to the next of these", Change(10, BRANCHES))


def _default(jdk: int) -> Evidence:
    fates, run = hang.fates(jdk), hang.as_posted(jdk, hang.ECJ)
    by_osr = hang.compile_log(run, f"^{run.name}::").query("event == 'compiled' and tier == 4 and osr")
    return {**fates, "C2 versions by OSR, Eclipse's class": len(by_osr), **hang.fates_of_old(jdk)}


def _never_exits(measured: Evidence) -> Judgement:
    hung = [name for name in ("Eclipse's class", "javac's class") if measured[name] == "hung"]
    if hung:
        return holds(f"{' and '.join(hung)}: still there long after main's sleep of 5 s")
    if old := first_hung_build(measured):
        return unclear(f"on this machine {old} hangs where today's build exits")
    tried = any(name.startswith("8u") for name in measured)
    rest = "" if tried else f"; {NOT_TRIED}"
    if measured["C2 versions by OSR, Eclipse's class"]:
        return differs(f"both compilers' classes exit: the thread is in code that came by OSR, and that polls{rest}")
    return differs(f"both compilers' classes exit{rest}")


def first_hung_build(measured: Evidence) -> str | None:
    """The name of the first run on an old build that hung, if there is such a build and it did."""
    return next((name for name, fate in measured.items() if name.startswith("8u") and fate == "hung"), None)


def _sleeps(jdk: int) -> Evidence:
    longer = len(hang.LONGER_S) * len(hang.COMPILERS)
    after_5_s, after_longer = (hang.hung_after(jdk, each) for each in ([hang.SLEEP_S], hang.LONGER_S))
    return {"runs with 10, 15 and 20 s": longer, "of them hung": after_longer, "hung after 5 s": after_5_s}


def _sleep_decides(measured: Evidence) -> Judgement:
    runs, hung = measured["runs with 10, 15 and 20 s"], measured["of them hung"]
    if not hung:
        return differs(f"none of {runs} runs with a longer sleep hangs, by either compiler")
    if measured["hung after 5 s"]:
        return unclear("it hangs after 5 s already, so that a longer sleep shows nothing")
    return holds(f"it exits after 5 s, and {hung} of {runs} runs with a longer sleep hang")


def _refuses(jdk: int) -> Evidence:
    """The post's list, asked of the hung JVM and of a healthy one, within the same times.

    Raises:
        RunFailed: the JVM names no thread that it waits for, so this is no JVM on its way to a safepoint.
    """
    both = [partial(hang.managed_killer, jdk), partial(hang.managed_killer, jdk, healthy=True)]
    hung, healthy = (run.forensics for run in together(both, hang.JOBS))
    if not hung.late:
        raise RunFailed("the JVM named no thread that it waited for")
    words = {True: "answered", False: "silent", None: "not asked"}  # a JRE has neither jmap nor jstack
    answers = {name: words[hung.answered(name)] for name in ASKED}
    return {
        "each": ", ".join(f"{name} {word}" for name, word in answers.items()),
        **{word: list(answers.values()).count(word) for word in words.values()},
        "answered by a healthy JVM": sum(healthy.answered(name) is True for name in ASKED),
    }


def _silent(measured: Evidence) -> Judgement:
    if measured["answered"]:
        return differs(f"not all are silent: {measured['each']}")
    if measured["not asked"] or not measured["silent"]:
        return unclear(f"no silence where nobody asked: {measured['each']}")
    if measured["answered by a healthy JVM"] < measured["silent"]:
        return unclear("a healthy JVM does not answer all in that time either: this machine is too busy just now")
    why = "each answer needs a thread that waits for the safepoint or has been told to end"
    return holds(f"{why}; a healthy JVM gives it in the same time")


def _fixed(jdk: int, flags: Mapping[str, str]) -> Evidence:
    runs = together([partial(killer, jdk, flag) for flag in ("", *flags.values())], hang.JOBS)
    no_fix, *fates = map(fate, runs)
    uncured = [name for name, outcome in zip(flags, fates, strict=True) if outcome != "exited"]
    counts = {"fixes": len(fates), "that let it exit": len(fates) - len(uncured)}
    return {"no fix": no_fix, **counts, "still hung with": ", ".join(uncured) or "none"}


def _cured(measured: Evidence) -> Judgement:
    if measured["that let it exit"] < measured["fixes"]:
        return differs(f"still hangs with {measured['still hung with']}")
    return holds("hangs without, exits with it") if measured["no fix"] == "hung" else unclear("nothing to cure")


def _long_index(jdk: int) -> Evidence:
    default, kept = (_median_ttsp_ms(hang.long_index(jdk, flags)) for flags in ("", hang.KEEP_POLLS))
    return {"ttsp_ms": default, "TTSP with polls kept, ms": kept}


def _median_ttsp_ms(run: Run) -> float:
    """The median time to safepoint of the run's collections, in ms; NaN if none was logged."""
    collections = run.safepoints["operation"].str.contains("Collect|GC", regex=True)
    return float(run.safepoints[collections]["ttsp_ms"].median())


def _reached_soon(measured: Evidence) -> Judgement:
    ttsp_ms, kept_ms = measured["ttsp_ms"], measured["TTSP with polls kept, ms"]
    ratio = ttsp_ms / max(kept_ms, 1.0)  # below a millisecond a difference is chance
    if math.isnan(ratio):
        return unclear("no collection was logged")
    if ratio < 20:
        return holds("the loop with the long index meets a poll as soon as one whose polls are kept")
    return differs(f"it takes {ttsp_ms:,.0f} ms, with polls kept in counted loops {kept_ms:.2g} ms", Change(16, NESTS))


CLAIMS = [
    Claim(
        "000-01",
        "Interpreted code can stop at a safepoint between any two bytecodes, effectively",
        as_published="said, not measured; -Xint is named as a cure for the hang",
        measure=_interpreted,
        judge=_between_any_two,
        refuted_by={"the loop with -Xint": "exited", "bytecodes printed": 202, "that poll by themselves": 28},
    ),
    Claim(
        "000-11",
        "The post's program, main's sleep 5 s, never exits with default flags",
        as_published="does not exit at all (8u60); in a later note: with Eclipse's class, not with javac's",
        measure=_default,
        judge=_never_exits,
        refuted_by={"Eclipse's class": "exited", "javac's class": "exited", "C2 versions by OSR, Eclipse's class": 2},
    ),
    Claim(
        "000-12",
        "A JVM that waits for a safepoint in vain refuses JMX, jmap and jstack, and it takes kill -9 to end it",
        as_published="JMX connections refused, no response to jmap and jstack; killed by kill -9",
        measure=_refuses,
        judge=_silent,
        refuted_by={
            "each": "JMX silent, jmap silent, jstack answered, SIGTERM silent",
            "answered": 1,
            "silent": 3,
            "not asked": 0,
            "answered by a healthy JVM": 4,
        },
    ),
    Claim(
        "000-13",
        "Interpreting the method cures it: -Xint, or excluding it from compilation (tried on the lab's killer task)",
        as_published="named as a fix, without a run",
        measure=partial(_fixed, flags={"-Xint": hang.INTERPRETED, "exclude": hang.EXCLUDED}),
        judge=_cured,
        refuted_by={"no fix": "hung", "fixes": 2, "that let it exit": 1, "still hung with": "exclude"},
    ),
    Claim(
        "000-14",
        "A long index cures it, since a loop over a long is polled in each iteration (tried on the lab's warmed loop)",
        as_published="named as a fix, without a run",
        measure=_long_index,
        judge=_reached_soon,
        refuted_by={"ttsp_ms": 2900.0, "TTSP with polls kept, ms": 0.2},
    ),
    Claim(
        "000-15",
        "Keeping safepoints in counted loops cures it (tried on the lab's killer task)",
        as_published="a Zing option, announced for OpenJDK",
        measure=partial(_fixed, flags={"polls kept": hang.KEEP_POLLS}),
        judge=_cured,
        refuted_by={"no fix": "hung", "fixes": 1, "that let it exit": 0, "still hung with": "polls kept"},
    ),
    Claim(
        "000-16",
        "The flag that keeps them, new in 8u92, works with the post's program and crashed in production",
        as_published="a reader's comment: 'with the sample it works, but on a production instance it crashes'",
        not_run="what crashed was a program that the comment does not name; that others do not crash, on 8u92 or on "
        "any other build, says nothing",
    ),
    Claim(
        "000-51",
        "Whether the post's program hangs depends on main's sleep: with 10, 15 or 20 s it hangs where it exits after 5",
        as_published="a comment's advice to a reader whose program exits after 5 s (8u31, 8u45)",
        measure=_sleeps,
        judge=_sleep_decides,
        refuted_by={"runs with 10, 15 and 20 s": 6, "of them hung": 0, "hung after 5 s": 0},
        full=True,
    ),
]
