"""Where compiled code polls, and how: claims 000-02 to 000-05 on one JDK, read from its machine code."""

import re

import pandas as pd

from safepointlab.claims.base import Change, Claim, Evidence, Judgement, differs, holds, not_applicable, unclear
from safepointlab.course.nb01_safepoint.polls import listing, standard

OWN_PAGE = "JEP 312 (10): each thread keeps the address of the page to read; JEP 376 (16): returns compare instead"
ALL = 99.9  # percent
NO_CODE = "the JDK prints no instructions: 8 and 11 need the disassembler hsdis"
STRIPS = (
    "with G1 a counted loop polls",
    "JDK-8186027 (JDK 10) puts a loop that polls around it, with G1, ZGC and Shenandoah",
)
NESTS = (
    "a loop with a long index does not poll in each iteration",
    "JDK-8223051 (JDK 16) makes it a nest around loops with an int index, which C2 counts",
)
RETURNS = {"calls": "called: in caller", "apart": "called: in callee", "inlines": "inlined: in both"}


def _loop_polls(jdk: int) -> Evidence:
    """Of each shape, how many of its loops poll: C2's code with Serial and with G1, and C1's."""
    serial = listing(jdk)
    codes = {
        "int index": (serial, "C2", "byInt"),
        "long index": (serial, "C2", "byLong"),
        "no index": (serial, "C2", "untilFound"),
        "int index with G1": (listing(jdk, "G1"), "C2", "byInt"),
        "no index by C1": (serial, "C1", "untilFound"),
    }
    loops = {name: standard(run, by).query(f"method == 'Polls::{own}'") for name, (run, by, own) in codes.items()}
    return {f"{name}: loops that poll, percent": float(100 * own["polled"].mean()) for name, own in loops.items()}


def _only_uncounted(measured: Evidence) -> Judgement:
    polled = {name.partition(":")[0]: percent for name, percent in measured.items()}
    if any(percent != percent for percent in polled.values()):
        return unclear(NO_CODE)
    if min(polled["no index"], polled["no index by C1"]) < ALL:
        return differs("a loop that nobody can count has no poll")
    if polled["int index"]:
        return differs("a counted loop polls even without strip mining")
    strips, nests = bool(polled["int index with G1"]), polled["long index"] < ALL
    if not (strips or nests):
        return holds("a loop is polled unless its iterations can be counted")
    reasons = [STRIPS] * strips + [NESTS] * nests
    why, cause = ", and ".join(why for why, _ in reasons), "; ".join(cause for _, cause in reasons)
    return differs(why, Change(16 if nests else 10, cause))


def _return_polls(jdk: int) -> Evidence:
    code = listing(jdk).assembly
    final = code[code["tier"].isin([1, 4])]  # apart() is so simple that 8 leaves it to C1
    count = (final["poll"] == "return").groupby(final["method"]).sum().reindex([f"Polls::{name}" for name in RETURNS])
    return dict(zip(RETURNS.values(), count.fillna(0).astype(int).tolist(), strict=True))


def _one_a_return(measured: Evidence) -> Judgement:
    counts = set(measured.values())
    if counts == {0}:
        return unclear(NO_CODE)
    if counts != {1}:
        return differs("not one poll for each return that is left")
    return holds("two returns, two polls; inlined, one return and one poll")


def _poll_forms(jdk: int) -> Evidence:
    """The instructions that poll, without their numbers: all polls of a kind have one form, but for the register.

    The pages of memory are those that polls read whose operand is an address relative to the next instruction.
    """
    code, forms = listing(jdk).assembly, {}
    for kind in ("loop", "return"):
        texts = code.loc[code["poll"] == kind, "instruction"]
        same = {re.sub(r"0x[0-9a-f]+", "…", re.sub(r"\(%r(?!ip|15)\w+\)", "(%reg)", text)) for text in texts}
        forms[f"{kind} poll"] = " | ".join(sorted(same))
    following = code["address"].shift(-1)
    relative = code["instruction"].str.extract(r"^test.*?(-?0x[0-9a-f]+)\(%rip\)")[0]
    known = code["poll"].notna() & relative.notna() & following.notna()
    places = zip(relative[known], following[known], strict=True)
    return {**forms, "pages": len({(int(offset, 16) + int(after, 16)) % 2**64 >> 12 for offset, after in places})}


def _blind_test(measured: Evidence) -> Judgement:
    if not measured["loop poll"]:
        return unclear(NO_CODE)
    if not re.search(r"\b(?:test|cmp)", measured["loop poll"]):
        return not_applicable(f"the statement is about x86's TEST; this processor polls by {measured['loop poll']}")
    if measured["pages"] == 1 and measured["return poll"].startswith("test"):
        return holds("each poll reads the same page, and throws away what it read")
    if measured["pages"] > 1:
        return differs("polls read several pages at fixed places")
    return differs("polls read no page that all threads share", Change(10, OWN_PAGE))


def _poll_places(jdk: int) -> Evidence:
    run = listing(jdk)
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
    if not measured["loop polls"]:
        return unclear(NO_CODE)
    in_loops = measured["of these in a loop"] == measured["loop polls"]
    if not in_loops or measured["of these before a return"] != measured["return polls"]:
        return differs("some poll stands elsewhere")
    return holds("each {poll} is in a loop, each {poll_return} right before a return")


CLAIMS = [
    Claim(
        "000-02",
        "In compiled code an uncounted loop polls in each iteration; C2's counted loop does not (C1's does: 003e-11)",
        as_published="“On 'non-counted' loop back edge in C1/C2 compiled code”; a long index makes a loop "
        "uncounted (8u60)",
        measure=_loop_polls,
        judge=_only_uncounted,
        refuted_by={
            "int index: loops that poll, percent": 0.0,
            "long index: loops that poll, percent": 100.0,
            "no index: loops that poll, percent": 100.0,
            "int index with G1: loops that poll, percent": 50.0,
            "no index by C1: loops that poll, percent": 100.0,
        },
    ),
    Claim(
        "000-03",
        "A compiled method polls where it returns; once inlined it has no return and no poll",
        as_published="{poll_return} before the return (OpenJDK); Zing polls at the entry",
        measure=_return_polls,
        judge=_one_a_return,
        refuted_by={"called: in caller": 1, "called: in callee": 1, "inlined: in both": 2},
    ),
    Claim(
        "000-04",
        "A poll is a blind read of one page of memory, the same for all threads",
        as_published="“a blind TEST of an address on a special memory page”, one for each JVM (x86, Linux)",
        measure=_poll_forms,
        judge=_blind_test,
        refuted_by={"loop poll": "test %eax,(%reg)", "return poll": "test %eax,(%reg)", "pages": 0},
    ),
    Claim(
        "000-05",
        "In listings {poll} marks the one at a loop's end, {poll_return} the one before a method's return",
        as_published="“poll - loop back edge, poll_return - before method exit” (in the comments)",
        measure=_poll_places,
        judge=_as_named,
        refuted_by={"loop polls": 5, "of these in a loop": 4, "return polls": 6, "of these before a return": 6},
    ),
]
