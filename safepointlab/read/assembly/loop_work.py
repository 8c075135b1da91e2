"""Instructions of compiled code (a frame of `assembly.read`) -> one row a method: what its loop does in one turn.

    work(run.assembly)        every compile in the frame
    standard(run.assembly)    of each method the version that C2 made last to be entered at its top
    main_loop(run.assembly)   the instructions that all this was read from

>>> import pandas as pd
>>> texts = ["vmovdqu (%rdi,%r10,4),%ymm0", "vmovdqu %ymm0,(%rcx,%r10,4)", "add $8,%r10d", "cmp %r11d,%r10d", "jl 0x1"]
>>> code = pd.DataFrame({"address": [f"0x{n}" for n in range(1, 6)], "instruction": texts, "comment": pd.NA})
>>> code = code.assign(method="A::copy", compile_id=1, tier=4, osr_bci=pd.NA, poll=pd.NA, bci=pd.NA)
>>> work(code)[["method", "work", "per_turn", "vector_bytes", "range_checks", "poll"]].values.tolist()
[['A::copy', 'vector', 8, 32, 0, 'none']]

method, compile_id, tier, osr_bci    of the code
work           `vector`: several elements an instruction; `unrolled`: several a turn, one an instruction; `one by one`;
               `stub`: the loop became a call of a routine that the VM brings along; `no loop`
per_turn       how far the index goes in one turn of the main loop; missing where it isn't found
vector_bytes   the widest vector register in it; missing without one
range_checks   how often a turn of it compares an index with the length of an array
poll           `every turn`; `around`: in a loop around it only; `none`
stub           the routine's name, from the JDKs that print it

C2 makes of one loop of the source several: one before to align, the main one, one for the rest. The main one is the
innermost loop that goes farthest in one turn. A range check is an unsigned comparison (`jae`, `jnb`), which asks in one
go whether the index is negative or too large; the loop's own test is a signed one (`jl`, `jge`).
"""

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from safepointlab.read.assembly.loops import C2, loops

VERSION = ["method", "compile_id", "tier", "osr_bci"]
COLUMNS = {
    "method": "string",
    "compile_id": "Int64",
    "tier": "Int64",
    "osr_bci": "Int64",
    "work": "string",
    "per_turn": "Int64",
    "vector_bytes": "Int64",
    "range_checks": "Int64",
    "poll": "string",
    "stub": "string",
}

# vmovdqu32 0x10(%r9,%r10,4),%zmm0;  vpaddd 0xc(%rbx,%r9,4),%zmm0,%zmm0;  not vmovd %ecx,%xmm2: that puts %ecx aside
_PACKED = re.compile(r"v?(?:p(?:add|sub|mul|and|or|xor|min|max|cmp|s[lr])|mov(?:dq[ua]|[ua]p)|\w+p[sd]\b)\w* ")
_ELEMENT = re.compile(r"\((?!%[re]sp\))")  # memory, but not the stack
_VECTOR = re.compile(r"%([xyz])mm")
_WIDTH = {"x": 16, "y": 32, "z": 64}

_COMPARE = re.compile(r"cmp[bwlq]? ")
_SIGNED, _UNSIGNED = re.compile(r"j(?:n?[lg]e?) "), re.compile(r"j(?:n?[ab]e?) ")
_REGISTER = re.compile(r"%([a-z0-9]+)")
# add $0x40,%r10d;  sub $1,%eax;  incl %r10d;  leal 0x40(%r9),%r8d
_STEP = re.compile(
    r"(?:(?:add|sub)[lq]? \$(-?(?:0x)?[0-9a-f]+),|(?:inc|dec)[lq]? |lea[lq]? (-?(?:0x)?[0-9a-f]+)\(%\w+\),)%(\w+)$"
)

# movabsq $0x7f6183b76a00,%r10    {runtime_call Stub::arrayof_jint_fill}; in 26 {... Generator arrayof_jint_fill_stub}
# callq *%r10                     8 and 11 write it without the star
_STUB_ADDRESS, _STUB_CALL = re.compile(r"movabsq? \$\w+,%(\w+)$"), re.compile(r"callq? \*?%(\w+)$")
_STUB_NAME = re.compile(r"\{runtime_call [^}]*?(\w*(?:fill|copy)\w*?)(?:_stub)?\b")


