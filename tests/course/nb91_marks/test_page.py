"""Notebook 91's questions: by the words that a run printed, or by its prices, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.errors import BadInput
from safepointlab.jdks.jars import JOL
from safepointlab.run import launch
from safepointlab.run.sweep import sweep

BIASABLE, OURS, THEIRS, UNLOCKED, THIN, FAT = 0x5, 0x7F21EC01A005, 0x7F21BC00B005, 0x1, 0x7F21BCBA4930, 0x7F2134001272


def printed(major=17, **words):
    return SimpleNamespace(major=major, values={name: f"0x{word:016x}" for name, word in words.items()})


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ((BIASABLE, OURS, OURS), "owner"),
        ((UNLOCKED, THIN, UNLOCKED), "new"),
        ((BIASABLE, OURS, UNLOCKED), "third"),
        ((UNLOCKED, FAT, FAT), "monitor"),
    ],
)
def test_what_unlocking_leaves_is_told_by_three_words(words, key):
    assert lessons.prediction("91-unlocked").classify(printed(**dict(zip(marks.ALONE, words, strict=True)))).keys == {
        key
    }


@pytest.mark.parametrize(
    ("end", "keys"),
    [(UNLOCKED, {"unlocked"}), (FAT, {"fat"}), (OURS, {"back"}), (THEIRS, {"moved"}), (THIN, set())],
)
def test_what_the_second_thread_leaves_is_told_by_the_last_word(end, keys):
    run = printed(unlocked=OURS, other_locked=THIN, other_unlocked=end)
    assert lessons.prediction("91-second").classify(run).keys == keys


def test_a_reader_who_takes_a_jdk_without_biases_gets_facts_and_no_outcome():
    came = lessons.prediction("91-second").classify(printed(25, unlocked=UNLOCKED, other_unlocked=UNLOCKED))
    assert came.keys == frozenset() and came.facts == "Before 0x1, in the end 0x1: unlocked."


@pytest.mark.parametrize(
    ("held", "after", "keys"),
    [
        (FAT, FAT, {"kept"}),
        (FAT, THIN, {"undone"}),
        (OURS, OURS, {"word"}),
        (THIN, THIN, {"nowhere"}),
        (UNLOCKED, FAT, set()),
    ],
)
def test_the_queue_is_where_both_words_lead(held, after, keys):
    assert lessons.prediction("91-both").classify(printed(contended=held, handed_over=after)).keys == keys


def test_what_came_says_once_what_the_word_says_if_both_words_say_the_same():
    said = [
        lessons.prediction("91-both").classify(printed(contended=FAT, handed_over=word)).facts for word in (FAT, THIN)
    ]
    assert said[0] == "The word says fat while a thread waits, and still after the hand-over."
    assert said[1] == "The word says fat while a thread waits, and thin after the hand-over."


ON = "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0"


def prices(biased, thin, jdk=17, flags=ON):
    return pd.DataFrame(
        {"jdk": [jdk], "flags": flags, "plain_ns": 1.0, "fresh_ns": 1.0 + biased, "hashed_ns": 1.0 + thin}
    )


@pytest.mark.parametrize(
    ("biased", "thin", "keys"),
    [
        (0.6, 15.0, {"biased"}),
        (6.0, 8.0, {"same"}),
        (12.0, 3.0, {"thin"}),
        (2.0, 6.0, set()),
        (1.0, -0.2, set()),
        (0.1, 0.0, {"free"}),
    ],
)
def test_two_prices_are_alike_or_of_another_kind(biased, thin, keys):
    newer = prices(9.0, 9.0, jdk=25, flags="")
    assert lessons.prediction("91-price").classify(prices(biased, thin), newer).keys == keys


def test_prices_without_jdk_17_do_not_answer():
    with pytest.raises(BadInput, match="no run of JDK 17"):
        lessons.prediction("91-price").classify(prices(0.6, 15.0, jdk=8))


def test_a_reader_who_switches_biased_locks_off_gets_facts_and_no_outcome():
    came = lessons.prediction("91-price").classify(prices(15.0, 15.0, flags=""))
    assert came.keys == frozenset()
    assert came.facts == "A lock of a new object adds 15.0 ns to the call, one of a hashed object 15.0 ns."


@pytest.mark.parametrize(
    ("major", "word", "state"),
    [(17, 0x5, "biasable"), (17, OURS, "biased"), (25, OURS, "unlocked"), (25, 0x0, "thin"), (8, FAT, "fat")],
)
def test_the_last_bits_are_the_state_and_a_bias_is_one_up_to_17_only(major, word, state):
    assert marks.state(printed(major, now=word), "now") == state


def test_a_run_without_such_a_word_says_which_is_missing():
    with pytest.raises(BadInput, match="other_locked"):
        marks.state(printed(fresh=BIASABLE), "other_locked")


@pytest.mark.live
def test_one_bit_changes_on_25_when_an_object_is_locked():
    run = launch.java("biased/MarkWords", 25, args="0 hex", jars=[JOL])
    assert marks.changed_bits(run, "fresh", "locked") == 1


@pytest.mark.live
@pytest.mark.timed
def test_a_biased_lock_costs_less_than_a_thin_one():
    apart = "-XX:CompileCommand=dontinline,LockPrice.*Apart"
    medians = sweep("biased/LockPrice", jdk=17, flags=f"{apart} {ON}", repeat=3)[["fresh_ns", "hashed_ns"]].median()
    assert medians["fresh_ns"] < medians["hashed_ns"]
