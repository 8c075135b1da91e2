"""This process -> the IPython shell that runs its cells, if there is one; IPython is not imported for the question."""

import sys
from typing import Any


def ipython() -> Any | None:
    """The shell of this session; None outside IPython."""
    module = sys.modules.get("IPython")
    return module.get_ipython() if module else None


def in_notebook() -> bool:
    """Whether this process is a kernel, so that there may be a page."""
    shell = ipython()
    return shell is not None and "IPKernelApp" in shell.config
