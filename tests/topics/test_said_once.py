"""No setting stands twice: a sample, its flags and arguments stand in a topic, and all others call that by name."""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

import safepointlab
from safepointlab.commands import notebooks
from safepointlab.process.recording import Finished
from safepointlab.programs import benchmarks
from safepointlab.run import jmh, launch

PACKAGE = Path(safepointlab.__file__).parent
CLAIMS = sorted((PACKAGE / "claims").glob("*.py"))
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))
STARTS_A_JVM = {"java", "jmh", "sweep"}
SAMPLE = re.compile(r"[a-z]+/[A-Z]\w*")
SPELLED_OUT = "spelled-out"  # the tag of a cell in which the call itself is the lesson
PROSE = ("_page", "_exercises", "_panel", "_model")  # ends of the names of modules that start no JVM
LONG = 12  # characters, from which on a string that is equal in two places is no accident

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: path.stem)
def test_a_claim_starts_no_jvm_and_names_no_sample(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert not starts_a_jvm(tree)
    assert not [text for text in strings(tree) if SAMPLE.fullmatch(text)]


@every_notebook
def test_a_notebook_spells_no_setting_that_stands_in_a_topic(path):
    cells = [source for source, tags in lesson(path) if SPELLED_OUT not in tags and "lab.words(" not in source]
    assert not settings(ast.parse("\n".join(cells))) & in_topics()


@every_notebook
def test_a_notebook_starts_a_jvm_by_the_name_of_an_experiment_unless_it_spells_the_call_out(path):
    cells = [source for source, tags in lesson(path) if SPELLED_OUT not in tags]
    assert not [source for source in cells if starts_a_jvm(ast.parse(source))]


@every_notebook
def test_a_notebook_spells_out_two_calls_at_most(path):
    assert sum(SPELLED_OUT in tags for _, tags in lesson(path)) <= 2


@every_notebook
def test_what_a_notebook_spells_out_is_what_its_topic_asks_for(path, tmp_path, monkeypatch):
    cells = [(ast.parse(source), SPELLED_OUT in tags) for source, tags in lesson(path)]
    spelled = [number for number, (tree, tagged) in enumerate(cells) if tagged and starts_a_jvm(tree)]
    requests = requests_of([tree for tree, _ in cells], tmp_path, monkeypatch) if spelled else []
    by_name = set().union(*(keys for number, keys in enumerate(requests) if number not in spelled))
    assert [number for number in spelled if not requests[number] & by_name] == []


def lesson(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Source and tags of a notebook's Python cells up to its exercises, in which a reader may spell what they like."""
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"] if notebook["metadata"]["kernelspec"]["name"] == "python3" else []:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and re.search("^## Try it", source, re.MULTILINE):
            return
        if cell["cell_type"] == "code" and not source.startswith("%%"):  # a cell of Java
            yield source, cell["metadata"].get("tags", [])


def in_topics() -> set[str]:
    """The settings of all experiments; modules of PROSE have none."""
    files = [path for path in (PACKAGE / "topics").glob("*.py") if not path.stem.endswith(PROSE)]
    return {text for path in files for text in settings(ast.parse(path.read_text("utf-8")))}


def settings(tree: ast.AST) -> set[str]:
    """The flags, arguments and logs that the code spells, from LONG characters on; a line, and each flag in it."""
    lines = [text.strip() for text in strings(tree) if re.search(r"^-|[ =]", text) and " == " not in text]
    flags = [word for line in lines for word in line.split() if word.startswith("-")]
    return {text for text in [*lines, *flags] if len(text) >= LONG}


def strings(tree: ast.AST) -> list[str]:
    """The string literals of the code, docstrings left out."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    prose = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return [node.value for node in texts if id(node) not in prose]


def starts_a_jvm(tree: ast.AST) -> bool:
    """Does the code call `lab.java`, `sweep(...)` or `jmh.jmh`?"""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return bool(STARTS_A_JVM & {getattr(function, "attr", getattr(function, "id", "")) for function in functions})


def requests_of(cells: list[ast.Module], folder: Path, patch: pytest.MonkeyPatch) -> list[set[str]]:
    """The keys of the runs that each cell asks for, when each child ends at once and leaves no log.

    Only imports, assignments, checks and loops are executed; what only shows something asks for no run.
    """
    keys, names = list[set[str]](), dict[str, object]()
    asking = ast.Import | ast.ImportFrom | ast.Assign | ast.Assert | ast.For | ast.Expr
    patch.setattr(launch, "remembered", lambda *_: None)  # each asking is noted, the second of one key, too
    patch.setattr(launch, "_session", {})
    patch.setattr(benchmarks, "names", public_methods)
    for module in (launch, jmh):
        noting = SimpleNamespace(execute=lambda plan, key, **_: keys[-1].add(key) or ended(folder), usable=float)
        patch.setattr(module, "shell", noting)
    for tree in cells:
        keys.append(set())
        for statement in [statement for statement in tree.body if isinstance(statement, asking) and asks(statement)]:
            with suppress(Exception):  # what it would do with the result is not asked here
                exec(compile(ast.Module([statement], []), "cell", "exec"), names)
    return keys


def asks(statement: ast.stmt) -> bool:
    """Is it more than a picture or a table? Of what stands alone only `lab.expect(...)` is executed."""
    return not isinstance(statement, ast.Expr) or ast.unparse(statement).startswith("lab.expect(")


def public_methods(pattern: str) -> list[str]:
    """The benchmarks and groups that match, and what else looks like one: the true list is JMH's, which is a JVM."""
    texts = {f"{file.parent.name}.{file.stem}": file.read_text("utf-8") for file in benchmarks.sources()}
    form = r'(?:public \S+ |@Group\(")(\w+)[("]'
    names = [f"{place}.{name}" for place, text in texts.items() for name in dict.fromkeys(re.findall(form, text))]
    return [name for name in names if re.search(pattern, name)]


def ended(folder: Path) -> Finished:
    """A child that printed nothing."""
    (folder / "stdout.txt").touch()
    (folder / "stderr.txt").touch()
    about = {"request": {}, "jdk": {"major": 17}}
    return Finished(("java",), folder, "exited", 0, "", 1.0, 1.0, 1.0, about=about)
