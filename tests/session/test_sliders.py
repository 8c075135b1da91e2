"""Sliders: their defaults run unattended, and where nobody can move them they are text."""

import re

import pytest

from safepointlab.session import sliders
from safepointlab.session.sliders import Sliders


@pytest.fixture
def shown(monkeypatch):
    """The mime bundles that were displayed."""
    bundles = []
    monkeypatch.setattr(sliders, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_a_slider_that_nobody_moves_is_its_default():
    chooser = Sliders(rate=(50, 1000, 400, 50), stall_ms=(0, 2000, 800))
    assert (chooser.rate, chooser.stall_ms) == (400, 800)


def test_a_slider_that_was_moved_is_where_it_stands():
    chooser = Sliders(rate=(50, 1000, 400, 50))
    chooser.children[0].value = 600
    assert chooser.rate == 600 and chooser.chosen == {"rate": 600}


def test_below_the_sliders_their_ranges_and_defaults_stand_as_a_table(shown):
    chooser = Sliders(rate=(50, 1000, 400), threads=(1, 8, 2))
    chooser.children[0].value = 600
    chooser._ipython_display_()
    assert sliders.VIEW in shown[0] and "rate 400 · threads 2" in shown[1]["text/plain"]
    assert re.findall(r">(rate|50|1,000|400)</t[dh]>", shown[1]["text/html"]) == ["rate", "50", "1,000", "400"]


def test_without_a_kernel_there_is_a_sentence_and_no_line_of_python(shown):
    Sliders(rate=(50, 1000, 400))._ipython_display_()
    forms = [form for bundle in shown for kind, form in bundle.items() if kind.startswith("text/")]
    assert "when this cell is run" in forms[0] and not [form for form in forms if "children=" in form]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no slider 'rat'"):
        Sliders(rate=(1, 2, 1)).rat  # noqa: B018
