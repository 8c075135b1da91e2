"""Notebook 23: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import re
from collections.abc import Sequence
from typing import Any

from safepointlab import jdks
from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb23_late import experiments
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.culprit.cause import NO_CPU, NOT_KNOWN
from safepointlab.culprit.command import late
from safepointlab.culprit.report import Late
from safepointlab.errors import BadInput
from safepointlab.phrases import counted
from safepointlab.process import home
from safepointlab.run import build

SHORT_MS, LONG_MS = 1.0, 40.0  # a wait too short to notice, and a tenth of the page's computations
POLLS = "-XX:+UseCountedLoopSafepoints"
PROGRAM, LENGTH_S, AFTER_MS = "jnt.scimark2.commandline", "0.4", 30  # what the questions speak of
HALVED, COSTLY = 0.5, -5.0  # the sum of the waits as a part of what it was; the change of a score in per cent
NO_STOP = "No stop was logged."


def _scimark(often: Late) -> Finding:
    waits = often.all_stops["waited_ms"]
    if waits.empty:
        return nothing(NO_STOP)
    longest = float(waits.max())
    facts = f"The slowest stop waited {longest:,.1f} ms."
    if often.plan.words[-2:] != (PROGRAM, LENGTH_S):  # another program, or computations of another length
        return nothing(facts)
    return one("short" if longest < SHORT_MS else "long" if longest >= LONG_MS else "some", facts)


def _cure(often: Late, cured: Late, before: Sequence[Late], after: Sequence[Late]) -> Finding:
    first, second = (float(report.all_stops["waited_ms"].sum()) for report in (often, cured))
    changes = experiments.clear(experiments.changes(before, after))
    slower = {name: percent for name, percent in changes.items() if percent < COSTLY}
    each = ", ".join(f"{name} by {-percent:.0f} %" for name, percent in slower.items())
    none = "As far as these runs can tell, no computation is slower by a twentieth or more."
    price = f"Slower: {each}." if each else none
    facts = f"All waits together: {first:,.0f} ms, with the flags {second:,.1f} ms. {price}"
    polls = all(POLLS in experiments.added_flags(*pair) for pair in ((often, cured), (before[0], after[0])))
    if not polls or often.stops.empty:  # the reader tries other flags, or nothing that could be cured
        return nothing(facts)
    if second > HALVED * first:
        return one("stays", facts)
    return one("costs" if slower else "free", facts)


def _silent(stuck: Late) -> Finding:
    hung = stuck.stops[~stuck.stops["over"].astype(bool)]
    if hung.empty:
        return nothing("No stop was still waiting at the end.")
    names = {name.strip() for row in hung["witnesses"] for name in str(row).split(",")}
    known = lessons.prediction("23-silent").outcomes
    return Finding(frozenset(names & set(known)), f"Witnesses of the last stop: {', '.join(sorted(names))}.")


JDK, EVERY_MS = 17, 200  # as on the page
WAITS_MS, OFTEN = 10, 0.2  # what the reader's own thread is to be late by, and for which part of the stops
LOOPS = re.compile(r"\b(for|while|do|work|stream|IntStream|LongStream)\b|->|::")
KEPT = r"// The worker:.*"  # what the reader leaves as it is
WORK = re.compile(r"static void work\(\) \{(.*?)\n    \}\n", re.DOTALL)
RHYTHMS_MS = (50, 35)  # of the stops: where a call lasts about as long as the one, each stop meets the end of a call
CHANCE = 0.1  # of the stops: on a busy machine so many may be late by chance; without polls it's 8 of 19 (page 23)
UNPOLLED = ("counted loop", "stub")  # of code without a poll, as the report has them


def _flag(answer: Any) -> Judged:
    """Does no stop of SciMark on JDK 17 wait for a loop, with this flag instead of Serial or added to it?

    Raises:
        BadInput: this isn't a flag; or a thread was late, and it's open whether the loops are to blame.
    """
    flag = exercises.word(answer, 'one flag of the JVM as text, such as "-XX:+UseParallelGC"')
    if not flag.startswith("-X"):
        raise BadInput(f"{flag[:60]!r} isn't a flag of the JVM. Give {lessons.exercise('23-1').answer}.")
    serial = "" if re.fullmatch(r"-XX:\+Use\w+GC", flag) else "-XX:+UseSerialGC "
    report = late(experiments.command(serial + flag), jdk=JDK, after=AFTER_MS, every=EVERY_MS)
    if report.all_stops.empty:
        return Judged(False, f"With {flag} no stop was logged. Does a JVM start with it?")
    stops, causes = report.stops, report.culprits["cause"]
    does = f"With {flag} {len(stops)} of {len(report.all_stops)} stops waited for a late thread"
    if stops.empty:
        return Judged(True, f"{does}.")
    guilty = int(causes.isin(UNPOLLED).sum())
    if guilty and len(stops) > CHANCE * len(report.all_stops):
        return Judged(False, f"{does}, in {counted(guilty, 'place')} without a poll.")
    is_unseen = (stops["where"] == "") & (stops["thread"].fillna("") != NO_CPU)
    if guilty or is_unseen.any() or causes.eq(NOT_KNOWN).any():
        why = "and so few may be a busy machine's doing" if guilty else "and no witness can say why"
        raise BadInput(f"{does}, {why}. So this run doesn't decide it: run the cell again.")
    return Judged(True, f"{does}, but not for a loop.")


def _without_loop(answer: Any) -> Judged:
    """Is the template's worker late for a stop, although its method has no loop, on JDK 17 with Serial?"""
    path = exercises.java_file(answer, lessons.exercise("23-2"), KEPT)
    body = WORK.search(re.sub(r"//[^\n]*", "", path.read_text("utf-8", "replace")))
    if not body:
        raise BadInput(f"{path.name} no longer has a method work(). Delete the file, and lab.template writes it again.")
    if loop := LOOPS.search(body[1]):
        return Judged(False, f"work() has {loop[0]!r} in it, and has to do without.")
    classes = home.shown(build.javac(str(path), jdks.get(JDK)).classes)
    line = f"java -XX:+UseSerialGC -Xmx1g -cp {classes} {path.stem}"
    for every in RHYTHMS_MS:
        report = late(line, jdk=JDK, after=WAITS_MS, every=every)
        mine = report.stops[report.stops["thread"] == "worker"].sort_values("waited_ms")
        if len(mine) and len(mine) >= OFTEN * len(report.all_stops):  # a thread without a core is late now and then
            worst = mine.iloc[-1]
            does = f"late {len(mine)} times, by {worst['waited_ms']:,.0f} ms at most, in {worst['where']}"
            return Judged(True, f"`worker` was {does}.")
    return Judged(False, f"`worker` was {WAITS_MS} ms late in {len(mine)} of {len(report.all_stops)} stops.")


def _cause(answer: Any) -> Judged:
    """The word of the column `cause` for CRC32, which is a stub on each of the lab's JDKs."""
    word = answer.strip().replace(" ", "-") if isinstance(answer, str) else answer
    name = exercises.word(word, lessons.exercise("23-3").answer)
    return Judged(name.lower().strip("'\"") == "stub", f"You say {answer!r}.")


CLASSIFIERS = {"23-scimark": _scimark, "23-cure": _cure, "23-silent": _silent}
JUDGES = {"23-1": _flag, "23-2": _without_loop, "23-3": _cause}