def work(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a compile in the frame."""
    rows = [
        {**dict(zip(VERSION, version, strict=True)), **_row(code, loops(code))}
        for version, code in frame.groupby(VERSION, sort=False, dropna=False)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def standard(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a method: C2's last version that is entered at the top, not in mid-loop (OSR)."""
    return work(_standard(frame))


def _standard(frame: pd.DataFrame) -> pd.DataFrame:
    own = frame[frame["osr_bci"].isna() & (frame["tier"].fillna(C2) == C2) & frame["method"].notna()]
    return own[own["compile_id"] == own.groupby("method")["compile_id"].transform("max")]


def main_loop(frame: pd.DataFrame, method: str = "") -> pd.DataFrame:
    """The instructions of the main loop in C2's last version, of the first method whose name ends so."""
    own = _standard(frame)
    own = own[own["method"].str.endswith(method)]
    code = own[own["method"] == own["method"].iloc[0]].drop_duplicates("address") if len(own) else own
    bodies = _innermost(code, loops(code))
    return (max(bodies, key=_goes)[1] if bodies else code.iloc[:0]).reset_index(drop=True)


Body = tuple[Any, pd.DataFrame]  # a row of loops(), and its instructions


def _row(code: pd.DataFrame, found: pd.DataFrame) -> dict[str, Any]:
    """What the code of one version does."""
    code = code.drop_duplicates("address")
    bodies = _innermost(code, found)
    stub = _stub(code, has_loops=bool(bodies))
    if stub is not None or not bodies:
        return {"work": "no loop" if stub is None else "stub", "range_checks": 0, "poll": "none", "stub": stub or None}
    main, body = max(bodies, key=_goes)
    texts = body["instruction"].tolist()
    turn = _per_turn(texts)
    width = max((_WIDTH[name] for text in texts if _is_packed(text) for name in _VECTOR.findall(text)), default=None)
    kind = "vector" if width else "unrolled" if turn and turn > 1 else "one by one"
    checks = sum(_UNSIGNED.match(jump) is not None for _, jump in _tests(texts))
    poll = "every turn" if main.polled else "around" if found["polled"].any() else "none"
    return {"work": kind, "per_turn": turn, "vector_bytes": width, "range_checks": checks, "poll": poll}


def _innermost(code: pd.DataFrame, found: pd.DataFrame) -> list[Body]:
    return [(loop, _body(code, loop)) for loop in found.itertuples() if not _holds_another(loop, found)]


def _goes(body: Body) -> int:
    """How far; the main loop is the one that goes farthest."""
    return _per_turn(body[1]["instruction"].tolist()) or 0


def _place(address: str) -> int:
    return int(address, 16)


def _holds_another(loop: Any, found: pd.DataFrame) -> bool:
    """Does a deeper loop jump back within this one? C2 lays an innermost loop out in one piece.

    Its header tells nothing: the outer loop may be entered behind it.
    """
    first, last = _place(loop.header), _place(loop.back_edge)
    deeper = found.loc[found["depth"] > loop.depth, "back_edge"].map(_place)
    return bool(deeper.between(first, last).any())


def _body(code: pd.DataFrame, loop: Any) -> pd.DataFrame:
    """The loop's instructions, from its header to its jump back."""
    places = code["address"].map(_place)
    return code[places.between(_place(loop.header), _place(loop.back_edge))]


def _is_packed(text: str) -> bool:
    return bool(_PACKED.match(text) and _ELEMENT.search(text))


def _tests(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Each comparison with the jump that obeys it."""
    compared = ""
    for text in texts:
        if _COMPARE.match(text):
            compared = text
        elif text.startswith("j") and compared:
            yield compared, text
            compared = "" if _SIGNED.match(text) or _UNSIGNED.match(text) else compared


def _per_turn(texts: list[str]) -> int | None:
    """The largest step of a register that the loop's own test looks at."""
    watched = {_whole(name) for test, jump in _tests(texts) if _SIGNED.match(jump) for name in _REGISTER.findall(test)}
    steps = [_step(found) for text in texts if (found := _STEP.match(text)) and _whole(found[3]) in watched]
    return max(steps, default=None)


def _step(found: "re.Match[str]") -> int:
    """How far, whichever way: 8 writes -8 as 0xfffffff8."""
    number = int(found[1] or found[2] or "1", 0)
    return min(abs(number), abs(number - 2**32), abs(number - 2**64))


def _whole(name: str) -> str:
    """The register that this is a part of: eax -> rax, r8d -> r8."""
    if name[0] == "r" and name[1].isdigit():
        return name.rstrip("dwb")
    return "r" + name.lstrip("re") if len(name) > 2 else "r" + name


def _stub(code: pd.DataFrame, has_loops: bool) -> str | None:
    """The routine's name, "" where it has none in this log, None where there is no such call.

    Beside loops only a name tells that a call does a loop's work: a collector's barriers are called in the same way.
    """
    texts, words = code["instruction"].tolist(), code["comment"].fillna("").tolist()
    for place, text in enumerate(texts):
        if (call := _STUB_CALL.match(text)) and place and (address := _STUB_ADDRESS.match(texts[place - 1])):
            name = _STUB_NAME.search(words[place - 1])
            if call[1] == address[1] and (name or not (has_loops or words[place - 1])):
                return name[1] if name else ""
    return None
