"""Notebook 21 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("21-copy")`, then `lab.predicted("21-copy", run)`; exercises: calltrace_exercises.
"""

from typing import TYPE_CHECKING

from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import calltrace, calltrace_counts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pandas import DataFrame, Series

    from safepointlab.run.run import Run

MOST, FEW = 0.5, 0.1  # of all samples
THIRD = 1 / 3  # as many samples as of the control: fewer are no accident

COPY = Prediction(
    "21-copy",
    "This program copies an array, again and again, and does nothing else. What share of AsyncGetCallTrace's samples "
    "is lost on JDK 17?",
    {
        "few": Outcome(
            "Hardly any: signals see a loop, and so they see the copy under `StubTime.copy`",
            "The copy has tables like any compiled method, and its stack can be walked.",
            "The copy is no method. It is a stub, and the JVM has no note of how large a stub's frame is.",
        ),
        "some": Outcome(
            "Some: those that hit the thread in a call or a return",
            "A part of the samples hits places that cannot be walked.",
            "Such places are passed in no time. This thread is in one that cannot be walked nearly all of the time.",
        ),
        "most": Outcome(
            "Most of them",
            "C2 calls a stub here: code that the JVM wrote for itself, without the tables that it keeps for methods. "
            "AsyncGetCallTrace cannot tell how large the frame is, so it does not find the caller.",
            "It would take a place that cannot be walked, in which the thread is nearly always.",
        ),
    },
    lambda run: _copy(run),
    "the run of `copy` under AsyncGetCallTrace",
)

STUBS = Prediction(
    "21-stubs",
    "The same with other work, on JDK 8, 17 and what else you have up to 25. Which of these programs lose most of "
    "their samples on *each* JDK?",
    {
        "loop": Outcome(
            "A loop in Java",
            "The loop was not compiled, or is none of Java's.",
            "C2 compiled it, and keeps tables for its code.",
        ),
        "copy": Outcome(
            "`System.arraycopy`",
            "It is a stub on each of them.",
            "It was walked on one of them.",
        ),
        "crc32": Outcome(
            "`CRC32.update`",
            "It is an intrinsic, whose work is done by a stub.",
            "It was walked on one of them.",
        ),
        "adler32": Outcome(
            "`Adler32.update`",
            "It is a stub on each of your JDKs.",
            "Up to 16 it is a native method, in C. A thread that calls one leaves a note of where its last Java frame "
            "is, and the stack is walked from there. Since 17 it is a stub on x86 (JDK-8266332).",
        ),
    },
    lambda table: _stubs(table),
    "the table of `calltrace.unknown_over(jdks)`",
    several=True,
)

VM = Prediction(
    "21-vm",
    "While the VM works for the program, some samples have no Java stack: `no_Java_frame`. In which of these runs are "
    "most of them *losses*, that is, of `main`, which does run Java?",
    {
        "gc": Outcome(
            "`gc`: the VM collects garbage",
            "`main` was hit where its stack cannot be walked.",
            "They are of the collector's threads. Such a thread has no Java on its stack, so nothing is lost.",
        ),
        "compile": Outcome(
            "`compile`: the VM compiles ever new classes",
            "`main` was hit where its stack cannot be walked.",
            "They are of the compilers' threads, which run no Java. (What `main` loses here has another name: "
            "`unknown_Java`.)",
        ),
        "deopt": Outcome(
            "`deopt`: the VM undoes compiled code",
            "`main` is in the VM, and its note of its last Java frame lacks the program counter, which HotSpot fills "
            "in when it is needed (−3). Probably `main` throws an exception (our inference): while a frame is undone, "
            "the code is −9.",
            "Other threads have most of them.",
        ),
    },
    lambda busy: _vm(busy),
    "the runs by name: `{what: calltrace.busy(what, 17) for what in calltrace.BUSY}`",
    several=True,
)

JFR = Prediction(
    "21-jfr",
    "JFR samples the loop and the copy for as long in CPU time. What does it report of the copy, on 17 and on 25?",
    {
        "all": Outcome(
            "About as many samples as of the loop, in `copy`, on both",
            "JFR walks out of the stub.",
            "JFR walks a stack with the same knowledge as AsyncGetCallTrace, and has no tables for a stub either.",
        ),
        "counted": Outcome(
            "Hardly any on 17, on 25 about as many as of the loop, in `copy`",
            "Since 25 JFR can walk out of a stub.",
            "Right for 17. On 25 the thread walks its own stack at its next poll, and that is not in `copy`.",
        ),
        "caller": Outcome(
            "Hardly any on 17; on 25 about as many as of the loop, but in another method",
            "On 17 a stack that cannot be walked is dropped. On 25 the thread walks its own stack at its next poll "
            "(JEP 518), which is in `main`.",
            "It would need a difference between the two JDKs, and another method on 25.",
        ),
        "missing": Outcome(
            "Hardly any on both",
            "A stack that cannot be walked is dropped on both.",
            "Right for 17. Since 25 the thread walks its own stack at its next poll, so that no sample is lost.",
        ),
    },
    lambda counts: _jfr(counts),
    "the table of `calltrace_counts.caught(events)`",
)

