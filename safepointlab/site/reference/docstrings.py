"""A function, class or module of the lab -> its signature and its docstring in MyST Markdown."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

from safepointlab.site.reference import markup

SECTIONS = ("Args", "Returns", "Raises", "Yields")
SECTION = re.compile(rf"^({'|'.join(SECTIONS)}):$")
ARGUMENT = re.compile(r"^(\*{0,2}\w[\w, *]*): (.*)$", re.DOTALL)
PLACE = re.compile(r"\b(?:safepointlab|collections|pathlib|typing|types|pandas|matplotlib)(?:\.\w+)*\.(?=[A-Z])")
ADDRESS = re.compile(r"<(?:function|class|built-in function) '?([\w.]+)[^>]*>")
IN_COLUMNS = re.compile(r"\S {3,}\S")
QUOTES = str.maketrans("", "", "'\"~")  # around names that are imported late, and before type variables
WIDTH = 100


def entry(name: str, thing: Any, level: int = 2) -> str:
    """A heading, the signature, and the docstring below it.

    Args:
        name: as a caller writes it, "lab.java".
    """
    head = f"{'#' * level} `{name}`\n"
    shown = markup.code(f"{name}{signature(thing)}", "python") if callable(thing) else ""
    return "\n".join([head, shown, described(inspect.getdoc(thing) or "")])


def signature(thing: Any) -> str:
    """The signature in one line, or an argument a line where that is too long; names without their modules."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    line = _short(str(found))
    if len(line) <= WIDTH:
        return line
    words = [_short(str(each)) for each in _parameters(found)]
    returns = line.rpartition(") -> ")[2] if ") -> " in line else ""
    return "(\n" + "".join(f"    {word},\n" for word in words) + ")" + (f" -> {returns}" if returns else "")


def _parameters(found: inspect.Signature) -> Iterator[str]:
    """The parameters as they are written, with the star where only names are allowed from there on."""
    starred = False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            yield "*"
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        yield str(parameter)


def _short(text: str) -> str:
    """
    >>> _short("(jdk: 'safepointlab.jdks.finder.Jdk | str') -> collections.abc.Iterator[pathlib.Path]")
    '(jdk: Jdk | str) -> Iterator[Path]'
    """
    return PLACE.sub("", ADDRESS.sub(r"\1", text)).translate(QUOTES)


def described(text: str) -> str:
    """A docstring as Markdown: paragraphs, listings, and its sections as lists."""
    return "\n\n".join(filter(None, map(_block, _blocks(text)))) + "\n"


def _blocks(text: str) -> list[str]:
    """The parts between blank lines; what is indented below a section belongs to it."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        inside = blocks and SECTION.match(blocks[-1].partition("\n")[0]) and block.startswith("    ")
        if inside:
            blocks[-1] += f"\n{block}"
        elif block.strip():
            blocks.append(block)
    return blocks


def _block(text: str) -> str:
    first, _, rest = text.partition("\n")
    if section := SECTION.match(first):
        return _section(section[1], inspect.cleandoc(rest))
    if text.lstrip().startswith(">>>"):
        return markup.code(inspect.cleandoc(text), "pycon")
    if text.startswith("    ") or IN_COLUMNS.search(text) or re.search(r"\n {2,}\S", text):
        return markup.code(inspect.cleandoc(text) if text.startswith("    ") else text, "text")
    return markup.prose(" ".join(text.split()))


def _section(name: str, text: str) -> str:
    """ "Args:" and its lines as a list of arguments; a section in plain words stays a paragraph."""
    items = re.split(r"\n(?=\S)", text)
    matches = [ARGUMENT.match(item) for item in items]
    if name in ("Returns", "Yields") or not all(matches):
        return f"**{name}:** {markup.prose(' '.join(text.split()))}"
    lines = [f"- `{match[1]}`: {markup.prose(' '.join(match[2].split()))}" for match in matches if match]
    return "\n".join([f"**{name}:**", "", *lines])


def public(thing: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class defines itself, in the order of its text."""
    for name, member in vars(thing).items():
        if not name.startswith("_") and (callable(member) or _is_property(member)) and inspect.getdoc(member):
            yield name, member


def _is_property(member: Any) -> bool:
    return isinstance(member, property) or type(member).__name__ == "cached_property"
