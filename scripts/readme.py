"""notebooks/*.ipynb -> the README's table of notebooks, between its markers; `--check` only says whether it is so."""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
README = PROJECT / "README.md"
HEAD = "| notebook | question | minutes | kernel |\n|---|---|---|---|\n"


def main() -> None:
    text = README.read_text()
    fresh = between(text, "notebooks", HEAD + "".join(rows()))
    if "--check" not in sys.argv:
        README.write_text(fresh)
    elif fresh != text:
        sys.exit("README.md's table of notebooks is not that of notebooks/. Write it anew with: make readme")


def between(text: str, marker: str, fresh: str, file: str = "README.md") -> str:
    """The text with what stands between <!-- marker --> and <!-- /marker --> replaced."""
    begin, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    before, found, rest = text.partition(begin)
    if not found or end not in rest:
        sys.exit(f"{file} has lost its markers {begin.strip()} and {end}: put them back around the table")
    return before + begin + fresh + end + rest.partition(end)[2]


def rows() -> Iterator[str]:
    for path in sorted((PROJECT / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text())
        opening = "".join(notebook["cells"][0]["source"])
        title = opening.splitlines()[0].removeprefix("# ")
        minutes = re.search(r"(\d+(?:\s*(?:-|–|to)\s*\d+)?)\s+minutes", opening)
        spec = notebook["metadata"]["kernelspec"]
        kernel = "Python" if spec["name"] == "python3" else spec["display_name"]
        yield f"| [{path.stem}](notebooks/{path.name}) | {title} | {minutes[1] if minutes else ''} | {kernel} |\n"


if __name__ == "__main__":
    main()
