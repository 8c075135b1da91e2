"""The program that should exit and does not: claims 000-01, 000-11 to 000-16, 000-51 and 000-61, run on one JDK.

Two programs carry them. WhenWillItExit is the post's own, run as the post ran it; it escapes today, since its thread
runs OSR code, which polls. KillerTask, warmed up before its one long call, enters the code without a poll on every JDK
that makes such code.
"""

from collections.abc import Mapping
from functools import partial

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, not_applicable, unclear
from safepointlab.course.nb01_safepoint import polls
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import COMPILERS, ECJ, fate, in_short, killer
from safepointlab.errors import RunFailed
from safepointlab.logs import bytecode
from safepointlab.run.forensics import Forensics
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

BRANCHES = Change(10, "JEP 312 (JDK 10): the interpreter polls at taken branches, switches and returns")
NESTS = Change(16, "JDK-8223051 (JDK 16): a long loop becomes a nest around an int loop, which is counted and unpolled")
ASKED = ("JMX", "jmap", "jstack", "SIGTERM")
LATE = 10  # times as long as with polls kept
LEAST_MS = 1.0  # below this a difference between two times to safepoint is chance
SETTLED_S = 0.8 * hang.LONGER_S  # a version that C2 makes later has hardly run when main returns

ON_8 = (
    "On JDK 8 it is run with the post's build, 8u60, where that is installed (`safepoint jdks install 8u60`): a "
    "newer build of 8 is another HotSpot."
)
LISTED = "The JVM logs its compilations and prints the machine code of the post's class meanwhile."
TWO_CLASSES = "The classes are made by Eclipse's compiler 4.6.1 and by the JDK's javac, held to Java 8."
POSTS_BUILD = "the post's build"
EXITED_THEN = {  # invented evidence of both claims on the post's program, since 8u60 is installed on few machines
    **dict.fromkeys(COMPILERS, "exited"),
    **{f"polled loops by OSR version, {name}": [2] for name in COMPILERS},
    POSTS_BUILD: True,
}
WHY_IT_EXITS = (
    "The thread is in the loop when its code is ready, so it runs OSR versions. C2's first one holds the inner loop "
    "and a trap behind it, because the outer loop has not been through an iteration; when the inner loop first ends, "
    "that version is thrown away, and the next one holds both loops. With G1, loop strip mining (JDK-8186027, JDK 10) "
    "alone keeps a poll around every counted loop, in any version."
)
NO_HANG = "the program exits without a fix, so there is nothing to cure"
STRIPS = (
    "G1 asks for loop strip mining (JDK-8186027, JDK 10), which keeps a poll around every counted loop; Serial and "
    "Parallel don't."
)


def _interpreted(jdk: int) -> Evidence:
    pieces = polls.interpreted(jdk)
    printed = pieces[(pieces["instructions"] > 0) & (pieces["number"] < 202)]  # beyond are HotSpot's own bytecodes
    return {
        "the loop with -Xint": fate(killer(jdk, hang.INTERPRETED)),
        "bytecodes printed": len(printed),
        "that poll by themselves": int(printed["poll"].notna().sum()),
    }


def _between_any_two(measured: Evidence) -> Judgement:
    printed, polling = measured["bytecodes printed"], measured["that poll by themselves"]
    templates = f"of the {printed} bytecode templates"
    told = f"{polling} {templates} contain a poll" if polling else f"none {templates} contains a poll"
    return decide(
        (measured["the loop with -Xint"] != "exited", differs("the interpreted loop reached no safepoint at all")),
        (not printed, unclear("this JDK prints the interpreter's code only with the disassembler hsdis")),
        (polling == 0, holds(f"{told}, and the interpreted loop was stopped all the same")),
        (polling >= printed, holds(told)),
        otherwise=differs(f"{told}, the other {printed - polling} do not", BRANCHES),
    )


def as_the_post_ran_it(jdk: int, gc: str | None, flags: str = "") -> Evidence:
    """What became of the post's program by either compiler, and whether it was the post's own build of 8."""
    return {**hang.posted(hang.posts_build(jdk), gc=gc, flags=flags), POSTS_BUILD: jdk == 8}


