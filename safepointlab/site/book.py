"""The checkout -> a folder of web pages: the book's sources are assembled, and Sphinx turns them into HTML."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from safepointlab.errors import BadInput, RunFailed, StorageFailed, ToolMissing
from safepointlab.process import home
from safepointlab.process.files import write_whole
from safepointlab.site import documents, front, places, reference
from safepointlab.site.prepare import Notebook, prepared
from safepointlab.widgets import copies

OUT = home.PROJECT / "build" / "site"
NEEDED = ("sphinx", "myst_nb", "pydata_sphinx_theme")
MARK = ".buildinfo"  # Sphinx leaves it in what it made


def build(out: Path = OUT, repository: str = "", project: Path = home.PROJECT) -> Path:
    """The book's first page, in `out`, which holds the whole book or what it held before.

    Args:
        repository: "owner/name" at GitHub, for links that run a page in the cloud; "" leaves them out.

    Raises:
        BadInput: a notebook without outputs, no notebooks, `out` holds something else, or a wrong repository.
        ToolMissing: Sphinx is not installed. RunFailed: Sphinx found something wrong, such as a link to nowhere.
    """
    require_sphinx()
    require_free(out)
    places.checked(repository)
    with scratch(out) as made:
        sources, pages = Path(made, "sources"), Path(made, "pages")
        assemble(sources, repository, project)
        _sphinx(sources, pages)
        _replace(out, pages)
    return out / "index.html"


def scratch(out: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder beside the book's, on the same disk, which is gone at the end.

    Raises:
        StorageFailed: nothing can be written there.
    """
    try:
        return tempfile.TemporaryDirectory(prefix=".site-", dir=home.ready(out.parent))
    except OSError as cause:
        raise StorageFailed(f"cannot write beside {home.shown(out)}: {cause.strerror}. Name another place.") from cause


def require_sphinx() -> None:
    """Raises ToolMissing if a package that makes the book is not there."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolMissing(
            f"the book is made by Sphinx, and this Python has no {', '.join(missing)}. "
            "In a checkout `make site` installs them; else: pip install sphinx myst-nb pydata-sphinx-theme"
        )


def require_free(out: Path) -> None:
    """Raises BadInput if the folder holds something that is no book of ours: it would be replaced."""
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).exists()):
        raise BadInput(f"{home.shown(out)} holds something else, and the book would replace it. Name a new folder.")


def notebooks(project: Path) -> dict[str, Notebook]:
    """The committed notebooks by name, in the order of the course.

    Raises:
        BadInput: there are none, or one is no JSON.
    """
    folder = project / "notebooks"
    found = {path.stem: _read(path) for path in sorted(folder.glob("*.ipynb"))}
    if not found:
        raise BadInput(f"no notebooks in {home.shown(folder)}. The book is made in a checkout of the project.")
    return found


def _read(path: Path) -> Notebook:
    try:
        return dict(json.loads(path.read_text("utf-8")))
    except ValueError as cause:
        raise BadInput(f"{home.shown(path)} is damaged: {cause}. Take it from the repository again.") from cause


def assemble(sources: Path, repository: str, project: Path) -> None:
    """The sources of the book in that folder, laid out as the repository is."""
    saved = notebooks(project)
    pages = {name: prepared(notebook, name, repository) for name, notebook in saved.items()}
    for name, page in pages.items():
        _write(sources, f"notebooks/{name}.ipynb", json.dumps(page))
        blank = json.dumps(copies.without_outputs(saved[name]), ensure_ascii=False, indent=1)
        _write(sources, f"_extra/{places.DOWNLOADS}/{name}.ipynb", blank)
    _write(sources, "notebooks/index.md", front.course(saved))
    above = ["notebooks/index", *_reference(sources, project), "docs/index"]
    _documents(sources, project, repository)
    _write(sources, "index.md", _root(saved, above))


def _root(pages: Mapping[str, Notebook], above: list[str]) -> str:
    tree = documents.tree(above, depth=2)
    return front.first(pages) + tree.replace(":maxdepth", ":hidden:\n:maxdepth", 1)


def _reference(sources: Path, project: Path) -> list[str]:
    """The names of the reference's pages, which are made of the lab's own tables."""
    return [f"reference/{name}" for name in reference.write(home.ready(sources / "reference"), project)]


def _documents(sources: Path, project: Path, repository: str) -> None:
    """The project's documents; a link of theirs that leads out of the book is settled once all pages are there."""
    names = documents.copied(project, sources)
    files = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file()}
    for name in names:
        _write(sources, name, documents.inside((sources / name).read_text("utf-8"), name, files, repository))
    _write(sources, "docs/index.md", documents.index(names))


def _write(sources: Path, name: str, text: str) -> None:
    home.ready((sources / name).parent)
    write_whole(sources / name, text)


def _sphinx(sources: Path, pages: Path) -> None:
    """Raises RunFailed with Sphinx's own words, if it warns of anything."""
    conf, extra = Path(__file__).parent, sources / "_extra"
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "-q", "-W", "--keep-going", "-c", str(conf)]
    command += ["-D", f"html_extra_path={extra}", "-d", str(sources.parent / "doctrees"), str(sources), str(pages)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"})
    if ended.returncode:
        said = (ended.stderr or ended.stdout).replace(f"{sources}/", "").strip()
        raise RunFailed(f"Sphinx made no book of the sources; it says:\n{said}")


def _replace(out: Path, pages: Path) -> None:
    """The new book in the place of the old one."""
    try:
        shutil.rmtree(out, ignore_errors=True)
        pages.rename(out)
    except OSError as cause:
        raise StorageFailed(f"cannot put the book into {home.shown(out)}: {cause.strerror}. Name another.") from cause
