"""A folder that goes with its owner: at the end of the block, or at the next start if the owner was killed."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from safepointlab.process import temporary

OWN = """
import time
from safepointlab.process import temporary
with temporary.folder("mine-"):
    print(1, flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def age(place) -> None:
    """Make all that stands there as old as what is looked at."""
    for file in place.glob("*/.owner"):
        os.utime(file, (time.time() - 60,) * 2)


def test_a_folder_is_gone_at_the_end_unless_it_is_to_be_kept(place):
    with temporary.folder("mine-") as gone, temporary.folder("mine-", keep=True) as kept:
        assert gone.is_dir() and kept.is_dir()
    age(place)
    with temporary.folder("mine-"):
        assert not gone.exists() and kept.is_dir()


def test_what_a_killed_owner_leaves_goes_with_the_next_start_and_what_a_living_one_uses_stays(place):
    env = {**os.environ, "TMPDIR": str(place)}
    owners, folders = [], list[Path]()
    for _ in range(2):  # one after the other, so that each new folder is known to be the last owner's
        owner = subprocess.Popen([sys.executable, "-c", OWN], env=env, stdout=subprocess.PIPE)
        assert owner.stdout and owner.stdout.readline()
        owners.append(owner)
        folders += [file.parent for file in place.glob("*/.owner") if file.parent not in folders]
    os.kill(owners[0].pid, signal.SIGKILL)
    owners[0].wait()
    age(place)
    with temporary.folder("mine-"):
        assert [folder.exists() for folder in folders] == [False, True]
    owners[1].kill()
    owners[1].wait()
