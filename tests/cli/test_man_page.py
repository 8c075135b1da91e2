"""The page that `man safepoint` shows is what the commands say, and roff takes it without a warning."""

import shutil
import subprocess
import sys

import pytest

from safepointlab.process.home import PROJECT

PAGE = PROJECT / "docs" / "safepoint.1"


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="argparse words its usage differently from 3.13 on")
def test_the_page_is_what_the_commands_say():
    subprocess.run([sys.executable, PROJECT / "scripts" / "man_page.py", "--check"], check=True)


@pytest.mark.skipif(not shutil.which("groff"), reason="needs groff")
def test_roff_takes_it_without_a_warning():
    done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", PAGE], capture_output=True, text=True, check=True)
    assert not done.stderr and "SAFEPOINT(1)" in done.stdout
