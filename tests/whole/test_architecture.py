"""docs/architecture.md says what the code does: the folders' order, their imports, the picture, and the flag's walk."""

import importlib
import importlib.util
import re

import pytest

from safepointlab.process.home import PROJECT

PAGE = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
WALK = sorted(set(re.findall(r"`((?:run|process|jdks|programs|logs|read|plot|claims|topics)\.[\w.]+)`", PAGE)))


@pytest.fixture(scope="module")
def drawing():
    """scripts/architecture.py, which is no module of the package."""
    place = PROJECT / "scripts" / "architecture.py"
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(place.parent))
        spec = importlib.util.spec_from_file_location("architecture", place)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def test_every_folder_and_module_of_the_package_has_its_place_in_the_order(drawing):
    there = {path.name for path in drawing.PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert set(drawing.folders(PAGE)) == there - {"__main__.py"}


def test_no_import_runs_against_the_order(drawing):
    order = drawing.folders(PAGE)
    against = {(name, other) for n, name in enumerate(order) for other in drawing.imported(name) & set(order[n + 1 :])}
    assert against == set()


def test_an_import_against_the_order_is_seen(drawing, tmp_path):
    module = tmp_path / "shell.py"
    module.write_text("def f():\n    from safepointlab.run import launch\n    from safepointlab import cli\n")
    assert set(drawing.targets_of(module)) == {"run", "cli.py"}


def test_the_pages_table_is_what_the_imports_say(drawing):
    fresh = drawing.HEAD + "".join(drawing.rows(drawing.folders(PAGE)))
    assert fresh in PAGE, "run: make architecture"


def test_the_picture_shows_what_the_imports_say(drawing):
    assert drawing.description(drawing.folders(PAGE)) in drawing.PICTURE.read_text("utf-8"), "run: make architecture"


def resolved(dotted: str) -> object:
    """`run.launch.java` below the package: the longest module, then its attributes."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(["safepointlab", *parts[:length]]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            thing = getattr(thing, name)
        return thing
    raise AssertionError(f"no such thing: {dotted}")


@pytest.mark.each("dotted", [name for name in WALK if not name.startswith(("run.request", "run.jdk", "run.program"))])
def test_what_the_walk_names_exists(dotted):
    if dotted not in ("run.json", "run.safepoints"):
        assert resolved(dotted)
