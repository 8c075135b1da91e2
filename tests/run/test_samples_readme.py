"""The README of the samples is written from their heads, and a stale one is noticed."""

import subprocess
import sys

from safepointlab.process.home import PROJECT
from safepointlab.run import benchmarks, build, head

README = PROJECT / "java-samples" / "README.md"


def check() -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROJECT / "scripts" / "samples_readme.py"), "--check"]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_readme_is_what_the_heads_say():
    assert check().returncode == 0, check().stderr


def test_the_readme_links_every_program_and_every_benchmark():
    linked = README.read_text()
    files = [*build.sample_files(), *benchmarks.sources()]
    assert not [file for file in files if f"({file.relative_to(README.parent)})" not in linked]


def test_every_word_of_a_head_is_explained():
    explained = README.read_text()
    assert not [word for word in head.PARTS if f"| `{word}` |" not in explained]
