"""A sample and a pattern -> the matching block of its source, with line numbers, for a notebook's *Source* cell."""

import re
from dataclasses import dataclass
from html import escape

from safepointlab.errors import BadInput, SampleNotFound
from safepointlab.run import benchmarks, build

COMMENT = re.compile(r"^\s*(//|/\*|\*|$)")


@dataclass(frozen=True)
class Excerpt:
    """Some lines of a Java file with their numbers; plain text in a terminal, HTML in a notebook."""

    name: str
    lines: tuple[tuple[int, str], ...]
    marked: str

    def __repr__(self) -> str:
        return "\n".join(f"{number:4d}  {line}" for number, line in self.lines)

    def _repr_html_(self) -> str:
        rows = []
        for number, line in self.lines:
            marked = self.marked and re.search(self.marked, line)
            text = f"<b>{escape(line)}   ◀</b>" if marked else escape(line)
            rows.append(f"<span style='opacity:.7'>{number:3d}</span>  {text}")
        style = "font-family:monospace;line-height:1.35;margin:0"
        caption = f"<small>{escape(self.name)}.java</small>" if self.name else ""
        text = "\n".join(rows)
        return f"<div>{caption}<pre style='{style}'>{text}</pre></div>"


def excerpt(sample: str, around: str = "", mark: str = "", comments: bool = False, caption: bool = True) -> Excerpt:
    """The block whose first line matches `around`, up to its closing brace; the whole file without `around`.

    Args:
        around: a regular expression, such as "static int count".
        mark: a regular expression; lines that match are set in bold with an arrow.
        comments: keep the lines that hold nothing but a comment or a blank.
        caption: False leaves out the file's name, which may tell what a question asks for.

    Raises:
        SampleNotFound: no such sample, or no line of it matches.
        BadInput: `around` or `mark` is not a regular expression.
    """
    first = pattern(around, "around")
    pattern(mark, "mark")
    benchmark = benchmarks.SOURCES / f"{sample}.java"
    path = benchmark if benchmark.is_file() else build.find_sample(sample)
    name = sample if path == benchmark else build.sample_name(path)
    lines = list(enumerate(path.read_text("utf-8").splitlines(), 1))
    start = next(
        (place for place, (_, line) in enumerate(lines) if first.search(line) and not COMMENT.match(line)), None
    )
    if start is None:
        raise SampleNotFound(f"no line of {name} matches {around!r}. Looked in {path.name}; open it to see its lines.")
    block = _block(lines[start:]) if around else lines
    kept = tuple((number, line) for number, line in block if comments or not COMMENT.match(line))
    return Excerpt(name if caption else "", kept, mark)


def pattern(text: str, name: str) -> re.Pattern[str]:
    """A regular expression that a reader typed as the argument `name`.

    Raises:
        BadInput: it is not one; with what is wrong, and how to find the character itself.
    """
    try:
        return re.compile(text)
    except (re.error, TypeError) as cause:
        advice = "To find such a character itself, put a backslash before it, or use re.escape."
        raise BadInput(f"{name} must be a regular expression, got {text!r}: {cause}. {advice}") from cause


def _block(numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
    depth, opened = 0, False
    for count, (_, line) in enumerate(numbered, 1):
        code = line.partition("//")[0]
        depth += code.count("{") - code.count("}")
        opened = opened or "{" in code
        if opened and depth <= 0:
            return numbered[:count]
    return numbered
