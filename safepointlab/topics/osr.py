"""A JDK, flags and a past -> runs of a loop entered in its middle (OSR) or at its top, and of a benchmark made at home.

EnteredOnce asks for a collection while its loop runs, and says when that was heard; HomeMadeBenchmark is a loop around
the code with a clock around the loop. All with Serial, which never polls counted loops, unless a function says so.
Equal runs of one session are shared.
"""

from collections.abc import Iterable
from typing import Any

import pandas as pd

from safepointlab.jdks import flags as known_flags
from safepointlab.run import launch
from safepointlab.run.jmh import jmh
from safepointlab.run.load import load
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep
from safepointlab.session.profile import by_effort
from safepointlab.topics import hang
from safepointlab.topics.hang import KILLER, LIMIT, NO_POLLS, POST, SLEEP_MS, TOP, WARM_UP
from safepointlab.topics.hang_post import COMPILERS, PLACES

ENTERED, AT_THE_BOTTOM, HOME_MADE = "osr/EnteredOnce", "osr/EnteredAtTheBottom", "osr/HomeMadeBenchmark"
BODIES = "osr/ThreeBodies"
JMH = "osr.AddOne"
JMH_OPTIONS = "-wi 3 -w 200ms -i 5 -r 200ms"
DEADLINE_S = 30
COMPILED, LISTED = "compilation", "compilation assembly=EnteredOnce.countOdds"
APART = "-XX:CompileCommand=dontinline,EnteredOnce.countOdds"
NO_OSR = "-XX:-UseOnStackReplacement"
NO_PEELING = "-XX:-PartialPeelLoop"
INLINE, METHOD = "inline", "method"
LONG_ROUNDS, SHORT_ROUNDS, SHUT_ROUNDS = 300_000, 1_000_000, 20_000  # repetitions a round: 1000 ints, 100, without OSR
ENDS_SOON = 300_000_000  # iterations of the inner loop, so that its first pass is over while main sleeps


def entered(jdk: int, past: str, flags: Words = "", log: Words = LISTED) -> Run:
    """One loop in a thread, and a request for a collection while it runs; compile log and machine code captured.

    Args:
        past: "once", "often" or "once roots": what the method has done before its one long call.
        log: COMPILED leaves out the machine code. Where a disassembler prints it (8, 11), code comes so much later
            that a small loop is over before, or has entered another version.
    """
    return launch.java(ENTERED, jdk, flags, gc=NO_POLLS, args=past, log=log, deadline=DEADLINE_S, reuse=True)


def heard(jdks: Iterable[int]) -> pd.DataFrame:
    """Entered once and often, with Serial and with G1, no log: one row a run of `sweep`; heard says when."""
    settings: dict[str, Any] = {"args": ["once", "often"], "deadline": DEADLINE_S, "reuse": True}
    return sweep(ENTERED, jdk=list(jdks), gc=[NO_POLLS, "G1"], **settings)


def without_osr(jdk: int) -> Run:
    """`entered` once, on a JVM that replaces no code on the stack."""
    return entered(jdk, "once", NO_OSR, COMPILED)


def ahead(jdk: int) -> Run:
    """`entered` once, but compiled by C2 before that call, and kept apart from its caller."""
    return entered(jdk, "once", f"{TOP} {APART}")


def at_the_bottom(jdk: int, iterations: Words = ()) -> Run:
    """The loop of `entered` with its test at the bottom, called once; () leaves its length to the program."""
    settings: dict[str, Any] = {"args": iterations, "log": "compilation", "deadline": DEADLINE_S, "reuse": True}
    return launch.java(AT_THE_BOTTOM, jdk, gc=NO_POLLS, **settings)


def osr_loops(run: Run) -> pd.DataFrame:
    """The loops of the versions that C2 made to be entered in mid-loop: rows of run.loops."""
    return run.loops[(run.loops["tier"] == 4) & run.loops["osr_bci"].notna()]


def standard_loops(run: Run, tier: int = 4) -> pd.DataFrame:
    """The loops of the versions that are entered at the top: rows of run.loops; tier 4 is C2, 1 C1 alone."""
    return run.loops[(run.loops["tier"] == tier) & run.loops["osr_bci"].isna()]


