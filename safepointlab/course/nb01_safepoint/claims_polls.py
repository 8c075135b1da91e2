"""Where compiled code polls, and how: claims 000-02 to 000-05 on one JDK, read from its machine code."""

import re

import pandas as pd

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, not_applicable, unclear
from safepointlab.course.nb01_safepoint.polls import printed, standard
from safepointlab.errors import FlagRejected
from safepointlab.run.run import Run

OWN_PAGE = "JEP 312 (JDK 10): each thread keeps the address of the page that it reads"
COMPARED = "JEP 376 (JDK 16): returns compare the stack pointer instead"
STRIPS = "JDK-8186027 (JDK 10): G1's counted loops poll once in 1,000 iterations"
NEST = "JDK-8223051 (JDK 16): a loop with a long index becomes a nest around loops that are counted"
SHORT_LOOP = "JDK-8342692 (JDK 26): a loop with a long index that was seen short becomes one that is counted"
NO_SHORT_LOOPS = "-XX:-ShortRunningLongLoop"
ALL = 100.0  # percent
RETURNS = {
    "calls": "return polls of a method that calls another",
    "apart": "return polls of the called method",
    "inlines": "return polls of a method that has inlined another",
}
LEFT = "calls that are left in it"
LISTED = "The program is the lab's own, compiled by javac and warmed up by short calls; its machine code is read."


def _polled(run: Run, by: str, method: str) -> float:
    """How many of the method's loops poll, in percent."""
    loops = standard(run, by)
    return float(100 * loops[loops["method"] == f"Polls::{method}"]["polled"].mean())


def _depth(run: Run, method: str) -> int:
    """How many loops stand inside one another in C2's code of the method."""
    loops = standard(run, "C2")
    return int(loops[loops["method"] == f"Polls::{method}"]["depth"].max())


def _loop_polls(jdk: int, gc: str | None) -> Evidence:
    """Of each shape of loop, how many poll; and how the one with a long index is built, without short loops, too."""
    run = printed(jdk, gc)
    try:
        other: int | None = _depth(printed(jdk, gc, NO_SHORT_LOOPS), "byLong")
    except FlagRejected:
        other = None
    return {
        "no index: loops that poll, percent": _polled(run, "C2", "untilFound"),
        "no index, by C1: loops that poll, percent": _polled(run, "C1", "untilFound"),
        "int index: loops that poll, percent": _polled(run, "C2", "byInt"),
        "long index: loops that poll, percent": _polled(run, "C2", "byLong"),
        "int index: loops inside one another": _depth(run, "byInt"),
        "long index: loops inside one another": _depth(run, "byLong"),
        f"the same with {NO_SHORT_LOOPS}": other,
    }


def _only_uncounted(measured: Evidence) -> Judgement:
    free, free_by_c1, by_int, by_long = (percent for name, percent in measured.items() if name.endswith("percent"))
    levels, long_levels = (measured[f"{index} index: loops inside one another"] for index in ("int", "long"))
    other = measured[f"the same with {NO_SHORT_LOOPS}"]
    found = (
        f"loops that poll: without an index {free:.0f} % (C1: {free_by_c1:.0f} %), with an int index {by_int:.0f} %, "
        f"with a long index {by_long:.0f} %, these {long_levels} deep"
    )
    if other is not None and other != long_levels:
        found += f", or {other} with {NO_SHORT_LOOPS}"
    nest, short = long_levels > levels, other is not None and other > long_levels
    changes = {
        Change(10, STRIPS): by_int > 0,
        Change(16, NEST): by_long < ALL and nest,
        Change(26, SHORT_LOOP): by_long < ALL and not nest and short,
        Change(26, ""): by_long < ALL and not nest and not short,
    }
    return decide(
        (min(free, free_by_c1) < ALL, differs(found)),
        (by_int == 0 and by_long == ALL, holds(found)),
        otherwise=differs(found, *(change for change, met in changes.items() if met)),
    )


