"""A class's verdicts (a frame of `lab.pool`) on one claim -> a row a laptop, a column a JDK, a verdict in each cell.

    plot.laptops(pool, "000-12")                       each laptop's verdict
    plot.laptops(pool, "000-12", number="ttsp_ms")     its number, too; the names are those in `evidence`

Columns used: laptop, cores, system, id, statement, jdk, verdict, and evidence for a number. A sign stands beside each
colour, and a cell stays empty where a laptop has no such JDK or did not run the claim.
"""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture

LOOKS = {
    "holds": style.Look("✓ holds", "#CDE7D8"),
    "changed": style.Look("↷ changed", "#7CB7E0"),
    "fails": style.Look("✗ fails", "#6B1414"),
    "unclear": style.Look("? unclear", "#E69F00"),
    "not asked": style.Look("– not asked", style.PAPER),
}
ANY = 0  # the JDK of what no JVM decides
ROW_IN, COLUMN_IN = 0.34, 1.3  # inches: twenty laptops still fit on a screen


@picture("lab.pool", "laptop", "id", "jdk", "verdict")
def laptops(
    frame: pd.DataFrame, claim: str = "", number: str = "", ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the cells of one claim; without its id, that of the only claim in the frame.

    Raises:
        BadInput: the frame has no such claim, or several and none is named, or no such number.
    """
    if frame.empty:
        return style.empty(style.canvas(ax), title or "Nobody has shared a verdict yet")
    rows = _of_claim(frame, claim)
    names, jdks = _names(rows), sorted(rows["jdk"].unique())
    ax = style.canvas(ax, 3.4 + COLUMN_IN * max(len(jdks), 4), 1.5 + ROW_IN * max(len(names), 3))
    for _, row in rows.iterrows():
        _cell(ax, jdks.index(row["jdk"]), list(names).index(row["laptop"]), row["verdict"], _text(row, number))
    ax.set(xlim=(-0.5, len(jdks) - 0.5), ylim=(len(names) - 0.5, -0.5))
    ax.set_xticks(range(len(jdks)), [_jdk(jdk) for jdk in jdks])
    ax.set_yticks(range(len(names)), list(names.values()))
    ax.yaxis.tick_right()  # on the left the long names would push the title out of the picture
    ax.tick_params(length=0, labelsize=style.SMALL_PT)
    ax.spines[["left", "bottom"]].set_visible(False)
    about = fill(_about(rows, number), 18 * max(len(jdks), 4))
    ax.set_xlabel(about, fontsize=style.SMALL_PT, color=style.INK, loc="left", multialignment="left")
    _alternative.own(ax, f"{_about(rows, number)} " + " ".join(f"{_jdk(jdk)}: {_counts(rows, jdk)}." for jdk in jdks))
    style.finding(ax, title or _finding(rows, jdks))
    return ax


def _of_claim(frame: pd.DataFrame, claim: str) -> pd.DataFrame:
    ids = sorted(map(str, frame["id"].unique()))
    wanted = claim or (ids[0] if len(ids) == 1 else "")
    if wanted not in ids:
        listed = ", ".join(ids[:12]) + (f" and {len(ids) - 12} more" if len(ids) > 12 else "")
        raise BadInput(f"claim={claim!r} is none that the class has shared. It has: {listed}.")
    return frame[frame["id"] == wanted]


def _about(rows: pd.DataFrame, number: str) -> str:
    """What the claim says, and which of its numbers the cells hold."""
    said = f"{rows['statement'].iloc[0]}." if "statement" in rows else ""
    return f"{said} In the cells: {number}.".strip() if number else said


def _names(rows: pd.DataFrame) -> dict[Any, str]:
    """The laptops as their rows are called, machines of one kind beside each other."""
    known = [name for name in ("system", "cores") if name in rows]
    machines = rows.drop_duplicates("laptop").sort_values([*known, "laptop"])
    return {row["laptop"]: _machine(row) for _, row in machines.iterrows()}


def _machine(row: Any) -> str:
    cores = f" · {row['cores']} cores" if row.get("cores") else ""
    return f"{row.get('system', 'laptop')}{cores} · {row['laptop']}"


def _text(row: Any, number: str) -> str:
    look = LOOKS.get(row["verdict"])
    if not number or row["verdict"] == "not asked":
        return look.label if look else str(row["verdict"])
    evidence = row["evidence"]
    if number not in evidence:
        there = ", ".join(map(str, evidence)) or "none"
        raise BadInput(f"number={number!r}: the claim {row['id']} has no such number. It has: {there}.")
    sign = look.label.partition(" ")[0] if look else "·"
    return f"{sign} {_short(evidence[number])}{_unit(number)}"


def _short(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return "none" if value is None or value != value else str(value)[:14]
    return f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"


def _unit(number: str) -> str:
    """The unit that the number's name ends in.

    >>> _unit("ttsp_ms"), _unit("off, us"), _unit("outcome")
    (' ms', ' us', '')
    """
    unit = number.replace(", ", "_").rpartition("_")[2]
    return f" {unit}" if unit in ("s", "ms", "us", "ns", "percent", "mib", "times") else ""


def _cell(ax: Axes, x: int, y: int, verdict: str, text: str) -> None:
    look = LOOKS.get(verdict, style.Look(verdict, style.PAPER))
    ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=look.color, edgecolor=style.PAPER, linewidth=2))
    ax.text(x, y, text, ha="center", va="center", fontsize=style.SMALL_PT, color=style.ink_on(look.color))


def _jdk(jdk: Any) -> str:
    return "any JDK" if jdk == ANY else f"JDK {jdk}"


def _counts(rows: pd.DataFrame, jdk: Any) -> str:
    counts = rows[rows["jdk"] == jdk]["verdict"].value_counts()
    return ", ".join(f"{count} {verdict}" for verdict, count in counts.items())


def _finding(rows: pd.DataFrame, jdks: Sequence[Any]) -> str:
    """Where the laptops agree, or the JDK on which most of them differ from the rest."""
    claim, laptops = rows["id"].iloc[0], rows["laptop"].nunique()
    verdicts = {jdk: rows[rows["jdk"] == jdk]["verdict"].value_counts() for jdk in jdks}
    others = {jdk: int(counts.sum() - counts.max()) for jdk, counts in verdicts.items()}
    if any(others.values()):
        most = max(jdks, key=lambda jdk: others[jdk])
        divided = [jdk for jdk in jdks if others[jdk]]
        where = f"{claim}: {laptops} laptops disagree on {len(divided)} of {len(jdks)} JDKs"
        return f"{where}; on {_jdk(most)}: {_counts(rows, most)}"
    agreed: dict[str, list[str]] = {}
    for jdk in jdks:
        agreed.setdefault(str(verdicts[jdk].index[0]), []).append(str(jdk) if jdk else "any")
    said = "; ".join(f"{verdict} on JDK {', '.join(numbers)}" for verdict, numbers in agreed.items())
    return f"{claim}: {'all ' * (laptops > 1)}{laptops} laptop{'s agree' * (laptops > 1)}: {said}"