def _never_exits(measured: Evidence) -> Judgement:
    hung = [name for name in COMPILERS if measured[name] == "hung"]
    if hung:
        return holds(f"{' and '.join(hung)}: still there {hang.STALL_S} s after main's sleep of 5 s")
    told = f"both compilers' classes exit after main's sleep of 5 s{last_polls(measured)}"
    if measured.get(POSTS_BUILD):
        return differs(told)
    return unclear(f"not true here: {told}; these runs don't show whether it was true on an earlier JDK")


def last_polls(measured: Evidence) -> str:
    """In how many loops C2's last OSR version polls, for the end of a sentence; "" where no code is listed."""
    versions = {name: measured[f"polled loops by OSR version, {name}"] for name in COMPILERS}
    told = [f"{by_version[-1]} of {name}" for name, by_version in versions.items() if by_version]
    return f"; loops that poll in C2's last OSR version: {', '.join(told)}" if told else ""


def _sleeps(jdk: int, gc: str | None, flags: str = "") -> Evidence:
    """The post's sleep, and a longer one; flags are those of the longer one, which make it hang."""
    usual = [partial(hang.as_posted, jdk, compiler, gc=gc) for compiler in COMPILERS.values()]
    longer = [
        partial(hang.as_posted, jdk, compiler, gc=gc, flags=flags, sleep_s=hang.LONGER_S)
        for compiler in COMPILERS.values()
    ]
    runs = together([*usual, *longer], hang.JOBS)
    names = [f"{name}, {sleep_s} s" for sleep_s in (hang.SLEEP_S, hang.LONGER_S) for name in COMPILERS]
    logs = [hang.compile_log(run, "^WhenWillItExit::lambda").query("event == 'compiled'") for run in runs[2:]]
    last_ms = max(float(log["uptime_ms"].max()) for log in logs)
    return {**dict(zip(names, map(fate, runs), strict=True)), "last compilation, s": last_ms / 1000}


def _sleep_changes_nothing(measured: Evidence) -> Judgement:
    usual, longer = (
        [name for name in COMPILERS if measured[f"{name}, {sleep_s} s"] == "hung"]
        for sleep_s in (hang.SLEEP_S, hang.LONGER_S)
    )
    last_s = measured["last compilation, s"]
    found = f"both classes exited, after 5 s and after 10 s; the loop was last compiled after {last_s:.2g} s"
    return decide(
        (bool(usual), not_applicable(f"after 5 s {' and '.join(usual)} hung already")),
        (bool(longer), differs(f"after 5 s both classes exited, after 10 s {' and '.join(longer)} hung")),
        (not last_s <= SETTLED_S, unclear(f"the loop was still being compiled after {last_s:.2g} s")),
        otherwise=holds(found),
    )


def _disassembled(jdk: int, gc: str | None, compiler: str = "javac", sleep_s: float = hang.LONGER_S) -> Evidence:
    run = hang.as_posted(jdk, compiler, gc=gc, sleep_s=sleep_s)
    made = hang.compile_log(run, "^WhenWillItExit::lambda").query("event == 'compiled' and osr and tier == 4")
    return {
        "outcome": fate(run),
        "OSR versions by C2": len(made),
        "the last one made after, s": float(made["uptime_ms"].max()) / 1000,
        "its polls in the line of the inner loop": _polls_of_inner_loop(run),
    }


def _polls_of_inner_loop(run: Run) -> int | None:
    """How many there are in C2's last OSR version; None where no machine code is listed."""
    edges = bytecode.back_edges(run.bytecode)
    inner = edges[edges["method"].str.contains(r"::lambda\$")].sort_values("to_bci").iloc[-1]
    code = run.assembly
    versions = code[(code["tier"] == 4) & code["osr_bci"].notna()]
    last = versions[versions["compile_id"] == versions["compile_id"].max()]
    return None if last.empty else int(((last["poll"] == "loop") & (last["line"] == inner["line"])).sum())


