"""Notebook 91's tiles: what a lock leaves in the mark word, moment by moment, on several JDKs."""

import pandas as pd

from safepointlab.course.nb91_marks import pictures
from safepointlab.plot import _alternative

BIASABLE, BIASED, UNLOCKED, THIN = "0x5", "0x7f21ec01a005", "0x1", "0x7f21bcba4930"
COLUMNS = ["jdk", *pictures.MOMENTS]
OLD = [BIASABLE, BIASED, BIASED, UNLOCKED]
NEW = [UNLOCKED, THIN, UNLOCKED, UNLOCKED]


def swept(*rows):
    return pd.DataFrame([[jdk, *words] for jdk, words in rows], columns=COLUMNS)


def test_the_tiles_say_what_each_word_means_on_its_jdk():
    ax = pictures.lock_states([swept((17, OLD)), swept((25, NEW))])
    assert [text.get_text() for text in ax.texts] == [
        *("biasable", "biased", "biased", "unlocked"),
        *("unlocked", "thin", "unlocked", "unlocked"),
    ]
    assert "JDK 25, locked: thin" in _alternative.of(ax.figure)


def test_the_title_names_the_jdks_that_keep_the_owner(title):
    rows = ((8, OLD), (17, OLD), (25, NEW))
    several, alone, none = (title(pictures.lock_states(swept(*rows[start:]))) for start in range(3))
    kept = "With biased locks switched on, JDK {} the first owner's address in an unlocked object"
    assert (several, alone) == (kept.format("8 and 17 keep"), kept.format("17 keeps"))
    assert none.startswith("On none of these JDKs")


def test_a_run_that_printed_no_word_has_no_state():
    ax = pictures.lock_states(swept((17, OLD), (21, [None] * 4)))
    assert [text.get_text() for text in ax.texts][4:] == ["–"] * 4
