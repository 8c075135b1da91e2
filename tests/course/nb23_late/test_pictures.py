"""Page 23's own picture: by how many per cent speeds have changed, hollow where the runs cannot tell a change."""

from types import SimpleNamespace

import pytest
from matplotlib.colors import to_hex

from safepointlab.course.nb23_late import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative, style

SERIAL = ("java", "-XX:+UseSerialGC", "jnt.scimark2.commandline", "0.4")
POLLS = ("java", "-XX:+UseCountedLoopSafepoints", *SERIAL[1:])


def reports(words, *runs, gc="Serial", major=17):
    """A report per run; a run is its computations' scores by name."""
    plan, jdk = SimpleNamespace(words=words, gc=gc), SimpleNamespace(major=major)
    outputs = ["".join(f"{name} : {score:.2f}\n" for name, score in run.items()) for run in runs]
    return [SimpleNamespace(output=f"Composite Score: 5.00\n{text}", plan=plan, jdk=jdk) for text in outputs]


def settings(words=POLLS, gc="Serial", **parts):
    """Two runs of each of two settings, within 1 %; a computation's later score is this part of the earlier one."""
    before = [dict.fromkeys(parts, 100 * off) for off in (0.99, 1.01)]
    after = [{name: 100 * off * part for name, part in parts.items()} for off in (0.99, 1.01)]
    return reports(SERIAL, *before), reports(words, *after, gc=gc)


def test_a_mark_is_full_only_if_its_range_leaves_out_zero():
    ax = pictures.changes(*settings(FFT=1.0, Sparse=0.8))
    marks = [container.lines[0] for container in ax.containers]
    assert [to_hex(mark.get_markerfacecolor()).upper() != style.PAPER for mark in marks] == [False, True]


@pytest.mark.parametrize("count", [1, 4])
def test_a_single_run_of_each_setting_has_a_hollow_mark_also_if_a_replay_plays_it_again_and_again(title, count):
    ax = pictures.changes(reports(SERIAL, *[{"FFT": 100}] * count), reports(POLLS, *[{"FFT": 50}] * count))
    assert to_hex(ax.containers[0].lines[0].get_markerfacecolor()).upper() == style.PAPER
    assert title(ax) == "JDK 17, Serial, with polls: one run each, so no change is certain"


def test_the_first_computation_is_at_the_top_and_each_has_its_number():
    ax = pictures.changes(*settings(FFT=1.02, SOR=0.85, LU=1.0))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["LU", "SOR", "FFT"]
    assert [text.get_text() for text in ax.texts] == ["+2 %", "−15 %", "0 %"]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ({"A": 1.0, "B": 0.8}, "B −20 %; the other 1 uncertain"),
        ({"A": 0.9, "B": 0.8, "C": 1.05}, "B −20 %, A −10 %, 1 more"),
        (
            {"A": 0.9, "B": 0.8, "C": 1.3, "D": 0.5, "E": 1.0},
            "D −50 %, C +30 %, 2 more; the other 1 uncertain",
        ),
        ({"A": 1.0, "B": 1.0}, "no change is certain in any of the 2"),
    ],
)
def test_the_title_names_the_computations_that_have_become_slower_or_faster(title, parts, found):
    assert title(pictures.changes(*settings(**parts))) == f"JDK 17, Serial, with polls: {found}"


def test_the_title_speaks_of_polls_only_where_the_flag_was_added_and_of_a_collector_only_where_all_had_it(title):
    c1 = ("java", "-XX:TieredStopAtLevel=1", *SERIAL[1:])
    assert title(pictures.changes(*settings(words=c1, A=0.5))) == "JDK 17, Serial, the later runs: A −50 %"
    assert title(pictures.changes(*settings(gc="G1", A=0.5))) == "with polls: A −50 %"


def test_a_program_that_prints_no_scores_gives_an_empty_picture(title):
    ax = pictures.changes(reports(SERIAL, {}), reports(POLLS, {}))
    assert "No speed of SciMark's was printed" in " ".join(text.get_text() for text in ax.texts) + title(ax)


def test_what_is_no_report_is_refused():
    with pytest.raises(BadInput, match=r"int is no report of lab\.late"):
        pictures.changes([1], [2])


def test_the_picture_in_words_has_the_finding_and_the_numbers():
    words = _alternative.of(pictures.changes(*settings(FFT=1.0, SOR=0.85)).figure).replace("\N{NO-BREAK SPACE}", " ")
    assert "SOR −15 %; the other 1 uncertain" in words and "−15 %" in words and "change of speed" in words
