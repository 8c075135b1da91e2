"""How a profiler walks stacks, with a question mark where the walk ends; and who is blamed for a neighbour."""

import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from safepointlab.course.nb21_calltrace import experiments, pictures
from safepointlab.course.nb21_calltrace.pictures import FOUND, LEFT_OUT, LOST, WALKS
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style


@pytest.fixture
def ax():
    return pictures.stack_walk()


def test_each_frame_is_a_box_in_the_look_of_what_becomes_of_it_and_each_step_of_a_walk_that_finds_it_an_arrow(ax):
    shapes = sorted((box for box in ax.patches if isinstance(box, FancyBboxPatch)), key=lambda box: box.get_x())
    colors = [to_hex(box.get_facecolor()).upper() for box in shapes]
    assert colors == [*[FOUND.color] * 4, LEFT_OUT.color, *[LOST.color] * 3]
    assert len([arrow for arrow in ax.patches if isinstance(arrow, FancyArrowPatch)]) == 2
    texts = [text.get_text() for text in ax.texts]
    assert texts.count("StubTime.main") == 3 and texts.count("?") == 1
    assert texts.count("starts here") == 2 and texts.count("program") == 3


def test_in_words_each_stack_has_its_frames_its_start_and_its_outcome(ax):
    said = _alternative.of(ax.get_figure(root=True))
    assert "in StubTime.loop, called by StubTime.main; its code has a table" in said
    assert "The walk starts at native method and finds native method, StubTime.main: stack found." in said
    assert said.endswith("The walk ends there: −5, unknown_Java: the whole stack is lost.")


def test_the_title_names_the_stack_that_is_lost(ax, title):
    [lost] = [walk for walk in WALKS if walk.start is None]
    assert lost.where in title(ax) and " ".join(lost.knows.split()) in title(ax)


def test_no_text_touches_another_and_each_name_is_within_its_box(ax):
    ax.figure.canvas.draw()
    written = [text.get_window_extent().padded(-1) for text in ax.texts]  # lines of one paragraph may meet
    assert not any(one.overlaps(other) for one in written for other in written if one is not other)
    shapes = [box.get_window_extent() for box in ax.patches if isinstance(box, FancyBboxPatch)]
    crossed = [text for text in written for box in shapes if text.overlaps(box)]
    assert len(crossed) == len(shapes) and all(any(inside(text, box) for box in shapes) for text in crossed)


def inside(text, box) -> bool:
    return bool(box.x0 < text.x0 and text.x1 < box.x1 and box.y0 < text.y0 and text.y1 < box.y1)


def test_every_text_can_be_read_from_the_back_row_and_each_look_in_grey(ax):
    assert min(text.get_fontsize() for text in ax.texts) >= style.SMALL_PT
    light = sorted(style.lightness(look.color) for look in (FOUND, LEFT_OUT, LOST))
    assert all(after - before > 8 for before, after in zip(light, light[1:], strict=False)) and LOST.hatch


def test_the_clock_and_the_samples_of_neighbours_are_put_side_by_side(sampled, title):
    top = "Neighbours.main;Neighbours.street"
    run = sampled({f"{top};Neighbours.innocent": 198, top: 2}, both_ns=5.0, innocent_ns=1.0)
    assert experiments.blamed(run)["share"].round(2).tolist() == [0.8, 0.2, 0.0, 1.0]
    assert title(pictures.skid(run)) == (
        "JDK 17: the division in guilty() takes 80 % of the time; 198 of 200 samples name its neighbour, innocent()"
    )


def test_a_run_of_another_program_is_no_run_of_neighbours(sampled):
    with pytest.raises(BadInput, match="a run of Neighbours under async-profiler"):
        pictures.skid(sampled({"StubTime.main": 9}))
