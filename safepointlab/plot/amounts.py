"""A sweep with a column of numbers -> tiles, one per combination, with the number; those above a limit are loud.

    plot.amounts(frame, "promoted_mib", rows="args", columns="jdk", limit=50)
    plot.amounts({"JCTools 1.1": old, "JCTools 4.0.5": new}, "promoted_mib", rows="args", columns="jdk", limit=50)
    plot.amounts(frame, {"warm_ms": "in memory", "cold_ms": "cold"}, rows="args", limit=60, what="longest wait")

Columns used: the one named by `value`, those named by `rows` and `columns` and, where there is no number, outcome. Of
several runs in one tile it says the least and the most. The names of several tables, and those of several columns of
numbers, stand before those of their rows.
"""

from collections.abc import Collection, Mapping

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.phrases import listed
from safepointlab.plot import _tiles, style
from safepointlab.plot._picture import picture

PACKAGE = r"\b(?:[a-z]\w*\.)+(?=[A-Z])"  # what a class's name is as clear without
LETTER_INCHES, MOST_INCHES = 0.1, 11.0  # of a row's name; of the picture
UNITS = {"mib": "MiB", "s": "s", "ms": "ms", "us": "µs", "ns": "ns", "percent": "%"}  # the last part of a column's name
MOST_LETTERS, LINE_LETTERS = 88, 56  # of the title, in two lines; of one line of three
LEVELS = ("table", "row", "column")
NONE = "–"  # in a tile whose JVMs ran, but gave no number


@picture("lab.sweep, with a column of numbers", labels=("value", "rows", "columns"))
def amounts(
    frame: pd.DataFrame | Mapping[str, pd.DataFrame],
    value: str | Mapping[str, str],
    rows: _tiles.Labels = "jdk",
    columns: _tiles.Labels = "flags",
    limit: float | None = None,
    what: str = "",
    ax: Axes | None = None,
    title: str | None = None,
) -> Axes:
    """Draw the matrix.

    Args:
        value: the column, or the name of the numbers of each of several columns with one unit.
        limit: a number above it is loud, and the title says where there are such numbers, and what is elsewhere.
        what: the number in words; by default the column's name, whose end is the unit.
    """
    tables = frame if isinstance(frame, Mapping) else {"": frame}
    values = value if isinstance(value, Mapping) else {value: ""}
    parts = [
        _cells(", ".join(filter(None, map(str, (name, said)))), table, column, rows, columns)
        for column, said in values.items()
        for name, table in tables.items()
    ]
    cells = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["row", "column"])
    if cells.empty:
        return style.empty(style.canvas(ax), title or "Nothing was run")
    column = next(iter(values))
    name, _, last = column.rpartition("_")
    what, unit = what or (name if last in UNITS else column).replace("_", " "), UNITS.get(last, "")
    loud = float("inf") if limit is None else limit
    longest = max(len(line) for row in cells["row"].unique() for line in str(row).split("\n"))
    width = LETTER_INCHES * longest + 1.0 + 1.35 * cells["column"].nunique()
    ax = style.canvas(ax, min(MOST_INCHES, max(8.0, width)), 2.0 + 0.6 * max(cells["row"].nunique(), 2))
    looks = {
        True: style.Look(f"more than {loud:,g} {unit}".strip(), style.OUTCOMES["late"].color),
        False: style.Look(f"at most {loud:,g} {unit}".strip(), style.OUTCOMES["on time"].color),
    }

    def text_and_look(tile: pd.DataFrame) -> tuple[str, style.Look]:
        """The tile's number, the least and the most of several, or why there is none."""
        numbers = sorted(tile["amount"].dropna())
        if not numbers:
            return next(iter(tile["word"].dropna()), NONE), _tiles.OTHER
        ends = dict.fromkeys(_number(number) for number in (numbers[0], numbers[-1]))
        return "–".join(ends), looks[numbers[-1] > loud]

    _tiles.lay(ax, cells, text_and_look)
    known = cells[cells["amount"].notna()]
    note = _tiles.note(known, (rows, columns), title or "")
    if note and known.duplicated(["row", "column"]).any():
        note += ": the least and the most of them"
    if note and any(text.get_text() == NONE for text in ax.texts):
        note += f" ({NONE}: no number)"
    style.axis_names(ax, "\n".join(filter(None, [f"{what}, {unit}" if unit else what, note])))
    if limit is not None:
        style.key(ax, [look for above, look in looks.items() if ((cells["amount"] > loud) == above).any()])
    style.finding(ax, title or _finding(cells, what[:1].upper() + what[1:], limit, unit))
    return ax


