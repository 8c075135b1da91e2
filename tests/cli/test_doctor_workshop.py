"""doctor_workshop.py: each line says ok or what to do, and the exit status tells whether the machine is ready."""

import socket

import pytest

from safepointlab import cli, jdks
from safepointlab.cli import doctor_workshop
from safepointlab.cli.doctor import Check
from safepointlab.errors import RunFailed

FINE, LACKING = Check("x", "disk", True, "9 GiB"), Check("x", "memory", False, "1 GiB", "give it 2 GiB")


def test_a_ready_machine_is_told_so_with_status_0(monkeypatch, capsys):
    monkeypatch.setattr(doctor_workshop, "examined", lambda: iter([FINE]))
    assert cli.main(["doctor", "--workshop"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "ok        disk: 9 GiB" and lines[1].startswith("This machine is ready")


def test_a_line_that_is_not_ok_says_what_to_do_and_the_status_is_1(monkeypatch, capsys):
    monkeypatch.setattr(doctor_workshop, "examined", lambda: iter([FINE, LACKING]))
    assert cli.main(["doctor", "--workshop"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "not ok    memory: 1 GiB  ->  give it 2 GiB" and lines[2].startswith("Not ready yet")


def test_a_small_machine_is_told_what_it_needs(monkeypatch):
    monkeypatch.setattr(doctor_workshop.machine, "free_disk_gib", lambda: 0.5)
    monkeypatch.setattr(doctor_workshop.machine, "cores", lambda: 1)
    found = {check.name: check for check in doctor_workshop.room()}
    assert not found["disk"].ok and "SAFEPOINTLAB_CACHE" in found["disk"].cure
    assert not found["cores"].ok and "give the machine" in found["cores"].cure


def test_a_taken_port_is_no_obstacle(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setattr(doctor_workshop, "PORT", server.getsockname()[1])
        port, local = doctor_workshop.ports()
    assert not port.ok and not port.needed and "takes the next one" in port.found
    assert local.ok


def test_a_run_that_fails_is_told_in_one_line(monkeypatch):
    def fails(*_: object, **__: object) -> None:
        raise RunFailed("exit status 1\nand much more")

    monkeypatch.setattr(jdks, "find", lambda: [jdks.Jdk("/x", 17, "17", "Debian", "system")])
    monkeypatch.setattr(doctor_workshop.launch, "java", fails)
    assert [(check.ok, check.found) for check in doctor_workshop.live()] == [(False, "exit status 1")] * 2


def test_what_there_is_no_time_for_is_not_tried_and_not_held_against_the_machine(monkeypatch):
    monkeypatch.setattr(jdks, "find", lambda: [jdks.Jdk("/x", 17, "17", "Debian", "system")])
    monkeypatch.setattr(doctor_workshop, "_hang", lambda major: (True, "hung"))
    _, late = doctor_workshop.live(budget_s=0)
    assert not late.ok and not late.needed and "not tried" in late.found


def test_a_replay_is_no_proof(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "1")
    (check,) = doctor_workshop.live()
    assert not check.ok and check.cure == "unset SAFEPOINTLAB_REPLAY"


def test_a_replay_that_is_switched_off_is_none(monkeypatch):
    monkeypatch.setenv("SAFEPOINTLAB_REPLAY", "0")
    monkeypatch.setattr(jdks, "find", list)
    assert list(doctor_workshop.live()) == []


@pytest.mark.live
def test_the_live_part_hangs_a_jvm_and_runs_a_program_on_each_jdk():
    hang, *others = doctor_workshop.live(budget_s=60)
    assert hang.ok and "killer" in hang.found
    assert others and all(check.ok for check in others), [check.found for check in others]
