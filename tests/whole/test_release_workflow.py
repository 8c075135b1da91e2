"""The workflow of a release: it builds as `make wheel` does, tries what it built, and publishes a tag only."""

import re
from typing import Any

import pytest
import yaml

from safepointlab.process.home import PROJECT

WORKFLOWS: dict[str, dict[str, Any]] = {
    path.stem: yaml.safe_load(path.read_text()) for path in (PROJECT / ".github" / "workflows").glob("*.yml")
}
JOBS: dict[str, Any] = WORKFLOWS["release"]["jobs"]
STEPS = JOBS["build"]["steps"]


def test_the_package_is_built_by_the_command_of_the_makefile_and_tried():
    commands = [step["run"] for step in STEPS if "run" in step]
    assert "make wheel" in commands and any("test_wheel.py" in command for command in commands)
    assert re.search(r"^wheel:.*\n.*build/dist", (PROJECT / "Makefile").read_text(), re.MULTILINE)


def test_what_is_published_is_what_was_built_and_only_from_a_tag():
    [kept] = [step["with"] for step in STEPS if "upload-artifact" in step.get("uses", "")]
    taken = JOBS["publish"]["steps"][0]["with"]
    assert kept["name"] == taken["name"] and kept["path"].startswith("build/dist/")
    assert JOBS["publish"]["needs"] == "build" and "github.ref_type == 'tag'" in JOBS["publish"]["if"]


def test_a_tag_that_is_not_the_version_is_refused():
    [check] = [step for step in STEPS if "GITHUB_REF_NAME" in step.get("run", "")]
    assert check["if"] == "github.ref_type == 'tag'" and "safepointlab-${GITHUB_REF_NAME#v}-" in check["run"]


def test_publishing_alone_may_identify_itself_and_has_no_password():
    assert WORKFLOWS["release"]["permissions"] == {"contents": "read"} and "permissions" not in JOBS["build"]
    assert JOBS["publish"]["permissions"] == {"id-token": "write"}
    assert "secrets." not in (PROJECT / ".github" / "workflows" / "release.yml").read_text()


@pytest.mark.parametrize("name", sorted(WORKFLOWS))
def test_every_action_is_taken_by_its_digest(name):
    steps = [step for job in WORKFLOWS[name]["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert used and all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) for action in used)
