"""Page 91: which outcomes words and prices show, what solves its exercises and what does not, and its tiles."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb91_marks import experiments as marks
from safepointlab.course.nb91_marks import pictures
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative
from tests.course.conftest import classify, graded

BIASABLE, OURS, THEIRS, UNLOCKED, THIN, FAT = 0x5, 0x7F21EC01A005, 0x7F21BC00B005, 0x1, 0x7F21BCBA4930, 0x7F2134001272


def printed(major=17, **words):
    return SimpleNamespace(major=major, values={name: f"0x{word:016x}" for name, word in words.items()})


def prices(biased, thin, jdk=17, flags="-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=0"):
    return pd.DataFrame(
        {"jdk": [jdk], "flags": flags, "plain_ns": 1.0, "fresh_ns": 1.0 + biased, "hashed_ns": 1.0 + thin}
    )


def alone(*words):
    return printed(**dict(zip(marks.ALONE, words, strict=True)))


def second(end):
    return printed(unlocked=OURS, other_locked=THIN, other_unlocked=end)


@pytest.mark.parametrize(
    ("name", "result", "keys"),
    [
        ("91-unlocked", alone(BIASABLE, OURS, OURS), {"owner"}),
        ("91-unlocked", alone(UNLOCKED, THIN, UNLOCKED), {"new"}),
        ("91-unlocked", alone(BIASABLE, OURS, UNLOCKED), {"third"}),
        ("91-unlocked", alone(UNLOCKED, FAT, FAT), {"monitor"}),
        ("91-second", second(UNLOCKED), {"unlocked"}),
        ("91-second", second(FAT), {"fat"}),
        ("91-second", second(OURS), {"back"}),
        ("91-second", second(THEIRS), {"moved"}),
        ("91-second", second(THIN), set()),
        ("91-second", printed(25, unlocked=UNLOCKED, other_unlocked=UNLOCKED), set()),  # a JDK without biases
        ("91-both", printed(contended=FAT, handed_over=FAT), {"kept"}),
        ("91-both", printed(contended=FAT, handed_over=THIN), {"undone"}),
        ("91-both", printed(contended=OURS, handed_over=OURS), {"word"}),
        ("91-both", printed(contended=THIN, handed_over=THIN), {"nowhere"}),
        ("91-both", printed(contended=UNLOCKED, handed_over=FAT), set()),
        ("91-price", prices(0.6, 15.0), {"biased"}),
        ("91-price", prices(6.0, 8.0), {"same"}),
        ("91-price", prices(12.0, 3.0), {"thin"}),
        ("91-price", prices(2.0, 6.0), set()),
        ("91-price", prices(1.0, -0.2), set()),
        ("91-price", prices(0.1, 0.0), {"free"}),
        ("91-price", prices(15.0, 15.0, flags=""), set()),  # without biased locks
    ],
)
def test_words_and_prices_show_their_outcome(name, result, keys):
    finding = classify(name, result)
    assert finding.facts and finding.keys == keys


def test_prices_without_jdk_17_are_no_answer_and_those_of_later_jdks_change_none():
    assert classify("91-price", prices(0.6, 15.0), prices(9.0, 9.0, jdk=25, flags="")).keys == {"biased"}
    with pytest.raises(BadInput, match="no run of JDK 17"):
        classify("91-price", prices(0.6, 15.0, jdk=8))


@pytest.mark.parametrize(
    ("major", "word", "state"),
    [(17, 0x5, "biasable"), (17, OURS, "biased"), (25, OURS, "unlocked"), (25, 0x0, "thin"), (8, FAT, "fat")],
)
def test_the_last_bits_are_the_state_and_a_bias_is_one_up_to_17_only(major, word, state):
    assert marks.state(printed(major, now=word), "now") == state
    with pytest.raises(BadInput, match="other_locked"):
        marks.state(printed(major, now=word), "other_locked")


@pytest.fixture
def thieves(monkeypatch):
    """thieves(words): what the words of new objects were."""

    def make(*words):
        run = printed(objects=45, **{f"after_{20 * n}": word for n, word in enumerate(words)})
        monkeypatch.setattr(marks, "thieves", lambda *_: run)

    return make


@pytest.mark.parametrize(("words", "holds"), [((0x5, 0x105), True), ((0x5, 0x105, 0x1), False), ((0x1,), False)])
def test_with_the_flag_a_new_object_has_to_be_biasable_in_the_end(thieves, words, holds):
    thieves(*words)
    assert graded("91-1", "-XX:Some=1").holds is holds


@pytest.mark.parametrize(("name", "holds"), [("epoch", True), ("Epoch", True), ("age", False), ("thread", False)])
def test_the_part_that_changes_is_the_epoch(thieves, name, holds):
    thieves(0x5, 0x105, 0x1)
    assert graded("91-3", name).holds is holds
    with pytest.raises(BadInput, match="thread, epoch, age"):
        graded("91-3", "hash")


HASHED, WAITED = "System.identityHashCode(object);", "synchronized (object) { object.wait(1); }"
SECOND = "Thread other = new Thread(() -> { synchronized (object) { } }); other.start(); other.join();"


@pytest.mark.live
@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [(HASHED, WAITED, True), (WAITED, WAITED, False), (HASHED, "", False), (SECOND, WAITED, False)],
)
def test_the_object_must_be_unlocked_then_fat_with_no_second_thread(edited, first, second, holds):
    begin = "throws InterruptedException {\n"
    path = edited("91-2")
    before, one, other = path.read_text().split(begin, 2)
    path.write_text(f"{before}{begin}{first}\n{one}{begin}{second}\n{other}")
    judged = graded("91-2", path)
    assert judged.holds is holds, judged.does


COLUMNS = ["jdk", *pictures.MOMENTS]
OLD = [f"{word:#x}" for word in (BIASABLE, OURS, OURS, UNLOCKED, FAT)]
NEW = [f"{word:#x}" for word in (UNLOCKED, 0x0, UNLOCKED, UNLOCKED, FAT)]
COMPACT = [
    f"{word:#x}" for word in (0x18600000000001, 0x18600000000000, 0x18600000000001, 0x18600000000001, 0x18627E5C8EA002)
]


def swept(*rows):
    return pd.DataFrame([[jdk, *words] for jdk, words in rows], columns=COLUMNS)


def test_the_tiles_say_what_each_word_means_on_its_jdk():
    ax = pictures.lock_states([swept((17, OLD)), swept((25, NEW), (27, COMPACT))])
    assert [text.get_text() for text in ax.texts] == [
        *("biasable", "biased", "biased", "unlocked", "fat: address"),
        *("unlocked", "thin: 2 bits", "unlocked", "unlocked", "fat: address"),
        *("unlocked", "thin: 2 bits", "unlocked", "unlocked", "fat: table"),
    ]
    assert (
        "JDK 25: unlocked (new, unlocked again and after another thread's turn), thin: 2 bits (locked)"
        in _alternative.of(ax.figure)
    )


def test_a_thin_lock_of_an_older_jdk_is_an_address():
    assert marks.holding(hex(THIN), 21) == "thin: address" and marks.holding(None, 21) is None


def test_the_title_says_on_which_jdks_the_word_leads_to_the_owner(title):
    rows = ((8, OLD), (17, OLD), (25, NEW))
    said = [title(pictures.lock_states(swept(*chosen))) for chosen in (rows, rows[:2], rows[2:])]
    assert said == [
        "While an object is locked and no thread waits, its word leads to the owner on JDK 8 and 17, but not on JDK 25",
        "While an object is locked and no thread waits, its word leads to the owner on JDK 8 and 17",
        "While an object is locked and no thread waits, its word leads to no owner on JDK 25",
    ]


def test_the_prices_are_told_by_the_kind_of_lock_which_the_flags_decide(title):
    ax = pictures.lock_prices([prices(0.6, 18.0), prices(18.5, 19.0, jdk=25, flags="")])
    said = "A call takes 19 to 20 ns with a thin lock, 1.6 ns with a biased one, 1.0 ns without a lock"
    assert title(ax) == said and ax.get_xlabel() == "one JVM of each JDK"
    assert [text.get_text() for text in ax.texts] == ["1.0", "1.6", "19", "1.0", "20", "20"]
    assert "JDK 17, biased, new object: 1.6 ns." in _alternative.of(ax.figure)
    twice = pictures.lock_prices([prices(18.0, 18.0, flags="")] * 2)
    assert title(twice) == "A call takes 19 ns with a thin lock, 1.0 ns without a lock"
    assert twice.get_xlabel() == "a bar is the median of 2 JVMs, a ring is one of them"


def test_a_run_that_printed_no_word_has_no_state():
    ax = pictures.lock_states(swept((17, OLD), (21, [None] * 5)))
    assert [text.get_text() for text in ax.texts][5:] == ["–"] * 5
