"""The checkout -> a folder of web pages: the book's sources are assembled, and Sphinx turns them into HTML."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from safepointlab.errors import BadInput, RunFailed, StorageFailed, ToolMissing
from safepointlab.process import home, origin
from safepointlab.site import documents, front, hang, markup, reference
from safepointlab.site.prepare import DOWNLOADS, Notebook, prepared, title
from safepointlab.widgets import copies

OUT = home.PROJECT / "build" / "site"
NEEDED = ("sphinx", "myst_nb", "pydata_sphinx_theme")
MARK = ".buildinfo"  # Sphinx leaves it in what it made
REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def build(out: Path = OUT, repository: str = "", project: Path = home.PROJECT) -> Path:
    """The book's first page, in `out`, which holds the whole book or what it held before.

    Args:
        repository: "owner/name" at GitHub, for links that run a page in the cloud; "" leaves them out.

    Raises:
        BadInput: a notebook without outputs, no notebooks, `out` holds something else, or a wrong repository.
        ToolMissing: Sphinx is not installed. RunFailed: Sphinx found something wrong, such as a link to nowhere.
        StorageFailed: the book cannot be written.
    """
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        raise ToolMissing(
            f"the book is made by Sphinx, and this Python has no {', '.join(missing)}. "
            "In a checkout `make site` installs them; else: pip install sphinx myst-nb pydata-sphinx-theme"
        )
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARK).exists()):
        raise BadInput(f"{home.shown(out)} holds something else, and the book would replace it. Name a new folder.")
    if repository and not REPOSITORY.fullmatch(repository):
        raise BadInput(f"the repository is {repository!r}. Write it as GitHub does, owner/name, or leave it out.")
    try:
        with tempfile.TemporaryDirectory(prefix=".site-", dir=home.ready(out.parent)) as made:  # on the same disk
            sources, pages = Path(made, "sources"), Path(made, "pages")
            assemble(sources, repository, project)
            _run_sphinx(sources, pages)
            shutil.rmtree(out, ignore_errors=True)
            pages.rename(out)
    except OSError as cause:
        raise StorageFailed(f"cannot make {home.shown(out)}: {cause}. Name another place.") from cause
    return out / "index.html"


def notebooks(project: Path) -> dict[str, Notebook]:
    """The committed notebooks by name, in the order of the course.

    Raises:
        BadInput: there are none, or one is no JSON.
    """
    found = {}
    for path in sorted((project / "notebooks").glob("*.ipynb")):
        try:
            found[path.stem] = json.loads(path.read_text("utf-8"))
        except ValueError as cause:
            raise BadInput(f"{home.shown(path)} is damaged: {cause}. Take it from the repository again.") from cause
    if not found:
        raise BadInput(
            f"no notebooks in {home.shown(project / 'notebooks')}. The book is made in a checkout of the project."
        )
    return found


def assemble(sources: Path, repository: str, project: Path) -> None:
    """The sources of the book in that folder, laid out as the repository is."""
    saved = notebooks(project)
    pages = {name: prepared(notebook, name, repository) for name, notebook in saved.items()}  # all are sound
    for name, page in pages.items():
        markup.save(sources, f"notebooks/{name}.ipynb", json.dumps(page))
        blank = json.dumps(copies.without_outputs(saved[name]), ensure_ascii=False, indent=1)
        markup.save(sources, f"_extra/{DOWNLOADS}/{name}.ipynb", blank)
    markup.save(sources, "notebooks/index.md", front.course(saved))
    above = [f"reference/{name}" for name in reference.write(sources / "reference", project)]
    tree = markup.tree(["notebooks/index", "docs/get", *above, "Newer JDKs </docs/changes>", "docs/index"], depth=2)
    documents.write(project, sources, repository)
    start = front.OPENS_WITH
    player = hang.player(hang.recorded(), title(saved[start]), f"notebooks/{start}.html")
    address = f"https://github.com/{repository}" if repository else origin.address(project)
    markup.save(sources, "index.md", front.first(saved, hang.listing(), player, address) + tree)


def _run_sphinx(sources: Path, pages: Path) -> None:
    """Raises RunFailed with Sphinx's own words, if it warns of anything."""
    conf, extra = Path(__file__).parent, sources / "_extra"
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "-q", "-W", "--keep-going", "-c", str(conf)]
    command += ["-D", f"html_extra_path={extra}", "-d", str(sources.parent / "doctrees"), str(sources), str(pages)]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONHASHSEED": "0"})
    if ended.returncode:
        said = (ended.stderr or ended.stdout).replace(f"{sources}/", "").strip()
        raise RunFailed(f"Sphinx made no book of the sources; it says:\n{said}")