SKID = Prediction(
    "21-skid",
    "Two tiny methods are inlined into one loop: `guilty` divides, which is slow, `innocent` flips two bits. No "
    "stack is lost here. Who has most of the samples of the loop?",
    {
        "guilty": Outcome(
            "`guilty`, which takes the time",
            "The sampled address was that of the division.",
            "It takes the time. But the address that a signal handler sees is the next instruction's (our inference).",
        ),
        "innocent": Outcome(
            "`innocent`, which takes hardly any",
            "Our inference is skid: the CPU takes the interrupt between two instructions, after the slow division, so "
            "the address in the sample is the next instruction's, and that one is the neighbour's.",
            "It would take an address that comes too late by an instruction.",
        ),
        "street": Outcome(
            "`street`, the method with the loop: the two are inlined, and have no frames",
            "C2 kept no notes of which method an instruction came from.",
            "They have no frames, but C2 notes which method an instruction belongs to, and the profiler reads that.",
        ),
        "shared": Outcome(
            "Neither: both have some, as far as an inlined method can be told from another",
            "The samples are spread over both.",
            "C2's notes tell the two apart, and all samples went to one of them.",
        ),
    },
    lambda run: _skid(run),
    "the run of `Neighbours`",
)

PREDICTIONS = (COPY, STUBS, VM, JFR, SKID)


def _copy(run: "Run") -> Came:
    lost, without = calltrace.share(run, "unknown_Java", "lost"), calltrace.share(run, "no_Java_frame", "lost")
    key = "most" if lost > MOST else "few" if lost < FEW else "some"
    beside = f" Another {without:.0%} are `[no_Java_frame]`, mostly of threads that run no Java." if without else ""
    return one(key, f"{lost:.0%} of {run.stacks['count'].sum():,} samples are `[unknown_Java]`, that is, lost.{beside}")


def _stubs(table: "DataFrame") -> Came:
    keys = frozenset(work for work in STUBS.outcomes if (table[work] > MOST).all())
    lost = {work: _on(table[work] > MOST) for work in STUBS.outcomes}
    return Came(keys, f"Most samples are lost: {'; '.join(f'{work} {jdks}' for work, jdks in lost.items())}.")


def _on(mostly: "Series[bool]") -> str:
    """On which JDKs that is so."""
    if mostly.all() or not mostly.any():
        return "on each JDK" if mostly.all() else "on no JDK"
    return f"on {', '.join(map(str, mostly.index[mostly]))}"


def _vm(busy: "Mapping[str, Run]") -> Came:
    parts = {what: calltrace_counts.mains(busy[what]) for what in VM.outcomes}
    facts = ", ".join(f"{what} {100 * part:.0f} %" for what, part in parts.items())
    keys = frozenset(what for what, part in parts.items() if part > MOST)
    return Came(keys, f"`main`'s part of the `no_Java_frame` samples: {facts}.")


def _jfr(counts: "DataFrame") -> Came:
    by_jdk = {jdk: counts.loc[[jdk]].droplevel("jdk") for jdk in (17, 25)}
    facts = "; ".join(_told(jdk, rows) for jdk, rows in by_jdk.items())
    keys = {
        ("named", "named"): "all",
        ("none", "named"): "counted",
        ("none", "other"): "caller",
        ("none", "none"): "missing",
    }
    key = keys.get((_seen(by_jdk[17]), _seen(by_jdk[25])))
    return Came(frozenset([key] if key else []), f"{facts}.")


def _told(jdk: int, rows: "DataFrame") -> str:
    samples, named = rows["samples"].to_dict(), rows["named"].to_dict()
    return f"JDK {jdk}: {samples['loop']} samples of the loop, {samples['copy']} of the copy, {named['copy']} in `copy`"


def _seen(rows: "DataFrame") -> str:
    """Of one JDK: "none" (hardly any sample of the copy), "named" (most of them in copy) or "other"."""
    copy, loop = rows.loc["copy"], rows.loc["loop"]
    if copy["samples"] < loop["samples"] * THIRD:
        return "none"
    return "named" if copy["named"] > copy["samples"] * MOST else "other"


def _skid(run: "Run") -> Came:
    loop = calltrace.share(run, r"Neighbours\.street")
    if not loop > 0:
        return Came(frozenset(), "No sample is of the loop.")
    parts = {name: calltrace.share(run, rf"street;Neighbours\.{name}$") / loop for name in ("guilty", "innocent")}
    parts["street"] = calltrace.share(run, r"Neighbours\.street$") / loop
    first = max(parts, key=lambda name: parts[name])
    facts = ", ".join(f"`{name}` {part:.0%}" for name, part in parts.items())
    return one(first if parts[first] > MOST else "shared", f"Of the loop's samples: {facts}.")
