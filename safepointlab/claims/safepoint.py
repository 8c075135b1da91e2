"""What a safepoint is: claims 000-02 to 000-10, 000-32 and 000-41, each run again on one JDK.

Four programs carry them. Polls is small enough to read its machine code; in RunningStoppedRunning and NativeAndBlocked
threads note the time beside the safepoint log; WhoCallsWhichOperation makes calls of which some stop everybody.
"""

import os
import re
from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Any

from safepointlab import launch
from safepointlab.claims.base import Claim, Evidence, Judgement, changed, fails, holds, unclear
from safepointlab.errors import FlagRejected
from safepointlab.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

NOTES = "marks.csv"  # where RunningStoppedRunning leaves its notes, in the run's folder
METHODS = ",".join(f"Polls.{name}" for name in ("byInt", "byLong", "untilFound", "apart", "calls", "inlines"))
APART = "-Xbatch -XX:CompileCommand=dontinline,Polls::apart"
BIASED = {8: "-XX:BiasedLockingStartupDelay=0", 17: "-XX:+UseBiasedLocking"}  # 8 waits 4 s before; 17 has it off
CROWD = 8 * (os.cpu_count() or 2)  # threads that all want a CPU
NO_CODE = "the JDK prints no instructions: 8 and 11 need the disassembler hsdis"
RETURNS = {"calls": "called: in caller", "apart": "called: in callee", "inlines": "inlined: in both"}
HANDSHAKES = "JEP 312 (JDK 10) lets the VM stop one thread at a time"


def polls(jdk: int, gc: str = "Serial") -> Run:
    """The machine code of the six methods."""
    return launch.java("safepoint/Polls", jdk, APART, gc=gc, log=f"assembly={METHODS}", reuse=True)


def stopping(jdk: int, flags: str = "") -> Run:
    """Four threads in four states, and five collections."""
    sample, asked = "safepoint/RunningStoppedRunning", [NOTES, 5, 100]
    return launch.java(sample, jdk, flags, gc="Serial", args=asked, log="safepoint", reuse=True)


def crowd(jdk: int, doing: str, threads: int, stops: int = 5) -> Run:
    """Many threads that all do the same, and some collections."""
    asked = [doing, threads, stops]
    return launch.java("safepoint/NativeAndBlocked", jdk, gc="Serial", args=asked, log="safepoint", reuse=True)


def calls(jdk: int) -> "DataFrame":
    """One row a call: what it made the VM do. Biased locking is on where the JDK has it."""
    from safepointlab.read import calls as reader

    flags = BIASED.get(jdk, "")
    run = launch.java("safepoint/WhoCallsWhichOperation", jdk, flags, gc="Serial", log="safepoint", reuse=True)
    return reader.operations(reader.read(run.output), run.safepoints).set_index("call")


def collections(run: Run) -> "DataFrame":
    """The stops for a collection that was asked for."""
    return run.safepoints[run.safepoints["operation"].str.contains("CollectFull|GCCollect").fillna(False).astype(bool)]


def _c2(frame: "DataFrame", method: str) -> "DataFrame":
    """What C2 made of the whole method: no OSR version."""
    return frame[(frame["method"] == f"Polls::{method}") & (frame["tier"] == 4) & frame["osr_bci"].isna()]


def _loop_polls(jdk: int) -> Evidence:
    shapes = {"int index": "byInt", "long index": "byLong", "no index": "untilFound"}
    found = {name: _polled(polls(jdk), method) for name, method in shapes.items()}
    return {**found, "int index, G1": _polled(polls(jdk, "G1"), "byInt")}


def _polled(run: Run, method: str) -> str:
    loops = _c2(run.loops, method)
    return "unknown" if loops.empty else "poll" if loops["polled"].any() else "no poll"


def _only_uncounted(measured: Evidence, jdk: int) -> Judgement:
    if "unknown" in measured.values():
        return unclear(NO_CODE)
    if measured["no index"] != "poll" or measured["int index"] != "no poll":
        return fails("it is not so even without strip mining")
    if measured["int index, G1"] == "poll" and jdk >= 10:
        return changed("JDK-8186027 (JDK 10): with G1, ZGC or Shenandoah a counted loop gets an outer one, which polls")
    if measured["long index"] != "poll" and jdk >= 16:
        return changed("JDK-8223051 (JDK 16): C2 counts the turns of a long loop, too")
    return holds("a loop is polled unless its turns can be counted") if jdk < 10 else fails("G1's loops do not poll")


