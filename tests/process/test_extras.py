"""What the tools alone do without: the course's modules and its notebooks, each with the way to get it."""

import pytest

from safepointlab.errors import ToolMissing
from safepointlab.process import extras, home


def test_a_module_of_the_course_is_refused_with_the_command_that_installs_it():
    refusal = extras.refusal(ModuleNotFoundError("No module named 'nbclient.exceptions'", name="nbclient.exceptions"))
    assert "needs nbclient" in str(refusal) and extras.INSTALL in str(refusal)


def test_any_other_module_is_not_explained():
    assert extras.refusal(ModuleNotFoundError("No module named 'nonsense'", name="nonsense")) is None
    assert extras.refusal(ModuleNotFoundError("of no name")) is None


def test_a_module_that_a_child_will_need_is_asked_for_first():
    extras.demand("json")
    with pytest.raises(ToolMissing, match="needs no_such_module"):
        extras.demand("no_such_module")


def test_an_installed_package_has_no_notebooks_and_says_where_they_are(tmp_path, monkeypatch):
    extras.demand_notebooks("slides")
    monkeypatch.setattr(home, "PROJECT", tmp_path)
    with pytest.raises(ToolMissing, match=r"safepoint slides works on the course's notebooks.*Get a checkout"):
        extras.demand_notebooks("slides")


def test_what_to_install_is_said_for_a_checkout_too_only_in_one(tmp_path, monkeypatch):
    assert "make -B setup" in str(extras.refusal(ModuleNotFoundError(name="anywidget")))
    monkeypatch.setattr(home, "PROJECT", tmp_path)
    assert "make -B setup" not in str(extras.refusal(ModuleNotFoundError(name="anywidget")))