def tops(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's program in its three variants, each entered at the top: one row a run of `sweep`, two at a time."""
    settings: dict[str, Any] = {"args": [f"{place} {SLEEP_MS}" for place in PLACES], "log": hang.LOG, "reuse": True}
    return sweep(POST, jdk=list(jdks), gc=NO_POLLS, flags=TOP, deadline=hang.TOP_S, jobs=2, **settings)


def top_fates(jdk: int) -> dict[str, str]:
    """ "exited" or "hung" of those variants, by either compiler; nothing but their own methods is compiled at once."""
    settings: dict[str, Any] = {"args": [f"{place} {SLEEP_MS}" for place in PLACES], "log": hang.LOG, "reuse": True}
    axes: dict[str, Any] = {"jdk": jdk, "compiler": list(COMPILERS.values()), "gc": NO_POLLS}
    runs = sweep(POST, flags=f"{TOP} {hang.ALONE}", deadline=hang.HANGS_S, jobs=2, **axes, **settings)
    places = runs["args"].str.split().str[0]
    return {
        f"{place}, {by}": hang.fate(load(run))
        for place, by, run in zip(places, runs["compiler"], runs["run"], strict=True)
    }


def killers(jdk: int) -> pd.DataFrame:
    """The killer task without its short calls, and with them: two rows of `sweep`; their runs are hang.warmed's."""
    args = [f"{SLEEP_MS} {LIMIT} {calls}" for calls in (0, WARM_UP)]
    settings: dict[str, Any] = {"args": args, "log": hang.WARMED_LOG, "deadline": hang.HANGS_S, "reuse": True}
    return sweep(KILLER, jdk=jdk, gc=NO_POLLS, **settings)


def first_pass_ends(jdk: int) -> Run:
    """The killer task, cold, with a limit that ends the first pass of its inner loop while main sleeps."""
    args = [1000, ENDS_SOON, 0]
    return launch.java(KILLER, jdk, gc=NO_POLLS, args=args, log="compilation", reuse=True)


def short_arrays(
    jdk: int, place: str = INLINE, flags: Words = "", repetitions: int = SHORT_ROUNDS, rounds: int = 8
) -> Run:
    """The harness around 100 ints, its compile log captured; the numbers are ns for one pass, round by round.

    Args:
        place: where the loop over the ints stands: "inline" in the harness itself, "method" in a method of its own.
    """
    args = [place, repetitions, rounds, 100]
    settings: dict[str, Any] = {"args": args, "log": "compilation", "deadline": DEADLINE_S, "reuse": True}
    return launch.java(HOME_MADE, jdk, flags, gc=NO_POLLS, **settings)


def shut(jdk: int, place: str) -> Run:
    """`short_arrays` on a JVM that replaces no code on the stack; inline has fewer repetitions, as it crawls."""
    return short_arrays(jdk, place, NO_OSR, SHUT_ROUNDS if place == INLINE else SHORT_ROUNDS)


def harness(jdk: int, place: str, repeat: int = 0) -> Run:
    """Eight rounds over 1000 ints, the loop in the harness itself ("inline") or in a method of its own ("method")."""
    args = [place, LONG_ROUNDS, 8]
    return launch.java(HOME_MADE, jdk, gc=NO_POLLS, args=args, log="compilation", repeat=repeat, reuse=True)


def harness_code(jdk: int, place: str) -> Run:
    """The same with the machine code of the method that has the loop."""
    method = {INLINE: "measureInline", METHOD: "repeatAddOne"}[place]
    args, log = [place, LONG_ROUNDS, 8], f"assembly=HomeMadeBenchmark.{method}"
    return launch.java(HOME_MADE, jdk, gc=NO_POLLS, args=args, log=log, reuse=True)


def best_ns(run: Run) -> float:
    """The best round: what else runs on the machine can only make it longer."""
    return min(float(value) for name, value in run.values.items() if name.startswith("ns_in_round"))


def jvms() -> int:
    """How many JVMs of each kind run, by turns: with five, chance alone sets two groups apart once in 126 times."""
    return by_effort(quick=2, standard=5)


def forks(jdks: Iterable[int]) -> pd.DataFrame:
    """Both harnesses in some JVMs each, by turns: jdk, place, repeat, and best_ns, the best round of that JVM."""
    args = [f"{place} {LONG_ROUNDS} 8" for place in (INLINE, METHOD)]
    settings: dict[str, Any] = {"log": "compilation", "repeat": jvms(), "reuse": True}
    rounds = sweep(HOME_MADE, jdk=list(jdks), gc=NO_POLLS, args=args, **settings)
    best = rounds.filter(like="ns_in_round").min(axis=1)
    return rounds[["jdk", "repeat"]].assign(place=rounds["args"].str.split().str[0], best_ns=best)


def compared(jdks: Iterable[int]) -> pd.DataFrame:
    """`forks` and JMH beside each other: one row a JDK; inline, method (medians) and JMH in ns, and two columns more.

    "inline / method" is the ratio of the medians; "told apart" says whether all JVMs of one kind beat all of the other.
    """
    rounds = forks(jdks)
    table = rounds.groupby(["jdk", "place"])["best_ns"].median().unstack()
    ratio, apart = table[INLINE] / table[METHOD], rounds.groupby("jdk")[["place", "best_ns"]].apply(told_apart)
    best = [float(benchmark(int(jdk))["best"].iloc[0]) for jdk in table.index]
    table = table.assign(JMH=best, **{"inline / method": ratio.round(1), "told apart": apart})
    return table.rename_axis(columns=f"best, median of {jvms()} JVMs, ns")


def told_apart(rounds: pd.DataFrame) -> bool:
    """Were all JVMs of one kind faster than all of the other? `rounds` has the columns place and best_ns."""
    inline, method = (rounds.loc[rounds["place"] == place, "best_ns"] for place in (INLINE, METHOD))
    return bool(inline.min() > method.max() or inline.max() < method.min())


def bodies(jdk: int) -> pd.DataFrame:
    """ThreeBodies in some JVMs each, by turns: one row a JVM, column args (the place) and `add_ns` and the like."""
    return sweep(BODIES, jdk=jdk, gc=NO_POLLS, args=[INLINE, METHOD], repeat=jvms(), reuse=True)


def benchmark(jdk: int) -> pd.DataFrame:
    """The method of `harness` as JMH measures it: one row, score and best in ns an operation."""
    return jmh(JMH, jdk, options=f"-f {by_effort(quick=1, standard=3)} {JMH_OPTIONS}", gc=NO_POLLS, reuse=True)


def last_vectors(run: Run) -> list[str]:
    """Around the last addition of vectors in C2's last version: three instructions before, it, and two behind."""
    code = run.assembly[run.assembly["tier"] == 4]
    text = code.loc[code["compile_id"] == code["compile_id"].max(), "instruction"].reset_index(drop=True)
    last = text[text.str.contains("padd")].index[-1]
    return list(text[last - 3 : last + 3])


def flag_kind(jdk: int, name: str) -> str:
    """What the JVM says of a flag: "product", "diagnostic", ...; "unknown" if a product build does not have it."""
    known = known_flags.known(launch.jdk_of(jdk))
    return known[name].kind if name in known else "unknown"
