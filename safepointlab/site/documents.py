"""The project's own documents -> pages of the book: what they link to outside the book leads to the repository."""

import posixpath
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from safepointlab.site import places

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")
HEAD = """# How it is built

What the lab is made of, and where each sentence about HotSpot stands.

"""


def copied(project: Path, book: Path) -> list[str]:
    """The documents' names, "docs/architecture.md" first; they and their pictures now lie in the book's folder."""
    names = [*_documents(project)]
    for name in [*names, *_pictures(project)]:
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        (book / name).write_bytes((project / name).read_bytes())
    return names


def _documents(project: Path) -> Iterator[str]:
    found = {str(path.relative_to(project)) for path in (project / "docs").rglob("*.md")}
    first = [name for name in ("docs/architecture.md", "docs/claims.md", "docs/sources.md") if name in found]
    decisions = sorted(found - set(first))
    yield from [*first, *decisions]
    if (project / "CHANGELOG.md").exists():
        yield "CHANGELOG.md"


def _pictures(project: Path) -> list[str]:
    return [str(path.relative_to(project)) for kind in ("svg", "png") for path in (project / "docs").glob(f"*.{kind}")]


def inside(text: str, page: str, files: Collection[str], repository: str = "") -> str:
    """The page's text with links that hold in the book.

    >>> inside("[the code](../safepointlab/cli.py), [why](sources.md)", "docs/a.md", {"docs/sources.md"})
    'the code, [why](sources.md)'

    Args:
        page: its path in the repository.
        files: the paths of the book's files, by which a link is known to lead to one of them.
        repository: "owner/name"; without it a link that leads out of the book becomes its words alone.
    """

    def settled(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[3]))
        if target in files:
            return link[0]
        address = places.in_repository(target, repository)
        return f"[{link[2]}]({address})" if address and not link[1] else link[2]

    return LINK.sub(settled, text)


def index(names: list[str]) -> str:
    """The page above the documents."""
    above = [name.removesuffix(".md") for name in names if not name.startswith("docs/decisions/0")]
    decisions = [name.removesuffix(".md") for name in names if name.startswith("docs/decisions/0")]
    return HEAD + tree(above) + tree(decisions, "Decisions")


def tree(names: list[str], caption: str = "", depth: int = 1) -> str:
    """A table of contents of these pages, in MyST's words; names are counted from the book's root.

    >>> print(tree(["docs/architecture"], "Inside").strip())
    ```{toctree}
    :maxdepth: 1
    :caption: Inside
    <BLANKLINE>
    /docs/architecture
    ```
    """
    head = [f":maxdepth: {depth}", *([f":caption: {caption}"] if caption else [])]
    lines = [name if "<" in name else f"/{name}" for name in names]
    return "\n".join(["```{toctree}", *head, "", *lines, "```", "", ""])
