"""A reader's answer and what must be true of it -> a line that says whether it is solved, or what to look at.

The texts of an exercise are in its lesson's quiz.toml and its judge in answers.py; `lessons` puts both together.
"""

import hashlib
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeGuard

from safepointlab import jdks
from safepointlab.errors import BadInput, LabError, NotRecorded
from safepointlab.html import inline
from safepointlab.run import sweep

NO_RUN = "Nobody recorded a run for this answer, so it can't be judged here; with a JDK it can."
NO_ANSWER, AGAIN = "No answer yet.", "That is the same answer as before."
SOLUTION = "The solution is in the folded cell below."
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
    """What an answer does, in a sentence, and whether that is what the exercise asks for; by its times, or without."""

    holds: bool
    does: str
    by_time: bool = True


@dataclass(frozen=True)
class Exercise:
    """One exercise of a page.

    `judge` looks at what an answer does, and raises BadInput where it can't be one; `answer` says what an answer is.
    `explanation` follows a right one. `hints`: the first after a wrong answer, the second, stronger, after another.
    `template` is the file that the exercise edits. `timed` says that the verdict rests on times, of runs that need not
    be those of the page: a busy machine may be why.
    """

    name: str
    answer: str
    judge: Callable[[Any], Judged]
    explanation: str
    hints: tuple[str, str]
    template: Path | None = None
    timed: bool = False


@dataclass
class Attempts:
    """The wrong answers to one exercise in this session, each counted once."""

    answers: list[str] = field(default_factory=list)

    def hint(self, answer: object, hints: tuple[str, str]) -> str:
        """What a reader is told after this wrong answer: the more of them, the more."""
        again = (told := identity(answer)) in self.answers
        self.answers += [] if again else [told]
        ladder = [hints[0], hints[1], f"{hints[1]} {SOLUTION}"]
        return f"{AGAIN} " * again + ladder[min(len(self.answers), 3) - 1]


_session: dict[str, Attempts] = {}


def judged(exercise: Exercise, answer: object) -> Checked:
    """An answer as the exercise's judge sees it; whatever it is, there is a sentence and no traceback."""
    answer = single(answer)
    if unanswered(answer):
        return Checked(None, NO_ANSWER)
    try:
        with sweep.whole():
            verdict = exercise.judge(answer)
    except Untouched as nothing:
        return Checked(None, str(nothing))
    except NotRecorded as missing:
        return Checked(None, f"{NO_RUN} {missing}")
    except LabError as error:
        says, _, quoted = str(error).partition("\n")
        return Checked(False, says, quoted)
    except Exception:  # whatever a comparison says to a table, a missing value or a word
        return Checked(False, f"This answer can't be judged: it is {kind(answer)}. Give {exercise.answer}.")
    if verdict.holds:
        return Checked(True, f"{verdict.does} {exercise.explanation}")
    attempts = _session.setdefault(exercise.name, Attempts())
    timed = exercise.timed and verdict.by_time
    return Checked(False, f"{verdict.does} {attempts.hint(answer, exercise.hints)}", timed=timed)


def unanswered(answer: object) -> bool:
    """Whether the dots still stand where the answer goes, or in one of its places.

    >>> unanswered(...), unanswered({8: 1, 17: ...}), unanswered("..."), unanswered(0)
    (True, True, True, False)
    """
    if isinstance(answer, str):
        return answer.strip(" .…\n\t") == ""
    parts = answer.values() if isinstance(answer, Mapping) else answer if isinstance(answer, list | tuple) else ()
    return answer is ... or any(part is ... for part in parts)


def single(answer: Any) -> Any:
    """The only value of a column or of a list of numpy's; any other answer as it is.

    >>> import pandas
    >>> single(pandas.Series([4.5])), single("4.5")
    (4.5, '4.5')
    """
    return answer.item() if getattr(answer, "ndim", 0) == 1 and getattr(answer, "size", 0) == 1 else answer


def identity(answer: object) -> str:
    """The same text for the same answer; that of a file is made of what is in it.

    >>> identity(3) == identity(3), identity(3) == identity("3")
    (True, False)
    """
    try:
        file = Path(os.fspath(answer)) if isinstance(answer, str | os.PathLike) else None
        held = file.read_bytes() if file and file.is_file() else b""
        text = f"{answer}" if isinstance(answer, os.PathLike) else repr(answer)
        return f"{type(answer).__name__} {text[:1000]} {hashlib.sha256(held).hexdigest()}"
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
        raise BadInput(
            f"This is {kind(answer)}. Give {what}: a whole number from {least:,} to {most:,}, without quotes."
        )
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
        raise BadInput(f"{named[:60]!r} is no flag of the JVM: a flag begins with a -. Give {what}.")
    if gc and re.fullmatch(r"-XX:[+-]Use\w*GC", named):
        raise BadInput(f"{named} chooses a collector, and the exercise has chosen one: {gc}. Give another flag.")
    return named


def java_file(answer: object, template: Path, kept: str) -> Path:
    """The Java file that an answer names, which was edited since it was written from that template.

    Args:
        kept: a regular expression; what it matches in the template is not the reader's to edit.

    Raises:
        Untouched: nothing in it has been edited.
        BadInput: it is not the name of a Java file that exists, or too much of it has been edited.
    """
    path, written = _existing(answer), template.read_text("utf-8")
    source = path.read_text("utf-8", "replace")
    if same_code(source, written):
        raise Untouched(f"`{os.path.relpath(path)}` is as it was written. Edit it, save it, then run this cell again.")
    part = re.search(kept, written, re.DOTALL)
    if part and _code(part[0]) not in _code(source):
        raise BadInput(
            f"{path.name} is changed in a part that is not yours. The comment at its top says what is yours."
        )
    return path.resolve()


def same_code(source: str, written: str) -> bool:
    """Whether two sources differ in line comments and blanks at most: then a reader has answered nothing yet.

    >>> same_code("int a;  // a thought", "int a;"), same_code("int b;", "int a;")
    (True, False)
    """
    return _code(source) == _code(written)


def _existing(answer: object) -> Path:
    wanted = "Give the file that lab.template wrote and you edited."
    if not isinstance(answer, str | os.PathLike) or not (text := str(os.fspath(answer))).strip():
        raise BadInput(f"This is {kind(answer)}. {wanted}")
    path = Path(text)
    if path.suffix != ".java":
        raise BadInput(f"{text[:80]!r} is no Java file. {wanted}")
    if not _is_file(path):
        raise BadInput(f"There is no file {text[:80]!r}. lab.template writes it again, and says where it is.")
    return path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        return False


def _code(text: str) -> str:
    """A source without its line comments and blanks."""
    return re.sub(r"//[^\n]*|\s+", "", text)
