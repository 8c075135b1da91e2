"""What the documents, the issue forms and the workflow say of the project is so."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import safepointlab as lab
from safepointlab.process.home import PROJECT

GITHUB = PROJECT / ".github"
DECISIONS = sorted((PROJECT / "docs" / "decisions").glob("[0-9]*.md"))
DOCUMENTS = [
    *PROJECT.glob("*.md"),
    *GITHUB.glob("*.md"),
    *PROJECT.glob("docs/**/*.md"),
    *PROJECT.glob("java-samples/*.md"),
]
JOBS: dict[str, Any] = yaml.safe_load((GITHUB / "workflows" / "test.yml").read_text())["jobs"]

each_document = pytest.mark.each("document", DOCUMENTS)
each_decision = pytest.mark.each("decision", DECISIONS)


def stripped(text: str) -> str:
    """The lines without their indentation: an example in a document may stand further left."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


@each_document
def test_a_link_to_a_file_leads_to_one(document):
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text())
    assert not [target for target in targets if not (document.parent / target).exists()]


@each_document
def test_a_word_of_the_lab_exists(document):
    words = set(re.findall(r"\blab\.(\w+)", document.read_text()))
    assert words <= set(lab.__all__)


def test_an_example_of_the_contributing_guide_stands_in_the_code():
    examples = re.findall(r"```python\n(.*?)```", (GITHUB / "CONTRIBUTING.md").read_text(), re.DOTALL)
    sources = [path for folder in ("safepointlab", "tests") for path in (PROJECT / folder).rglob("*.py")]
    code = "\n".join(stripped(path.read_text()) for path in sources)
    assert len(examples) >= 3 and not [example for example in examples if stripped(example) not in code]


@each_decision
def test_a_decision_says_why_and_what_else_was_considered_on_one_page(decision):
    text = decision.read_text()
    assert re.findall(r"^## (.+)", text, re.MULTILINE) == ["Context", "Decision", "Consequences", "Considered"]
    assert len(text.splitlines()) <= 50


def test_the_list_of_decisions_is_complete():
    listed = re.findall(r"\]\((\d{4}-.+?)\)", (PROJECT / "docs" / "decisions" / "README.md").read_text())
    assert listed == [path.name for path in DECISIONS]


def test_the_quick_tests_run_on_each_python_from_the_oldest_that_is_allowed():
    allowed = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["requires-python"]
    pythons = JOBS["quick"]["strategy"]["matrix"]["python"]
    assert pythons == [f"3.{minor}" for minor in range(11, 15)] and allowed == f">={pythons[0]}"


def test_the_workflow_tests_everything_only_after_lint_and_quick_tests():
    commands = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in JOBS.items()}
    audit = ["pipx run pip-audit --disable-pip --require-hashes -r requirements.lock"]
    assert commands == {
        "lint": ["make lint"],
        "audit": audit,
        "quick": ["make quick"],
        "whole": ["make test", "make whole"],
    }
    assert JOBS["whole"]["needs"] == ["lint", "quick"]


def test_the_workflow_takes_actions_by_digest():
    used = [step["uses"] for job in JOBS.values() for step in job["steps"] if "uses" in step]
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)


def test_the_build_lints_before_it_tests():
    lines = (PROJECT / ".ci" / "run").read_text().splitlines()
    assert [line for line in lines if line.startswith("make ")] == ["make lint", "make test", "make whole"]


def test_the_hooks_start_only_what_the_lock_installs():
    lock = (PROJECT / "requirements.lock").read_text()
    repos = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text())["repos"]
    programs = [hook["entry"].split()[0] for repo in repos for hook in repo["hooks"]]
    assert {repo["repo"] for repo in repos} == {"local"}
    assert programs and all(re.search(rf"^{Path(program).name}==", lock, re.MULTILINE) for program in programs)


@pytest.mark.parametrize("form", ["bug", "measurement"])
def test_a_form_asks_for_the_doctors_words_and_the_runs_command(form):
    fields = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / f"{form}.yml").read_text())["body"]
    required = {
        field["id"]: str(field["attributes"]) for field in fields if field.get("validations", {}).get("required")
    }
    assert "safepoint doctor" in required["doctor"] and "run.command" in required["command"]


def test_the_lab_is_imported_without_pandas_or_matplotlib():
    code = "import sys, safepointlab.commands.run, safepointlab.late.command; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "safepointlab.run.launch" in loaded and not {"pandas", "matplotlib"} & set(loaded)
