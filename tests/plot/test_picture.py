"""Every picture names the columns that a wrong table lacks, draws one without rows, and takes names as they are."""

import inspect
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("agg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.text import Text

from safepointlab import plot
from safepointlab.culprit.report import Late, Plan
from safepointlab.errors import BadInput
from safepointlab.logs import hdr

NAMES = ["Main.lambda$main$0", "w$a_b_c$1", "A$_x_y$B"]
NUMBERS = [3.0, 2.0, 1.0]
STOPS = pd.DataFrame(
    {"kind": "safepoint", "operation": NAMES, "uptime_s": [1.0, 2.0, 3.0], "begin_s": [1.0, 2.0, 3.0],
     "ttsp_ms": NUMBERS, "operation_ms": NUMBERS, "total_ms": [6.0, 4.0, 2.0]}
)  # fmt: skip
SCORES = pd.DataFrame(
    {"metric": "score", "score": NUMBERS, "low": NUMBERS, "high": NUMBERS, "best": NUMBERS, "unit": "ms/op",
     "benchmark": NAMES, "jdk": NAMES, "loop": "x$a_b_c$", "index": NAMES}
)  # fmt: skip
TILES = pd.DataFrame({"jdk": NAMES, "flags": NAMES, "gc": NAMES, "method": NAMES, "shape": NAMES})
HISTOGRAM = hdr.encode(
    hdr.Counts(low=np.array([1_000_000, 9_000_000]), count=np.array([50, 5]), settings=(1, 10**9, 3))
)
COMPILED = pd.DataFrame(
    {"event": "compiled", "method": NAMES, "compile_id": [1, 2, 3], "osr": False, "tier": 4, "uptime_ms": [1, 2, 3],
     "osr_bci": pd.NA, "reason": pd.NA}
)  # fmt: skip
LOOP = pd.DataFrame(
    {"method": NAMES[0], "parameters": "", "bci": [0, 1, 4, 7, 10], "operand": "",
     "opcode": ["iconst_0", "iload_0", "ifge", "goto", "return"], "target": [None, None, 10, 1, None],
     "line": [1, 2, 2, 3, 4]}
)  # fmt: skip
STOP = pd.Series({"nanotime_ns": 9_000_000, "total_ms": 5.0, "ttsp_ms": 4.0, "operation_ms": 1.0})


def late_in(method: str) -> Late:
    """A recorded run, its worst stop in a method of that name."""
    folder = Path(__file__).parent.parent / "data" / "late" / "scimark-17"
    late = Late(folder, Plan.load(folder))
    late.__dict__["stops"] = late.stops.assign(where=f"{method}:7")
    return late


DRAW = {  # each picture that shows names, with names that are hard to show
    "amounts": lambda: plot.amounts(TILES.assign(ttsp_ms=NUMBERS), "ttsp_ms", limit=1),
    "arrivals": lambda: plot.arrivals(
        pd.DataFrame({"stop": 0, "operation": NAMES[0], "thread": NAMES, "running_ms": NUMBERS, "ttsp_ms": 4.0})),
    "by_jdk": lambda: plot.by_jdk(TILES.assign(ttsp_ms=NUMBERS)),
    "compilations": lambda: plot.compilations(COMPILED),
    "flame": lambda: plot.flame(
        pd.DataFrame({"frames": [";".join(NAMES)], "count": [9], "thread": NAMES[1]}), threads=True),
    "flame side by side": lambda: plot.flame(
        {name: pd.DataFrame({"frames": [";".join(NAMES)], "count": [9], "thread": name}) for name in NAMES}),
    "growth": lambda: plot.growth(STOPS.assign(size=NAMES), x="size", by="operation"),
    "growth of columns": lambda: plot.growth(STOPS.assign(size=[1, 2, 3]), x="size", y=dict(zip(
        ["total_ms", "ttsp_ms", "operation_ms"], NAMES, strict=True))),
    "guesses": lambda: plot.guesses(
        pd.DataFrame({"laptop": 1, "question": "02-x", "outcome": NAMES, "chosen": [True, False, False],
                      "seen": False})),
    "hdr_percentiles": lambda: plot.hdr_percentiles({name: pd.DataFrame({"histogram": [HISTOGRAM]}) for name in NAMES}),
    "laptops": lambda: plot.laptops(TILES.assign(
        laptop=[1, 2, 3], id="000-12", system=NAMES, cores=4, jdk=17, verdict="holds")),
    "late": lambda: plot.late(late_in(NAMES[2])),
    "latency": lambda: plot.latency(
        {name: pd.DataFrame({"start_s": [1.0, 2.0], "length_s": 1.0, "max": [1.0, 2.0]}) for name in NAMES}),
    "loop_shape": lambda: plot.loop_shape(LOOP, NAMES[0]),
    "operations": lambda: plot.operations(
        pd.DataFrame({"call": NAMES, "jdk": NAMES, "kind": "safepoint", "operations": [[name] for name in NAMES]})),
    "outcomes": lambda: plot.outcomes(TILES.assign(outcome="hung", wall_ms=1.0)),
    "percentiles": lambda: plot.percentiles({name: [1.0, 2.0, 3.0] * 40 for name in NAMES}),
    "polls": lambda: plot.polls(TILES.assign(polled=[True, False, True])),
    "promotion": lambda: plot.promotion(
        {name: pd.DataFrame({"kind": "young", "before_mib": [2.0, 3.0], "after_mib": [1.0, 2.0]}) for name in NAMES}),
    "ratios": lambda: plot.ratios(SCORES.assign(method=["x$a_b_c$Int", "x$a_b_c$Long", "x$d_e$Int"], median=NUMBERS)),
    "safepoints": lambda: plot.safepoints(STOPS),
    "scores": lambda: plot.scores(SCORES),
    "shares": lambda: plot.shares(
        pd.DataFrame({"by": NAMES[0], "who": NAMES, "share": [0.5, 0.49, 0.01]})),
    "stop_parts": lambda: plot.stop_parts(STOPS, x="uptime_s", x_name=NAMES[2]),
    "threads": lambda: plot.threads(
        pd.DataFrame({"thread": NAMES, "from_ns": [5_000_000] * 3, "to_ns": [8_000_000] * 3}), STOP),
    "tiers": lambda: plot.tiers(COMPILED, NAMES[0]),
    "timeline": lambda: plot.timeline(dict.fromkeys(NAMES, STOPS)),
    "victim_culprit": lambda: plot.victim_culprit(
        pd.DataFrame({"thread": NAMES, "role": ["culprit", "victim", "asker"], "alone_us": NUMBERS,
                      "asked_us": NUMBERS, "times": [1.0, 2.0, None]})),
    "who_waits": lambda: plot.who_waits(pd.DataFrame(
        {"lane": NAMES, "what": "call", "begin_s": NUMBERS, "end_s": 9.0, "text": NAMES})),
}  # fmt: skip
NEEDS = [name for name in plot.names() if name not in ("code", "late", "mark_word", "percentiles")]  # these need none
EXTRA = {
    "amounts": {"value": "ttsp_ms"},
    "growth": {"x": "size"},
    "stop_parts": {"x": "size"},
    "threads": {"stop": STOP},
    "tiers": {"method": "sum"},
    "loop_shape": {"method": "sum"},
}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def texts(ax: Axes) -> list[Text]:
    ax.figure.canvas.draw()
    return [text for text in ax.get_figure(root=True).findobj(Text) if "$" in text.get_text()]


@pytest.mark.each("name", DRAW)
def test_a_name_with_dollar_signs_is_drawn_as_it_is(name):
    written = texts(DRAW[name]())
    plt.close("all")
    assert written and not any(text.get_parse_math() for text in written)


def test_a_formula_of_the_readers_own_beside_the_picture_stays_one():
    ax = plot.safepoints(STOPS)
    ax.set_xlabel("$x^2$")
    assert plt.rcParams["text.parse_math"]
    assert ax.figure.text(0, 0, "$x^2$").get_parse_math()


def test_each_picture_with_names_is_in_this_list():
    nameless = {
        "code",
        "flame_svg",
        "mark_word",
        "stall",
    }  # HTML and SVG know no formulas
    assert set(plot.names()) - nameless == {name.partition(" ")[0] for name in DRAW}


@pytest.mark.each("name", NEEDS)
def test_a_wrong_table_is_refused_with_the_columns_that_it_lacks_and_where_to_get_a_right_one(name):
    draw = getattr(plot, name)
    wrong = pd.DataFrame({"odd": [1, 2]})
    with pytest.raises(BadInput, match=rf"plot.{name}: .* no column .*It has odd\. This picture draws \w"):
        draw(wrong, **EXTRA.get(name, {}))


@pytest.mark.each("name", [name for name in NEEDS if "ax" in inspect.signature(getattr(plot, name)).parameters])
def test_a_table_without_rows_gives_an_empty_picture(name):
    none = pd.DataFrame()
    ax = getattr(plot, name)({"a": none} if name == "timeline" else none, **EXTRA.get(name, {}))
    assert "nothing to draw" in " ".join(text.get_text() for text in ax.findobj(Text))
    plt.close(ax.get_figure(root=True))


@pytest.mark.each("name", NEEDS)
@pytest.mark.each("wrong", [None, 5, "run"])
def test_what_is_no_table_is_refused_by_its_kind(name, wrong):
    if (name, wrong) == ("stall", None):
        pytest.skip("without a table it draws a setting")
    with pytest.raises(BadInput, match=f"plot.{name} cannot draw {type(wrong).__name__}"):
        getattr(plot, name)(wrong, **EXTRA.get(name, {}))


def test_several_tables_in_a_list_are_drawn_as_one():
    run = TILES.assign(outcome="exited", wall_ms=1.0)
    assert len(plot.outcomes([run[:2], run[2:]]).texts) == len(plot.outcomes(run).texts) == 9


def test_a_column_that_an_argument_names_must_be_there():
    with pytest.raises(BadInput, match="no column compiler"):
        plot.outcomes(TILES.assign(outcome="hung", wall_ms=1.0), columns="compiler")
