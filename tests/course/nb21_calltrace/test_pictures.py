"""How a profiler walks stacks, with a question mark where the walk ends; and who is blamed for a neighbour."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from safepointlab.course.nb21_calltrace import experiments, pictures
from safepointlab.course.nb21_calltrace.pictures import FOUND, LEFT_OUT, LOST
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style

WALKS = pictures.walks()


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def boxes(ax) -> list[str]:
    """The colours of the boxes, from the left and the bottom."""
    shapes = sorted((box for box in ax.patches if isinstance(box, FancyBboxPatch)), key=lambda box: box.get_x())
    return [matplotlib.colors.to_hex(box.get_facecolor()).upper() for box in shapes]


def title(ax) -> str:
    return ax.get_title(loc="left")


def test_each_frame_is_a_box_with_its_name_and_the_look_of_what_becomes_of_it():
    ax = pictures.stack_walk(WALKS)
    found, left_out, lost = FOUND.color, LEFT_OUT.color, LOST.color
    assert boxes(ax) == [*[found] * 2, *[found] * 2, left_out, *[lost] * 3]
    assert texts(ax).count("StubTime.main") == 3 and {"its C function", "stub"} <= set(texts(ax))


def test_there_is_an_arrow_for_each_step_of_the_walk_and_none_in_a_stack_that_is_not_found():
    steps = [len([each for each in pictures.stack_walk(WALKS[n:n + 1]).patches if isinstance(each, FancyArrowPatch)])
             for n in range(3)]  # fmt: skip
    assert steps == [1, 1, 0]


def test_a_question_mark_is_only_where_a_walk_ends():
    assert texts(pictures.stack_walk(WALKS)).count("?") == 1
    assert "?" not in texts(pictures.stack_walk(WALKS[WALKS["found"]]))


@pytest.mark.parametrize(("row", "marks"), [(0, ["program", "counter:", "the walk", "starts here"]),
                                            (1, ["program", "counter", "the walk", "starts here"]),
                                            (2, ["program", "counter"])])  # fmt: skip
def test_the_program_counter_is_marked_and_the_start_of_the_walk_if_there_is_one(row, marks):
    names = ("program", "counter", "counter:", "the walk", "starts here")
    assert [text for text in texts(pictures.stack_walk(WALKS[row : row + 1])) if text in names] == marks


def test_what_the_walk_knows_and_its_outcome_are_written_below_the_stack():
    written = " ".join(texts(pictures.stack_walk(WALKS)))
    for word in (*WALKS["where"], *WALKS["knows"], *WALKS["outcome"]):
        assert word in written


def test_the_title_says_whose_stack_is_lost():
    assert (
        title(pictures.stack_walk(WALKS))
        == "The stack of a thread in a stub is lost:\nno table says how large this frame is"
    )
    assert title(pictures.stack_walk(WALKS[WALKS["found"]])) == "Each of these stacks is found"
    two = pictures.stack_walk(WALKS.assign(found=[True, False, False]))
    assert title(two).replace("\n", " ") == "The stack of a thread in native code or in a stub is lost"


def test_in_words_each_stack_has_its_frames_its_start_and_its_outcome():
    said = _alternative.of(pictures.stack_walk(WALKS).get_figure(root=True))
    assert "in StubTime.loop, called by StubTime.main; its code has a table" in said
    assert "The walk starts at native method and finds native method, StubTime.main: stack found." in said
    assert said.endswith("The walk ends there: −5, unknown_Java: the whole stack is lost.")


def test_of_a_recursive_method_the_walk_starts_at_the_innermost():
    twice = WALKS[:1].assign(frames="A.f;A.f;c", start="A.f")
    assert boxes(pictures.stack_walk(twice)) == [FOUND.color, FOUND.color, LEFT_OUT.color]


def test_a_start_that_is_no_frame_is_refused():
    with pytest.raises(BadInput, match="The walk cannot start at “A.g”, which is no frame of A.f"):
        pictures.stack_walk(WALKS[:1].assign(frames="A.f", start="A.g"))


def test_no_stack_is_said():
    assert title(pictures.stack_walk(WALKS[:0])) == "No stack was walked"


def test_no_text_touches_another_and_each_name_is_within_its_box():
    long = WALKS.replace({"StubTime.copy": "ThreadImpl.getThreadTotalCpuTime0"}, regex=True)
    long["knows"] = long["knows"] + ", and here are some words more of what it knows"
    ax = pictures.stack_walk(long)
    ax.figure.canvas.draw()
    written = [text.get_window_extent().padded(-1) for text in ax.texts]  # lines of one paragraph may meet
    assert not any(one.overlaps(other) for one in written for other in written if one is not other)
    shapes = [box.get_window_extent() for box in ax.patches if isinstance(box, FancyBboxPatch)]
    crossed = [text for text in written for box in shapes if text.overlaps(box)]
    assert len(crossed) == len(shapes) and all(any(inside(text, box) for box in shapes) for text in crossed)


def inside(text, box) -> bool:
    return bool(box.x0 < text.x0 and text.x1 < box.x1 and box.y0 < text.y0 and text.y1 < box.y1)


def test_every_text_can_be_read_from_the_back_row_and_each_look_in_grey():
    assert min(text.get_fontsize() for text in pictures.stack_walk(WALKS).texts) >= style.SMALL_PT
    light = sorted(style.lightness(look.color) for look in (FOUND, LEFT_OUT, LOST))
    assert all(after - before > 8 for before, after in zip(light, light[1:], strict=False)) and LOST.hatch


def test_without_a_table_the_stacks_of_the_lesson_are_drawn():
    assert texts(pictures.stack_walk()) == texts(pictures.stack_walk(WALKS))


def test_a_walk_starts_at_a_frame_of_its_stack_if_it_finds_the_stack():
    starts = [start in frames.split(";") for frames, start in zip(WALKS["frames"], WALKS["start"], strict=True)]
    assert starts == WALKS["found"].tolist() and WALKS["found"].any()


def test_names_with_dollar_signs_are_drawn_as_they_are():
    named = WALKS[:1].assign(frames="A$x.f;lambda$y$0", start="lambda$y$0")
    signs = [text for text in pictures.stack_walk(named).texts if "$" in text.get_text()]
    assert signs and not any(text.get_parse_math() for text in signs)


def test_a_wrong_table_is_refused():
    with pytest.raises(BadInput, match="pictures.stack_walk: the table has no column where"):
        pictures.stack_walk(pd.DataFrame({"odd": [1]}))


def test_the_clock_and_the_samples_of_neighbours_are_put_side_by_side(sampled):
    top = "Neighbours.main;Neighbours.street"
    run = sampled({f"{top};Neighbours.innocent": 198, top: 2}, both_ns=5.0, innocent_ns=1.0)
    assert experiments.blamed(run)["share"].round(2).tolist() == [0.8, 0.2, 0.0, 1.0]
    assert title(pictures.skid(run)) == (
        "JDK 17: the division in guilty() takes 80 % of the time;\n198 of 200 samples name its neighbour, innocent()"
    )


def test_a_run_of_another_program_is_no_run_of_neighbours(sampled):
    with pytest.raises(BadInput, match="no run of Neighbours under async-profiler"):
        pictures.skid(sampled({"StubTime.main": 9}))