def _return_polls(jdk: int, flags: str = "") -> Evidence:
    code = printed(jdk, flags=flags).assembly
    final = code[code["tier"].isin([1, 4])]  # apart() is so simple that 8 leaves it to C1
    polls = (final["poll"] == "return").groupby(final["method"]).sum()
    inlines = final[final["method"] == "Polls::inlines"]
    return {
        **{what: int(polls.get(f"Polls::{name}", 0)) for name, what in RETURNS.items()},
        LEFT: int(inlines["comment"].str.contains("static_call", regex=False).fillna(False).sum()),
    }


def _one_a_return(measured: Evidence) -> Judgement:
    caller, callee, both = (measured[what] for what in RETURNS.values())
    found = f"return polls: {caller} in the caller and {callee} in the called method, {both} in one that inlines"
    if measured[LEFT]:
        return unclear(f"{found}, but it has inlined nothing")
    return decide((caller == callee == both == 1, holds(found)), otherwise=differs(found))


def _forms(run: Run, kind: str) -> str:
    """The instructions that poll, without their numbers: all polls of a kind have one form, but for the register."""
    code = run.assembly
    texts = code.loc[code["poll"] == kind, "instruction"]
    same = {re.sub(r"0x[0-9a-f]+", "…", re.sub(r"\(%r(?!ip|15)\w+\)", "(%reg)", text)) for text in texts}
    return " | ".join(sorted(same))


def _pages(run: Run) -> int:
    """How many pages of memory polls read whose operand is an address relative to the next instruction."""
    code = run.assembly
    following = code["address"].shift(-1)
    relative = code["instruction"].str.extract(r"^test.*?(-?0x[0-9a-f]+)\(%rip\)")[0]
    known = code["poll"].notna() & relative.notna() & following.notna()
    places = zip(relative[known], following[known], strict=True)
    return len({(int(offset, 16) + int(after, 16)) % 2**64 >> 12 for offset, after in places})


def _poll_forms(jdk: int) -> Evidence:
    """How loops and returns poll; and how many fixed pages they read, also without handshakes if that can be had."""
    run = printed(jdk)
    try:
        without: int | None = _pages(printed(jdk, flags="-XX:-ThreadLocalHandshakes"))
    except FlagRejected:
        without = None
    return {
        "loop poll": _forms(run, "loop"),
        "return poll": _forms(run, "return"),
        "fixed pages that polls read": _pages(run),
        "the same with -XX:-ThreadLocalHandshakes": without,
    }


def _blind_test(measured: Evidence) -> Judgement:
    loop, at_return, pages = (measured[name] for name in ("loop poll", "return poll", "fixed pages that polls read"))
    without = measured["the same with -XX:-ThreadLocalHandshakes"]
    if not re.search(r"\b(?:test|cmp)", loop):
        return not_applicable(f"the statement is about x86's TEST; this processor polls by {loop}")
    found = f"loops poll by {loop}, returns by {at_return}; fixed pages that polls read: {pages}"
    if without is not None:
        found += f", with -XX:-ThreadLocalHandshakes {without}"
    blind, blind_at_return = (all(each.startswith("test") for each in form.split(" | ")) for form in (loop, at_return))
    changes = {Change(10, OWN_PAGE): pages != 1, Change(16, COMPARED): not blind_at_return}
    return decide(
        (pages == 1 and blind and blind_at_return, holds(found)),
        otherwise=differs(found, *(change for change, met in changes.items() if met)),
    )


def _poll_places(jdk: int) -> Evidence:
    run = printed(jdk)
    code, loops, inside = run.assembly, run.loops, []
    for poll in code[code["poll"] == "loop"].to_dict("records"):
        own = loops[loops["compile_id"] == poll["compile_id"]]
        ends = zip(own["header"], own["back_edge"], strict=True)
        inside.append(any(int(first, 16) <= int(poll["address"], 16) <= int(last, 16) for first, last in ends))
    returns = code["instruction"].str.match(r"(?:rep[z ]*)?ret")
    soon = pd.concat([returns.shift(-n, fill_value=False) for n in range(4)], axis=1).any(axis=1)
    before = soon[code["poll"] == "return"]
    counts = {"loop polls": len(inside), "of these in a loop": sum(inside), "return polls": len(before)}
    return {**counts, "of these before a return": int(before.sum())}


