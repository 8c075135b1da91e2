"""The package's own imports -> docs/architecture.md's table of folders and its picture, docs/architecture.svg.

The order of the folders stands in the page alone: a folder imports only from those above it, and a test holds that.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import matplotlib as mpl
from readme import between

PROJECT = Path(__file__).resolve().parent.parent
PACKAGE = PROJECT / "safepointlab"
PAGE, PICTURE = PROJECT / "docs" / "architecture.md", PROJECT / "docs" / "architecture.svg"
HEAD = "| folder | purpose | imports from |\n|---|---|---|\n"
ROW = re.compile(r"^\| `([\w.]+)/?` \|", re.MULTILINE)
INK, FAINT = "#1b3a57", "#d9dee3"


def main() -> None:
    page = PAGE.read_text("utf-8")
    order = folders(page)
    fresh = between(page, "folders", HEAD + "".join(rows(order)), "docs/architecture.md")
    if "--check" in sys.argv:
        sys.exit(0 if fresh == page else "docs/architecture.md is not what the imports say. Run: make architecture")
    PAGE.write_text(fresh, "utf-8")
    draw(order)


def folders(page: str) -> list[str]:
    """The order as the page has it: each row's first cell, from the one that imports nothing on."""
    return ROW.findall(page.partition("<!-- folders -->")[2].partition("<!-- /folders -->")[0])


def rows(order: list[str]) -> Iterator[str]:
    for name in order:
        place = PACKAGE / name
        shown = f"`{name}/`" if place.is_dir() else f"`{name}`"
        used = [f"`{other}`" for other in order if other in imported(name)]
        yield f"| {shown} | {purpose(place)} | {' '.join(used)} |\n"


def purpose(place: Path) -> str:
    """The first line of the module's or package's docstring."""
    source = place / "__init__.py" if place.is_dir() else place
    return (ast.get_docstring(ast.parse(source.read_text("utf-8"))) or "").partition("\n")[0].replace("|", "\\|")


def files(name: str) -> list[Path]:
    place = PACKAGE / name
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


@cache
def imported(name: str) -> frozenset[str]:
    """The folders and top-level modules that any file of this one imports from; those for types alone count, too."""
    return frozenset(target for file in files(name) for target in targets_of(file)) - {name}


def targets_of(file: Path) -> Iterator[str]:
    """What one file imports of the package, by its first part: `process`, or `errors.py`."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE.name:
            parts = (node.module or "").split(".")[1:]
            names = parts[:1] or [alias.name for alias in node.names]
            yield from (part if (PACKAGE / part).is_dir() else f"{part}.py" for part in names)


def draw(order: list[str]) -> None:
    """One row a folder; a dot where it imports from the column's folder: all dots lie below the diagonal."""
    import matplotlib.pyplot as plt

    mpl.rcParams.update({"svg.hashsalt": "safepointlab", "svg.fonttype": "none", "font.size": 13})
    figure, ax = plt.subplots(figsize=(9, 8))
    for row, name in enumerate(order):
        ax.plot([-0.4, row], [row, row], color=FAINT, lw=1, zorder=0)
        ax.plot(row, row, "s", color=FAINT, ms=15, zorder=1)
        dots = [column for column, other in enumerate(order) if other in imported(name)]
        ax.plot(dots, [row] * len(dots), "o", color=INK, ms=9)
    names = [name.removesuffix(".py") for name in order]
    ax.set_yticks(range(len(order)), names)
    ax.set_xticks(range(len(order)), names, rotation=60, ha="right")
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.set_title("Every import runs to a folder further up (dot: the row imports from the column)", loc="right")
    ax.tick_params(length=0)
    for side in ax.spines.values():
        side.set_visible(False)
    figure.tight_layout()
    figure.savefig(PICTURE, metadata={"Date": None, "Description": description(order)})


def description(order: list[str]) -> str:
    """All that the picture shows, as text: what a test compares, and what those read who do not see it."""
    return "; ".join(f"{name}: {' '.join(sorted(imported(name)) or ['nothing'])}" for name in order)


if __name__ == "__main__":
    main()
