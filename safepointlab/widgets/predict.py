"""The name of a question -> its outcomes to choose from, before the run; and after it: what was said, the result, why.

    lab.predict("02-killer")                     the question, with a button that commits
    killer = lab.sweep("hang/KillerTask", ...)
    lab.reveal("02-killer", killer)              what you said, the result, why

Neither the question nor its saved output holds the answer: the topic's function tells it by the result. The question's
output is a widget while it can be answered. As soon as the result is shown it is plain HTML, so that a saved page holds
no widget whose kernel is gone.
"""

import sys
from collections.abc import Callable
from itertools import count
from typing import Any

from safepointlab.course import lessons, predictions
from safepointlab.course.exercises import kind
from safepointlab.course.predictions import Finding, Prediction
from safepointlab.errors import LabError
from safepointlab.html import inline, table
from safepointlab.plot import interactive
from safepointlab.run.frontend import in_notebook

ONE, SEVERAL = "Choose one.", "Tick what you expect."
FOLD = "Make your choice first."
FOLDED = "The output of the next cells shows the answer."
HERE = "Noted on this page only. Compare it with the output of the next cells."
NOTHING_TICKED = "none of them"

_shown: dict[str, list[Callable[[], None]]] = {}  # how the displays of each question become plain HTML
_numbers = count(1)


