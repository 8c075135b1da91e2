"""A process id becomes a JVM that lets us attach, or a sentence that says why not and what to do."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from safepointlab.culprit import running as module
from safepointlab.culprit.running import running
from safepointlab.errors import BadInput

pytestmark = pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="this system has no /proc")


@pytest.fixture
def other():
    """A process of ours that is no JVM."""
    child = subprocess.Popen(["sleep", "60"])
    yield child.pid
    child.kill()
    child.wait()


def refused(pid: int) -> str:
    with pytest.raises(BadInput) as error:
        running(pid)
    return str(error.value)


def test_a_process_that_has_ended_is_refused():
    child = subprocess.Popen(["true"])
    child.wait()
    assert "no such process" in refused(child.pid) and "jps" in refused(-3)


def test_a_zombie_is_no_process_any_more():
    child = subprocess.Popen(["true"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert "no such process" in refused(child.pid)
    child.wait()


def test_a_process_that_is_no_jvm_is_named(other):
    assert "'sleep', and no JVM" in refused(other)


def test_another_users_jvm_is_refused_with_the_user_to_become(other, monkeypatch):
    monkeypatch.setattr(module.os, "geteuid", lambda: 123456)
    assert "A JVM answers its own user only. Try: sudo -u " in refused(other)


def test_a_jvm_in_a_container_is_refused_with_the_place_to_go(other, monkeypatch):
    monkeypatch.setattr(module, "_namespace", lambda pid, kind: f"{kind}:{pid == other}")
    text = refused(other)
    assert "is in a container: it has process ids and files of its own" in text and "docker exec" in text


def test_a_jvm_that_would_die_of_the_question_is_not_asked(other, monkeypatch):
    monkeypatch.setattr(module, "_library", lambda _: "/jdk/lib/server/libjvm.so")
    assert "does not handle SIGQUIT" in refused(other)
    assert not module.thread_samples.catches(other, signal.SIGQUIT)


def test_a_jvm_that_refuses_every_tool_is_told_by_its_own_flag(other):
    with pytest.raises(BadInput, match="DisableAttachMechanism"):
        module._refuse_deaf(other, ("java", "-XX:+DisableAttachMechanism", "Main"))


def test_a_jdk_that_was_replaced_meanwhile_is_said(other, monkeypatch):
    maps = "7f00-7f01 r-xp 00000000 08:01 42 /jdk/lib/server/libjvm.so (deleted)\n"
    (fake := Path(os.environ["SAFEPOINTLAB_RUNS"]) / "proc" / str(other)).mkdir(parents=True)
    (fake / "maps").write_text(maps)
    monkeypatch.setattr(module, "PROC", fake.parent)
    with pytest.raises(BadInput, match="was replaced while it ran"):
        module._library(other)