def _reader_is_right(measured: Evidence) -> Judgement:
    count, versions = measured["its polls in the line of the inner loop"], measured["OSR versions by C2"]
    after_s = measured["the last one made after, s"]
    return decide(
        (count is None, unclear("this JDK prints machine code only with the disassembler hsdis")),
        (measured["outcome"] == "hung", differs("the class hangs")),
        (not count, differs("the class exits, but C2's last OSR version has no poll in the inner loop")),
        (versions < 2, unclear("the inner loop did not end within main's sleep, so nothing was compiled again")),
        otherwise=holds(
            f"the class exits; C2 made {versions} OSR versions, the last one after {after_s:.2g} s, which has {count} "
            f"{'poll' if count == 1 else 'polls'} in the line of the inner loop"
        ),
    )


def _refuses(jdk: int) -> Evidence:
    """The post's list, asked of the hung JVM and of a healthy one, within the same times.

    Raises:
        RunFailed: the JVM names no thread that it waits for, so this is no JVM on its way to a safepoint.
    """
    both = [partial(hang.managed_killer, jdk), partial(hang.managed_killer, jdk, healthy=True)]
    hung, healthy = (run.forensics for run in together(both, hang.JOBS))
    if not hung.late:
        raise RunFailed("the JVM named no thread that it waited for")
    return _answers(hung, healthy)


def _answers(asked: Forensics, healthy: Forensics) -> Evidence:
    """Who got an answer of a JVM, and who of a healthy one; a JRE has neither jmap nor jstack."""
    words = {"answered": True, "silent": False, "not asked": None}
    said = {word: [name for name in ASKED if asked.answered(name) is answer] for word, answer in words.items()}
    return {**said, "answered by a healthy JVM": [name for name in ASKED if healthy.answered(name)]}


def _silent(measured: Evidence) -> Judgement:
    answered, silent, not_asked = (measured[word] for word in ("answered", "silent", "not asked"))
    healthy = measured["answered by a healthy JVM"]
    return decide(
        (bool(answered), differs(f"answered: {', '.join(answered)}")),
        (bool(not_asked), unclear(f"not asked: {', '.join(not_asked)}")),
        (len(healthy) < len(silent), unclear(f"a healthy JVM answered {', '.join(healthy) or 'no tool'} in that time")),
        otherwise=holds(f"no answer to {', '.join(silent)}; a healthy JVM answers all of them in the same time"),
    )


def _cures(jdk: int, gc: str | None, flags: Mapping[str, str]) -> Evidence:
    makes = [partial(killer, jdk, flag, gc) for flag in ("", *flags.values())]
    runs = together([partial(in_short, make) for make in makes], hang.JOBS)
    return dict(zip(("no fix", *flags), map(fate, runs), strict=True))


def _cured(measured: Evidence) -> Judgement:
    fixes = [name for name in measured if name != "no fix"]
    still = [name for name in fixes if measured[name] == "hung"]
    return decide(
        (bool(still), differs(f"still hung with {' and '.join(still)}")),
        (measured["no fix"] != "hung", not_applicable(NO_HANG)),
        otherwise=holds(f"hung without a fix, exited with {' and with '.join(fixes)}"),
    )


def _flag_of_8u92(jdk: int, gc: str | None, flag: str = hang.KEEP_POLLS) -> Evidence:
    make = partial(hang.compiled_first, jdk, ECJ, gc=gc)
    with_flag = partial(make, flags=f"{hang.TOP} {flag}", patience_s=hang.CURED_S)
    fates = map(fate, together([partial(in_short, make), with_flag], hang.JOBS))
    return dict(zip(("no fix", "the flag"), fates, strict=True))


