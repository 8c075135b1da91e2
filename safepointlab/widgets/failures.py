"""An error of the lab or an interrupt in a notebook's cell -> a sentence and the cell's line; `%tb` has the traceback.

JdkNotFound in line 1: lab.jdk(99)
no JDK 99 on this machine. …
"""

import linecache
import sys
import traceback
from textwrap import shorten
from types import TracebackType
from typing import Any

from safepointlab.errors import LabError
from safepointlab.run.frontend import ipython


def install() -> None:
    """From now on, this session's cells fail in words; does nothing outside IPython or if it was done before."""
    shell = ipython()
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((LabError, KeyboardInterrupt), _show)


def _show(shell: Any, kind: type[BaseException], error: BaseException, trace: Any, **_: Any) -> list[str]:
    """What IPython calls in place of its own traceback."""
    sys.last_type, sys.last_value, sys.last_traceback = kind, error, trace  # what %tb shows
    lines = in_words(error, trace, shell.user_global_ns)
    shell._last_traceback = lines
    shell._showtraceback(kind, error, lines)
    return lines


def in_words(error: BaseException, trace: TracebackType | None, cell: dict[str, Any]) -> list[str]:
    """The lines that are shown; `cell` are the global variables of the session's cells."""
    frames, place = list(traceback.walk_tb(trace)), ""
    if of_cell := [(frame, number) for frame, number in frames if frame.f_globals is cell]:
        frame, number = of_cell[0]  # the line that did not end
        source = shorten(linecache.getline(frame.f_code.co_filename, number), 100, placeholder=" …")
        place = f" in line {number}" + (f": {source}" if source else "")
    if isinstance(error, KeyboardInterrupt):
        in_the_lab = any(str(frame.f_globals.get("__name__")).startswith("safepointlab.") for frame, _ in frames)
        ended = " What it had started is ended; what was recorded before is kept." if in_the_lab else ""
        return [f"Interrupted{place}.{ended}"]
    return [f"{type(error).__name__}{place}", str(error), "(%tb shows the whole traceback.)"]
