"""A heading and what was measured -> docs/figures.md with that section in place of its former one; others stay."""

import re
from pathlib import Path

from safepointlab.process.files import write_whole

PAGE = Path(__file__).parents[1] / "docs" / "figures.md"
FIRST = "# Figures\n\nWhat was measured, by which command, when and on which machine.\n"


def write(heading: str, body: str, page: Path = PAGE) -> Path:
    """Put the body under `## heading`."""
    text = page.read_text("utf-8") if page.exists() else FIRST
    old = re.compile(rf"^## {re.escape(heading)}\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    section = f"## {heading}\n\n{body.strip()}\n"
    if old.search(text):
        return write_whole(page, old.sub(lambda found: section + "\n" * (found.end() < len(text)), text))
    return write_whole(page, f"{text.rstrip()}\n\n{section}")


def table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    """The rows as a table of Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)
