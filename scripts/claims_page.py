"""The claims in the code -> docs/claims.md's tables, one a post, between its markers; `--check` only compares."""

import sys
from collections.abc import Iterator

from readme import PROJECT, between
from samples_readme import notebooks

from safepointlab.claims import links
from safepointlab.claims.base import POSTS, Claim
from safepointlab.course import verdicts as claims

PAGE = PROJECT / "docs" / "claims.md"
NAME = "docs/claims.md"
HEAD = "| id | statement | as published | topic | notebook | judged |\n|---|---|---|---|---|---|\n"


def main() -> None:
    text = PAGE.read_text("utf-8")
    fresh = between(text, "claims", "\n".join(tables()), NAME)
    if "--check" not in sys.argv:
        PAGE.write_text(fresh, "utf-8")
    elif fresh != text:
        sys.exit(f"{NAME} is not what the claims say. Make it again with: make readme")


def tables() -> Iterator[str]:
    """A heading and a table for each post; a row a claim."""
    pages = notebooks()
    topics = {claim.id: topic for topic, members in claims.topics().items() for claim in members}
    for post, title in POSTS.items():
        members = [claim for claim in claims.everything() if claim.id.startswith(f"{post}-")]
        rows = [row(claim, topics[claim.id], pages.get(topics[claim.id], [])) for claim in members]
        yield f"## {post}: {links.markdown(title)}\n\n{HEAD}{''.join(rows)}"


def row(claim: Claim, topic: str, pages: list[str]) -> str:
    links = ", ".join(f"[{page[:2]}](../notebooks/{page}.ipynb)" for page in pages)
    cells = [claim.id, claim.statement, claim.as_published, topic, links, judged(claim)]
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def judged(claim: Claim) -> str:
    """Where it is run."""
    if claim.not_run:
        return f"not run: {claim.not_run}"
    where = "on each JDK, with its own collector and with Serial" if claim.collectors else "on each JDK"
    return f"{where}, in profile `full`" if claim.full else where


if __name__ == "__main__":
    main()
