"""Notebook 04 -> its three exercises: try two flags, build a loop that OSR does not save, find a pass of C2.

The page says `lab.check("04-1", answer)`; what is right stands here.
"""

from typing import Any

from safepointlab.errors import BadInput
from safepointlab.run import launch
from safepointlab.session import exercises
from safepointlab.session.exercises import Exercise, Judged
from safepointlab.topics import hang, osr

ALONE = tuple(hang.TOP.split())
DEAF = "at_its_end"
MAIN = r"public static void main.*?(?=// How many)"  # what the reader leaves as it is
FEW, FEW_ODDS, ODDS = 1000, "500", "750000000"  # a small limit and what it counts, and what the usual one does


def _alone(answer: Any) -> Judged:
    """Are these the flags with each of which, alone, the loop that was called once is heard at its end?"""
    flags = _listed_flags(answer)
    deaf = {flag for flag in ALONE if osr.entered(17, "once", flag, osr.COMPILED).values["heard"] == DEAF}
    words = " and ".join(f"`{flag}`" for flag in flags) or "neither"
    return Judged(set(flags) == deaf, f"You say {words}.")


def _listed_flags(answer: Any) -> list[str]:
    """Raises BadInput for what is no list of the two flags."""
    flags = [answer] if isinstance(answer, str) else answer
    if not isinstance(flags, list | tuple | set) or not set(flags) <= set(ALONE):
        raise BadInput(f"Give a list: [], or with one or both of {', '.join(repr(flag) for flag in ALONE)}.")
    return sorted(set(flags))


def _deaf(answer: Any) -> Judged:
    """Does the edited program count as before, in an OSR version of C2's, and is a request heard at its end only?"""
    source = str(exercises.java_file(answer, LOOP.template, MAIN))
    if _run(source, FEW).values.get("odds") != float(FEW_ODDS):
        return Judged(False, f"With a limit of {FEW:,} it no longer counts {FEW_ODDS} odd numbers.")
    run = _run(source)
    if run.hung or run.values.get("odds") != float(ODDS):
        return Judged(False, f"It does not count {int(ODDS):,} odd numbers in {osr.DEADLINE_S} s.")
    own = run.compilations[run.compilations["method"].str.endswith("NotSavedByOsr::countOdds", na=False)]
    if not (own["osr"].fillna(False).astype(bool) & (own["tier"] == 4)).any():
        return Judged(False, "C2 made no OSR version of `countOdds`, so the thread was not in one.")
    heard = str(run.values["heard"])
    return Judged(
        heard == DEAF, f"The request was heard {heard.replace('_', ' ')}, after {run.values['gc_ms']:,.0f} ms."
    )


def _run(source: str, *args: int) -> Any:
    settings: dict[str, Any] = {"log": osr.COMPILED, "deadline": osr.DEADLINE_S, "reuse": True}
    return launch.java(source, 17, gc=hang.NO_POLLS, args=args, **settings)


def _pass(answer: Any) -> Judged:
    """Does that flag switch off a pass that peels, and is the loop with the roots heard in its middle then?"""
    flag = exercises.word(answer, 'a flag that switches one pass off, as text: "-XX:-Name"')
    if not flag.startswith("-XX:-"):
        raise BadInput(f"{flag!r} switches nothing off. Give a flag such as '-XX:-Name'.")
    heard = str(osr.entered(17, "once roots", flag, osr.COMPILED).values["heard"])
    does = f"With `{flag}` the request is heard {heard.replace('_', ' ')}."
    if heard != DEAF and "Peel" not in flag:
        return Judged(False, f"{does} But that is not the pass of C2 which turns the loop round.")
    return Judged(heard != DEAF, does)


FLAGS = Exercise(
    "04-1",
    "a list of flags, [] for none",
    _alone,
    "With `-Xcomp` alone the first call runs C1's code, and with the other alone the interpreter. Both lead into C2's "
    "OSR version, which polls. It takes both flags to enter C2's code at the top.",
    (
        'Try `osr.entered(17, "once", "-Xcomp").values`, then the other flag.',
        "Which code does the first call run with each of the flags alone, and how does the thread get from it to C2's?",
    ),
)
LOOP = Exercise(
    "04-2",
    "the file that `lab.template` wrote and you edited",
    _deaf,
    "C2 counts the loop although OSR enters it: because its test is at the bottom, or because C2 has turned it round "
    "itself, as in exercise 3. A counted loop has no poll.",
    (
        "OSR enters at the target of the jump back. In which loop of Java is that the body, and not the test?",
        "Where does the jump back go in a `do … while`? (Eclipse's compiler makes this shape of a `for`, too.)",
    ),
    template="NotSavedByOsr.java",
)
PASS = Exercise(
    "04-3",
    'a flag as text, such as "-XX:-Name"',
    _pass,
    "Without that pass the loop keeps its test at the top, is not counted, and polls.",
    (
        '`[name for name in flags.known(lab.jdk(17)) if "Loop" in name]` lists flags that have to do with loops.',
        "The pass turns the loop round by *peeling* a part of its first iteration off.",
    ),
)
EXERCISES = (FLAGS, LOOP, PASS)
