"""The lab's public names -> the API's pages: `lab`, what a run holds, pictures, readers, claims, errors."""

import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import safepointlab as lab
from safepointlab import errors, logs, plot
from safepointlab.course import verdicts as claims
from safepointlab.jdks import Jdk
from safepointlab.run.build import Program
from safepointlab.run.request import Request
from safepointlab.run.run import Run
from safepointlab.site.reference import docstrings, markup

HEAD = """# API

Everything starts with `import safepointlab as lab`. These pages are made of the docstrings;
`help(lab.java)` says the same.

"""
TITLES = {
    "lab": "`lab`: the functions",
    "run": "`Run`: what a run holds",
    "plot": "`lab.plot`: the pictures",
    "logs": "`lab.logs`: the readers of logs",
    "claims": "`lab.claims`: claims and verdicts",
    "errors": "`lab.errors`: what can go wrong",
}


def write(folder: Path) -> None:
    """Write the list of pages, and the pages."""
    for name, text in pages().items():
        markup.save(folder, f"api/{name}.md", text)
    listed = "".join(f"- [{title}](api/{name}.md)\n" for name, title in TITLES.items())
    tree = markup.tree([f"{title.replace('`', '')} </reference/api/{name}>" for name, title in TITLES.items()])
    markup.save(folder, "api.md", f"{HEAD}{listed}\n{tree}")


def pages() -> dict[str, str]:
    """The pages by name, in MyST Markdown."""
    named = {name: getattr(lab, name) for name in functions()} | {"doctor.check": lab.doctor.check}
    return {
        "lab": _page("lab", lab, (docstrings.entry(f"lab.{name}", thing) for name, thing in sorted(named.items()))),
        "run": _page("run", Run, (_class(thing) for thing in (Run, Request, Jdk, Program))),
        "plot": _page("plot", plot, (docstrings.entry(f"lab.plot.{name}", _picture(name)) for name in plot.names())),
        "logs": _page("logs", logs, (_reader(module) for module in logs.kinds().values())),
        "claims": _page("claims", claims, (_claims(name) for name in claims.__all__)),
        "errors": _page("errors", errors, (docstrings.entry(f"lab.errors.{c.__name__}", c) for c in _errors())),
    }


def _page(name: str, about: Any, entries: Iterable[str]) -> str:
    words = docstrings.described(inspect.getdoc(about) or "") if isinstance(about, ModuleType) else ""
    return "\n".join([f"# {TITLES[name]}\n", words, *entries])


def functions() -> list[str]:
    """The public names of `lab` that are called; its modules have pages of their own."""
    return [name for name in lab.__all__ if not isinstance(getattr(lab, name), ModuleType)]


def _picture(name: str) -> Any:
    """The function that draws; what it draws stands in the first sentence of its module too."""
    return getattr(plot, name)


def _class(thing: type) -> str:
    head = f"## `{thing.__name__}`\n\n{docstrings.described(inspect.getdoc(thing) or '')}"
    return "\n".join([head, *(_member(thing, name, member) for name, member in docstrings.public(thing))])


def _member(thing: type, name: str, member: Any) -> str:
    full = f"{thing.__name__}.{name}"
    if inspect.isfunction(member):
        return docstrings.entry(full, member, 3)
    plain = getattr(member, "__func__", member)
    return docstrings.entry(full, plain, 3) if inspect.isfunction(plain) else _property(full, member)


def _property(full: str, member: Any) -> str:
    return f"### `{full}`\n\n{docstrings.described(inspect.getdoc(member) or '')}"


def _reader(module: ModuleType) -> str:
    """One kind of log: what its module says, its columns, and how it is read."""
    name = module.__name__.rpartition(".")[2]
    about = docstrings.described(inspect.getdoc(module) or "")
    rows = [(f"`{column}`", f"`{kind}`") for column, kind in module.COLUMNS.items()]
    columns = markup.markdown_table(["column", "dtype"], rows)
    return "\n".join([f"## {module.NAME}\n", about, docstrings.entry(f"lab.logs.{name}.read", module.read, 3), columns])


def _claims(name: str) -> str:
    return docstrings.entry(f"lab.claims.{name}", getattr(claims, name))


def _errors() -> list[type]:
    own = [thing for thing in vars(errors).values() if inspect.isclass(thing) and thing.__module__ == errors.__name__]
    return [thing for thing in own if issubclass(thing, errors.LabError)]
