"""Every picture names the columns that a wrong table lacks, draws one without rows, and takes names as they are."""

import inspect
import io
import itertools
import subprocess
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from safepointlab import plot
from safepointlab.culprit.report import Late, Plan
from safepointlab.errors import BadInput
from safepointlab.logs import hdr
from safepointlab.logs.hdr.counts import Settings
from safepointlab.plot import style

NAMES = ["Main.lambda$main$0", "w$a_b_c$1", "A$_x_y$B"]  # that matplotlib would take for formulas
NUMBERS = [3.0, 2.0, 1.0]
STOPS = pd.DataFrame(
    {"kind": "safepoint", "operation": NAMES, "uptime_s": [1.0, 2.0, 3.0], "begin_s": [1.0, 2.0, 3.0],
     "ttsp_ms": NUMBERS, "operation_ms": NUMBERS, "total_ms": [6.0, 4.0, 2.0]}
)  # fmt: skip
SCORES = pd.DataFrame(
    {"metric": "score", "score": NUMBERS, "low": NUMBERS, "high": NUMBERS, "best": NUMBERS, "unit": "ms/op",
     "benchmark": NAMES, "jdk": NAMES}
)  # fmt: skip
TILES = pd.DataFrame({"jdk": NAMES, "flags": NAMES, "gc": NAMES})
HISTOGRAM = hdr.encode(
    hdr.Counts(low=np.array([1_000_000, 9_000_000]), count=np.array([50, 5]), settings=Settings(1, 10**9, 3))
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
PAIRS = pd.DataFrame(
    {"metric": ["contains1ToK", "contains1", "contains1ToK", "contains1"], "median": [5.0, 1.0, 5.0, 4.0],
     "groups": ["a$x$", "a$x$", "b$y$", "b$y$"]}
)  # fmt: skip


def late_in(method: str) -> Late:
    """A recorded run, its worst stop in a method of that name."""
    folder = Path(__file__).parent.parent / "data" / "late" / "scimark-17"
    late = Late(folder, Plan.load(folder))
    late.__dict__["stops"] = late.stops.assign(where=f"{method}:7")
    return late


DRAW = {  # each picture of matplotlib's, with such names
    "amounts": lambda: plot.amounts(TILES.assign(ttsp_ms=NUMBERS), "ttsp_ms", limit=1),
    "arrivals": lambda: plot.arrivals(
        pd.DataFrame({"stop": 0, "operation": NAMES[0], "thread": NAMES, "running_ms": NUMBERS, "ttsp_ms": 4.0})),
    "by_jdk": lambda: plot.by_jdk(TILES.assign(ttsp_ms=NUMBERS)),
    "compilations": lambda: plot.compilations(COMPILED),
    "flame": lambda: plot.flame(
        pd.DataFrame({"frames": [";".join(NAMES)], "count": [9], "thread": NAMES[1]})),
    "growth": lambda: plot.growth(STOPS.assign(size=NAMES), x="size", by="operation"),
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
    "one_safepoint": lambda: plot.one_safepoint(dict(zip(NAMES, NUMBERS, strict=True))),
    "outcomes": lambda: plot.outcomes(TILES.assign(outcome="hung", wall_ms=1.0)),
    "percentiles": lambda: plot.percentiles({name: [1.0, 2.0, 3.0] * 40 for name in NAMES}),
    "promotion": lambda: plot.promotion(
        {name: pd.DataFrame({"kind": "young", "before_mib": [2.0, 3.0], "after_mib": [1.0, 2.0]}) for name in NAMES}),
    "safepoints": lambda: plot.safepoints(STOPS),
    "scores": lambda: plot.scores(SCORES),
    "stop_parts": lambda: plot.stop_parts(STOPS, x="uptime_s", x_name=NAMES[2]),
    "tiers": lambda: plot.tiers(COMPILED, NAMES[0]),
    "timeline": lambda: plot.timeline(dict.fromkeys(NAMES, STOPS)),
    "victim_culprit": lambda: plot.victim_culprit(PAIRS.assign(jdk=17, gc="G1", flags="")),
    "who_waits": lambda: plot.who_waits(pd.DataFrame(
        {"lane": NAMES, "what": "call", "begin_s": NUMBERS, "end_s": 9.0, "text": NAMES})),
}  # fmt: skip
HTML = {"code", "flame_svg", "mark_word", "stall"}  # these know no formulas
NO_TABLE = {"code", "late", "mark_word", "one_safepoint", "percentiles", "stall"}
NEEDS = [name for name in plot.names() if name not in NO_TABLE]
EXTRA = {
    "amounts": {"value": "ttsp_ms"},
    "growth": {"x": "size"},
    "stop_parts": {"x": "size"},
    "tiers": {"method": "sum"},
    "loop_shape": {"method": "sum"},
}


def test_each_picture_is_in_this_list():
    assert set(plot.names()) == set(DRAW) | HTML


@pytest.mark.each("name", [name for name in DRAW if name != "victim_culprit"])  # its names are those of the benchmarks
def test_a_name_with_dollar_signs_is_drawn_as_it_is(name):
    ax = DRAW[name]()
    ax.figure.canvas.draw()
    written = [text for text in ax.get_figure(root=True).findobj(Text) if "$" in text.get_text()]
    plt.close("all")
    assert written and not any(text.get_parse_math() for text in written)


@pytest.mark.each("name", DRAW)
def test_a_picture_is_small_in_a_saved_notebook(name):
    file = io.BytesIO()
    DRAW[name]().figure.savefig(file, format="png", bbox_inches="tight")
    plt.close("all")
    assert len(file.getvalue()) < 60_000


def test_a_name_with_dollar_signs_in_the_title_of_given_axes_is_drawn_as_it_is():
    ax = Figure().subplots()
    plot.flame(pd.DataFrame({"frames": [f"{NAMES[0]};{NAMES[1]}"], "count": [9]}), ax=ax)
    written = [text for text in ax.findobj(Text) if "$" in text.get_text()]
    assert len(written) > 1 and not any(text.get_parse_math() for text in written)


def test_a_formula_of_the_readers_own_beside_the_picture_stays_one():
    ax = plot.safepoints(STOPS)
    ax.set_xlabel("$x^2$")
    assert plt.rcParams["text.parse_math"]
    assert ax.figure.text(0, 0, "$x^2$").get_parse_math()


@pytest.mark.each("name", NEEDS)
def test_a_wrong_table_is_refused_with_the_columns_that_it_lacks_and_where_to_get_a_right_one(name):
    wrong = pd.DataFrame({"odd": [1, 2]})
    with pytest.raises(BadInput, match=rf"plot.{name}: .* no column .*It has odd\. This picture draws \w"):
        getattr(plot, name)(wrong, **EXTRA.get(name, {}))


@pytest.mark.each("name", NEEDS)
@pytest.mark.each("wrong", [None, 5, "run"])
def test_what_is_no_table_is_refused_by_its_kind(name, wrong):
    with pytest.raises(BadInput, match=f"plot.{name} cannot draw {type(wrong).__name__}"):
        getattr(plot, name)(wrong, **EXTRA.get(name, {}))


@pytest.mark.each("name", [name for name in NEEDS if "ax" in inspect.signature(getattr(plot, name)).parameters])
def test_a_table_without_rows_gives_an_empty_picture_in_the_axes_and_with_the_title_that_were_given(name):
    none, ax = pd.DataFrame(), plt.subplots()[1]
    drawn = getattr(plot, name)({"a": none} if name == "timeline" else none, ax=ax, title="Mine", **EXTRA.get(name, {}))
    assert drawn is ax and ax.get_title(loc="left") == "Mine"
    assert "nothing to draw" in " ".join(text.get_text() for text in ax.findobj(Text))
    plt.close("all")


def test_several_tables_in_a_list_are_drawn_as_one():
    run = TILES.assign(outcome="exited", wall_ms=1.0)
    assert len(plot.outcomes([run[:2], run[2:]]).texts) == len(plot.outcomes(run).texts) == 9


def test_a_column_that_an_argument_names_must_be_there():
    with pytest.raises(BadInput, match="no column compiler"):
        plot.outcomes(TILES.assign(outcome="hung", wall_ms=1.0), columns="compiler")


def test_asking_for_no_picture_imports_no_matplotlib():
    code = "import sys, safepointlab.plot as p; dir(p); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0


def test_a_picture_stays_a_function_after_another_one_has_imported_its_module():
    plot.timeline({"stops": STOPS})  # imports the module plot.safepoints
    assert plot.safepoints(STOPS) is not None


def test_an_unknown_picture_is_refused_with_the_list_of_those_there_are():
    with pytest.raises(AttributeError, match="safepoints"):
        plot.piechart  # noqa: B018


@pytest.mark.parametrize("looks", [style.PHASES, style.OUTCOMES, style.TIERS])
def test_colours_that_stand_beside_each_other_differ_in_grey(looks):
    shades = [style.lightness(look.color) for look in looks.values()]
    assert min(abs(one - other) for one, other in itertools.pairwise(shades)) > 10


def test_phases_that_look_alike_in_grey_carry_different_hatches():
    looks = itertools.combinations(style.PHASES.values(), 2)
    close = [(a, b) for a, b in looks if abs(style.lightness(a.color) - style.lightness(b.color)) < 10]
    assert all(a.hatch != b.hatch for a, b in close)


def test_a_title_has_at_most_two_lines():
    _, ax = plt.subplots()
    style.finding(ax, "a word and another " * 40)
    assert ax.get_title(loc="left").count("\n") == 1


def test_a_number_is_not_parted_from_its_unit():
    assert [style.ms(0.0451), style.ms(7.04), style.ms(2324)] == ["0.045\xa0ms", "7.0\xa0ms", "2,324\xa0ms"]
