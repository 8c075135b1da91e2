"""`import safepointlab as lab` offers what it lists, costs next to nothing, and answers a wrong name in words."""

import subprocess
import sys

import pytest

import safepointlab as lab

FUNCTIONS = set(lab.__all__) - {"claims", "doctor", "errors", "logs", "plot"}


def test_every_name_that_is_listed_is_there():
    assert sorted(lab.__all__) == lab.__all__ == dir(lab)
    assert all(callable(getattr(lab, name)) for name in FUNCTIONS)


def test_a_name_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(AttributeError, match=r"no 'pick'\. It has: by_effort, claims, .* versions"):
        lab.pick  # type: ignore[attr-defined]  # noqa: B018 - asking for it is the test


@pytest.mark.parametrize(
    ("module", "name", "kind"),
    [("claims", "lab.claims", "safepointlab.course.verdicts"), ("plot.stall", "lab.plot.stall", "stall")],
)
def test_a_name_is_not_hidden_by_the_module_of_its_name(module, name, kind):
    code = f"import safepointlab as lab, safepointlab.{module}; print({name}.__name__)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == f"{kind}\n"


@pytest.mark.parametrize("line", ["import safepointlab", "from safepointlab.cli import parser; parser([])"])
def test_neither_the_import_nor_the_help_loads_pandas_or_a_sub_command(line):
    heavy = "m in ('pandas', 'matplotlib') or m.startswith('safepointlab.cli.')"
    code = f"import sys; {line}; print([m for m in sys.modules if {heavy}])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


def test_a_run_on_the_command_line_needs_neither_pandas_nor_matplotlib():
    code = "import sys, safepointlab.cli.run, safepointlab.culprit.command; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "safepointlab.run.launch" in loaded and not {"pandas", "matplotlib"} & set(loaded)
