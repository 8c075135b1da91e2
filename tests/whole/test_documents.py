"""What a reader of the documents follows or types is there: files behind links, names of the lab, make's targets."""

import json
import re

import pytest

import safepointlab as lab
from safepointlab.culprit import loops
from safepointlab.culprit.command import Plan
from safepointlab.culprit.report import Late
from safepointlab.logs import bytecode
from safepointlab.process.home import PROJECT

PLACES = ("*.md", ".github/*.md", "docs/**/*.md", "java-samples/*.md", "notebooks/*.md", "deploy/**/*.md")
DOCUMENTS = [path for place in PLACES for path in sorted(PROJECT.glob(place))]

each_document = pytest.mark.each("document", DOCUMENTS)


@each_document
def test_a_link_to_a_file_leads_to_one(document):
    targets = re.findall(r"\]\((?!https?:|#)([^)#\s]+)", document.read_text())
    assert not [target for target in targets if not (document.parent / target).exists()]


@each_document
def test_a_word_of_the_lab_exists(document):
    assert set(re.findall(r"\blab\.(\w+)", document.read_text())) <= set(lab.__all__)


TYPED = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]  # it tells of former ones


@pytest.mark.each("document", [*TYPED, PROJECT / ".devcontainer" / "devcontainer.json"])
def test_a_make_command_is_a_target(document):
    targets = set(re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|[`\"])make ([a-z-]+)", document.read_text(), re.MULTILINE)) <= targets


def test_the_list_of_decisions_is_complete():
    folder = PROJECT / "docs" / "decisions"
    listed = re.findall(r"\]\((\d{4}-.+?)\)", (folder / "README.md").read_text())
    assert listed == sorted(path.name for path in folder.glob("[0-9]*.md"))


def test_the_reports_in_the_operators_document_are_page_23s_and_those_of_kept_runs(monkeypatch):
    cells = json.loads((PROJECT / "notebooks" / "23-who-is-late.ipynb").read_text())["cells"]
    printed = ["".join(each.get("text", "")) for cell in cells for each in cell.get("outputs", [])]
    kept = PROJECT / "tests" / "data" / "late"
    code = bytecode.read(kept / "attached-17" / "Billing.javap")  # of the program that ran in both
    monkeypatch.setattr(loops, "class_code", lambda *_: code)
    printed += [str(Late(kept / name, Plan.load(kept / name))) for name in ("started-17", "attached-17")]
    reports = re.findall("```text\n(.*?)```", (PROJECT / "docs" / "service.md").read_text(), re.DOTALL)
    assert len(reports) == 3 and all(any(report.strip() in text for text in printed) for report in reports)
