"""The name of a page or of a file in the repository -> the address at which a reader gets or runs it."""

from html import escape

from safepointlab.errors import BadInput

DOWNLOADS = "downloads"  # the folder of the book in which the notebooks are, without outputs, for readers to run
COPIES = "safepoint-lab"  # where the container's home has the reader's copies (SAFEPOINTLAB_WORK in the Dockerfile)


def checked(repository: str) -> str:
    """The setting as it is, if it is "owner/name" or "".

    Raises:
        BadInput: it is something else, such as a whole address.
    """
    owner, slash, name = repository.partition("/")
    plain = all(part and set(part) <= set(_ALLOWED) for part in (owner, name))
    if repository and not (slash and plain):
        raise BadInput(f"the repository is {repository!r}. Write it as GitHub does, owner/name, or leave it out.")
    return repository


_ALLOWED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."


def run_links(name: str, repository: str = "") -> str:
    """The line below a page's title, in HTML: its notebook to keep, and where it runs in the cloud."""
    parts = [f'<a href="../{DOWNLOADS}/{name}.ipynb" download>the notebook as a file</a>']
    parts += [f'<a href="{escape(address)}">{where}</a>' for where, address in clouds(name, repository).items()]
    return f'<p class="sl-run"><span>Run this page:</span> {" ".join(parts)}</p>'


def clouds(name: str, repository: str) -> dict[str, str]:
    """Where GitHub's visitors can run the page without setting anything up; nothing if there is no repository."""
    if not repository:
        return {}
    binder = f"https://mybinder.org/v2/gh/{repository}/HEAD?urlpath=lab/tree/{COPIES}/{name}.ipynb"
    return {"on Binder": binder, "in a Codespace": f"https://codespaces.new/{repository}?quickstart=1"}


def in_repository(path: str, repository: str) -> str:
    """The address of one of the project's files; "" if there is no repository."""
    return f"https://github.com/{repository}/blob/HEAD/{path}" if repository else ""
