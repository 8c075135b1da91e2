"""The lab's own tables -> the book's reference pages: then and now, glossary, index of flags, Java samples, API.

page                                what it is made of                               module
----------------------------------  -----------------------------------------------  ----------------
then-and-now.md, claims/*.md        the list of claims, docs/claims.json             verdicts, claims
glossary.md                         course/glossary.toml, the notebooks              glossary
flags.md                            docs/flags.json, notebooks, lessons, samples     flags
samples.md, samples/*/*.md          java-samples/                                    samples
api.md, api/*.md                    docstrings of the public names (Sphinx autodoc)  api
"""

from pathlib import Path

from safepointlab.process.home import PROJECT
from safepointlab.site.reference import api, claims, course, flags, glossary, samples, verdicts

__all__ = ["write"]


def write(folder: Path, project: Path = PROJECT) -> list[str]:
    """Write all reference pages, and what a reader can download; no JDK is needed, and nothing is run.

    Args:
        folder: the book's folder "reference"; the notebooks are next to it in "notebooks".
        project: the checkout with the notebooks, the samples and the documents.

    Returns:
        The pages for the book's table of contents, without suffix; each has the pages below it in its own.

    Raises:
        BadInput: docs/claims.json or docs/flags.json is damaged.
        StorageFailed: the folder cannot be written.
    """
    pages = course.pages(project)
    claims.write(folder, verdicts.read(project / "docs" / "claims.json"), pages)
    glossary.write(folder, pages)
    flags.write(folder, project, pages)
    samples.write(folder, pages)
    api.write(folder)
    return ["then-and-now", "glossary", "flags", "samples", "api"]