def _long_index(jdk: int, gc: str | None) -> Evidence:
    """The times to safepoint; only what became of the loop with an int index where that one holds nobody up."""
    found = {"the loop with an int index": fate(in_short(partial(killer, jdk, gc=gc)))}
    if found["the loop with an int index"] != "hung":
        return found
    make = partial(hang.long_index, jdk, gc=gc)
    short, long = make(), make(last_call=hang.LONG_CALL)
    kept = make(hang.KEEP_POLLS)
    return {
        **found,
        "time to safepoint after short calls, ms": _times_to_safepoint(short),
        "time to safepoint after a call of 3 billion iterations, ms": _times_to_safepoint(long),
        "time to safepoint with polls kept, ms": _times_to_safepoint(kept),
    }


def _times_to_safepoint(run: Run) -> list[float]:
    """Those of the run's collections, in ms."""
    collections = run.safepoints["operation"].str.contains("Collect|GC", regex=True)
    return [round(float(ms), 3) for ms in run.safepoints[collections]["ttsp_ms"]]


def _reached_soon(measured: Evidence) -> Judgement:
    if measured["the loop with an int index"] != "hung":
        return not_applicable("a loop with an int index doesn't hold up the JVM's exit either")
    names = ("after short calls", "after a call of 3 billion iterations", "with polls kept")
    short, long, kept = (measured[f"time to safepoint {name}, ms"] for name in names)
    if not (short and long and kept):
        return unclear("no collection was logged")
    limit_ms = LATE * max(*kept, LEAST_MS)
    told = "; ".join(f"{name} {_range(times)}" for name, times in zip(names, (short, long, kept), strict=True))
    return decide(
        (max(*short, *long) < limit_ms, holds(told)),
        (min(short) >= limit_ms or min(long) >= limit_ms, differs(told, NESTS)),
        otherwise=unclear(f"neither all soon nor all late: {told}"),
    )


def _range(times: list[float]) -> str:
    least, most = (f"{ms:,.0f}" if ms >= 10 else f"{ms:.2g}" for ms in (min(times), max(times)))
    return f"{least} to {most} ms ({len(times)} stops)"


