"""The lab's public names -> the API's pages, which Sphinx fills from the docstrings (autodoc and napoleon)."""

import inspect
from pathlib import Path
from types import ModuleType

import safepointlab as lab
from safepointlab import logs, plot
from safepointlab.course import verdicts
from safepointlab.site import markup

HEAD = """# API

Everything starts with `import safepointlab as lab`. These pages are made of the docstrings;
`help(lab.java)` says the same.

"""
TITLES = {
    "lab": "lab: the functions",
    "run": "Run: what a run holds",
    "plot": "lab.plot: the pictures",
    "logs": "lab.logs: the readers of logs",
    "claims": "lab.claims: claims and verdicts",
    "errors": "lab.errors: what can go wrong",
}


def write(folder: Path) -> None:
    listed = "".join(f"- [{title}](api/{name}.md)\n" for name, title in TITLES.items())
    tree = markup.tree([f"{title} </reference/api/{name}>" for name, title in TITLES.items()])
    markup.save(folder, "api.md", f"{HEAD}{listed}\n{tree}")
    called = {name: getattr(lab, name) for name in lab.__all__ if not isinstance(getattr(lab, name), ModuleType)}
    kinds = {name: "class" if inspect.isclass(value) else "function" for name, value in sorted(called.items())}
    classes = ("run.run.Run", "run.request.Request", "jdks.Jdk", "run.build.Program")
    pages = {
        "lab": [*(autodoc(kind, name) for name, kind in kinds.items()), autodoc("function", "doctor.check")],
        "run": [autodoc("class", name, members="") for name in classes],
        "plot": [autodoc("function", f"plot.{name}") for name in plot.names()],
        "logs": [reader(module) for module in logs.kinds().values()],
        "claims": [autodoc("function", f"course.verdicts.{name}") for name in verdicts.__all__],
        "errors": [autodoc("module", "errors", members="")],
    }
    for name, entries in pages.items():
        markup.save(folder, f"api/{name}.md", f"# {TITLES[name]}\n\n" + "\n".join(entries))


def autodoc(kind: str, name: str, **options: str) -> str:
    """One of autodoc's directives; `name` counts from the package."""
    lines = [f".. auto{kind}:: safepointlab.{name}", *(f"   :{each}: {value}" for each, value in options.items())]
    return "```{eval-rst}\n" + "\n".join(lines) + "\n```\n"


def reader(module: ModuleType) -> str:
    """One kind of log: what its module says, its columns, and how it is read."""
    about = autodoc("module", module.__name__.removeprefix("safepointlab."), members="read")
    rows = [(f"`{column}`", f"`{kind}`") for column, kind in module.COLUMNS.items()]
    return f"## {module.NAME}\n\n{about}\n{markup.markdown_table(['column', 'dtype'], rows)}"
