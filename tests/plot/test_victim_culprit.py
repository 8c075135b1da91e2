"""Victim and culprit on one axis: each row a thread, in multiples of its own call without requests."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from safepointlab.run import load, stops

ALONE = {"contains1ToK": 50_000.0, "contains1": 5.0, "park": 10_000.0}
ASKED = {"contains1ToK": 50_000.0, "contains1": 20.0, "park": 25_000.0, "findDeadlocks": 52_000.0}


def scores(asked=ASKED):
    """Rows of lab.jmh: two pairs, the second setting first."""
    rows = [(name, us, f"findDeadlocks={int(setting is asked)}", repeat) for repeat in (0, 1)
            for setting in (asked, ALONE) for name, us in {**setting, "score": 9.0}.items()]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["metric", "median", "groups", "repeat"])
    return frame.assign(jdk=17, gc="Parallel", flags="", k=10_000, run="")


@pytest.fixture
def logged(monkeypatch):
    """logged(kind): what the runs logged; of safepoints most are for deadlocks."""
    log = pd.DataFrame({"operation": ["Cleanup", "FindDeadlocks", "FindDeadlocks"], "ttsp_ms": [0.1, 40.0, 42.0]})
    monkeypatch.setattr(stops, "stops", lambda rows: log)

    def of(*kinds):
        request = SimpleNamespace(log=[SimpleNamespace(kind=kind) for kind in kinds])
        monkeypatch.setattr(load, "load", lambda name: SimpleNamespace(request=request))

    return of


def written(ax) -> list[str]:
    return [text.get_text().replace("\N{NO-BREAK SPACE}", " ") for text in ax.texts]


def test_each_thread_is_drawn_in_multiples_of_its_own_call_whichever_setting_comes_first(logged, title):
    logged("safepoint")
    ax = plot.victim_culprit(scores())
    ends = [line.get_xdata()[-1] for line in ax.lines if len(line.get_xdata()) == 2 and line.get_lw() == 5]
    assert ends == pytest.approx([1.0, 4.0, 2.5]) and ax.get_xlabel().splitlines()[0].endswith("without requests")
    assert written(ax)[:2] == ["×1.0: 50 ms → 50 ms", "×4.0: 5.0 µs → 20 µs"]
    assert written(ax)[-1] == "waits 41 ms per request (median) until all have stopped"
    asked = "JDK 17: with requests contains1 takes 4.0 times as long"
    assert title(ax) == f"{asked}; contains1ToK, which it waits for, takes no longer"
    assert "large mark: the median of 2 JVMs · bar: each JVM" in ax.get_xlabel()
    bars = [list(line.get_xdata()) for line in ax.lines if line.get_marker() == "|"]
    assert bars == [[1.0, 1.0], [4.0, 4.0], [2.5, 2.5]]
    words = _alternative.of(ax.figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "contains1 (makes short calls): 5.0 µs without requests, 20 µs with requests" in words


def test_without_a_safepoint_log_the_asker_shows_its_call(logged):
    logged()
    assert written(plot.victim_culprit(scores()))[-1] == "a call takes 52 ms"


def test_where_neither_search_pays_the_title_says_so(logged, title):
    logged()
    assert "neither search pays much" in title(plot.victim_culprit(scores({**ASKED, "contains1": 5.1})))


def test_settings_may_differ_in_a_parameter(logged, title):
    logged()
    frame = scores().assign(idle=lambda rows: rows["groups"].map({"findDeadlocks=0": 0, "findDeadlocks=1": 1000}))
    ax = plot.victim_culprit(frame.assign(groups="all"), by="idle")
    assert "×4.0: 5.0 µs → 20 µs" in written(ax)
    assert ax.get_xlabel().splitlines()[0] == "duration of a call, as a multiple of that with idle=0"
    assert title(ax) == "JDK 17: contains1 takes 4.0 times as long with idle=1000 as with idle=0"
    ax = plot.victim_culprit(frame.assign(groups="all"), by="idle", of="idle threads")
    assert title(ax) == "JDK 17: contains1 takes 4.0 times as long with 1,000 idle threads as without idle threads"


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda frame: frame[frame["groups"] == "findDeadlocks=1"], "Measure two values of `groups`"),
        (lambda frame: pd.concat([frame, frame.assign(jdk=25)]), "has jdk: 17, 25. Choose one, as in frame.query"),
    ],
)
def test_what_cannot_be_compared_is_told(edit, told):
    with pytest.raises(BadInput, match=told):
        plot.victim_culprit(edit(scores()))
