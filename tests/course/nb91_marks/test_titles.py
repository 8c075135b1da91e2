"""The titles of notebook 91's drawings: by the words that a run printed, or by its prices."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.course.nb91_marks import titles as marks_titles

BIASABLE, OURS, UNLOCKED, THIN, FAT = 0x5, 0x7F21EC01A005, 0x1, 0x7F21BCBA4930, 0x7F2134001272


def printed(major=17, **words):
    return SimpleNamespace(major=major, values={name: f"0x{word:016x}" for name, word in words.items()})


@pytest.mark.parametrize(("unlocked", "told"), [(OURS, True), (UNLOCKED, False), (OURS + (1 << 12), False)])
def test_the_title_says_that_the_address_stays_only_where_it_stays(unlocked, told):
    title = marks_titles.alone(printed(fresh=BIASABLE, locked=OURS, unlocked=unlocked))
    assert (title is not None and "still has the thread's address" in title) is told


@pytest.mark.parametrize(("held", "told"), [(THIN, True), (FAT, False)])
def test_the_title_says_that_the_bias_is_gone_only_where_the_lock_was_thin_then(held, told):
    title = marks_titles.second(printed(unlocked=OURS, other_locked=held, other_unlocked=UNLOCKED))
    assert (title is not None) is told


@pytest.mark.parametrize(("after", "told"), [(FAT, True), (UNLOCKED, False)])
def test_the_title_says_that_the_lock_stays_fat_only_where_it_does(after, told):
    assert (marks_titles.both(printed(contended=FAT, handed_over=after)) is not None) is told


@pytest.mark.parametrize(("locked", "count"), [(0, "one bit"), (0b110, "three bits"), (0b11110, "5 bits")])
def test_the_title_counts_the_bits_that_locking_changes(locked, count):
    title = marks_titles.locking(printed(25, fresh=1, locked=locked))
    assert title == f"JDK 25: locking a new object changes {count} of 64"


def test_the_title_says_at_which_revocations_the_word_of_a_new_object_changes():
    all_three = marks_titles.crowd(printed(after_1=0x5, after_20=0x105, after_40=0x1))
    assert "changes at revocation 20 and 40; in the end it says “unlocked”" in all_three
    assert "does not change; in the end it says “biasable”" in marks_titles.crowd(printed(after_1=0x5))


def priced(biased, thin):
    rows = [(17, marks.PLAIN, 1.0), (17, marks.BIASED, 1.0 + biased), (17, marks.THIN, 1.0 + thin)]
    return pd.DataFrame(rows * 3, columns=["jdk", "kind", "ns"])


def test_the_title_says_what_a_call_takes_with_each_lock_and_of_how_many_jvms():
    title = marks_titles.prices(priced(0.7, 15.0)).replace("\n", " ")
    assert title == (
        "JDK 17: a call takes 1.0 ns without a lock, 1.7 ns with a biased and 16 ns with a thin one "
        "(medians of 3; since 18 no bias)"
    )


@pytest.mark.parametrize(("biased", "thin"), [(3.0, 2.0), (-0.1, 2.0)])
def test_a_thin_lock_that_adds_no_more_gets_no_such_title(biased, thin):
    assert marks_titles.prices(priced(biased, thin)) is None


def test_words_are_labelled_as_the_page_calls_their_moments():
    run = printed(unlocked=OURS, after_20=0x105)
    assert list(marks.labelled(run, ["unlocked", "after_20"])) == ["after unlocking", "new object after revocation 20"]