CLAIMS = [
    Claim(
        "000-01",
        "Interpreted code can stop at a safepoint between any two bytecodes, effectively",
        as_published="said, not measured; -Xint is named as a cure for the hang",
        measure=_interpreted,
        judge=_between_any_two,
        rule="the interpreted loop reaches the last safepoint, and of the interpreter's pieces of code, one for each "
        "bytecode, either each one polls or none does",
        mechanism="Where none polls, the VM exchanges the table through which each piece of code finds the next one "
        "(`TemplateInterpreter::notice_safepoints`), so that the thread stops at the next bytecode, whichever it is. "
        "JEP 312 gave each thread its own request, and pieces of code that test it: those of taken branches, switches "
        "and returns. A thread in straight code then runs on to one of them, some bytecodes later.",
        setup="The loop is the lab's killer task, with Serial; the pieces of code are those that "
        "`-XX:+PrintInterpreter` prints, without HotSpot's own bytecodes.",
        version=2,
    ),
    Claim(
        "000-11",
        "The post's program never exits with default flags, though main only sleeps for 5 s",
        as_published="does not exit at all (8u60); in a later note: with Eclipse's class, not with javac's",
        measure=as_the_post_ran_it,
        judge=_never_exits,
        rule=f"the class of at least one of the two compilers is still waiting for a safepoint {hang.STALL_S} s after "
        "main's sleep",
        mechanism=f"{WHY_IT_EXITS} The second version is entered in the middle of the inner loop, so that both loops "
        "jump back to one instruction, and C2 counts neither: both poll (read in the listing of Eclipse's class on JDK "
        "17, with Serial). What 8u60 did otherwise is not known. Readers' 8u31, 8u45 and 8u65 exited, as the comments "
        "say, and the author found that the class decided.",
        setup=f"{TWO_CLASSES} {ON_8} {LISTED}",
        collectors=True,
        supported_by=lambda jdk: as_the_post_ran_it(jdk, "Serial", f"{hang.TOP} {hang.ALONE}"),
        refuted_by=EXITED_THEN,
        version=2,
    ),
    Claim(
        "000-12",
        "A JVM that waits in vain for its last safepoint refuses JMX, jmap and jstack, and it takes kill -9 to end it",
        as_published="JMX connections refused, no response to jmap and jstack; killed by kill -9",
        measure=_refuses,
        judge=_silent,
        rule="JMX, jmap, jstack and SIGTERM all go unanswered, for as long as a healthy JVM needs to answer all four",
        mechanism="A JMX client is answered by a thread that runs Java code: it blocks on its way back from native "
        "code, until the safepoint is over. SIGTERM is taken by the signal dispatcher, and so is SIGQUIT, by which "
        "jmap and jstack announce themselves. At any safepoint that thread would block in the same way; at the exit "
        "the JVM has told it to end just before (os::terminate_signal_thread in before_exit, java.cpp), after the "
        "shutdown hooks. That is true of tools that need the JVM's help, and they alone are judged: `jhsdb jstack "
        "--pid` (9 and later), `jstack -F` (8) and a native debugger read the process's memory from outside, and can "
        "look into a hung JVM.",
        setup="The JVM is at its exit, as the post's: main has returned, and the lab's killer task, with Serial, is "
        "in its loop. The healthy JVM runs the same program with polls kept in counted loops, and its main still "
        "sleeps: with polls, it would be gone as soon as main returns. So the two differ in where they are, too. A "
        "JVM that hangs at an earlier safepoint is not asked. That SIGKILL ends it is not judged: it ends any process.",
        refuted_by=lambda jdk: _answers(*[hang.managed_killer(jdk, healthy=True).forensics] * 2),
        times=True,
        version=2,
    ),
    Claim(
        "000-13",
        "Keeping the method in the interpreter (-Xint, or excluding it) lets a JVM exit that hangs in a counted loop",
        as_published="named as a fix, without a run",
        measure=partial(_cures, flags={"-Xint": hang.INTERPRETED, "the method excluded": hang.EXCLUDED}),
        judge=_cured,
        rule="the program hangs without a fix, and exits with either",
        mechanism="The interpreter polls at each jump back, or can be stopped between any two bytecodes (000-01). "
        f"{STRIPS}",
        setup="The program is the lab's killer task, since the post's own one exits today without a fix (000-11).",
        collectors=True,
        refuted_by=lambda jdk: _cures(
            jdk, "Serial", {"the method not inlined": "-XX:CompileCommand=dontinline,KillerTask.countOdds"}
        ),
        version=2,
    ),
    Claim(
        "000-14",
        "A long index instead of an int makes the loop poll, so that a safepoint no longer waits for it",
        as_published="named as a fix, without a run: “a safepoint poll in each iteration”",
        measure=_long_index,
        judge=_reached_soon,
        rule=f"all times to safepoint, after short calls of the loop and after a long one, are less than {LATE} times "
        "the longest with polls kept, where less than 1 ms counts as 1 ms; it does not if all after short calls, or "
        "all after the long one, are as long or longer, and isn't applicable where a loop with an int index doesn't "
        "hold up the JVM's exit",
        mechanism="Up to JDK 15 a loop over a long is not counted, and polls. From JDK 16 on C2 makes it a nest "
        "around an int loop of nearly 2³¹ iterations (JDK-8223051), which is counted; with G1, strip mining keeps a "
        "poll in it (JDK-8186027). From JDK 26 on C2 makes no nest of a loop that the profile has only seen short, "
        "but an int loop behind a guard (JDK-8342692); a longer call fails the guard and goes on in the interpreter "
        "and in OSR code, which polls in javac's class and not in Eclipse's (003e-04 has the reason). After one long "
        "call C2 makes the nest again.",
        setup="The program is the lab's LongIndexStalls, compiled by javac: with Eclipse's class, which the post's "
        "author ran, short calls don't help on JDK 26 and later either. It makes 20,000 calls of 100 iterations, in "
        "the second run one of 3 billion as well, then one of 20 billion, while main requests three collections. Polls "
        "are kept by -XX:+UseCountedLoopSafepoints. The loop with an int index is that of the killer task.",
        collectors=True,
        version=4,
    ),
    Claim(
        "000-15",
        "Keeping safepoint polls in counted loops lets a JVM exit that hangs in such a loop",
        as_published="a Zing option, announced for OpenJDK",
        measure=partial(_cures, flags={hang.KEEP_POLLS: hang.KEEP_POLLS}),
        judge=_cured,
        rule="the program hangs without the flag, and exits with it",
        mechanism=f"OpenJDK's option came with JDK-6869327, in 8u92 and 9. {STRIPS}",
        setup="The program is the lab's killer task; the flag is OpenJDK's, where the post used Zing's "
        "-XX:+KeepSafepointsInCountedLoops.",
        collectors=True,
        refuted_by=lambda jdk: _cures(jdk, "Serial", {"polls dropped": "-XX:-UseCountedLoopSafepoints"}),
        version=2,
    ),
    Claim(
        "000-16",
        "-XX:+UseCountedLoopSafepoints, new in 8u92, works with the post's program",
        as_published="a reader's comment: “with the sample it works”",
        measure=_flag_of_8u92,
        judge=_cured,
        rule="Eclipse's class of the post's program hangs without the flag, and exits with it",
        mechanism="The flag came with JDK-6869327. The comment goes on that it crashed in production: that program is "
        f"not known, and is not judged. {STRIPS} G1 switches this very flag on by default, so that with G1 the run "
        "without the flag has it as well.",
        setup="The post's program exits today without a flag (000-11), so its methods are compiled by C2 before their "
        "first call (-XX:-TieredCompilation -Xcomp), as in the post's sequel; main sleeps for 0.6 s.",
        collectors=True,
        refuted_by=lambda jdk: _flag_of_8u92(jdk, "Serial", "-XX:-UseCountedLoopSafepoints"),
        version=2,
    ),
    Claim(
        "000-51",
        "Where the post's program exits after main's sleep of 5 s, it exits after one of 10 s as well",
        as_published="the opposite: a comment advises a reader whose program exits after 5 s (8u31, 8u45) to let main "
        "sleep longer",
        measure=_sleeps,
        judge=_sleep_changes_nothing,
        rule="both compilers' classes exit after a sleep of 5 s and after one of 10 s, and the loop was compiled for "
        f"the last time in the first {SETTLED_S:.0f} s; it does not hold if one of them hangs after 10 s",
        mechanism="A thread in a loop gets other code only when a new OSR version is made. When the inner loop has "
        "ended for the first time, seconds after the start, the last one has been made, so a sleep of 10 s meets the "
        "same code as one of 15 s or 20 s.",
        setup=f"{TWO_CLASSES} Whether the advice was right about 8u31, 8u45 and the author's 8u60, which hung, isn't "
        "known: none of them is here, and JDK 8 is today's build, another HotSpot (000-11). The advice names 15 and "
        f"20 s as well. {LISTED}",
        collectors=True,
        refuted_by=lambda jdk: _sleeps(jdk, "Serial", f"{hang.TOP} {hang.ALONE}"),
        ours=True,
        times=True,
        version=2,
    ),
    Claim(
        "000-61",
        "javac's class of the post's program is compiled again while its loop runs, polls in the inner one, and exits",
        as_published="a reader's comment (8u65): exits, recompiled after some 2.5 s, “a {poll} on the inner for loop”",
        measure=_disassembled,
        judge=_reader_is_right,
        rule="the class exits after main's sleep, C2 has made more than one OSR version of its loops, and the last "
        "one has a poll in the source line of the inner loop",
        mechanism=f"{WHY_IT_EXITS} javac's class polls in the first version, too (003e-04): the second one is not "
        "what lets it exit.",
        setup="main sleeps for 10 s, so that the inner loop ends before it on a slow machine, too. javac is held to "
        f"Java 8. On JDK 8 it is today's build. {LISTED}",
        collectors=True,
        refuted_by=lambda jdk: _disassembled(jdk, "Serial", ECJ, sleep_s=0.3),
        times=True,
    ),
]
