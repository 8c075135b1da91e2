"""A reader's answer and what must be true of it -> a line that says whether it is solved, or what to look at.

The texts of an exercise are in its lesson's quiz.toml and its judge in answers.py; `lessons` puts both together.
"""

import hashlib
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeGuard

from safepointlab import jdks
from safepointlab.errors import BadInput, LabError, NotRecorded
from safepointlab.html import inline
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.run import sweep

OWN_JAVA = "The lab plays recordings, and there's none of your own Java: a lab with JDKs can judge it."
Answer = str | Mapping[str, str]  # what a cell says in place of the dots; or the edits of a template, new text by old
NO_ANSWER, AGAIN = "No answer yet.", "That is the same answer as before."
SOLUTION = "The page has a solution, folded below the exercise; in a class, your instructor has it."
NO_RUN = f"The lab plays recordings, and your answer wasn't recorded: only a lab with JDKs can judge it. {SOLUTION}"
MARKS = {None: "☐", True: "☑ <b>Solved.</b>", False: "☒ <b>Not yet.</b>"}


@dataclass(frozen=True)
class Checked:
    """The answer to an exercise as judged; `solved` is None while there is no answer yet, `quoted` a tool's words.

    `timed` says that the answer was run and its times judged.
    """

    solved: bool | None
    says: str
    quoted: str = ""
    timed: bool = False

    def __repr__(self) -> str:
        mark = {None: "[ ]", True: "[solved]", False: "[not yet]"}[self.solved]
        return "\n".join(filter(None, [f"{mark} {self.says}", self.quoted]))

    def _repr_html_(self) -> str:
        quoted = f"<pre>{escape(self.quoted)}</pre>" if self.quoted else ""
        return f"<p>{MARKS[self.solved]} {inline(self.says)}</p>{quoted}"


class Untouched(BadInput):
    """The file of an exercise is as it was written: there is no answer yet, and so no verdict."""


@dataclass(frozen=True)
class Judged:
    """What an answer does, in a sentence, and whether that is what the exercise asks for; by its times, or without.

    `explanation` takes the place of the exercise's, where an answer is right for another reason than the solution, or
    of its hints, where it's wrong for a reason that they aren't about.
    """

    holds: bool
    does: str
    by_time: bool = True
    explanation: str = ""


@dataclass(frozen=True)
class Exercise:
    """One exercise of a page.

    `judge` looks at what an answer does, and raises BadInput where it can't be one; `answer` says what an answer is.
    `explanation` follows a right one. `hints`: the first after a wrong answer, the second, stronger, after another.
    `template` is the file that the exercise edits. `timed` says that the verdict rests on times, of runs that need not
    be those of the page: a busy machine may be why. `solution` is the page's, and `wrong` are two answers that are easy
    to give: the runs of all three are recorded.
    """

    name: str
    answer: str
    judge: Callable[[Any], Judged]
    explanation: str
    hints: tuple[str, str]
    template: Path | None = None
    timed: bool = False
    solution: Answer = ""
    wrong: tuple[Answer, ...] = ()

    def edited(self, edits: Mapping[str, str]) -> Path:
        """The template with these edits, under a name that is the same in all recordings; blanks don't count."""
        if not self.template:
            raise ValueError(f"exercise {self.name} has no file to edit")
        source = self.template.read_text("utf-8")
        for old, new in edits.items():
            [place] = re.finditer(r"\s+".join(map(re.escape, old.split())), source)
            source = source[: place.start()] + new + source[place.end() :]
        digest = hashlib.sha256(source.encode()).hexdigest()[:12]
        return write_whole(home.ready(home.cache() / "answers" / digest) / self.template.name, source)


_session: dict[str, list[str]] = {}  # by the exercise's name the wrong answers to it in this session, each once


def judged(exercise: Exercise, answer: Any) -> Checked:
    """An answer as the exercise's judge sees it; whatever it is, there is a sentence and no traceback."""
    if getattr(answer, "ndim", 0) == 1 and getattr(answer, "size", 0) == 1:  # a column or an array of one value
        answer = answer.item()
    if unanswered(answer):
        return Checked(None, NO_ANSWER)
    try:
        with sweep.whole():
            verdict = exercise.judge(answer)
    except Untouched as nothing:
        return Checked(None, str(nothing))
    except NotRecorded:
        return Checked(None, OWN_JAVA if exercise.template else NO_RUN)
    except LabError as error:
        says, _, quoted = str(error).partition("\n")
        return Checked(False, says, quoted)
    except Exception:  # whatever a comparison says to a table, a missing value or a word
        return Checked(False, f"This answer can't be judged: it is {kind(answer)}. Give {exercise.answer}.")
    if verdict.holds:
        return Checked(True, f"{verdict.does} {verdict.explanation or exercise.explanation}")
    wrong, told = _session.setdefault(exercise.name, []), _identity(answer)
    again = f"{AGAIN} " if told in wrong else ""
    wrong += [] if again else [told]
    ladder = [*exercise.hints, f"{exercise.hints[1]} {SOLUTION}"]  # the more wrong answers, the more is told
    hint = ladder[min(len(wrong), len(ladder)) - 1]
    return Checked(
        False, f"{verdict.does} {again}{verdict.explanation or hint}", timed=exercise.timed and verdict.by_time
    )


def unanswered(answer: object) -> bool:
    """Whether the dots are still in the place of the answer, or in one of its places.

    >>> unanswered(...), unanswered({8: 1, 17: ...}), unanswered("..."), unanswered(0)
    (True, True, True, False)
    """
    if isinstance(answer, str):
        return answer.strip(" .…\n\t") == ""
    parts = answer.values() if isinstance(answer, Mapping) else answer if isinstance(answer, list | tuple) else ()
    return answer is ... or any(part is ... for part in parts)