class Question:
    """A prediction to make: a form in a page, text in a terminal."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction, self.commitment = prediction, predictions.commitment(prediction.name)
        self.outcomes = prediction.texts(prediction.outcomes)
        self.legend = SEVERAL if prediction.several else ONE

    def __repr__(self) -> str:
        outcomes = [f"  ( ) {text}" for text in self.outcomes]
        return "\n".join([f"{self.prediction.question} {self.legend}", *outcomes, self.note()]).strip()

    def _repr_html_(self) -> str:
        """With the outcomes as a list and a fold, for a page where no script runs."""
        question, note = inline(self.prediction.question), self.note()
        lines = "".join(f"<li>{inline(text)}</li>" for text in self.outcomes)
        fold = f"<details><summary>{FOLD}</summary><p>{FOLDED}</p></details>"
        still = f"<p>{question} <b>{self.legend}</b></p><ul>{lines}</ul>" + (f"<p>{inline(note)}</p>" if note else fold)
        return interactive.page("ask", self.data(), still, f"A question: {self.prediction.question}")

    def _ipython_display_(self) -> None:
        """The form, as a widget while it can be answered."""
        from IPython.display import display, update_display

        place = f"{self.prediction.name}-{next(_numbers)}"
        if self.commitment.closed:
            display(self.bundle(), raw=True)
            return
        widget = self.widget()
        display({**self.bundle(), **widget.view()}, raw=True, display_id=place)

        def fix() -> None:
            update_display(self.bundle(), raw=True, display_id=place)
            widget.close()

        _shown.setdefault(self.prediction.name, []).append(fix)

    def bundle(self) -> dict[str, str]:
        """Its form without a widget, by mime type."""
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def widget(self) -> Any:
        """Its form with a button that reaches the kernel."""
        from safepointlab.widgets.ask import Ask

        return Ask(self.data(), lambda places: inline(self.commit(places)), self.tick)

    def data(self) -> dict[str, Any]:
        """What the script shows; nothing in it depends on what comes."""
        offered, chosen = self.prediction.offered(), self.commitment.keys or ()
        return {
            "legend": self.legend, "question": inline(self.prediction.question),
            "outcomes": [inline(text) for text in self.outcomes], "several": self.prediction.several,
            "chosen": [place for place, key in enumerate(offered) if key in chosen], "closed": self.commitment.closed,
            "note": inline(self.note()), "here": HERE,
        }  # fmt: skip

    def tick(self, places: list[int]) -> None:
        """Remember the outcomes that are ticked: who runs the next cell without Commit has chosen them, too."""
        self.commitment.ticked = frozenset(self._keys(places))

    def _keys(self, places: list[int]) -> list[str]:
        offered = self.prediction.offered()
        return [offered[place] for place in places if 0 <= place < len(offered)]

    def commit(self, places: list[int]) -> str:
        """Keep the outcomes at these places, and say so."""
        keys = self._keys(places)
        if keys or self.prediction.several:
            self.commitment.commit(keys)
        return self.note()

    def note(self) -> str:
        """Where the reader is with this question; "" before anything was said."""
        if self.commitment.keys is None:
            return "The result has been shown, so this can no longer be predicted." if self.commitment.closed else ""
        before = "Now run the next cell. Until then you may change it."
        more = "The result has been shown." if self.commitment.closed else before
        return f"You said: {in_words(self.prediction, self.commitment.keys)} {more}"


class Held:
    """A prediction held against the result, line by line: a title and a text each; the text alone is a sentence."""

    def __init__(self, lines: list[tuple[str, str]]) -> None:
        self.lines = lines

    def __repr__(self) -> str:
        return "\n".join(f"{title}: {text}" if title else text for title, text in self.lines)

    def _repr_html_(self) -> str:
        if not self.lines[0][0]:
            return "".join(f"<p>{inline(text)}</p>" for _, text in self.lines)
        heads = [inline(title).replace("<code>", "<code style='white-space:nowrap'>") for title, _ in self.lines]
        return table([[head, inline(text)] for head, (_, text) in zip(heads, self.lines, strict=True)], row_heads=True)


def predict(name: str) -> Question:
    """The question of this name, with its outcomes to choose from; `reveal` holds the choice against the result.

    A choice is kept until the kernel ends. It may be changed, also by running the cell again, until the result was
    shown.

    Raises:
        BadInput: no such question; the message lists those that there are.
    """
    return Question(lessons.prediction(name))


def reveal(name: str, *results: object) -> Held:
    """What was said to that question, the outcome by these results, and why.

    Results that are not what the question asks for get a sentence that says what is wanted.

    Raises:
        BadInput: no such question; the message lists those that there are.
    """
    prediction = lessons.prediction(name)
    if in_notebook() and (pyplot := sys.modules.get("matplotlib.pyplot")):
        pyplot.show()  # what the cell has drawn so far, above the answer: else the page shows it at the cell's end
    try:
        came = prediction.classify(*results)
    except Exception as error:  # whatever the topic's function says to another cell's variable
        given = f"which is {' and '.join(map(kind, results)) or 'nothing'}"
        reason = str(error).partition("\n")[0] if isinstance(error, LabError) else given
        wanted = f"It needs {prediction.result_description}."
        return Held([("", f"The question is about another result than this: {reason}. {wanted}")])
    said = predictions.commitment(name)
    if said.keys is None and said.ticked:
        said.keys = said.ticked
    said.closed = said.keys is not None  # what nobody answered stays open on the saved page: its reader may answer
    for fix in _shown.pop(name, []):
        fix()
    said.closed = True  # no more changes
    return Held(_each(prediction, said.keys, came) if prediction.several else _lines(prediction, said.keys, came))


def in_words(prediction: Prediction, keys: frozenset[str]) -> str:
    """The outcomes of these keys, as one text that ends with a full stop."""
    return "; ".join(text.rstrip(".") for text in prediction.texts(keys) or [NOTHING_TICKED]) + "."


def _lines(prediction: Prediction, said: frozenset[str] | None, came: Finding) -> list[tuple[str, str]]:
    outcomes, lines = prediction.outcomes, []
    if said is not None:
        verdict = " That's what happened. ✓" if said == came.keys else " That isn't what happened. ✗"
        lines.append(("You said", in_words(prediction, said) + verdict * bool(came.keys)))
    result = in_words(prediction, came.keys) if came.keys else "None of these outcomes."
    lines.append(("Result", f"{result} {came.facts}"))
    lines += [("Why", outcomes[key].why) for key in sorted(came.keys)]
    wrong = (said or frozenset()) - came.keys if came.keys else ()  # of no outcome: the reader ran something else
    return lines + [("And yours", outcomes[key].why_not) for key in sorted(wrong)]


def _each(prediction: Prediction, said: frozenset[str] | None, came: Finding) -> list[tuple[str, str]]:
    """One line per outcome, where each of them is a yes or a no."""
    lines, right = [], 0
    for key in prediction.offered():
        outcome, yes = prediction.outcomes[key], key in came.keys
        you = ""
        if said is not None:
            right += (key in said) == yes
            you = f" You said {'yes' if key in said else 'no'} {'✓' if (key in said) == yes else '✗'}."
        lines.append((outcome.text, f"{'Yes' if yes else 'No'}.{you} {outcome.why if yes else outcome.why_not}"))
    score = "" if said is None else f" You were right about {right} of {len(lines)}."
    return [("Result", f"{came.facts}{score}"), *lines]