def _return_polls(jdk: int) -> Evidence:
    code = polls(jdk).assembly
    final = code[code["tier"].isin([1, 4])]  # apart() is so simple that 8 leaves it to C1
    count = (final["poll"] == "return").groupby(final["method"]).sum().reindex([f"Polls::{name}" for name in RETURNS])
    return dict(zip(RETURNS.values(), count.fillna(0).astype(int).tolist(), strict=True))


def _one_a_return(measured: Evidence, jdk: int) -> Judgement:
    if not any(measured.values()):
        return unclear(NO_CODE)
    if list(measured.values()) != [1, 1, 1]:
        return fails("not one poll for each return that is left")
    how = ", today a compare with the stack's watermark (JEP 376)" if jdk >= 16 else ""
    return holds(f"two returns, two polls; inlined, one return and one poll{how}")


def _poll_forms(jdk: int) -> Evidence:
    code = polls(jdk).assembly
    forms = {f"{kind} poll": _form(code[code["poll"] == kind]["instruction"]) for kind in ("loop", "return")}
    return {**forms, "pages": len(_pages(code))}


def _form(instructions: Iterable[str]) -> str:
    """The instruction with its numbers left out: all polls of a kind have one form, but for the register."""
    forms = {re.sub(r"0x[0-9a-f]+", "…", re.sub(r"\(%r(?!ip|15)\w+\)", "(%reg)", text)) for text in instructions}
    return " | ".join(sorted(forms))


def _pages(code: "DataFrame") -> set[int]:
    """The pages of memory that polls read whose operand is an address relative to the next instruction."""
    following = code["address"].shift(-1)
    relative = code["instruction"].str.extract(r"^test.*?(-?0x[0-9a-f]+)\(%rip\)")[0]
    known = code["poll"].notna() & relative.notna() & following.notna()
    places = zip(relative[known], following[known], strict=True)
    return {(int(offset, 16) + int(after, 16)) % 2**64 >> 12 for offset, after in places}


def _blind_test(measured: Evidence, jdk: int) -> Judgement:
    if not measured["loop poll"]:
        return unclear(NO_CODE)
    if measured["pages"] == 1 and measured["return poll"].startswith("test"):
        return holds("each poll reads the same page, and throws away what it read")
    if jdk >= 16 and measured["return poll"].startswith("cmp"):
        return changed("JEP 312 (10): each thread keeps the address of the page to read; JEP 376 (16): returns compare")
    if jdk >= 10 and not measured["pages"]:
        return changed("JEP 312 (10): each thread keeps the address of the page to read: one can be stopped alone")
    return fails("polls read several pages, or none")


def _poll_places(jdk: int) -> Evidence:
    run = polls(jdk)
    code, loops = run.assembly, run.loops
    ends = code["instruction"].str.match(r"(?:rep[z ]*)?ret")
    returns = (ends | ends.shift(-1, fill_value=False) | ends.shift(-2, fill_value=False))[code["poll"] == "return"]
    inside = [_inside(row, loops) for row in code[code["poll"] == "loop"].to_dict("records")]
    asked = {"loop polls": len(inside), "of these in a loop": sum(inside), "return polls": len(returns)}
    return {**asked, "of these before a return": int(returns.sum())}


def _inside(poll: dict[Any, Any], loops: "DataFrame") -> bool:
    own = loops[loops["compile_id"] == poll["compile_id"]]
    ends = ((int(loop["header"], 16), int(loop["back_edge"], 16)) for loop in own.to_dict("records"))
    return any(header <= int(poll["address"], 16) <= back for header, back in ends)


def _as_named(measured: Evidence, jdk: int) -> Judgement:
    loop, inside, returns, before = measured.values()
    if not loop:
        return unclear(NO_CODE)
    if (inside, before) != (loop, returns):
        return fails("some poll stands elsewhere")
    return holds("each {poll} is in a loop, each {poll_return} right before a return")


def _kinds(jdk: int) -> Evidence:
    made = calls(jdk)
    handshakes = ", ".join(made.index[made["kind"] == "handshake"])
    return {"safepoint": f"{(made['kind'] == 'safepoint').sum()} calls", "handshake": handshakes or "none"}


def _all_global(measured: Evidence, jdk: int) -> Judgement:
    if measured["handshake"] == "none":
        return holds("whatever a call makes the VM do, it does at a safepoint")
    return changed(HANDSHAKES) if jdk >= 10 else fails("a handshake before there were any")


