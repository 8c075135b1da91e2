"""A JDK, flags and a past -> runs of a loop entered in its middle (OSR) or at its top, and of a benchmark made at home.

EnteredOnce asks for a collection while its loop runs, and says when that was heard; HomeMadeBenchmark is a loop around
the code with a clock around the loop. All with Serial, which never polls counted loops, unless a function says so.
Equal runs of one session are shared.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd

from safepointlab import forensics
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.experiments import KILLER, LIMIT, NO_POLLS, POST, SLEEP_MS, TOP, WARM_UP
from safepointlab.course.nb02_hang.post import COMPILERS, PLACES
from safepointlab.jdks import flags as known_flags
from safepointlab.run import launch
from safepointlab.run.request import Words
from safepointlab.run.run import Run
from safepointlab.run.sweep import sweep, together

ENTERED, AT_THE_BOTTOM, HOME_MADE = "osr/EnteredOnce", "osr/EnteredAtTheBottom", "osr/HomeMadeBenchmark"
BODIES = "osr/ThreeBodies"
DEADLINE_S = 30
COMPILED, LISTED = "compilation", "compilation assembly=EnteredOnce.countOdds"
NO_OSR = "-XX:-UseOnStackReplacement"
NO_PEELING = "-XX:-PartialPeelLoop"
PASTS = {0: "called once", WARM_UP: "called often before"}
WAYS = {"": "no further flag", NO_OSR: "OSR forbidden", TOP: "compiled beforehand"}  # flags -> how the loop is reached
DEAF_MS = 200  # a collection that waited for longer was heard at the end of the loop
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


def with_past(jdk: int, past: str, flags: str = "") -> Run:
    """`entered`, but the program waits for the compiler, so that each version is made, once, and listed.

    Without -Xbatch 200,000 short calls may ask for an OSR version, too, before the standard one is ready.
    """
    return entered(jdk, past, f"-Xbatch {flags}".strip())


def without_osr(jdk: int) -> Run:
    """`entered` once, on a JVM that replaces no code on the stack."""
    return entered(jdk, "once", NO_OSR, COMPILED)


def at_the_bottom(jdk: int, iterations: Words = ()) -> Run:
    """The loop of `entered` with its test at the bottom, called once; () leaves its length to the program."""
    settings: dict[str, Any] = {"args": iterations, "log": "compilation", "deadline": DEADLINE_S, "reuse": True}
    return launch.java(AT_THE_BOTTOM, jdk, gc=NO_POLLS, **settings)


def waits(jdks: Iterable[int]) -> pd.DataFrame:
    """`heard` for plot.outcomes: wall_ms is what the program waited for its collection, past is "once" or "often"."""
    runs = heard(jdks)
    return runs.assign(wall_ms=runs["gc_ms"], past="called " + runs["args"].astype(str), collector=runs["gc"] + ",")


def hanging(runs: pd.DataFrame, by: str) -> str:
    """For the title of a picture of `ways`: "compiled beforehand, 6 of 6 hang; otherwise none of 12"."""
    hung = runs["outcome"] == "hung"
    counts = {str(group): (int(some.sum()), len(some)) for group, some in hung.groupby(runs[by], sort=False)}
    told = [f"{group}, {count} of {size} hang" for group, (count, size) in counts.items() if count]
    if not told:
        return "No run hangs"
    rest = sum(size for count, size in counts.values() if not count)
    line = "; ".join(told) + (f"; otherwise none of {rest}" if rest else "")
    return f"The program of 2015 with {NO_POLLS}:\n{line}"


def fates(pasts: pd.DataFrame) -> str:
    """For the title of a picture of `pasts`: "With Serial, called once it exits, called often before it hangs, …"."""
    hung = (pasts["outcome"] == "hung").groupby(pasts["past"], sort=False)
    told = [f"{past} it {_fate(int(some.sum()), len(some))}" for past, some in hung]
    return f"With {NO_POLLS}, {', '.join(told)},\non each of {pasts['jdk'].nunique()} JDKs"


def _fate(hung: int, of: int) -> str:
    return {0: "exits", of: "hangs"}.get(hung, f"hangs in {hung} of {of} runs")


def finding(waits: pd.DataFrame) -> str:
    """For the title of a picture of `waits`: "Called often before, the loop holds up a collection: / with Serial …"."""
    often, once = (waits[waits["past"] == f"called {past}"] for past in ("often", "once"))
    where = ", ".join(f"with {gc} on {_holding(some)}" for gc, some in often.groupby("gc", sort=False))
    other = int((once["heard"] == "at_its_end").sum())
    rest = f"; called once, in {other} of {len(once)}" if other else ""
    return f"Called often before, the loop holds up a collection:\n{where}{rest}"


def _holding(waits: pd.DataFrame) -> str:
    """On which JDKs the collection waits for the loop's end: "every JDK", "JDK 8 only", "no JDK"."""
    late = list(waits.loc[waits["heard"] == "at_its_end", "jdk"].unique())
    if len(late) in (0, waits["jdk"].nunique()):
        return "every JDK" if late else "no JDK"
    return f"JDK {', '.join(map(str, late))} only"


@dataclass(frozen=True)
class Version:
    """What a run shows of one kind of code that C2 made, for plot.loop_shape: OSR versions, or standard ones."""

    source: str
    bytecode: pd.DataFrame
    compilations: pd.DataFrame
    assembly: pd.DataFrame
    loops: pd.DataFrame


def version(run: Run, by_osr: bool) -> Version:
    """The run as if C2 had made only versions to be entered in mid-loop, or only standard ones."""
    code = run.assembly[(run.assembly["tier"] == 4) & (run.assembly["osr_bci"].notna() == by_osr)]
    loops = osr_loops(run) if by_osr else standard_loops(run)
    return Version(run.name, run.bytecode, run.compilations, code, loops)


