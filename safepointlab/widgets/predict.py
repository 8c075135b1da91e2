"""The name of a question -> its outcomes to choose from, before the run; and after it: what was said, what came, why.

    lab.predict("02-killer")                     the question, with a button that commits
    killer = lab.sweep("hang/KillerTask", ...)
    lab.reveal("02-killer", killer)              what you said, what came, why

Neither the question nor its saved output holds the answer: the topic's function tells it by the result. The question's
output is a widget while it can be answered. As soon as the result is shown it is plain HTML, so that a saved page holds
no widget whose kernel is gone.
"""

import sys
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

from safepointlab.course import lessons, predictions
from safepointlab.course.exercises import kind
from safepointlab.course.predictions import Commitment, Finding, Prediction
from safepointlab.errors import LabError
from safepointlab.html import inline, table
from safepointlab.plot import interactive
from safepointlab.run.frontend import in_notebook

ONE, SEVERAL = "What happens? Choose one.", "Tick what you expect."
FOLD = "Decide before you open this."
FOLDED = "The answer is in the output of the next cells."
HERE = "Noted on this page only. Compare it with the output of the next cells."
NOTHING_TICKED = "none of them"

_shown: dict[str, list[Callable[[], None]]] = {}  # how the displays of each question become plain HTML
_numbers = count(1)


class Question:
    """A prediction to make: a form in a page, text in a terminal."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction, self.commitment = prediction, predictions.commitment(prediction.name)

    def __repr__(self) -> str:
        outcomes = [f"  ( ) {text}" for text in self._outcomes()]
        return "\n".join([f"{self.prediction.question} {self._legend()}", *outcomes, self.note()]).strip()

    def _repr_html_(self) -> str:
        return interactive.page("ask", self.data(), self.still(), f"A question: {self.prediction.question}")

    def _ipython_display_(self) -> None:
        """The form, as a widget while it can be answered."""
        from IPython.display import display

        place = f"{self.prediction.name}-{next(_numbers)}"
        if self.commitment.closed:
            display(self.bundle(), raw=True)
            return
        widget = self.widget()
        display({**self.bundle(), **widget.view()}, raw=True, display_id=place)
        _shown.setdefault(self.prediction.name, []).append(lambda: self._fix(place, widget))

    def bundle(self) -> dict[str, str]:
        """Its form without a widget, by mime type."""
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def widget(self) -> Any:
        """Its form with a button that reaches the kernel."""
        from safepointlab.widgets.ask import Ask

        return Ask(self.data(), self.heard)

    def data(self) -> dict[str, Any]:
        """What the script shows; nothing in it depends on what comes."""
        offered, chosen = self.prediction.offered(), self.commitment.keys or ()
        return {
            "legend": self._legend(),
            "question": inline(self.prediction.question),
            "outcomes": [inline(text) for text in self._outcomes()],
            "several": self.prediction.several,
            "chosen": [place for place, key in enumerate(offered) if key in chosen],
            "closed": self.commitment.closed,
            "note": self.note(),
            "here": HERE,
        }

    def still(self) -> str:
        """The question with its outcomes and a fold, for a page where no script runs."""
        lines = "".join(f"<li>{inline(text)}</li>" for text in self._outcomes())
        fold = f"<details><summary>{FOLD}</summary><p>{FOLDED}</p></details>"
        said = f"<p>{inline(self.note())}</p>" if self.note() else fold
        return f"<p>{inline(self.prediction.question)} <b>{self._legend()}</b></p><ul>{lines}</ul>{said}"

    def heard(self, places: list[int]) -> str:
        """Keep the outcomes at these places, and say so."""
        offered = self.prediction.offered()
        keys = [offered[place] for place in places if 0 <= place < len(offered)]
        if keys or self.prediction.several:
            self.commitment.commit(keys)
        return self.note()

    def note(self) -> str:
        """Where the reader stands with this question; "" before anything was said."""
        if self.commitment.keys is None:
            return "The result has been shown, so this can no longer be predicted." if self.commitment.closed else ""
        words = f"You said: {in_words(self.prediction, self.commitment.keys)}"
        rest = "The result has been shown." if self.commitment.closed else "You may change it until the run."
        return f"{words} {rest}"

    def _outcomes(self) -> list[str]:
        return self.prediction.texts(self.prediction.outcomes)

    def _legend(self) -> str:
        return SEVERAL if self.prediction.several else ONE

    def _fix(self, place: str, widget: Any) -> None:
        from IPython.display import update_display

        update_display(self.bundle(), raw=True, display_id=place)
        widget.close()


class Held:
    """A prediction held against the result, line by line: a title and a text each; the text alone is a sentence."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self.lines = lines

    def __repr__(self) -> str:
        return "\n".join(f"{title}: {text}" if title else text for title, text in self.lines)

    def _repr_html_(self) -> str:
        if not self.lines[0][0]:
            return "".join(f"<p>{inline(text)}</p>" for _, text in self.lines)
        return table([[inline(title), inline(text)] for title, text in self.lines], row_heads=True)


