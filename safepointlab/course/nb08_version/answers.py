"""Notebook 08: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

from typing import Any

import pandas as pd

from safepointlab.course import exercises
from safepointlab.course.exercises import Judged
from safepointlab.course.nb02_hang.experiments import compile_log
from safepointlab.course.nb04_osr import benchmark
from safepointlab.course.nb04_osr.experiments import INLINE, METHOD
from safepointlab.course.nb08_version import experiments as version
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run.run import Run

SLOWER = 5  # times: the interpreter is slower than C2's code by much more


def _rounds(run: Run) -> Finding:
    own = compile_log(run, "::measureInline$").query("tier == 4")
    made, gone = (own[own["event"] == event] for event in ("compiled", "made not entrant"))
    by_osr, lost = int(made["osr"].sum()), len(gone)
    facts = (
        f"C2 made {by_osr} OSR and {len(made) - by_osr} standard versions of `measureInline`, and {lost} of them "
        f"{'was' if lost == 1 else 'were'} thrown away."
    )
    if version.place(run) != INLINE:
        return nothing(facts)
    if made.empty:
        return one("never", facts)
    if not made["osr"].iloc[-1]:
        return one("standard", facts)
    return one("again" if by_osr > 1 else "once", facts)


def _measured(homemade: pd.DataFrame) -> Finding:
    if not (sides := benchmark.by_side(benchmark.summarize(homemade))):
        return nothing("There aren't two kinds to compare.")
    told = listed(f"{side} on JDK {listed(jdks)}" for side, jdks in sides.items())
    if benchmark.OPEN not in sides:
        told = told.replace(" and takes ", " and ")
    names = {benchmark.OPEN: "alike", benchmark.LONGER: "longer", benchmark.LESS: "less"}
    facts = f"Compared with the method, the loop in the harness {told}."
    return one(names[next(iter(sides))] if len(sides) == 1 else "depends", facts)


def _flag(answer: Any) -> Judged:
    """Does this flag slow the loop in the harness down, and not the loop in a method?"""
    flag = exercises.word(answer, "one flag as text, such as '-Xmx100m'")
    if not flag.startswith("-X"):
        raise BadInput(f"{flag!r} isn't a flag for this exercise. Give one that begins with -X.")
    inline_ns, method_ns = (version.best_ns(version.short(where, flag)) for where in (INLINE, METHOD))
    if inline_ns is None or method_ns is None:
        return Judged(False, f"With `{flag}`, the benchmark prints no times.")
    does = f"With `{flag}`, a pass takes {inline_ns:,.0f} ns in the harness and {method_ns:,.0f} ns in a method."
    return Judged(inline_ns > SLOWER * method_ns, does)


def _last(answer: Any) -> Judged:
    """Is this C2's last version of the loop around the calls, in the log of the method's run?"""
    number = exercises.whole(answer, 1, 100_000, "the number of a compilation in that log")
    own = compile_log(version.in_method(), "::repeatAddOne$").query("event == 'compiled'").set_index("compile_id")
    if number not in own.index:
        return Judged(False, f"Compile {number} isn't one of `repeatAddOne` in this run.", by_time=False)
    tier, osr = own.loc[number, ["tier", "osr"]]
    does = f"Compile {number} is {'an OSR' if osr else 'a standard'} version of tier {tier:.0f}."
    return Judged(number == own.query("tier == 4").index[-1], does, by_time=False)


def _bodies(answer: Any) -> Judged:
    """Are these the bodies of ThreeBodies whose times in the harness and in a method can be distinguished?"""
    given = [answer] if isinstance(answer, str) else answer
    sides = benchmark.compare_bodies(benchmark.bodies(version.NEWER))
    known = [name.removesuffix("_ns") for name in sides]
    if not isinstance(given, list | tuple | set) or not set(given) <= set(known):
        raise BadInput(f"Give a list: [], or with some of {', '.join(map(repr, known))}.")
    different = {name for name, side in zip(known, sides.values(), strict=True) if side != benchmark.OPEN}
    return Judged(set(given) == different, f"You say {listed(f'`{name}`' for name in sorted(given)) or 'none'}.")


CLASSIFIERS = {"08-rounds": _rounds, "08-measured": _measured}
JUDGES = {"08-1": _flag, "08-2": _last, "08-3": _bodies}
