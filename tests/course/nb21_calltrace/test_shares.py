"""Shares as stacked bars: every part is named, whether it has room for its name or not."""

import pandas as pd
import pytest
from matplotlib.colors import to_hex

from safepointlab.course.nb21_calltrace.shares import OTHERS, shares
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style

WHO = ("worker", "sleepers", "others")
PARTS = {"by CPU time": (0.99, 0.0, 0.01), "by the clock": (0.025, 0.5, 0.475)}
SHARES = pd.DataFrame(
    [(by, who, share) for by, parts in PARTS.items() for who, share in zip(WHO, parts, strict=True)],
    columns=["by", "who", "share"],
)


def labels(ax) -> list[str]:
    return sorted(" ".join(text.get_text().split()) for text in ax.texts)


def widths(ax) -> dict[str, list[float]]:
    return {bars.get_label(): [round(bar.get_width(), 6) for bar in bars.patches] for bars in ax.containers}


def test_each_part_is_as_long_as_its_share_begins_where_the_one_before_ends_and_has_its_name_and_number():
    ax = shares(SHARES)
    assert widths(ax) == {"worker": [99.0, 2.5], "sleepers": [0.0, 50.0], "others": [1.0, 47.5]}
    begins = [bar.get_x() for bars in ax.containers for bar in bars.patches]  # type: ignore[attr-defined]
    assert begins == pytest.approx([0.0, 0.0, 99.0, 2.5, 99.0, 52.5])
    assert labels(ax) == ["others 1 %", "others 48 %", "sleepers 0 %", "sleepers 50 %", "worker 2.5 %", "worker 99 %"]
    said = _alternative.of(ax.get_figure(root=True)).replace("\N{NO-BREAK SPACE}", " ")
    assert "by CPU time: worker 99 %, sleepers 0 %, others 1 %. by the clock: worker 2.5 %, sleepers 50 %," in said


def test_a_label_without_room_is_beside_its_bar_with_a_line_to_its_part():
    ax = shares(SHARES)
    ends = sorted(float(line.get_xdata()[1]) for line in ax.lines)
    assert ends == pytest.approx([1.25, 99.0, 99.5])
    inside = {" ".join(text.get_text().split()) for text in ax.texts if text.get_position()[1] in (0, 1)}
    assert inside == {"worker 99 %", "sleepers 50 %", "others 48 %"}


@pytest.mark.parametrize("small", [(0.98, 0.01, 0.01), (0.01, 0.01, 0.98), (0.01, 0.98, 0.01), (1.0, 0.0, 0.0)])
def test_labels_touch_neither_one_another_nor_the_edge(small):
    long = [f"{who} whose name is long" for who in WHO]
    ax = shares(pd.DataFrame({"by": "by CPU time", "who": long, "share": small}))
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(one.overlaps(other) for one in boxes for other in boxes if one is not other)
    edge = ax.figure.get_window_extent()
    assert all(edge.x0 <= box.x0 and box.x1 <= edge.x1 for box in boxes)


def test_a_missing_share_leaves_nothing_and_a_bar_without_a_share_keeps_its_place(title):
    ax = shares(SHARES.assign(share=SHARES["share"].where(SHARES["who"] != "sleepers")))
    assert widths(ax) == {"worker": [99.0, 2.5], "others": [1.0, 47.5]} and "sleepers" not in " ".join(labels(ax))
    ax = shares(SHARES.assign(share=SHARES["share"].where(SHARES["by"] != "by CPU time")))
    assert [label.get_text() for label in ax.get_yticklabels()] == list(PARTS)
    assert title(ax) == "by the clock: worker 2.5 %"


def test_the_title_is_the_first_part_of_each_bar(title):
    assert title(shares(SHARES)) == "worker: 99 % (by CPU time), 2.5 % (by the clock)"
    others = SHARES.where(SHARES["by"] != "by CPU time", SHARES.replace({"worker": "main"}))
    assert title(shares(others)) == "by CPU time: main 99 %; by the clock: sleepers 50 %"
    nothing = [SHARES[:0], SHARES.assign(share=float("nan"))]
    assert [title(shares(frame)) for frame in nothing] == ["There are no shares"] * 2


def test_percentages_in_place_of_shares_are_refused():
    with pytest.raises(BadInput, match="“by CPU time” add up to more than 1"):
        shares(SHARES.assign(share=SHARES["share"] * 100))


def test_the_parts_are_told_apart_in_grey_and_the_first_is_the_loudest():
    light = sorted(map(style.lightness, [style.COLORS[1], *(color for color, _ in OTHERS[:2])]))
    assert all(after - before > 10 for before, after in zip(light, light[1:], strict=False))
    assert to_hex(shares(SHARES).containers[0].patches[0].get_facecolor()).upper() == style.COLORS[1]  # type: ignore[attr-defined]
