"""Instructions of compiled code (a frame of `assembly.read`) -> one row per compile: its main loop's iteration.

    work(run.assembly)        every compile in the frame
    standard(run.assembly)    of each method C2's last standard compile, which is entered at its top
    main_loop(run.assembly)   the instructions that the row was read from
    purposes(main_loop(...))  what each of them is there for

>>> import pandas as pd
>>> texts = ["vmovdqu (%rdi,%r10,4),%ymm0", "vmovdqu %ymm0,(%rcx,%r10,4)", "add $8,%r10d", "cmp %r11d,%r10d", "jl 0x1"]
>>> code = pd.DataFrame({"address": [f"0x{n}" for n in range(1, 6)], "instruction": texts, "comment": pd.NA})
>>> code = code.assign(method="A::copy", compile_id=1, tier=4, osr_bci=pd.NA, poll=pd.NA, bci=pd.NA)
>>> work(code)[["method", "work", "per_pass", "vector_bytes", "range_checks", "poll"]].values.tolist()
[['A::copy', 'vector', 8, 32, 0, 'none']]

method, compile_id, tier, osr_bci    of the code
work           `vector`: several elements per instruction; `unrolled`: several per iteration, one per instruction;
               `one by one`; `stub`: the loop became a call of one of the VM's own routines; `no loop`
per_pass       how far one iteration of the main loop moves the index; missing if that is not found
vector_bytes   the widest vector register in it; missing without one, and with ARM64's SVE, whose width the text lacks
range_checks   how often one iteration compares an index with the length of an array
poll           `each pass`: in the main loop; `around`: in a loop around it only; `none`
stub           the routine's name, from the JDKs that print it

C2 makes several loops of one in the source: one before to align, the main one, one for the rest. The main one is the
innermost loop whose index moves farthest in one iteration. A range check is one unsigned comparison (`jae`, `jnb`) for
a negative and a too large index; the loop's own test is a signed one (`jl`, `jge`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from safepointlab.logs.assembly.loops import C2, loops
from safepointlab.logs.assembly.machine_code import ARM64, X86_64, processor_of

VERSION = ["method", "compile_id", "tier", "osr_bci"]
COLUMNS = {
    "method": "string", "compile_id": "Int64", "tier": "Int64", "osr_bci": "Int64", "work": "string",
    "per_pass": "Int64", "vector_bytes": "Int64", "range_checks": "Int64", "poll": "string", "stub": "string",
}  # fmt: skip


@dataclass(frozen=True)
class Words:
    """How a processor's instructions tell a loop's work: see X86_64_WORDS for what each pattern matches."""

    packed: re.Pattern[str]
    vector: re.Pattern[str]
    widths: Mapping[str, int]
    compare: re.Pattern[str]
    signed: re.Pattern[str]
    unsigned: re.Pattern[str]
    register: re.Pattern[str]
    step: re.Pattern[str]


X86_64_WORDS = Words(
    # vmovdqu32 0x10(%r9,%r10,4),%zmm0;  vpaddd 0xc(%rbx,%r9,4),%zmm0,%zmm0;  in memory, but not on the stack;
    # not vmovd %ecx,%xmm2: that spills %ecx
    packed=re.compile(
        r"v?(?:p(?:add|sub|mul|and|or|xor|min|max|cmp|s[lr])|mov(?:dq[ua]|[ua]p)|\w+p[sd]\b)\w* .*?\((?!%[re]sp\))"
    ),
    vector=re.compile(r"%([xyz])mm"),
    widths={"x": 16, "y": 32, "z": 64},
    compare=re.compile(r"cmp[bwlq]? "),
    signed=re.compile(r"j(?:n?[lg]e?) "),
    unsigned=re.compile(r"j(?:n?[ab]e?) "),
    register=re.compile(r"%([a-z0-9]+)"),
    # add $0x40,%r10d;  sub $1,%eax;  incl %r10d;  leal 0x40(%r9),%r8d
    step=re.compile(
        r"(?:(?:add|sub)[lq]? \$(?P<by>-?(?:0x)?[0-9a-f]+),|(?:inc|dec)[lq]? |"
        r"lea[lq]? (?P<far>-?(?:0x)?[0-9a-f]+)\(%\w+\),)%(?P<register>\w+)$"
    ),
)
ARM64_WORDS = Words(
    # ldp q16,q17,[x10,#0x10];  str q16,[x11];  not the stack's str q8,[sp,#0x40];  SVE's, of whatever width the
    # machine has: ld1w {z16.s},p7/z,[x12]
    packed=re.compile(r"(?:ld|st)(?:u?[rp] q|1[bhwd] \{z)\d+.*\[x(?!29)"),
    vector=re.compile(r" (q)\d+"),
    widths={"q": 16},
    compare=re.compile(r"(?:cmp|cmn|subs) "),
    signed=re.compile(r"b\.(?:lt|ge|gt|le) "),
    unsigned=re.compile(r"b\.(?:hs|lo|hi|ls|cs|cc) "),
    register=re.compile(r"\b([wx]\d+)"),
    # add w10,w10,#0x10;  sub w11,w11,#1
    step=re.compile(r"(?:add|sub)s? (?P<register>[wx]\d+), ?[wx]\d+, ?#(?P<by>-?(?:0x)?[0-9a-f]+)(?P<far>)$"),
)
_WORDS = {X86_64: X86_64_WORDS, ARM64: ARM64_WORDS}

# movabsq $0x7f6183b76a00,%r10    {runtime_call Stub::arrayof_jint_fill}; in 26 {... Generator arrayof_jint_fill_stub}
# callq *%r10                     8 and 11 write it without the star; ARM64: mov x8,#0x..; movk ..; movk ..; blr x8
_STUB_ADDRESS = re.compile(r"(?:movabsq? \$\w+,%|mov (?=x\d+, ?#0x))(\w+)(?:$|,)")
_STUB_CALL = re.compile(r"(?:callq? \*?%|blr )(\w+)$")
_STUB_NAME = re.compile(r"\{runtime_call [^}]*?(\w*(?:fill|copy)\w*?)(?:_stub)?\b")


def work(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per compile in the frame."""
    rows = [
        {**dict(zip(VERSION, version, strict=True)), **_row(code, loops(code))}
        for version, code in frame.groupby(VERSION, sort=False, dropna=False)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def standard(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per method: C2's last standard compile; an OSR compile is entered in mid-loop."""
    return work(_standard(frame))


def _standard(frame: pd.DataFrame) -> pd.DataFrame:
    own = frame[frame["osr_bci"].isna() & (frame["tier"].fillna(C2) == C2) & frame["method"].notna()]
    return own[own["compile_id"] == own.groupby("method")["compile_id"].transform("max")]


def main_loop(frame: pd.DataFrame, method: str = "") -> pd.DataFrame:
    """The instructions of the main loop in C2's last version, of the first method whose name ends in `method`."""
    own = _standard(frame)
    own = own[own["method"].str.endswith(method)]
    code = own[own["method"] == own["method"].iloc[0]].drop_duplicates("address") if len(own) else own
    bodies = _innermost(code, loops(code))
    return (max(bodies, key=_stride)[1] if bodies else code.iloc[:0]).reset_index(drop=True)


def purposes(body: pd.DataFrame) -> list[str]:
    """For each instruction of `main_loop`: `vector`, `range check` (the jump that leaves the loop), `poll`, or ""."""
    words, polls = _words(body), body["poll"].notna()
    vector = body["instruction"].map(lambda text: words.packed.match(text) is not None)
    check = body["instruction"].map(lambda text: words.unsigned.match(text) is not None)
    named = {"poll": polls, "vector": vector, "range check": check}
    return [next((name for name, is_one in named.items() if is_one.iloc[place]), "") for place in range(len(body))]


Body = tuple[Any, pd.DataFrame]  # a row of loops(), and its instructions


def _row(code: pd.DataFrame, loop_rows: pd.DataFrame) -> dict[str, Any]:
    code = code.drop_duplicates("address")
    bodies = _innermost(code, loop_rows)
    stub = _stub(code, has_loops=bool(bodies))
    if stub is not None or not bodies:
        return {"work": "no loop" if stub is None else "stub", "range_checks": 0, "poll": "none", "stub": stub or None}
    main, body = max(bodies, key=_stride)
    texts, words = body["instruction"].tolist(), _words(body)
    elements, packed = _per_pass(texts, words), list(filter(words.packed.match, texts))
    width = max((words.widths[name] for text in packed for name in words.vector.findall(text)), default=None)
    kind = "vector" if packed else "unrolled" if elements and elements > 1 else "one by one"
    checks = sum(words.unsigned.match(jump) is not None for _, jump in _tests(texts, words))
    poll = "each pass" if main.polled else "around" if loop_rows["polled"].any() else "none"
    return {"work": kind, "per_pass": elements, "vector_bytes": width, "range_checks": checks, "poll": poll}


def _innermost(code: pd.DataFrame, loop_rows: pd.DataFrame) -> list[Body]:
    """The loops in which no deeper loop jumps back. C2 lays an innermost loop out in one piece.

    A deeper loop's header is no evidence: the outer loop may be entered behind it.
    """
    bodies = list[Body]()
    places, backs = (column.map(lambda text: int(text, 16)) for column in (code["address"], loop_rows["back_edge"]))
    for loop in loop_rows.itertuples():
        ends = int(str(loop.header), 16), int(str(loop.back_edge), 16)
        if not backs[loop_rows["depth"] > loop.depth].between(*ends).any():
            bodies.append((loop, code[places.between(*ends)]))
    return bodies


def _stride(body: Body) -> int:
    """How far one iteration moves the index; the main loop's moves farthest."""
    return _per_pass(body[1]["instruction"].tolist(), _words(body[1])) or 0


def _words(body: pd.DataFrame) -> Words:
    return _WORDS[processor_of(body["instruction"])]


def _tests(texts: list[str], words: Words) -> Iterator[tuple[str, str]]:
    compared = ""
    for text in texts:
        decides = words.signed.match(text) or words.unsigned.match(text)
        if words.compare.match(text):
            compared = text
        elif compared and (decides or text.startswith(("j", "b."))):
            yield compared, text
            compared = "" if decides else compared


def _per_pass(texts: list[str], words: Words) -> int | None:
    """The largest step of a register that the loop's own test compares."""
    loop_tests = [test for test, jump in _tests(texts, words) if words.signed.match(jump)]
    watched = {_register(name) for test in loop_tests for name in words.register.findall(test)}
    matches = filter(None, map(words.step.match, texts))
    steps = [int(step["by"] or step["far"] or "1", 0) for step in matches if _register(step["register"]) in watched]
    sizes = (min(abs(step), abs(step - 2**32), abs(step - 2**64)) for step in steps)  # 8 writes -8 as 0xfffffff8
    return max(sizes, default=None)


def _register(name: str) -> str:
    """The register that this is a part of: eax -> rax, r8d -> r8. Not ARM64's: C2 keeps an index in w10, then takes
    x10 for an address."""
    if name[0] in "wx" and name[1:].isdigit():
        return name
    if name[0] == "r" and name[1].isdigit():
        return name.rstrip("dwb")
    return "r" + name.lstrip("re") if len(name) > 2 else "r" + name


def _stub(code: pd.DataFrame, has_loops: bool) -> str | None:
    """The routine's name, "" if this log does not name it, None if there is no such call.

    In code with loops a call counts only by its name: a collector's barriers are called in the same way.
    """
    texts, words = code["instruction"].tolist(), code["comment"].fillna("").tolist()
    for place, text in enumerate(texts):
        if text.startswith("bl ") and (name := _STUB_NAME.search(words[place])):
            return name[1]
        if place and (call := _STUB_CALL.match(text)):
            before = range(place - 1, max(place - 4, -1), -1)  # ARM64 needs three instructions for an address
            begin = next((step for step in before if not texts[step].startswith("movk ")), 0)
            address = _STUB_ADDRESS.match(texts[begin])
            if not address or address[1] != call[1]:
                continue
            name = _STUB_NAME.search(words[begin])
            if name or not (has_loops or words[begin]):
                return name[1] if name else ""
    return None
