"""The mark word: 64 bits, decode as each JDK lays them out; the values here were printed by JVMs of these versions."""

import pytest

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.plot.mark_word import BITS, decode, states, without_value

PRINTED = [  # JDK, compact headers, value, its state, and one field of it: the hashes are what identityHashCode said
    (8, None, 0x00007FBD6400A005, "biased", ("thread", "0x7fbd6400a000")),
    (8, None, 0x00007FBD54D8F978, "thin", ("address of the old word", "0x7fbd54d8f978")),
    (17, None, 0x0000000000000005, "biasable", ("thread", "0x0")),
    (17, None, 0x0000003FFC5AF101, "unlocked", ("identity hash", "0x3ffc5af1")),
    (17, None, 0x00007FAEB8001272, "fat", ("address of the monitor", "0x7faeb8001270")),
    (25, None, 0x000000C9B787A801, "unlocked", ("identity hash", "0x1936f0f5")),
    (25, None, 0x0000000000000000, "thin", ("age", "0")),
    (25, True, 0x00172BCA9E522002, "fat", ("class", "0x5ca")),
    (27, False, 0x0000009FC580C802, "fat", ("identity hash", "0x13f8b019")),
    (28, None, 0x0018600000000011, "unlocked", ("age", "2")),
    (28, None, 0x00186330AA1AE001, "unlocked", ("identity hash", "0x6615435c")),
]


@pytest.mark.each(("jdk", "compact", "value", "state", "field"), PRINTED)
def test_a_printed_word_is_read_as_its_jdk_meant_it(jdk, compact, value, state, field):
    word = decode(jdk, value, compact)
    assert word.state == state
    assert field in [(part.name, part.value) for part in word.parts]


@pytest.mark.parametrize("jdk", [8, 11, 17, 21, 23, 25, 28])
def test_the_parts_of_each_state_are_64_neighbouring_bits(jdk):
    for state in states(jdk):
        lows = [part.low for part in without_value(jdk, state).parts]
        assert lows == sorted(lows, reverse=True) and lows[-1] == 0
        assert (
            sum(part.bits for part in without_value(jdk, state).parts) == BITS == len(without_value(jdk, state).signs)
        )


def test_biased_states_are_gone_from_18_on():
    assert "biased" in states(17) and "biased" not in states(18)
    assert decode(18, 5).state == "unlocked"


def test_a_state_without_a_value_invents_no_bit():
    assert without_value(25, "thin").signs == "·" * 62 + "00"


def test_a_held_lock_keeps_the_header_from_23_on():
    assert {part.name for part in without_value(22, "thin").parts} == {"address of the old word", "lock"}
    assert "identity hash" in {part.name for part in without_value(23, "thin").parts}


def test_zero_is_a_word_in_passing_while_thin_locks_are_addresses():
    assert decode(17, 0).state == "being inflated" and decode(23, 0).state == "thin"


class Printed:
    """A run that printed three words, and other values."""

    major = 17
    values = {"fresh": "0x5", "locked": "0x7faf4c019805", "unlocked": "0x7faf4c019805", "ms": 3.0, "state": "thin"}


def steps(*arguments):
    return plot.mark_word(*arguments).data["steps"]


def test_values_are_steps_and_each_says_which_bits_have_changed():
    fresh, locked = steps(17, {"fresh": "0x5", "locked": 0x7FAF4C019805})
    assert (fresh["name"], locked["name"]) == ("fresh", "locked")
    assert fresh["changed"] == [] and len(locked["changed"]) == (0x5 ^ 0x7FAF4C019805).bit_count()
    assert [step["parts"][0]["caption"] for step in (fresh, locked)] == ["thread", "thread = 0x7faf4c019800"]


def test_a_runs_words_are_those_in_hex_chosen_by_their_names_and_get_others():
    assert [step["name"] for step in steps(Printed())] == ["fresh", "locked", "unlocked"]
    assert [step["name"] for step in steps(Printed(), ["locked", "fresh"])] == ["locked", "fresh"]
    renamed = steps(Printed(), {"new": "fresh", "zero": 0})
    assert [(step["name"], int(step["hex"], 16)) for step in renamed] == [("new", 5), ("zero", 0)]
    with pytest.raises(BadInput, match="no mark word named 'other'. It printed fresh, locked"):
        plot.mark_word(Printed(), ["fresh", "other"])


def test_the_title_lists_the_states_in_their_order_and_says_that_the_last_word_is_the_one_before():
    title = plot.mark_word(17, {"new": 0x5, "locked": 0x7FAF4C019805, "then": 0x7FAF4C019805, "end": 1}).data["title"]
    assert title == "Mark word of JDK 17: biasable, then biased, then unlocked"
    same = plot.mark_word(Printed()).data["title"]
    assert same == "Mark word of JDK 17: biasable, then biased; “unlocked” is identical to the row above"


def test_text_as_jol_prints_it_is_a_value():
    assert steps(17, "0x0000000000000009 (non-biasable; age: 1)")[0]["hex"].endswith("09")


@pytest.mark.parametrize(("arguments", "says"), [
    ((7,), "from 8 on"), (("new",), "from 8 on"), ((17, "five"), "not a mark word"), ((17, 1 << 64), "64 bits"),
    ((17, 1.5), "not a mark word"), ((17, None, True), "JEP 450"),
])  # fmt: skip
def test_what_is_no_mark_word_gets_a_sentence(arguments, says):
    with pytest.raises(BadInput, match=says):
        plot.mark_word(*arguments)


def test_without_a_script_each_state_is_a_table_with_its_bits():
    still = plot.mark_word(8).still
    assert still.count("<table>") == len(states(8))
    assert ">01</td>" in still and "<script" not in still


def test_without_a_script_changed_bits_are_underlined_and_counted():
    still = plot.mark_word(25, {"new": 1, "locked": 0, "again": 0}).still
    assert still.count("<u>") == 1 and "<td>0<b><u>0</u></b></td>" in still
    assert "1 bit differs from the row above." in still and "Identical to the row above." in still


def test_states_without_a_value_are_not_compared_with_each_other():
    assert not any(step["changed"] or step["note"] for step in steps(17))
