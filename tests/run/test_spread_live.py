"""A sweep on threads, on processes and on Dask's local cluster, with real JVMs; and a Ctrl-C that leaves none."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks

pytestmark = [pytest.mark.live, pytest.mark.timeout(150)]
NEWEST = max((jdk.major for jdk in jdks.find()), default=25)
SOURCE = """
public class Talker {
    public static void main(String[] args) throws Exception {
        System.out.println("n=" + args.length);
        if (args.length > 0) Thread.sleep(Long.parseLong(args[0]));
        System.gc();
    }
}
"""


@pytest.fixture
def talker(tmp_path, monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_RUNS", str(tmp_path / "runs"))
    path = tmp_path / "Talker.java"
    path.write_text(SOURCE)
    return str(path)


@contextmanager
def threads():
    with ThreadPoolExecutor(3) as pool:
        yield pool


@contextmanager
def processes():
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


@contextmanager
def dask():
    distributed = pytest.importorskip("distributed", reason="Dask's distributed is not in the lock")
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        yield client.get_executor()


@pytest.mark.parametrize("executor", [threads, processes, dask], ids=lambda executor: executor.__name__)
def test_an_executor_makes_the_runs_one_at_a_time_and_they_come_back_with_their_logs(executor, talker):
    with executor() as pool:
        stops = {"stops": lambda run: len(run.safepoints)}  # a lambda need not travel
        frame = lab.sweep(talker, jdk=[NEWEST, 99], args=["", "200"], log="safepoint", also=stops, executor=pool)
    assert list(frame["outcome"]) == ["exited", "exited", "no JDK", "no JDK"] and list(frame["n"][:2]) == [0, 1]
    assert (frame["stops"][:2] > 0).all() and frame["stamp"].str.contains("GiB").all()
    runs = sorted((lab.load(name).finished for name in frame["run"][:2]), key=lambda run: run.started)
    ends = [pd.Timestamp(run.started) + pd.Timedelta(milliseconds=run.wall_ms) for run in runs]
    assert all(pd.Timestamp(later.started) >= end for (_, later), end in zip(pairwise(runs), ends[:-1], strict=True))


def test_a_ctrl_c_leaves_no_jvm_of_a_worker(talker, tmp_path):
    script = tmp_path / "spread.py"
    script.write_text(
        "from concurrent.futures import ProcessPoolExecutor\nimport safepointlab as lab\n"
        "if __name__ == '__main__':\n    with ProcessPoolExecutor(2) as pool:\n"
        f"        lab.sweep({talker!r}, jdk={NEWEST}, args=['100000'], repeat=4, deadline=120, executor=pool)\n"
    )
    take_back = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # noqa: E731 - a CI may ignore it
    sweep = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL, preexec_fn=take_back)
    try:
        assert _soon(lambda: list((tmp_path / "runs").glob("*/stdout.txt")))
        os.kill(sweep.pid, signal.SIGINT)  # to the sweep alone, as Jupyter's Interrupt does it
        assert sweep.wait(60) != 0
    finally:
        sweep.kill()
    assert _soon(lambda: not _jvms_in(tmp_path))


def _soon(true, seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not (so := true()) and time.monotonic() < end:
        time.sleep(0.1)
    return bool(so)


def _jvms_in(folder: Path) -> list[str]:
    there = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        try:
            there += [link.parent.name] if link.resolve().is_relative_to(folder / "runs") else []
        except OSError:
            continue  # gone, or not ours to look at
    return there
