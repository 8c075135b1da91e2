"""The counters of control groups, in both versions and wherever the quota is set."""

import tempfile
from pathlib import Path

import pytest

from safepointlab.process import cgroups


@pytest.mark.each(
    ("groups", "files", "expected"),
    [
        ("0::/pod/app", {"pod/app": "nr_periods 41\nnr_throttled 39\nthrottled_usec 1400000\n"}, (41, 39, 1.4)),
        (
            "0::/pod/app",
            {"pod/app": "usage_usec 5\nnr_periods 0\n", "pod": "nr_periods 9\nnr_throttled 3\n"},
            (9, 3, 0),
        ),
        (
            "4:cpu,cpuacct:/a\n0::/",
            {"cpu,cpuacct/a": "nr_periods 4\nnr_throttled 2\nthrottled_time 500000000\n"},
            (4, 2, 0.5),
        ),
        ("1:cpu:/of/the/host", {"cpu": "nr_periods 4\nnr_throttled 1\nthrottled_time 0\n"}, (4, 1, 0)),
        ("0::/../../etc", {"": "nr_periods 8\nnr_throttled 1\n"}, (0, 0, 0)),
        ("3:memory:/a", {"a": "nr_periods 8\nnr_throttled 1\n"}, (0, 0, 0)),
        ("", {}, (0, 0, 0)),
    ],
)
def test_the_quota_of_a_process_is_counted(tmp_path, monkeypatch, groups, files, expected):
    root = Path(tempfile.mkdtemp(dir=tmp_path))
    monkeypatch.setattr(cgroups, "PROC", root / "proc")
    monkeypatch.setattr(cgroups, "MOUNTED", root / "cgroup")
    (root / "proc" / "7").mkdir(parents=True)
    (root / "proc" / "7" / "cgroup").write_text(groups)
    for folder, text in files.items():
        (root / "cgroup" / folder).mkdir(parents=True, exist_ok=True)
        (root / "cgroup" / folder / "cpu.stat").write_text(text)
    assert cgroups.throttled(7) == expected
