"""The course's claims by id or topic, and some JDKs -> the table of verdicts."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral
from typing import TYPE_CHECKING, Any

from safepointlab.claims.base import Claim, Verdict
from safepointlab.claims.measuring import run
from safepointlab.course import lessons
from safepointlab.errors import BadInput, ClaimUnknown
from safepointlab.run import profile

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Claim", "Verdict", "chosen", "everything", "find", "frame", "run", "topics", "verdicts"]


@cache
def topics() -> Mapping[str, list[Claim]]:
    """The claims of each topic, by the lesson's word: those of the lists CLAIMS in the lesson's folder."""
    return lessons.claims()


def everything() -> list[Claim]:
    """All claims, in the order of their ids."""
    return sorted((claim for claims in topics().values() for claim in claims), key=lambda claim: claim.id)


def find(names: Iterable[str]) -> list[Claim]:
    """The claims of these ids or topics, in the order given.

    Raises:
        ClaimUnknown: the message names close matches.
    """
    known = {claim.id: [claim] for claim in everything()} | dict(topics())
    for name in (names := list(names)):
        if name not in known:
            close = difflib.get_close_matches(name, known, 3, 0.5) or sorted(topics())
            raise ClaimUnknown(f"no claim {name!r}. Did you mean: {', '.join(close)}? All: safepoint claims --list")
    return list({claim.id: claim for name in names for claim in known[name]}.values())


def chosen(names: Iterable[str] = ()) -> list[Claim]:
    """The claims to run for these ids and topics; without any, all that can be run.

    One that takes long (`full`) is run where SAFEPOINTLAB_PROFILE=full, or where its own id is given.

    Raises:
        ClaimUnknown: the message names close matches.
    """
    asked = list(names)
    claims = find(asked) if asked else [claim for claim in everything() if claim.measure]
    return [claim for claim in claims if not claim.full or profile.name() == "full" or claim.id in asked]


def verdicts(*names: str, jdk: int | Iterable[int] | None = None, seconds: float | None = None) -> "DataFrame":
    """Run claims again over some JDKs.

    A page shows what this machine measures now: each claim is measured in this session, from runs that the page has
    made already where the topic shares them, as long as the time lasts (`series.within`). What comes out is kept, and
    `safepoint claims` takes it over.

    Args:
        names: claim ids ("000-12") or topics ("hang"); without any, all claims that can be run.
        jdk: feature numbers; by default those of the profile that this machine has.
        seconds: how long new runs may take; by default 12 in the profile standard, 1 in quick, and no limit in full.

    Returns:
        One row per claim and JDK: id, statement, as_published, jdk, verdict, measured, why, cause (the JEP or JDK bug
        of a change), collectors ("G1: changed; Serial: holds" where both were measured), kept (True: not measured in
        this session; the line below the table says when and where it was). It shows itself as a table with one row
        per claim and one column per JDK, below a line that counts the verdicts.

    Raises:
        ClaimUnknown, BadInput, StorageFailed.
    """
    from safepointlab.claims import series

    majors: list[Any] = list(jdk) if isinstance(jdk, Iterable) else series.majors() if jdk is None else [jdk]
    if not all(isinstance(major, Integral) for major in majors):
        raise BadInput(f"jdk={jdk!r} names no JDKs. Give their feature numbers, such as [8, 25].")
    claims, limit_s = chosen(names), series.usable(seconds)
    made = series.ordered(series.within(claims, list(dict.fromkeys(map(int, majors))), limit_s), claims)
    return frame(made, series.note(made, names, limit_s))


def frame(verdicts: Sequence[Verdict], note: str = "") -> "DataFrame":
    """The verdicts as a table, one row each, in this order; the note is shown below it."""
    from safepointlab.claims.table import COLUMNS, VerdictFrame

    table = VerdictFrame([verdict.row() for verdict in verdicts], columns=list(COLUMNS))
    table.attrs["kept"] = note
    return table
