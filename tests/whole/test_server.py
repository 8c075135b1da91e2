"""How `make lab` serves: what scripts/jupyter_server.py tells Jupyter, here and in a Codespace."""

import sys
from pathlib import Path

import pytest
from traitlets.config.loader import PyFileConfigLoader

from safepointlab.process.home import PROJECT


@pytest.fixture
def configured(tmp_path, monkeypatch):
    """The configuration as `jupyter lab --port=8890` reads it."""
    monkeypatch.setenv("SAFEPOINTLAB_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(sys, "argv", ["jupyter-lab", "--port=8890"])
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    return lambda: PyFileConfigLoader("jupyter_server.py", str(PROJECT / "scripts")).load_config().ServerApp


def test_a_codespace_admits_exactly_its_own_address(configured, monkeypatch):
    monkeypatch.setenv("CODESPACE_NAME", "polite-loop-42")
    assert configured().allow_origin == "https://polite-loop-42-8890.app.github.dev"
    assert configured().local_hostnames == ["localhost", "polite-loop-42-8890.app.github.dev"]


def test_elsewhere_no_other_origin_is_admitted(configured, monkeypatch):
    monkeypatch.delenv("CODESPACE_NAME", raising=False)
    assert "allow_origin" not in configured() and configured().ip == "localhost"


def test_each_page_is_listed_by_its_title(configured):
    [folder] = configured().tornado_settings["static_custom_path"]
    style = Path(folder, "custom.css").read_text()
    assert 'content: "02  When will this program exit?"' in style
    assert all(f'[title^="Name: {page.name}"]' in style for page in (PROJECT / "notebooks").glob("*.ipynb"))
