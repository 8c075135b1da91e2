"""Notebook 11 -> its three exercises: change a flag, build a polite monitor, explain a surprise.

The page says `lab.check("11-1", answer)`; what is right stands here.
"""

import re
from typing import TYPE_CHECKING, Any

from safepointlab.errors import BadInput
from safepointlab.run import forks, launch
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import unfair

if TYPE_CHECKING:
    from pandas import DataFrame

COLLECTOR = re.compile(r"-XX:[+-]Use\w*GC")
POLLS = re.compile(r"-XX:([+-]UseCountedLoopSafepoints|LoopStripMiningIter\b.*)")
NAMES = re.compile(r"-XX:(CompileCommand|CompileCommandFile|CompilerDirectivesFile)\b.*", re.DOTALL)
FAIR, SLOWER = 1.5, 2.0  # a search of contains1 by one of contains1ToK; a search with the flag by one without it
KEPT = r"static final byte.*?(?=// For how long)"  # what the reader leaves as it is
LATE, ON_TIME = [20_000, 4_000], [10, 3_000]  # K, and ms of asking
MOST_PERCENT, FEWEST = 40.0, 55  # of the victim's time where one is late; questions where nobody is
PATIENCE_S = 40.0
LONGER, NEAR = 2, 0.1  # how many times the parking, and how near a ratio must be: the naive 60 by 50 ms is too far


def _flag(answer: Any) -> Judged:
    """Is Parallel on 17 fair with this flag, and the search about as fast as without it?"""
    flag = exercises.flag(answer, 'one flag of the JVM as text, such as "-XX:+PrintCompilation"')
    if COLLECTOR.fullmatch(flag):
        raise BadInput(f"{flag} chooses a collector, and the exercise has chosen one: Parallel. Give another flag.")
    if POLLS.fullmatch(flag):
        raise BadInput(f"{flag} is about the polls of counted loops. Give a flag that keeps the calls.")
    if NAMES.fullmatch(flag):
        raise BadInput(f"{flag[:60]} needs the name of a method. Give a flag that holds for all methods.")
    asked, usual = unfair.somebody_asks(17, flags=flag, forks=1), unfair.somebody_asks(17)
    times, slower = float(unfair.unfairness(asked).median()), _culprit_us(asked) / _culprit_us(usual)
    does = (
        f"With {flag} a search takes contains1 {times:.1f} times as long as contains1ToK, and contains1ToK "
        f"{slower:.1f} times as long as without the flag."
    )
    return Judged(times < FAIR and slower < SLOWER, does)


def _culprit_us(asked: "DataFrame") -> float:
    """The median call of contains1ToK in these runs."""
    return float(forks.iterations(asked, "contains1ToK")["value"].median())


def _polite(answer: Any) -> Judged:
    """Does the edited monitor spare the victim where one thread is late, and ask often where nobody is?"""
    source = str(exercises.java_file(answer, POLITE.template, KEPT))
    stood, late = _asked(source, LATE)
    if not stood <= MOST_PERCENT:
        return Judged(False, f"With K={LATE[0]:,} the victim stands for {stood:.0f} % of its time.")
    often = _asked(source, ON_TIME)[1]
    if often < FEWEST:
        return Judged(False, f"With K={ON_TIME[0]} it asks {often} times in three seconds only.")
    if not late:
        return Judged(False, f"With K={LATE[0]:,} it does not ask at all.")
    return Judged(True, f"The victim stands for {stood:.0f} % of its time, and {often} questions are asked otherwise.")


def _asked(source: str, args: list[int]) -> tuple[float, int]:
    """For how many percent of its time the victim stood, and how many questions were asked."""
    run = launch.java(source, 17, gc=unfair.GC, args=args, deadline=PATIENCE_S, check=False, reuse=True)
    if run.hung or not isinstance(run.values.get("stood_percent"), float):
        raise BadInput(f"With K={args[0]:,} the program did not come to its end. {run.complaint()}".strip())
    return float(run.values["stood_percent"]), int(run.values["questions"])


def _round(answer: Any) -> Judged:
    """How near is this to the ratio of two rounds of the asker, with twice the parking and with the usual one?"""
    if isinstance(answer, bool) or not isinstance(answer, int | float) or not 0 < answer < 100:
        raise BadInput(f"This is {exercises.kind(answer)}. Give a ratio as a number, such as 1.5, without quotes.")
    usual = unfair.setup()["intervalMs"]
    rounds = [unfair.round_ms(17, interval) for interval in (usual, LONGER * usual)]
    ratio = rounds[1] / rounds[0]
    does = (
        f"A round takes {rounds[0]:,.0f} ms with {usual} ms of parking, {rounds[1]:,.0f} ms with {LONGER * usual} ms."
    )
    return Judged(abs(answer - ratio) <= NEAR, does)


FLAG = Exercise(
    "11-1",
    'one flag of the JVM as text, such as "-XX:+PrintCompilation"',
    _flag,
    "The search stays a call, and polls when it returns. So does every other method: a program of many small methods "
    "becomes slow.",
    (
        "What does C2 do with the call of the search, so that no return is left that could poll? One flag allows it to "
        "do that with any method.",
        "C2 *inlines* the search. `java -XX:+PrintFlagsFinal -version | grep Inline` lists the flags about that: take "
        "the one with the shortest name, with a minus in place of its plus.",
    ),
    timed=True,
)
POLITE = Exercise(
    "11-2",
    "the file that `lab.template` wrote and you edited",
    _polite,
    "A question that took long was paid for by everybody. Pause in proportion, and the share that they pay is bounded, "
    "however late the latest thread is.",
    (
        "A fixed pause fails one of the two here: a short one makes the victim stand, a long one asks too seldom. What "
        "does the method know that a fixed pause does not?",
        "`tookMs` is what everybody has just paid. To cost them a tenth of their time, how many times as long must the "
        "pause be? Add the usual 30 ms.",
    ),
    template="PoliteMonitor.java",
    timed=True,
)
ROUND = Exercise(
    "11-3",
    "a ratio as a number, such as 1.5",
    _round,
    "A stop ends for all at once: the long call begins, and the asker parks. When it asks, that call is under way, so "
    "question and parking end together with the call. As long as the parking is shorter, a round is one call long.",
    (
        "When does the call of contains1ToK begin that the asker waits for, and when does the parking?",
        "Both begin when a stop ends. Compare a round of the asker with one call of contains1ToK: "
        "`asked` has both, as metrics findDeadlocks and contains1ToK.",
    ),
    timed=True,
)
EXERCISES = (FLAG, POLITE, ROUND)
