"""The project's own documents -> pages of the book: what they link to outside the book leads to the repository."""

import posixpath
import re
from collections.abc import Collection
from pathlib import Path

from safepointlab.site import markup

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")
GET, CHANGES = "docs/get.md", "docs/changes.md"  # each has a place of its own in the book
BELOW = ("commands", "service", "recordings", "settings", "class", "talks", "troubleshooting")
BELOW_GET = tuple(f"docs/{name}.md" for name in BELOW)
FIRST = ("docs/architecture.md", "docs/claims.md", "docs/left-out.md", "docs/sources.md")
HEAD = """# How it is built

What the lab is made of, and where each sentence about HotSpot stands.

"""


def write(project: Path, sources: Path, repository: str) -> None:
    """Write the documents, their pictures and the page above them; the book's other files must be there already."""
    found = {str(path.relative_to(project)) for path in (project / "docs").rglob("*.md")}
    above = [name for name in FIRST if name in found]
    decisions = sorted(name for name in found if name.startswith("docs/decisions/0"))
    names = [*above, *sorted(found - set(above))]
    names += ["CHANGELOG.md"] if (project / "CHANGELOG.md").exists() else []
    for kind in ("svg", "png"):
        for picture in (project / "docs").glob(f"*.{kind}"):
            markup.save(sources, f"docs/{picture.name}", picture.read_bytes())
    files = {*names, *(str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file())}
    for name in names:
        text = settle_links((project / name).read_text("utf-8"), name, files, repository)
        below = [page.removesuffix(".md") for page in BELOW_GET if name == GET and page in found]
        markup.save(sources, name, text + "\n" + markup.tree(below))
    others = [name for name in names if name not in (GET, CHANGES, *BELOW_GET, *decisions)]
    index = HEAD
    for pages, caption in ((others, ""), (decisions, "Decisions")):
        index += markup.tree([name.removesuffix(".md") for name in pages], caption, hidden=False)
    markup.save(sources, "docs/index.md", index)


def settle_links(text: str, page: str, files: Collection[str], repository: str = "") -> str:
    """The page's text with links that hold in the book.

    >>> settle_links("[the code](../safepointlab/cli.py), [why](sources.md)", "docs/a.md", {"docs/sources.md"})
    'the code, [why](sources.md)'

    Args:
        page: its path in the repository.
        files: the paths of the book's files, by which a link is known to lead to one of them.
        repository: "owner/name"; without it a link that leads out of the book becomes its words alone.
    """

    def settle(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), link[3]))
        if target in files:
            return link[0]
        is_picture = bool(link[1])
        address = f"https://github.com/{repository}/blob/HEAD/{target}"
        return f"[{link[2]}]({address})" if repository and not is_picture else link[2]

    return LINK.sub(settle, text)
