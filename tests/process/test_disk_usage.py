"""How much a child has written, also into folders below its own, and what a trim leaves."""

import os
import sys
import time

from safepointlab.process import disk_usage, shell
from safepointlab.process.shell import Plan

MIB = 2**20


def write(path, mib):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * int(mib * MIB))
    return path


def test_files_below_the_folder_count(tmp_path):
    write(tmp_path / "a.log", 1), write(tmp_path / "deep" / "er" / "b.log", 2)
    assert disk_usage.weight_mib(tmp_path) == 3


def test_a_file_that_vanishes_while_it_is_weighed_weighs_nothing(tmp_path):
    write(tmp_path / "gone", 1)
    [entry] = os.scandir(tmp_path)
    (tmp_path / "gone").unlink()
    assert disk_usage._size(entry) == 0


def test_what_a_link_points_to_is_not_the_childs(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "link").symlink_to(write(tmp_path / "other" / "large", 2))
    (tmp_path / "run" / "folder").symlink_to(tmp_path / "other")
    assert disk_usage.weight_mib(tmp_path / "run") == 0


def test_small_files_leave_their_room_to_large_ones(tmp_path):
    small, large = write(tmp_path / "stderr.txt", 0), write(tmp_path / "sub" / "stdout.txt", 9)
    disk_usage.trim(tmp_path, 4)
    assert (small.stat().st_size, large.stat().st_size) == (0, 4 * MIB)


def test_a_child_that_floods_a_folder_below_its_own_is_stopped():
    code = "import os\nos.mkdir('sub')\nwhile True: open('sub/big', 'ab').write(bytes(2**20))"
    finished = shell.execute(Plan([sys.executable, "-c", code], limit_mib=8), deadline=30, key="flood")
    assert finished.outcome == "flooded" and disk_usage.weight_mib(finished.folder) < 9


def test_a_child_that_floods_while_it_is_examined_is_stopped_and_stays_hung():
    code = "import time\ntime.sleep(0.5)\nwhile True: print('x' * 2**20)"
    plan = Plan([sys.executable, "-c", code], limit_mib=8, at_deadline=lambda pid, folder: time.sleep(3) or {"a": 1})
    finished = shell.execute(plan, deadline=0.2, key="late-flood")
    assert (finished.outcome, finished.at_deadline, finished.about["trimmed_mib"]) == ("hung", {"a": 1}, 8)
    assert disk_usage.weight_mib(finished.folder) <= 8.1
