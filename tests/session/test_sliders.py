"""Sliders: their defaults run unattended, and where nobody can move them they are text."""

import pytest

from safepointlab.session import sliders
from safepointlab.session.sliders import Sliders


def test_a_slider_that_nobody_moves_is_its_default():
    chooser = Sliders(rate=(50, 1000, 400, 50), stall_ms=(0, 2000, 800))
    assert (chooser.rate, chooser.stall_ms) == (400, 800)


def test_a_slider_that_was_moved_is_where_it_stands():
    chooser = Sliders(rate=(50, 1000, 400, 50))
    chooser.children[0].value = 600
    assert chooser.rate == 600 and chooser.chosen == {"rate": 600}


def test_below_the_sliders_their_defaults_stand_as_text(monkeypatch):
    displayed = []
    monkeypatch.setattr(sliders, "display", lambda what, **how: displayed.append(what))
    chooser = Sliders(rate=(50, 1000, 400), threads=(1, 8, 2))
    chooser.children[0].value = 600
    chooser._ipython_display_()
    assert "application/vnd.jupyter.widget-view+json" in displayed[0]
    assert "rate 400 · threads 2" in displayed[1].data


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no slider 'rat'"):
        Sliders(rate=(1, 2, 1)).rat  # noqa: B018