def _as_named(measured: Evidence) -> Judgement:
    loops, inside, returns, before = measured.values()
    found = f"{inside} of {loops} {{poll}} are in a loop, {before} of {returns} {{poll_return}} right before a return"
    return decide(
        (not (loops and returns), unclear(found)),
        (inside == loops and before == returns, holds(found)),
        otherwise=differs(found),
    )


CLAIMS = [
    Claim(
        "000-02",
        "Compiled loops without an index or with a long one poll in each iteration; C2's loops with an int index don't",
        as_published="“On 'non-counted' loop back edge in C1/C2 compiled code”; a long index makes a loop uncounted",
        measure=_loop_polls,
        judge=_only_uncounted,
        rule="all loops without an index and with a long index poll (C2's, and C1's without an index), and no loop "
        "with an int index polls in C2's code",
        mechanism="C2 takes the poll out of a loop whose iterations it can count. Strip mining puts a loop that polls "
        "around it, by default with G1, ZGC and Shenandoah (JDK-8186027, JDK 10). Since JDK 16 (JDK-8223051) a loop "
        "with a long index becomes a nest, whose outer loop polls and whose inner loops are counted. Since JDK 26 "
        "(JDK-8342692) it becomes one counted loop where the profile saw so few iterations that an int suffices; "
        "ShortRunningLongLoop switches that. C1 polls in counted loops, too: 003e-11.",
        setup=f"{LISTED} C2 makes several loops of one: a main loop and others for the first and the last iterations, "
        "the loop around strips, the levels of a nest. The percentages are of these loops, in machine code. With an "
        "int index and G1 it is the loop around strips that polls.",
        collectors=True,
        version=2,
    ),
    Claim(
        "000-03",
        "A compiled method polls where it returns; once it is inlined, it has no return, and that poll is gone",
        as_published="{poll_return} before the return (OpenJDK); Zing polls at the entry",
        measure=_return_polls,
        judge=_one_a_return,
        rule="a method that calls another and the called method have one return poll each, and a method that has "
        "inlined another has one in all",
        mechanism="C1 and C2 emit the poll with the return instruction; inlining replaces the return by a jump or by "
        "nothing. A loop of the inlined method that polls still does so in the caller's code.",
        setup=f"{LISTED} With Serial.",
        # compilers that keep an inlined method's poll can't be had
        refuted_by=dict(zip(RETURNS.values(), (1, 1, 2), strict=True)) | {LEFT: 0},
        version=2,
    ),
    Claim(
        "000-04",
        "A poll is a blind read of one page of memory, the same for all threads",
        as_published="“a blind TEST of an address on a special memory page”, one for each JVM (x86, Linux)",
        measure=_poll_forms,
        judge=_blind_test,
        rule="all polls are TEST instructions whose operand is on one fixed page of memory",
        mechanism="Since JEP 312 (JDK 10) the address of the page is kept by each thread, so the TEST goes through a "
        "register; on JDK 11 ThreadLocalHandshakes switches that. Since JEP 376 (JDK 16) returns compare the stack "
        "pointer instead.",
        setup=f"{LISTED} With Serial, on x86-64.",
        version=2,
    ),
    Claim(
        "000-05",
        "In listings {poll} marks the poll of a loop, {poll_return} the one before a method's return",
        as_published="“poll - loop back edge, poll_return - before method exit” (in the comments)",
        measure=_poll_places,
        judge=_as_named,
        rule="the address of each {poll} is within a loop of its method, and each {poll_return} is at most three "
        "instructions before a return",
        mechanism="They are the names of two kinds of relocation, poll_type and poll_return_type in relocInfo.hpp.",
        setup=f"{LISTED} With Serial, C1's code and C2's.",
        # no program was found whose {poll} is elsewhere
        refuted_by={"loop polls": 5, "of these in a loop": 4, "return polls": 6, "of these before a return": 6},
        version=2,
    ),
]