def _away(jdk: int) -> Evidence:
    """With C1 alone, whose loops all poll: nobody is late who runs Java code."""
    from safepointlab.read import marks

    run = stopping(jdk, "-XX:TieredStopAtLevel=1")
    notes, stops = marks.read(run.folder / NOTES), collections(run)
    asleep, native = (_away_ms(notes, thread, stops) for thread in ("asleep", "inNative"))
    return {"ttsp_ms": float(stops["ttsp_ms"].median()), "asleep for, ms": asleep, "in native code for, ms": native}


def _away_ms(notes: "DataFrame", thread: str, stops: "DataFrame") -> float:
    """How long the thread was outside of Java in one go around the moment when a safepoint was reached; the median."""
    from safepointlab.read.marks import began_ns

    own = notes[notes["thread"] == thread].assign(back=lambda own: own["nanos"].shift(-1))
    left = own[own["mark"] == "leaves"]
    reached = [began_ns(notes, stop) + 1e6 * stop["ttsp_ms"] for _, stop in stops.iterrows()]
    around = [left[(left["nanos"] <= moment) & (left["back"] >= moment)] for moment in reached]
    return float(median([float((away["back"] - away["nanos"]).sum()) / 1e6 for away in around]))


def _not_waited_for(measured: Evidence, jdk: int) -> Judgement:
    ttsp, *away = measured.values()
    if min(away) > ttsp:
        return holds("the safepoint was reached while they were away, and not when they came back")
    return fails("it was not reached before they came back to Java")


def _silence(jdk: int) -> Evidence:
    from pandas import read_csv

    run = crowd(jdk, "native", 2)
    stops, silent = collections(run), read_csv(run.finished.stdout)["silent_ms"]
    return {"stopped_ms": float((stops["total_ms"] - stops["ttsp_ms"]).median()), "silent_ms": float(silent.median())}


def _held_up(measured: Evidence, jdk: int) -> Judgement:
    if measured["silent_ms"] > 0.6 * measured["stopped_ms"]:
        return holds("no read of some tenths of a millisecond comes back before the stop is over")
    return fails("reads come back to Java during the stop")


def _slowest(jdk: int) -> Evidence:
    from safepointlab.read import marks

    run = stopping(jdk)
    ran_on = marks.ran_on(marks.read(run.folder / NOTES), collections(run))
    slowest = ran_on.groupby("stop")[["ran_on_ms", "ttsp_ms"]].max()
    one, many = (collections(crowd(jdk, "running", n))["ttsp_ms"].median() for n in (1, CROWD))
    share = float((slowest["ran_on_ms"] / slowest["ttsp_ms"]).median())
    return {"slowest thread's share": share, "ttsp_ms, 1 thread": one, f"ttsp_ms, {CROWD} threads": many}


def _waits_for_the_slowest(measured: Evidence, jdk: int) -> Judgement:
    share, one, many = measured.values()
    if not share > 0.7:
        return fails("the safepoint was not reached when the slowest thread stopped, but at another time")
    if not many > 3 * one:
        return unclear("it waits for the slowest thread; what the crowd adds is lost in this machine's noise")
    return holds("reached when the slowest thread stops; later, when threads must wait for a CPU to get to their poll")


def _stopped_time(jdk: int) -> Evidence:
    try:
        run = launch.java("start/HelloSafepoint", jdk, "-XX:+PrintGCApplicationStoppedTime", gc="Serial", reuse=True)
    except FlagRejected:
        return {"flag": "rejected", "lines": 0}
    return {"flag": "accepted", "lines": len(re.findall("stopped: .* Stopping threads took: ", run.output))}


def _prints_both(measured: Evidence, jdk: int) -> Judgement:
    if measured["lines"]:
        return holds("total time stopped, and of this the time that stopping the threads took")
    if jdk >= 9:
        return changed("JEP 158, JEP 271 (JDK 9): it is in the unified log now, -Xlog:safepoint")
    return fails("no such line")


def _one_with_stack(jdk: int) -> Evidence:
    row = calls(jdk).loc["infoOfOneWithStack"]
    return {"kind": row["kind"], "operations": ", ".join(row["operations"])}


def _a_safepoint(measured: Evidence, jdk: int) -> Judgement:
    if measured["kind"] == "safepoint":
        return holds("the management interface has one operation for one thread and for all")
    return fails(f"it is a {measured['kind']}")


def _unbias_and_deoptimise(jdk: int) -> Evidence:
    made = calls(jdk)
    return {call: " ".join([made["kind"][call], *made["operations"][call][:1]]) for call in ("revokeBias", "loadClass")}


