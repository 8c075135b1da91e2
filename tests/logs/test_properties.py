"""What holds of every log, line and number that Hypothesis can think of; --hypothesis-profile=long thinks longer."""

import fuzz
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as some

from safepointlab.logs import compilation, gc, safepoint
from safepointlab.logs.compilation.lines import _uptimes
from safepointlab.logs.gc import forms
from safepointlab.logs.lines import source
from safepointlab.logs.lines.columns import MIB, Names, decimals, sizes, whole
from safepointlab.logs.lines.store import Store


@pytest.mark.parametrize(
    "reader, log",
    [
        (safepoint, "safepoint/jdk11-debug"),
        (safepoint, "safepoint/jdk8-table-and-stopped"),
        (gc, "gc/jdk25-g1"),
        (compilation, "compilation/jdk17-mix"),
    ],
)
@given(more=some.integers(0, 5000))
def test_blocks_of_any_size_that_a_line_fits_into_give_the_same_frame(reader, log, more):
    path = fuzz.LOGS / f"{log}.log"
    usual, size = reader.read(path), max(map(len, path.read_bytes().splitlines())) + more
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK_BYTES", size)
        pd.testing.assert_frame_equal(reader.read(path), usual, check_flags=False)


PIECES = (
    *("0.130: [GC pause (G1 Evacuation Pause) (young)", "0.069: [ParNew: 17472K->2176K(19648K), 0.0891372 secs]"),
    *(
        " 17757K->17768K(63360K), 0.0892003 secs]",
        "\n",
        "\n   [Parallel Time: 3.8 ms]\n",
        " (concurrent mode failure): 5K",
    ),
    *("2026-11-20T05:44:06.275+0000: 0.307: ", "0.131: [GC concurrent-mark-end]", "[CMS-concurrent-sweep-start]"),
    *(" 0.041: [G1Ergonomics (CSet Construction) x]", "\nDesired survivor size 1 bytes", "\n- age   1: 4 bytes"),
    *(
        "AdaptiveSizePolicy::update_averages:  survived: 1",
        "AdaptiveSizeStart: 0.1",
        "Before GC:",
        "After GC RS summary",
    ),
    *("CMS: Large block 0x1", "  survived: 5\n", "\n,", "\n: 5K", "AdaptiveSize", "Before GC", " [Times: user=0.1]"),
)


@given(some.lists(some.sampled_from(PIECES), max_size=12).map("".join))
def test_a_line_of_8_is_freed_from_interruptions_as_if_they_were_cut_out_of_all_that_follows(text):
    assert forms.without_interruption(text) == forms.BETWEEN.sub("", text).split("\n", 1)[0]


VALUES = some.sampled_from([-1.0, 0.0, 2.5, float("nan")])
BLOCKS = some.lists(some.lists(VALUES, max_size=4) | some.tuples(VALUES, some.integers(0, 4)), max_size=6)


@given(BLOCKS)
def test_a_store_holds_what_was_added_and_one_value_only_once(blocks):
    """A list is a block of these values; a pair is a value and how often it is repeated without taking memory."""
    store, arrays = Store(), [np.zeros(0)]
    for block in blocks:
        arrays.append(np.broadcast_to(*block) if isinstance(block, tuple) else np.array(block, float))
        store.add({"number": arrays[-1]})
    due, column = np.concatenate(arrays), store.table().get("number", np.zeros(0))
    assert column.tobytes() == due.tobytes()
    assert np.isnan(due).any() or len(due) < 2 or (column.strides == (0,)) == (len(set(due.tolist())) == 1)


@given(some.lists(some.none() | some.integers(0, 10**18 - 1)))
def test_whole_numbers_are_read_to_the_last_digit(numbers):
    texts = [None if number is None else str(number) for number in numbers]
    assert whole(texts).tolist() == [-1 if number is None else number for number in numbers]


@given(some.lists(some.integers(0, 10**9)), some.sampled_from(".,"))
def test_decimals_are_integers_of_their_last_place(numbers, point):
    assert decimals([f"{number // 1000}{point}{number % 1000:03}" for number in numbers]).tolist() == numbers


@given(some.lists(some.tuples(some.integers(0, 10**9), some.sampled_from([*MIB]))))
def test_sizes_are_mebibytes_whatever_their_units(pairs):
    assert sizes([f"{number}{unit}" for number, unit in pairs]).tolist() == [
        number * MIB[unit] for number, unit in pairs
    ]


@given(some.lists(some.lists(some.none() | some.text(max_size=2))))
def test_each_name_has_one_number_and_no_name_has_none(blocks):
    names = Names()
    codes = [names.codes(block) for block in blocks]
    for block, numbers in zip(blocks, codes, strict=True):
        assert [names.text(code) for code in numbers] == [text or "" for text in block]
    assert len(set(names.texts)) == len(names.texts)


UNITS = some.lists(
    some.sampled_from(["[0.093s]", "[1,5s]", "[93ms]", "[1795153743317ms]", "[93123456ns]", "[info]", "[x]"]),
    max_size=4,
)


@given(some.lists(UNITS.map("".join), min_size=1))
def test_decorations_read_together_give_what_each_gives_alone(decorations):
    alone = [_uptimes([decoration])[0] for decoration in decorations]
    np.testing.assert_array_equal(_uptimes(decorations), alone)
