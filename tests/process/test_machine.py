"""This machine's facts: a container's limits count wherever one reads them, of cgroup 1 or 2, its own or one above."""

import math
import os
from pathlib import Path

import pytest

from safepointlab.cli import doctor
from safepointlab.process import cgroups, machine
from safepointlab.run import stamp

GIB = 2**30
V2, V1 = "0::/user.slice/lab\n", "4:memory:/docker/1f2e\n3:cpu,cpuacct:/docker/1f2e\n"
NONE = "9223372036854771712"  # what version 1 calls unlimited
CPU = "cpu,cpuacct/cpu.cfs_{}_us"


@pytest.fixture
def group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Cgroups of given files, with this process in one of them: group(V2, {"memory.max": "1024"})."""

    def make(own: str, files: dict[str, str]) -> None:
        groups = tmp_path / f"groups{len(list(tmp_path.iterdir()))}"
        for name, text in files.items():
            (groups / name).parent.mkdir(parents=True, exist_ok=True)
            (groups / name).write_text(text + "\n")
        (tmp_path / "proc" / "self").mkdir(parents=True, exist_ok=True)
        (tmp_path / "proc" / "self" / "cgroup").write_text(own)
        monkeypatch.setattr(cgroups, "MOUNTED", groups)
        monkeypatch.setattr(cgroups, "PROC", tmp_path / "proc")

    return make


@pytest.mark.each(
    ("own", "files"),
    [
        (V2, {"user.slice/lab/memory.max": str(GIB // 2), "user.slice/memory.max": "max"}),
        (V2, {"user.slice/lab/memory.max": "max", "user.slice/memory.max": str(GIB // 2)}),
        ("0::/\n", {"memory.max": str(GIB // 2)}),
        (V1, {"memory/docker/1f2e/memory.limit_in_bytes": str(GIB // 2), "memory/memory.limit_in_bytes": NONE}),
        (V1, {"memory/memory.limit_in_bytes": str(GIB // 2)}),  # inside, where the host's path is not to be seen
    ],
)
def test_a_memory_limit_counts_for_the_stamp_and_the_doctor(group, own, files):
    group(own, files)
    assert machine.memory_gib() == stamp.stamp().memory_gib == 0.5
    assert next(check for check in doctor.machine() if check.name == "memory").found == "0.5 GiB"


def test_without_a_limit_the_whole_machine_counts(group):
    for files in ({}, {"user.slice/lab/memory.max": "max", "user.slice/lab/cpu.max": "max 100000"}):
        group(V2, files)
        assert machine.usable_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        assert machine.cores() == len(os.sched_getaffinity(0))


@pytest.mark.each("quota", [50_000, 100_000, 100_001])
def test_a_cpu_quota_is_rounded_up_to_whole_cores(group, quota):
    expected = min(math.ceil(quota / 100_000), len(os.sched_getaffinity(0)))
    group(V2, {"user.slice/lab/cpu.max": f"{quota} 100000"})
    assert machine.cores() == expected
    group(V1, {CPU.format("quota"): str(quota), CPU.format("period"): "100000"})
    assert machine.cores() == stamp.facts()["machine"]["cores"] == expected


@pytest.mark.each(
    ("own", "files"),
    [
        (V2, {"user.slice/lab/cpu.max": "100000 100000", "user.slice/memory.max": str(GIB)}),
        (V1, {CPU.format("quota"): "100000", CPU.format("period"): "100000", "memory/memory.limit_in_bytes": str(GIB)}),
    ],
)
def test_a_students_limits_are_said_by_the_doctor_and_by_the_stamp(group, own, files):
    group(own, files)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine.os, "sched_getaffinity", lambda process: {4, 5})
        patch.setattr(machine.os, "cpu_count", lambda: 64)
        patch.setattr(machine, "_all_memory", lambda: 256 * GIB)
        words = "2 of 64 cores, 1.0 of them by quota, 1 GiB of 256 GiB"
        [limits] = [check for check in doctor.machine() if check.name == "limits"]
        assert limits.found == f"this session may use {words}" and str(stamp.stamp()).startswith(words)


def test_a_quota_of_as_many_cores_as_there_are_is_no_limit_to_read_of(group, monkeypatch):
    group(V2, {"user.slice/lab/cpu.max": "6400000 100000"})
    monkeypatch.setattr(machine.os, "sched_getaffinity", lambda process: set(range(64)))
    monkeypatch.setattr(machine.os, "cpu_count", lambda: 64)
    assert "limits" not in [check.name for check in doctor.machine()]
    assert str(stamp.stamp()).startswith("64 cores · ")


def test_timer_noise_and_free_disk_are_measured_also_where_the_cache_is_not_there_yet(monkeypatch, tmp_path):
    median, p99 = machine.timer_noise_ms(20)
    assert 0 <= median <= p99
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "not" / "yet"))
    assert machine.free_disk_gib() > 0