def _cells(name: str, table: pd.DataFrame, value: str, rows: _tiles.Labels, columns: _tiles.Labels) -> pd.DataFrame:
    """The runs with `row` and `column`, which name their tile, `amount`, and `word`: the outcome without a number."""
    table = _tiles.grouped(table, rows)
    amount = style.numbers(table, value)
    outcome = table["outcome"].astype("string") if "outcome" in table else pd.Series(pd.NA, table.index, "string")
    if "args" in table:
        table = table.assign(args=table["args"].astype("string").str.replace(PACKAGE, "", regex=True))
    cells = _tiles.matrix(table, rows, columns, outcome.where(amount.isna() & (outcome != "exited")))
    before = f"{name}\n" if name else ""
    return cells.assign(table=name, row=[before + _tiles.short(row) for row in cells["row"]], amount=amount)


def _number(value: float) -> str:
    """A number with two digits where it is small; one that isn't quite 0 is 0.0.

    >>> _number(0.0), _number(0.02), _number(0.34), _number(254.6)
    ('0', '0.0', '0.3', '255')
    """
    return f"{value:,.1f}" if 0 < value < 9.95 else f"{value:,.0f}"


def _finding(cells: pd.DataFrame, what: str, limit: float | None, unit: str) -> str:
    """What whole rows or columns have above the limit, and what is elsewhere; or how many combinations are above it."""
    tiles = cells.groupby(["table", "row", "column"], sort=False)["amount"].max()
    most = tiles.dropna()
    if most.empty:
        return "Nothing was measured"
    if limit is None:
        return f"{what}: {_number(most.min())} to {_number(most.max())} {unit}".rstrip()
    above = most > limit
    start = f"{what}: more than {limit:,g}{style.MS[0] + unit if unit else ''}"
    if above.all() or not above.any():
        return f"{start} in {'each' if above.all() else 'no'} combination"
    some = f"{start} in {above.sum()} of {len(above)} combinations"
    contrasts = [two for level in LEVELS if (two := _contrast(cells, tiles > limit, level, limit, unit))]
    for higher, lower in contrasts:
        if len(told := f"{what}: {higher}, {lower}") <= MOST_LETTERS:
            return told
    for higher, lower in contrasts:
        lines = [f"{what}:", f"{higher},", lower]
        if max(map(len, lines)) <= LINE_LETTERS:
            return "\n".join(lines)
    both_or_all = "both" if above.sum() == 2 else "all"
    rows, columns = (above.index[above].get_level_values(level).unique() for level in ("row", "column"))
    for whole, end in ((True, ", nowhere else"), (True, ""), (False, "")):
        if not whole and min(len(rows), len(columns)) == 1 and len(rows) * len(columns) == above.sum():
            more = _where(columns).removeprefix("with ")
            both = f" and {more}" if above.sum() == 1 else f", {_where(columns)}"
            if len(alone := f"{start} only {_where(rows)}{both}") <= MOST_LETTERS:
                return alone
        for level in LEVELS:
            parts = above.groupby(level=level, sort=False)
            any_above = parts.any()
            how_many = "one each" if (parts.sum() <= 1).all() else both_or_all
            all_above = (tiles > limit).groupby(level=level).all()  # a tile without a number isn't
            if any_above.all() or (whole and not all_above[any_above.index[any_above]].all()):
                continue
            told = f"{start if whole else f'{some}, {how_many}'} {_where(any_above.index[any_above])}{end}"
            if len(told) <= MOST_LETTERS:
                return told
    return some


def _contrast(cells: pd.DataFrame, above: "pd.Series[bool]", level: str, limit: float, unit: str) -> tuple[str, ...]:
    """What whole tables, rows or columns have, all of it above the limit, and what the others have; () if not so."""
    parts = above.groupby(level=level, sort=False)
    loud = parts.any()
    inside = cells[level].isin(loud.index[loud])
    higher, lower = (cells.loc[which, "amount"].dropna() for which in (inside, ~inside))
    if lower.empty or (loud != parts.all()).any() or higher.min() <= limit:
        return ()
    others = cells.loc[lower.index, level].unique()
    end = style.MS[0] + unit if unit else ""
    return (
        f"{_bounded(higher, 'at least', higher.min())}{end} {_where(loud.index[loud])}",
        f"{_bounded(lower, 'at most', lower.max())}{end} {_where(others) if len(others) == 1 else 'elsewhere'}",
    )


def _bounded(numbers: "pd.Series[float]", bound: str, number: float) -> str:
    """The number if all tiles show it, or with the bound that it is: "at least 128"."""
    if 0 < numbers.max() < 0.05:  # the tiles say 0.0
        return "less than 0.1"
    return _number(number) if numbers.map(_number).nunique() == 1 else f"{bound} {_number(number)}"


def _where(names: Collection[str]) -> str:
    """ "on JDK 8 and 11", "with KEPT"."""
    if all(name.startswith("JDK ") for name in names):
        return f"on JDK {listed(name.removeprefix('JDK ') for name in names)}"
    return f"with {listed(' '.join(_tiles.short(name).split()) for name in names)}"
