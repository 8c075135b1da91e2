"""Notebook 06's lanes: the threads of one run of ByteSummer, and the runs of a sweep."""

from safepointlab import plot
from safepointlab.course.nb06_biased import pictures
from safepointlab.plot import _alternative

SWITCH = ("EnableBiasedLocking", 4.05, 549.0, 550.0)
OLD = "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"


def lanes(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_the_threads_of_a_run_say_who_waited_and_for_how_long(ran):
    ax = pictures.who_waits(ran(0.1, 550.0, stops=(SWITCH,)))
    assert lanes(ax) == ["main", "the VM thread", "the sleeper"]
    assert ax.get_title(loc="left") == f"The stop requested at 4.05 s is reached 549{plot.style.MS} later"
    assert "the sleeper: late from 4.15 to 4.70 s" in _alternative.of(ax.figure)


def test_the_runs_of_a_sweep_are_named_by_what_tells_them_apart(swept, title):
    ax = pictures.who_waits(swept((8, "", 550.0), (8, "-XX:-UseBiasedLocking", 0.0)))
    assert lanes(ax) == ["no flag", "-UseBiasedLocking"]
    assert title(ax) == "In 1 of 2 runs a stop waits for the loop: no flag"


def test_a_run_that_did_not_start_has_a_lane_that_says_so(swept):
    ax = pictures.who_waits(swept((17, OLD, 550.0), (25, OLD, "not possible"), (26, OLD, "no JDK")))
    assert lanes(ax) == ["JDK 17", "JDK 25", "JDK 26"]
    assert {"does not start", "no JDK"} <= {text.get_text() for text in ax.texts}


def test_a_stop_too_short_to_be_seen_has_its_length_beside_it_and_the_operation_is_in_the_key(swept, title):
    ax = pictures.who_waits(swept((8, "", 0.2)))
    assert f"stop: 0{plot.style.MS}" in [text.get_text() for text in ax.texts]
    assert "the operation" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert title(ax) == "No stop waits for the long call"
