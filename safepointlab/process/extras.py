"""What the tools alone do without, a module of [lab] or the notebooks -> an error that says how to get it."""

import importlib.util

from safepointlab.errors import ToolMissing
from safepointlab.process import home

INSTALL = "pip install 'safepointlab[lab]'"
MODULES = {  # of the extra [lab] in pyproject.toml, and what they bring that the lab imports by name
    *("IPython", "anywidget", "ipykernel", "jjava", "jupyter_client", "jupyter_core", "jupyterlab"),
    *("matplotlib_inline", "mistune", "nbclient", "nbconvert", "nbformat", "traitlets"),
}


def refusal(error: ModuleNotFoundError) -> ToolMissing | None:
    """The error in the lab's own words; None for a module that is none of the extra's: that is a defect."""
    module = (error.name or "").partition(".")[0]
    return _lacking(module) if module in MODULES else None


def demand(module: str) -> None:
    """Make sure of a module that a child process will import.

    Raises:
        ToolMissing: it is not installed; the message says how to get it.
    """
    if not installed(module):
        raise _lacking(module)


def installed(module: str) -> bool:
    """Whether a top-level module can be imported; it is not imported for the question."""
    return importlib.util.find_spec(module) is not None


def _lacking(module: str) -> ToolMissing:
    checkout = ", or in a checkout: make -B setup" if has_notebooks() else ""
    return ToolMissing(f"this needs {module}, which the tools do without. Get it with: {INSTALL}{checkout}")


def has_notebooks() -> bool:
    """Whether the course's notebooks are here: in a checkout they are, in a wheel they are not."""
    return (home.PROJECT / "notebooks").is_dir()


def demand_notebooks(word: str) -> None:
    """Make sure of the notebooks for a sub-command that works on them.

    Raises:
        ToolMissing: this is an installed package, not a checkout.
    """
    if not has_notebooks():
        raise ToolMissing(
            f"safepoint {word} works on the course's notebooks, which are not in the installed package "
            f"{home.shown(home.PROJECT)}. Get a checkout of Safepoint Lab, and in it type: make lab"
        )
