"""The workflow of the book: it makes what `make site` makes, publishes only that, and not from a pull request."""

import re
from typing import Any

import yaml

from safepointlab.process.home import PROJECT

WORKFLOW: dict[str, Any] = yaml.safe_load((PROJECT / ".github" / "workflows" / "site.yml").read_text())
JOBS: dict[str, Any] = WORKFLOW["jobs"]


def test_the_workflow_makes_the_book_by_the_command_of_the_makefile():
    assert [step["run"] for step in JOBS["build"]["steps"] if "run" in step] == ["make site"]
    assert "safepoint site" in (PROJECT / "Makefile").read_text()


def test_what_is_published_is_the_books_folder_and_no_pull_request_publishes():
    paths = [step["with"]["path"] for step in JOBS["build"]["steps"] if "pages-artifact" in step.get("uses", "")]
    assert paths == ["build/site"]
    assert JOBS["publish"]["needs"] == "build" and "pull_request" in JOBS["publish"]["if"]


def test_the_workflow_takes_actions_by_digest_and_only_publishing_may_write():
    used = [step["uses"] for job in JOBS.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
    assert WORKFLOW["permissions"] == {"contents": "read"} and "permissions" not in JOBS["build"]
