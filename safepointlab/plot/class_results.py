"""What a class shared (`lab.pool`) -> each laptop's verdict on a claim, or how many predicted which outcome.

    plot.laptops(pool, "000-12")                       a row per laptop, a column per JDK, a verdict in each cell
    plot.laptops(pool, "000-12", number="ttsp_ms")     its number, too; the names are those in `evidence`
    plot.guesses(pool.predictions, "02-killer")        a bar per outcome

Columns used by `laptops`: laptop, cores, system, id, statement, jdk, verdict, and evidence for a number. A sign stands
beside each colour, and a cell stays empty where a laptop has no such JDK or did not run the claim. Columns used by
`guesses`: laptop, question, outcome, chosen, seen. Outcomes that nobody chose are drawn, too, and the order is the
page's own: neither order nor colour says what comes.
"""

from textwrap import fill, shorten
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from safepointlab.errors import BadInput
from safepointlab.phrases import some
from safepointlab.plot import _alternative, _tiles, style
from safepointlab.plot._picture import picture

LOOKS = {
    "holds": style.Look("✓ holds", "#CDE7D8"),
    "changed": style.Look("↷ changed", "#7CB7E0"),
    "never did": style.Look("✗ never did", "#6B1414"),
    "unclear": style.Look("? unclear", "#E69F00"),
    "not run": style.Look("· not run", style.PAPER),
    "not applicable": style.Look("– not applicable", style.PAPER),
}
UNITS = ("s", "ms", "us", "ns", "percent", "mib", "times")  # that a number's name may end in
ROW_IN, COLUMN_IN = 0.34, 1.3  # inches: twenty laptops still fit on a screen
LONGEST = 95  # characters of an outcome that fit above its bar


@picture("lab.pool", "laptop", "id", "jdk", "verdict")
def laptops(
    frame: pd.DataFrame, claim: str = "", number: str = "", ax: Axes | None = None, title: str | None = None
) -> Axes:
    """Draw the cells of one claim; without its id, that of the only claim in the frame.

    Raises:
        BadInput: the frame has no such claim, or several and none is named, or no such number.
    """
    if frame.empty:
        return style.empty(style.canvas(ax), title or "No verdict has been shared yet")
    wanted = _one_of(frame["id"], claim, "claim", "shared")
    rows = frame[frame["id"] == wanted]
    kind = [name for name in ("system", "cores") if name in rows]  # machines of one kind stand beside each other
    machines = rows.drop_duplicates("laptop").sort_values([*kind, "laptop"]).to_dict("records")
    cores = {row["laptop"]: f" · {row['cores']} cores" if row.get("cores") else "" for row in machines}
    names = {
        row["laptop"]: f"{row.get('system', 'laptop')}{cores[row['laptop']]} · {row['laptop']}" for row in machines
    }
    jdks = sorted(rows["jdk"].unique())
    ax = style.canvas(ax, 3.4 + COLUMN_IN * max(len(jdks), 4), 1.5 + ROW_IN * max(len(names), 3))
    for row in rows.to_dict("records"):
        x, y = jdks.index(row["jdk"]), list(names).index(row["laptop"])
        look = LOOKS.get(row["verdict"], style.Look(row["verdict"], style.PAPER))
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=look.color, edgecolor=style.PAPER, linewidth=2))
        at: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": style.SMALL_PT}
        ax.text(x, y, _text(row, number), color=style.ink_on(look.color), **at)
    _tiles.frame(ax, [f"JDK {jdk}" for jdk in jdks], list(names.values()))
    ax.yaxis.tick_right()  # on the left the long names would push the title out of the picture
    statement = f"{rows['statement'].iloc[0]}." if "statement" in rows else ""
    about = f"{statement} In the cells: {number}.".strip() if number else statement
    wrapped = fill(about, 18 * max(len(jdks), 4))
    ax.set_xlabel(wrapped, fontsize=style.SMALL_PT, color=style.INK, loc="left", multialignment="left")
    verdicts = {jdk: rows.loc[rows["jdk"] == jdk, "verdict"].value_counts() for jdk in jdks}
    _alternative.own(ax, f"{about} " + " ".join(f"JDK {jdk}: {_counts(verdicts[jdk])}." for jdk in jdks))
    style.finding(ax, title or f"{wanted}: {_agreement(verdicts, len(names))}")
    return ax