def polling(by_osr: Version, standard: Version) -> str:
    """For the title of a picture of both: "Same bytecode: C2's OSR version polls, its standard version does not"."""
    does = {True: "polls", False: "does not poll"}
    osr_polls, standard_polls = (bool(one.loops["polled"].any()) for one in (by_osr, standard))
    other = does[standard_polls] if standard_polls or not osr_polls else "does not"
    return f"Same bytecode: C2's OSR version {does[osr_polls]}, its standard version {other}"


def osr_loops(run: Run) -> pd.DataFrame:
    """The loops of the versions that C2 made to be entered in mid-loop: rows of run.loops."""
    return run.loops[(run.loops["tier"] == 4) & run.loops["osr_bci"].notna()]


def standard_loops(run: Run, tier: int = 4) -> pd.DataFrame:
    """The loops of the versions that are entered at the top: rows of run.loops; tier 4 is C2, 1 C1 alone."""
    return run.loops[(run.loops["tier"] == tier) & run.loops["osr_bci"].isna()]


def standard_version(run: Run) -> int:
    """The compile id of C2's last version that is entered at the top."""
    return int(standard_loops(run)["compile_id"].max())


def pasts(jdks: Iterable[int]) -> pd.DataFrame:
    """The killer task without its short calls, and with them: one row a run of `sweep`, with past; runs of hang.warmed.

    past says what the method has done before its one long call.
    """
    calls = {f"{SLEEP_MS} {LIMIT} {count}": count for count in (0, WARM_UP)}
    settings: dict[str, Any] = {"log": hang.WARMED_LOG, "deadline": hang.HANGS_S, "jobs": hang.JOBS, "reuse": True}
    runs = sweep(KILLER, jdk=list(jdks), gc=NO_POLLS, args=list(calls), **settings)
    return runs.assign(past=runs["args"].map({args: PASTS[count] for args, count in calls.items()}))


def ways(jdks: Iterable[int]) -> pd.DataFrame:
    """The post's program in its three variants, with each of WAYS: one row a run of `sweep`, with place and way.

    They run side by side.
    """
    settings: dict[str, Any] = {"args": [f"{place} {SLEEP_MS}" for place in PLACES], "log": hang.LOG, "reuse": True}
    runs = sweep(POST, jdk=list(jdks), gc=NO_POLLS, flags=list(WAYS), deadline=hang.TOP_S, jobs=hang.JOBS, **settings)
    return runs.assign(place=runs["args"].str.split().str[0], way=runs["flags"].fillna("").map(WAYS))


def top_fates(jdk: int) -> dict[str, str]:
    """ "exited" or "hung" of those variants, by either compiler; nothing but their own methods is compiled at once.

    The first is examined patiently if it hangs, the others in short.
    """
    settings: dict[str, Any] = {"gc": NO_POLLS, "log": hang.LOG, "deadline": hang.HANGS_S, "reuse": True}
    make = partial(launch.java, POST, jdk, f"{TOP} {hang.ALONE}", **settings)
    points = [(place, by) for by in COMPILERS.values() for place in PLACES]
    first, *others = [partial(make, compiler=by, args=[place, SLEEP_MS]) for place, by in points]
    runs = together([first, *(partial(_in_short, other) for other in others)], hang.JOBS)
    return {f"{place}, {by}": hang.fate(run) for (place, by), run in zip(points, runs, strict=True)}


def _in_short(make: Callable[[], Run]) -> Run:
    with forensics.short():
        return make()


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


def rounds(run: Run) -> str:
    """The ns of the rounds of `short_arrays`: the first two, in which the thread may still change its code, apart."""
    values = [f"{float(ns):,.0f}" for name, ns in run.values.items() if name.startswith("ns_in_round")]
    return f"rounds 1 and 2: {' · '.join(values[:2])} ns; rounds 3 to {len(values)}: {' · '.join(values[2:])} ns"


def ends_in_standard(jdk: int, repeat: int = 0) -> bool:
    """Whether C2's last version of the loop around the calls, where those stand in a method, is a standard one."""
    log = harness(jdk, METHOD, repeat).compilations
    own = log[log["method"].str.endswith("::repeatAddOne", na=False) & (log["tier"] == 4)]
    made, gone = (own[own["event"].eq("compiled") == is_made] for is_made in (True, False))
    last = made.iloc[-1]
    return not bool(last["osr"]) and last["compile_id"] not in set(gone["compile_id"])


def thrown_away(run: Run) -> tuple[int, int]:
    """Of C2's OSR versions of the harness in a run of `short_arrays`: how many were made, and how many thrown away."""
    log = run.compilations
    own = log[log["method"].str.endswith("::measureInline", na=False) & log["osr"].fillna(False).astype(bool)]
    events = own.loc[own["tier"] == 4, "event"]
    return int((events == "compiled").sum()), int((events == "made not entrant").sum())


def slow_down(jdk: int) -> float:
    """How many times as long a round of the harness takes without OSR as with it."""
    return best_ns(shut(jdk, INLINE)) / best_ns(short_arrays(jdk))


def best_ns(run: Run) -> float:
    """The best round: what else runs on the machine can only make it longer."""
    return min(float(value) for name, value in run.values.items() if name.startswith("ns_in_round"))


def flag_kind(jdk: int, name: str) -> str:
    """What the JVM says of a flag: "product", "diagnostic", ...; "unknown" if a product build does not have it."""
    known = known_flags.known(launch.jdk_of(jdk))
    return known[name].kind if name in known else "unknown"