def predict(name: str) -> Question:
    """The question of this name, with its outcomes to choose from; `reveal` holds the choice against the result.

    A choice is kept until the kernel ends. It may be changed, also by running the cell again, until the result was
    shown.

    Raises:
        BadInput: no such question; the message lists those that there are.
    """
    return Question(lessons.prediction(name))


def reveal(name: str, *results: object) -> Held:
    """What was said to that question, what came by these results, and why.

    Results that are not what the question asks for get a sentence that says what is wanted.

    Raises:
        BadInput: no such question; the message lists those that there are.
    """
    prediction = lessons.prediction(name)
    _show_pictures()
    try:
        came = prediction.classify(*results)
    except Exception as error:  # whatever the topic's function says to another cell's variable
        return Held([("", _not_asked(prediction, results, error))])
    said = predictions.commitment(name)
    _close(name, said)
    return Held(_each(prediction, said.keys, came) if prediction.several else _lines(prediction, said.keys, came))


def _show_pictures() -> None:
    """Show what the cell has drawn so far, so that it is above the answer: else a page shows it at the cell's end."""
    if in_notebook() and (pyplot := sys.modules.get("matplotlib.pyplot")):
        pyplot.show()


def _close(name: str, said: Commitment) -> None:
    """No more changes. What nobody answered stays open on the page: whoever reads it there has not seen the result."""
    said.closed = said.keys is not None
    for fix in _shown.pop(name, []):
        fix()
    said.closed = True


def in_words(prediction: Prediction, keys: frozenset[str]) -> str:
    """The outcomes of these keys, as one text that ends with a full stop."""
    return "; ".join(text.rstrip(".") for text in prediction.texts(keys) or [NOTHING_TICKED]) + "."


def _lines(prediction: Prediction, said: frozenset[str] | None, came: Finding) -> list[tuple[str, str]]:
    outcomes = prediction.outcomes
    come = in_words(prediction, came.keys) if came.keys else "None of these outcomes."
    lines = [] if said is None else [_what_was_said(prediction, said, came)]
    lines += [("What came", f"{come} {came.facts}")]
    lines += [("Why", outcomes[key].why) for key in sorted(came.keys)]
    return lines + [("And yours", outcomes[key].why_not) for key in sorted((said or frozenset()) - came.keys)]


def _what_was_said(prediction: Prediction, said: frozenset[str], came: Finding) -> tuple[str, str]:
    return "You said", f"{in_words(prediction, said)} {'It came. ✓' if said == came.keys else 'It did not come. ✗'}"


def _each(prediction: Prediction, said: frozenset[str] | None, came: Finding) -> list[tuple[str, str]]:
    """One line an outcome, where each of them is a yes or a no."""
    right = sum((key in (said or ())) == (key in came.keys) for key in prediction.outcomes)
    score = "" if said is None else f" {right} of {len(prediction.outcomes)} came as you said."
    return [("What came", f"{came.facts}{score}")] + [
        (prediction.outcomes[key].text, _yes_or_no(prediction, key, said, came)) for key in prediction.offered()
    ]


def _yes_or_no(prediction: Prediction, key: str, said: frozenset[str] | None, came: Finding) -> str:
    outcome, yes = prediction.outcomes[key], key in came.keys
    why = outcome.why if yes else outcome.why_not
    if said is None:
        return f"{'Yes' if yes else 'No'}. {why}"
    you, mark = "yes" if key in said else "no", "✓" if (key in said) == yes else "✗"
    return f"{'Yes' if yes else 'No'}. You said {you} {mark}. {why}"


def _not_asked(prediction: Prediction, results: Iterable[object], error: Exception) -> str:
    given = " and ".join(kind(result) for result in results) or "nothing"
    reason = f" ({str(error).partition(chr(10))[0]})" if isinstance(error, LabError) else ""
    wanted = f"Give {prediction.result_description}."
    return f"The question is about another result than this, which is {given}{reason}. {wanted}"
