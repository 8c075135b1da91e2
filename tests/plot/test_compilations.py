"""The compilation log: what was compiled and thrown away, in bars or in marks."""

import pandas as pd

from safepointlab import plot
from safepointlab.plot.compilations import lifetimes

COMPILES = pd.DataFrame(
    [
        (131, 16, True, 3, "OddC::odds", "compiled"),
        (132, 17, False, 3, "OddC::odds", "compiled"),
        (133, 18, True, 4, "OddC::odds", "compiled"),
        (134, 16, True, 3, "OddC::odds", "made not entrant"),
        (736, 18, True, 4, "OddC::odds", "made not entrant"),
        (900, 19, False, 1, "java.lang.String::length", "compiled"),
    ],
    columns=["uptime_ms", "compile_id", "osr", "tier", "method", "event"],
).astype({"tier": "Int8"})


def test_the_title_counts_what_was_compiled_and_thrown_away(title):
    drawn = title(plot.compilations(COMPILES[:5]))
    assert drawn == "OddC::odds: 3 compiles (2 by OSR), 2 thrown away; at the end C1’s code"
    assert title(plot.compilations(COMPILES[:1])).endswith("at the end C1’s OSR code")
    assert title(plot.compilations(COMPILES[:3])).endswith("at the end C1’s code and C2’s OSR code")


def test_made_not_entrant_ends_the_compile_of_that_id():
    lives = lifetimes(COMPILES).set_index("compile_id")
    assert lives["end_s"][16] == 0.134 and pd.isna(lives["end_s"][17])


def test_without_tiers_a_compile_is_not_drawn_as_a_tier(words):
    untiered = COMPILES.assign(tier=pd.array([pd.NA] * len(COMPILES), dtype="Int8"))
    assert "C1" not in words(plot.compilations(untiered))


def test_many_compiles_are_drawn_one_row_a_tier(title):
    many = pd.concat([COMPILES.assign(compile_id=COMPILES["compile_id"] + 100 * n) for n in range(10)])
    assert title(plot.compilations(many)).startswith("40 compiles, 10 of them by C2")
