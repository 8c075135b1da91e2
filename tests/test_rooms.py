"""Imports that are made by name: import-linter does not see them, so each is listed here with its reason."""

import ast
from pathlib import Path

import safepointlab

PACKAGE = Path(safepointlab.__file__).parent
BY_NAME = {  # file -> what it may import by name
    "lazy.py": "the public names, each from the place that __init__.py gives",
    "cli/__init__.py": "the sub-command that was asked for, of its own room",
    "course/lessons.py": "the modules of a lesson's folder, of its own room",
    "logs/__init__.py": "the reader that was asked for, or all, of its own room",
}


def test_a_module_imports_by_name_only_where_the_reason_is_listed():
    assert {place for place, call in imports_by_name()} == set(BY_NAME)


def test_what_is_imported_by_name_is_of_the_own_package_or_of_one_that_is_handed_in():
    assert not [
        call
        for _, call in imports_by_name()
        if not call.startswith(("f'{", "f'safepointlab.cli.", "'safepointlab.logs."))
    ]


def imports_by_name():
    """Each call of import_module in the package: the file, and its first argument as it is written."""
    for file in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
                yield file.relative_to(PACKAGE).as_posix(), ast.unparse(node.args[0])