def _identity(answer: object) -> str:
    """The same text for the same answer; that of a file depends on its contents."""
    try:
        file = Path(os.fspath(answer)) if isinstance(answer, str | os.PathLike) else None
        contents = file.read_bytes() if file and file.is_file() else b""
        return f"{type(answer).__name__} {answer!r:.1000} {hashlib.sha256(contents).hexdigest()}"
    except Exception:  # a class of the reader's own may fail to print itself
        return f"{type(answer).__name__} {id(answer)}"


def kind(answer: object) -> str:
    """What an answer is, for a sentence.

    >>> kind(None), kind("17"), kind(float("nan"))
    ('nothing (None)', "the text '17'", 'no number (nan)')
    """
    if answer is None:
        return "nothing (None)"
    if isinstance(answer, str):
        return f"the text {answer[:60]!r}"
    if isinstance(answer, float) and math.isnan(answer):
        return "no number (nan)"
    plain = isinstance(answer, bool | Integral | Real)
    return f"{str(answer)[:60]} ({type(answer).__name__})" if plain else f"a {type(answer).__name__}"


def finite(answer: object) -> TypeGuard[float]:
    """Is the answer a number, and neither infinite nor NaN?

    >>> finite(1.5), finite(True), finite("1.5"), finite(math.inf)
    (True, False, False, False)
    """
    return isinstance(answer, Real) and not isinstance(answer, bool) and math.isfinite(answer)


def whole(answer: object, least: int, most: int, what: str) -> int:
    """The answer as a whole number in that range; 2e9 is one.

    >>> whole(2e9, 0, 4_294_967_295, "a number of iterations")
    2000000000

    Raises:
        BadInput: it is none; says what is wanted.
    """
    if not finite(answer) or int(answer) != answer or not least <= answer <= most:
        wanted = f"Give {what}: a whole number from {least:,} to {most:,}, without quotes."
        raise BadInput(f"This is {kind(answer)}. {wanted}")
    return int(answer)


def newest_jdk() -> int:
    """The newest feature release on this machine: an edited program has to hold on it, too."""
    return max(jdk.major for jdk in jdks.find())


def word(answer: object, what: str) -> str:
    """The answer as one word of text.

    Raises:
        BadInput: it is none; says what is wanted.
    """
    if not isinstance(answer, str) or len(answer.split()) != 1 or len(answer) > 500:
        raise BadInput(f"This is {kind(answer)}. Give {what}.")
    return answer.strip()


def flag(answer: object, what: str, gc: str = "") -> str:
    """The answer as one flag of the JVM, without those that unlock it: the lab unlocks flags by itself.

    >>> flag("-XX:+UnlockDiagnosticVMOptions -XX:+SafepointALot", "one flag")
    '-XX:+SafepointALot'

    Args:
        gc: the collector that the exercise has chosen, if another one would be no answer.

    Raises:
        BadInput: it is none, or chooses a collector; says what is wanted.
    """
    text = re.sub(r"-XX:\+Unlock\w+\s+(?=\S)", "", answer) if isinstance(answer, str) else answer
    named = word(text, what)
    if re.match(r"[\w+]", named):
        raise BadInput(f"{named[:60]!r} isn't a JVM flag: a flag begins with a -. Give {what}.")
    if gc and re.fullmatch(r"-XX:[+-]Use\w*GC", named):
        raise BadInput(f"{named} chooses a collector, and the exercise has chosen one: {gc}. Give another flag.")
    return named


def java_file(answer: object, exercise: Exercise, kept: str) -> Path:
    """The Java file that an answer names, which was edited since it was written from the exercise's template.

    Of code that the lab has recorded it is the lab's own file.

    Args:
        kept: a regular expression; what it matches in the template is not the reader's to edit.

    Raises:
        Untouched: nothing in it has been edited.
        BadInput: it is not the name of a Java file that exists, or too much of it has been edited.
    """
    if not exercise.template:
        raise ValueError(f"exercise {exercise.name} has no file to edit")
    wanted = "Give the file that lab.template wrote and you edited."
    if not isinstance(answer, str | os.PathLike) or not (text := str(os.fspath(answer))).strip():
        raise BadInput(f"This is {kind(answer)}. {wanted}")
    path = Path(text)
    if path.suffix != ".java":
        raise BadInput(f"{text[:80]!r} is no Java file. {wanted}")
    try:
        source = path.read_text("utf-8", "replace")
    except (OSError, ValueError) as cause:  # also a name too long, or with a NUL in it
        raise BadInput(
            f"There is no file {text[:80]!r}. lab.template writes it again, and says where it is."
        ) from cause
    written = exercise.template.read_text("utf-8")
    if same_code(source, written):
        raise Untouched(f"`{os.path.relpath(path)}` is as it was written. Edit it, save it, then run this cell again.")
    part = re.search(kept, written, re.DOTALL)
    if part and _code(part[0]) not in _code(source):
        raise BadInput(
            f"{path.name} is changed in a part that is not yours. The comment at its top says what is yours."
        )
    edits = (each for each in (exercise.solution, *exercise.wrong) if not isinstance(each, str))
    recorded = map(exercise.edited, edits)
    return next((known for known in recorded if same_code(source, known.read_text("utf-8"))), path.resolve())


def same_code(source: str, written: str) -> bool:
    """Whether two sources differ in line comments and blanks at most: then a reader has answered nothing yet.

    >>> same_code("int a;  // a thought", "int a;"), same_code("int b;", "int a;")
    (True, False)
    """
    return _code(source) == _code(written)


def _code(text: str) -> str:
    """A source without its line comments and blanks."""
    return re.sub(r"//[^\n]*|\s+", "", text)