@picture("lab.pool(...).predictions", "laptop", "question", "outcome", "chosen", "seen")
def guesses(frame: pd.DataFrame, question: str = "", ax: Axes | None = None, title: str | None = None) -> Axes:
    """Draw the counts; without the name of a question, those of the only one in the frame.

    Raises:
        BadInput: nobody has answered such a question, or there are several and none is named.
    """
    if frame.empty:
        return style.empty(style.canvas(ax), title or "No prediction has been shared yet")
    wanted = _one_of(frame["question"], question, "question", "answered")
    rows = frame[frame["question"] == wanted]
    counts = rows.groupby("outcome", sort=False)["chosen"].sum().astype(int)
    ax = style.canvas(ax, 9.0, 1.6 + 0.75 * len(counts))
    ax.barh(range(len(counts)), counts, color=style.COLORS[2], height=0.42)
    for place, (outcome, count) in enumerate(counts.items()):
        words = shorten(str(outcome).replace("`", ""), LONGEST, placeholder=" …")
        style.label(ax, 0, place - 0.36, words, offset=(4, 0))  # above its bar: beside it there is no room for it
        style.label(ax, count, place, str(count), offset=(6, 0), fontweight="bold")
    ax.set(yticks=[], ylim=(len(counts) - 0.6, -0.7), xlim=(0, max(counts.max(), 1) * 1.12))
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    ax.tick_params(labelsize=style.SMALL_PT)
    count = rows["laptop"].nunique()
    style.axis_names(ax, f"laptops, of {count}")
    _alternative.own(ax, " ".join(f"{number}: {outcome}." for outcome, number in counts.items()))
    seen = int(rows.groupby("laptop")["seen"].any().sum())
    result = f"{seen} of them {'has' if seen == 1 else 'have'} seen the result"
    style.finding(
        ax, title or f"{wanted}: {_lead(counts, count)}; {result if seen else 'none of them has seen the result'}"
    )
    return ax


def _one_of(names: "pd.Series[str]", chosen: str, what: str, done: str) -> str:
    """The name that was chosen, or the only one."""
    known = sorted(map(str, names.unique()))
    wanted = chosen or (known[0] if len(known) == 1 else "")
    if wanted not in known:
        wrong = f"no {what} {chosen!r}" if chosen else f"several {what}s, so name one as `{what}`"
        raise BadInput(f"the class has {done} {wrong}. It has: {some(known)}.")
    return wanted


def _text(row: dict[Any, Any], number: str) -> str:
    """A cell's verdict, or its sign and the number."""
    look = LOOKS.get(row["verdict"])
    if not number or row["verdict"] in ("not run", "not applicable"):
        return look.label if look else str(row["verdict"])
    evidence = row["evidence"]
    if number not in evidence:
        there = ", ".join(map(str, evidence)) or "none"
        raise BadInput(f"the claim {row['id']} has no number {number!r}. It has: {there}.")
    sign, value = look.label.partition(" ")[0] if look else "·", evidence[number]
    unit = number.replace(", ", "_").rpartition("_")[2]  # of "ttsp_ms", and of "off, us"
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        value = "none" if value is None or value != value else str(value)[:14]
    else:
        value = f"{value:,.0f}" if abs(value) >= 10 else f"{value:.2g}"
    return f"{sign} {value}{f' {unit}' if unit in UNITS else ''}"


def _counts(verdicts: "pd.Series[int]") -> str:
    return ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())


def _agreement(verdicts: "dict[Any, pd.Series[int]]", laptops: int) -> str:
    """Where the laptops agree, or the JDK on which most of them differ from the rest."""
    others = {jdk: int(counts.sum() - counts.max()) for jdk, counts in verdicts.items()}
    divided = [jdk for jdk, count in others.items() if count]
    if divided:
        most = max(others, key=lambda jdk: others[jdk])
        where = f"{laptops} laptops disagree on {len(divided)} of {len(verdicts)} JDKs"
        return f"{where}; on JDK {most}: {_counts(verdicts[most])}"
    agreed: dict[str, list[str]] = {}
    for jdk, counts in verdicts.items():
        agreed.setdefault(str(counts.index[0]), []).append(str(jdk) if jdk else "any")
    said = "; ".join(f"{verdict} on JDK {', '.join(numbers)}" for verdict, numbers in agreed.items())
    return f"{'all ' * (laptops > 1)}{laptops} laptop{'s agree' * (laptops > 1)}: {said}"


def _lead(counts: "pd.Series[int]", laptops: int) -> str:
    """What most of them expect."""
    if not counts.max():
        return f"none of the outcomes is expected by {laptops} laptops"
    most = [str(outcome).replace("`", "") for outcome, count in counts.items() if count == counts.max()]
    lead = f"“{shorten(most[0], 60, placeholder=' …')}” is" if len(most) == 1 else f"{len(most)} outcomes lead, each"
    return f"{lead} expected by {counts.max()} of {laptops}"
