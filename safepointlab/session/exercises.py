"""A reader's answer and what must be true of it -> a line that says whether it is solved, or what to look at."""

from collections.abc import Callable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Checked:
    """The answer to an exercise as judged; `solved` is None while there is no answer yet."""

    solved: bool | None
    says: str

    def __repr__(self) -> str:
        mark = {None: "[ ]", True: "[solved]", False: "[not yet]"}[self.solved]
        return f"{mark} {self.says}"

    def _repr_html_(self) -> str:
        mark = {None: "☐", True: "☑ <b>Solved.</b>", False: "☒ <b>Not yet.</b>"}[self.solved]
        return f"<p>{mark} {escape(self.says)}</p>"


def check(answer: object, holds: Callable[..., bool], solved: str, hint: str) -> Checked:
    """Judge an exercise: `holds(answer)` decides; an answer that is still `...` (Ellipsis) is no answer yet.

    An exercise that is not solved is no error: a notebook runs from top to bottom before anyone has tried it. Nor is an
    answer that cannot be judged, such as a whole table where a number is asked for.
    """
    if answer is ...:
        return Checked(None, hint)
    try:
        return Checked(True, solved) if holds(answer) else Checked(False, hint)
    except Exception:  # whatever a comparison says to a table, a missing value or a word
        return Checked(False, f"The answer is of the wrong kind: {type(answer).__name__}. {hint}")