def _both_global(measured: Evidence, jdk: int) -> Judgement:
    kinds = {call: told.partition(" ")[0] for call, told in measured.items()}
    if set(kinds.values()) == {"safepoint"}:
        return holds("everybody stops for a lock that changes hands, and for code that proved wrong")
    if jdk >= 18 and kinds == {"revokeBias": "nothing", "loadClass": "handshake"}:
        return changed("JDK-8256425 (JDK 18) took biased locking out; JDK-8221734 deoptimises with handshakes")
    if jdk >= 14 and kinds["loadClass"] == "handshake" and kinds["revokeBias"] != "safepoint":
        return changed("JDK-8191890, JDK-8221734: both are handshakes now; JEP 374 (JDK 15) leaves biased locking off")
    return fails("not what was provoked")


CLAIMS = [
    Claim(
        "000-02",
        "Compiled loops are polled, but for those whose turns can be counted",
        then="int index: no poll; long index: a poll (8u60)",
        measure=_loop_polls,
        judge=_only_uncounted,
        refuted_by=({"int index": "poll", "long index": "poll", "no index": "poll", "int index, G1": "poll"}, 8),
    ),
    Claim(
        "000-03",
        "A compiled method polls where it returns; once inlined it has no return and no poll",
        then="{poll_return} before the return (OpenJDK); Zing polls at the entry",
        measure=_return_polls,
        judge=_one_a_return,
        refuted_by=({"called: in caller": 1, "called: in callee": 1, "inlined: in both": 2}, 8),
    ),
    Claim(
        "000-04",
        "A poll is a blind read of one page of memory, the same for all threads",
        then="test %eax,off(%rip)",
        measure=_poll_forms,
        judge=_blind_test,
        refuted_by=({"loop poll": "test %eax,(%reg)", "return poll": "test %eax,(%reg)", "pages": 0}, 8),
    ),
    Claim(
        "000-05",
        "In listings {poll} marks the one at a loop's end, {poll_return} the one before a method's return",
        then="as said (comment 5)",
        measure=_poll_places,
        judge=_as_named,
        refuted_by=(
            {"loop polls": 5, "of these in a loop": 4, "return polls": 6, "of these before a return": 6},
            17,
        ),
    ),
    Claim(
        "000-06",
        "On OpenJDK each operation of the VM that needs a stop stops all threads",
        then="all global; Zing can stop one thread",
        measure=_kinds,
        judge=_all_global,
        refuted_by=({"safepoint": "8 calls", "handshake": "stackOfOne"}, 21),
    ),
    Claim(
        "000-07",
        "A thread that sleeps or runs native code is at a safepoint already: nobody waits for it",
        then="unaffected",
        measure=_away,
        judge=_not_waited_for,
        refuted_by=({"ttsp_ms": 35.0, "asleep for, ms": 40.0, "in native code for, ms": 0.0}, 8),
    ),
    Claim(
        "000-08",
        "A thread that comes back from native code during a safepoint is held up until it is over",
        then="blocks",
        measure=_silence,
        judge=_held_up,
        refuted_by=({"stopped_ms": 30.0, "silent_ms": 0.4}, 17),
    ),
    Claim(
        "000-09",
        "The VM can't force a thread: a safepoint waits for the slowest, and longer with more threads than CPUs",
        then="TTSP of milliseconds",
        measure=_slowest,
        judge=_waits_for_the_slowest,
        refuted_by=({"slowest thread's share": 0.1, "ttsp_ms, 1 thread": 0.1, "ttsp_ms, 16 threads": 4.0}, 8),
    ),
    Claim(
        "000-10",
        "PrintGCApplicationStoppedTime prints each pause, and how long stopping the threads took",
        then="“Stopping threads took: …”",
        measure=_stopped_time,
        judge=_prints_both,
        refuted_by=({"flag": "rejected", "lines": 0}, 17),
    ),
    Claim(
        "000-32",
        "A dump of one thread through the management interface stops all threads",
        then="global",
        measure=_one_with_stack,
        judge=_a_safepoint,
        refuted_by=({"kind": "handshake", "operations": "ThreadDump"}, 25),
    ),
    Claim(
        "000-41",
        "Taking the bias off a lock, and deoptimisation, stop all threads",
        then="RevokeBias, Deoptimize",
        measure=_unbias_and_deoptimise,
        judge=_both_global,
        refuted_by=({"revokeBias": "nothing", "loadClass": "handshake Deoptimize"}, 25),
    ),
]
