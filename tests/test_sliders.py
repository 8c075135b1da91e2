"""Sliders: their defaults run unattended, and where nobody can move them they are text."""

import pytest

from safepointlab.sliders import Sliders


def test_a_slider_that_nobody_moves_is_its_default():
    sliders = Sliders(rate=(50, 1000, 400, 50), stall_ms=(0, 2000, 800))
    assert (sliders.rate, sliders.stall_ms) == (400, 800)


def test_a_slider_that_was_moved_is_where_it_stands():
    sliders = Sliders(rate=(50, 1000, 400, 50))
    sliders.children[0].value = 600
    assert sliders.rate == 600 and sliders.chosen == {"rate": 600}


def test_in_a_saved_notebook_the_values_are_text():
    shown = Sliders(rate=(50, 1000, 400), threads=(1, 8, 2))._repr_mimebundle_()
    assert shown["text/plain"] == "rate 400 · threads 2" and "rate 400" in shown["text/html"]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no slider 'rat'"):
        Sliders(rate=(1, 2, 1)).rat  # noqa: B018
