"""A sweep with a column of numbers -> tiles, one per combination, with the number; those above a limit are loud.

    plot.amounts(frame, "promoted_mib", rows="args", columns="jdk", limit=50)
    plot.amounts({"JCTools 1.1": old, "JCTools 4.0.5": new}, "promoted_mib", rows="args", columns="jdk", limit=50)

Columns used: the one named by `value`, those named by `rows` and `columns` and, where there is no number, outcome. Of
several runs in one tile it says the least and the most. The names of several tables stand before those of their rows.
"""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

PACKAGE = r"\b(?:[a-z]\w*\.)+(?=[A-Z])"  # what a class's name is as clear without
LETTER_INCHES, MOST_INCHES = 0.1, 11.0  # of a row's name; of the picture
UNITS = {"mib": "MiB", "s": "s", "ms": "ms", "us": "µs", "ns": "ns", "percent": "%"}  # the last part of a column's name
MOST_LETTERS = 88  # of the title, in two lines


@picture("lab.sweep, with a column of numbers", labels=("value", "rows", "columns"))
def amounts(
    frame: pd.DataFrame | Mapping[str, pd.DataFrame],
    value: str,
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "flags",
    limit: float | None = None,
    what: str = "",
    unit: str = "",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix.

    Args:
        limit: a number above it is loud, and the title says where there are such numbers.
        what, unit: the number in words, and its unit; by default both are in the column's name.
    """
    cells = _cells(frame, value, rows, columns)
    name, _, last = value.rpartition("_")
    what = what or (name if last in UNITS else value).replace("_", " ")
    unit = unit or UNITS.get(last, "")
    if cells.empty:
        return style.empty(style.canvas(ax), title or "Nothing was run")
    loud = float("inf") if limit is None else limit
    longest = max(len(line) for name in cells["row"].unique() for line in str(name).split("\n"))
    width = LETTER_INCHES * longest + 1.0 + 1.35 * cells["column"].nunique()
    ax = style.canvas(ax, min(MOST_INCHES, max(8.0, width)), 1.8 + 0.6 * max(cells["row"].nunique(), 2))
    looks = {False: style.OUTCOMES["on time"].color, True: style.OUTCOMES["late"].color}
    names = {False: f"at most {loud:,g} {unit}", True: f"more than {loud:,g} {unit}"}
    tiles = {alike: style.Look(name.strip(), looks[alike]) for alike, name in names.items()}
    _tiles.lay(ax, cells, lambda tile: (_text(tile), _look(tile, loud, tiles)))
    style.axis_names(ax, f"{what}, {unit}" if unit else what)
    if limit is not None:
        style.key(ax, [tiles[alike] for alike in (True, False) if ((cells["amount"] > loud) == alike).any()])
    style.finding(ax, title or _finding(cells, what, limit, unit))
    return ax


def _cells(
    frame: pd.DataFrame | Mapping[str, pd.DataFrame], value: str, rows: _tiles.Labels, columns: _tiles.Labels
) -> pd.DataFrame:
    """The runs with `row` and `column`, which name their tile, `amount`, and `word`: the outcome without a number."""
    tables = frame if isinstance(frame, Mapping) else {"": frame}
    several = [_of_one(str(name), table, value, rows, columns) for name, table in tables.items()]
    return pd.concat(several, ignore_index=True) if several else pd.DataFrame(columns=["row", "column"])


def _of_one(name: str, frame: pd.DataFrame, value: str, rows: _tiles.Labels, columns: _tiles.Labels) -> pd.DataFrame:
    short = (
        frame.assign(args=frame["args"].astype("string").str.replace(PACKAGE, "", regex=True))
        if "args" in frame
        else frame
    )
    amount = style.numbers(frame, value)
    outcome = frame["outcome"].astype("string") if "outcome" in frame else pd.Series(pd.NA, frame.index, "string")
    cells = _tiles.matrix(short, rows, columns, outcome.where(amount.isna() & (outcome != "exited")))
    before = f"{name}\n" if name else ""
    return cells.assign(table=name, row=[before + _tiles.short(row) for row in cells["row"]], amount=amount)


def _text(tile: pd.DataFrame) -> str:
    """The tile's number, the least and the most of several, or why there is none."""
    numbers = list(dict.fromkeys(_written(value) for value in sorted(tile["amount"].dropna())))
    if numbers:
        return numbers[0] if len(numbers) == 1 else f"{numbers[0]}–{numbers[-1]}"
    return next(iter(tile["word"].dropna()), "–")


def _written(value: float) -> str:
    """
    >>> _written(0.0), _written(0.34), _written(254.6)
    ('0', '0.3', '255')
    """
    return f"{value:,.1f}" if 0.05 <= value < 9.95 else f"{value:,.0f}"


def _look(tile: pd.DataFrame, limit: float, looks: Mapping[bool, style.Look]) -> style.Look:
    known = tile["amount"].dropna()
    return _tiles.OTHER if known.empty else looks[bool(known.max() > limit)]


def _finding(cells: pd.DataFrame, what: str, limit: float | None, unit: str) -> str:
    """Where a number is above the limit: in whole rows or columns, or in how many combinations."""
    most = cells.groupby(["table", "row", "column"], sort=False)["amount"].max().dropna()
    if most.empty:
        return "Nothing was measured"
    if limit is None:
        least, largest = _written(most.min()), _written(most.max())
        return f"{_capital(what)}: {least} to {largest} {unit}".rstrip()
    above = most > limit
    start = f"{_capital(what)}: more than {limit:,g}{style.MS[0] + unit if unit else ''}"
    if above.all():
        return f"{start} in each combination"
    if not above.any():
        return f"{start} in no combination"
    some = f"{start} in {above.sum()} of {len(above)} combinations"
    for whole, end in ((True, ", nowhere else"), (True, ""), (False, "")):
        for level in ("table", "row", "column"):
            names = _where(above, level, whole)
            told = f"{start if whole else f'{some}, all'} {_among(names)}{end}"
            if names and len(told) <= MOST_LETTERS:
                return told
    return some


def _where(above: "pd.Series[bool]", level: str, whole: bool) -> list[str]:
    """The rows or columns that hold all numbers above the limit, if they are not all; with `whole` nothing else."""
    parts = above.groupby(level=level, sort=False)
    some = parts.any()
    if some.all() or (whole and not parts.all()[some].all()):
        return []
    return [str(name) for name in some.index[some]]


def _capital(what: str) -> str:
    return what[:1].upper() + what[1:]


def _among(names: list[str]) -> str:
    """ "on JDK 8 and 11", "with KEPT"."""
    if all(name.startswith("JDK ") for name in names):
        return f"on JDK {listed(name.removeprefix('JDK ') for name in names)}"
    return f"with {listed(' '.join(_tiles.short(name).split()) for name in names)}"
