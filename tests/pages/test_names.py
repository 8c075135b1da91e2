"""Questions and exercises are found by name; a name that there is none of is answered with those that there are."""

import pytest

from safepointlab.errors import BadInput
from safepointlab.pages import names

KINDS = ("PREDICTIONS", "EXERCISES")


@pytest.mark.parametrize("what", KINDS)
def test_each_name_begins_with_the_number_of_its_notebook_and_is_there_once(what):
    for number in names.TOPICS:
        of_page = [each.name for each in names.of_page(number, what)]
        assert all(name.startswith(f"{number}-") for name in of_page) and len(set(of_page)) == len(of_page)


def test_a_page_has_three_exercises_numbered_from_1():
    assert {n: [each.name for each in names.of_page(n, "EXERCISES")] for n in names.TOPICS} == {
        n: [f"{n}-1", f"{n}-2", f"{n}-3"] for n in names.TOPICS
    }


def test_a_misspelt_name_is_told_its_neighbour_and_all_of_its_page():
    with pytest.raises(BadInput, match=r"no question '02-kiler'\. Known: 02-today, .*Did you mean '02-killer'"):
        names.prediction("02-kiler")


@pytest.mark.parametrize("odd", ["", "99-1", None, 3, ..., [], object()])
def test_what_is_no_name_at_all_is_told_every_exercise(odd):
    with pytest.raises(BadInput, match="Known: 00-1, .*23-3"):
        names.exercise(odd)
