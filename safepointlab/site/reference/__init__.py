"""The lab's own tables -> the book's reference pages: then and now, glossary, index of flags, Java samples, API.

    write(folder)       writes Markdown, and what a reader can download, and says which pages there are

page                                what it is made of                          module
----------------------------------  ------------------------------------------  --------------------------
then-and-now.md, claims/*.md        the list of claims, docs/claims.json        verdicts, then_and_now, claim_pages
glossary.md                         session/glossary.toml, the notebooks        words
flags.md                            docs/flags.json, notebooks, topics, samples flags_used, flags
samples.md, samples/*/*.md          java-samples/                               samples
api.md, api/*.md                    docstrings of the public names (Sphinx autodoc)  api
"""

from pathlib import Path

from safepointlab.process import home
from safepointlab.site.reference import api, claim_pages, course, flags, samples, then_and_now, verdicts, words

__all__ = ["write"]


def write(folder: Path, project: Path = home.PROJECT) -> list[str]:
    """Write all reference pages below the folder; no JDK is needed, and nothing is run.

    Args:
        folder: the book's folder "reference"; the notebooks stand beside it in "notebooks".
        project: the checkout with the notebooks, the samples and the documents.

    Returns:
        The pages for the book's table of contents, without suffix; each has the pages below it in its own.

    Raises:
        BadInput: docs/claims.json or docs/flags.json is damaged.
        StorageFailed: the folder cannot be written.
    """
    pages = course.pages(project)
    measured = verdicts.read(project / "docs" / "claims.json")
    then_and_now.write(folder, measured, pages)
    claim_pages.write(folder, measured, pages)
    words.write(folder, pages)
    flags.write(folder, project, pages)
    samples.write(folder, pages)
    api.write(folder)
    return ["then-and-now", "glossary", "flags", "samples", "api"]
