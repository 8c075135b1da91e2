"""The picture of a run under `safepoint late`: each stop where it was and as long as it waited, late ones by method."""

from pathlib import Path

import numpy as np
import pytest

from safepointlab import plot
from safepointlab.culprit.report import Late, Plan

RECORDED = Path(__file__).parent.parent / "data" / "late"


def recorded(name: str) -> Late:
    return Late(RECORDED / name, Plan.load(RECORDED / name))


@pytest.mark.parametrize("name", ["scimark-8", "scimark-17", "scimark-25"])
def test_every_stop_is_a_dot_and_the_title_counts_those_of_the_thread(name, title):
    late = recorded(name)
    ax = plot.late(late)
    dots = np.concatenate([np.asarray(group.get_offsets()) for group in ax.collections])
    assert len(dots) == len(late.all_stops)
    waited = f"{len(late.stops)} of {len(late.all_stops)} stops waited {late.plan.after_ms} ms or more"
    assert title(ax).startswith(f"JDK {late.jdk.major}") and f": {waited} for main, the longest " in title(ax)


def test_a_few_short_names_stand_above_their_dots_the_earlier_one_higher_so_that_no_line_crosses_a_name():
    ax = plot.late(recorded("scimark-17"))
    names = {text.get_text(): text.xy for text in ax.texts if "::" in text.get_text()}
    heights = [y for _, y in sorted(names.values())]
    assert ax.get_legend() is None and "SOR::execute" in names and heights == sorted(heights, reverse=True)


def test_long_names_of_threads_and_methods_leave_room_for_the_picture(monkeypatch):
    late = recorded("scimark-17")
    names = [f"a-thread-of-a-pool-with-a-name-without-end-{number}" for number in range(len(late.stops))]
    monkeypatch.setattr(late, "stops", late.stops.assign(where="", thread=names))
    ax = plot.late(late)
    ax.figure.canvas.draw()
    assert ax.get_position().height > 0.4
    assert max(len(text.get_text()) for text in ax.get_legend().texts) <= 36
