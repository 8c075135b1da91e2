"""What is recorded of a panel's combinations, what is not possible, and what is left to record."""

import argparse
import dataclasses
from types import SimpleNamespace

import pytest

from safepointlab.cli import panels as command
from safepointlab.course import lessons
from safepointlab.course.panels import Choice, Option, Panel, Tile
from safepointlab.errors import FlagRejected, JdkNotFound, LabError
from safepointlab.widgets import panel_records
from safepointlab.widgets.panel_records import Records

PANEL = Panel(
    name="tiny",
    title="Does it?",
    sample="hang/KillerTask",
    choices=(
        Choice("jdk", "JDK", tuple(Option(name, name, {"jdk": name}) for name in ("8", "17")), "17"),
        Choice("gc", "collector", tuple(Option(name, name, {"gc": name}) for name in ("Serial", "Z")), "Serial"),
    ),
    settings={"args": "600", "log": "safepoint"},
    deadline_s=3,
    rows="jdk",
    columns="gc",
    measure=lambda run: {"said": run.output},
    tile=lambda record, _: Tile("good", "exits", record["values"]["said"]),
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "folder_of", lambda _: tmp_path)
    return tmp_path / "recorded"


def made(sample, **asked):
    """A run, as far as a record looks at it; there is no ZGC on 8."""
    if asked["jdk"] == "8" and asked["gc"] == "Z":
        raise FlagRejected("8u504 does not know -XX:+UseZGC. Close: UseG1GC.\n/home/somebody/bin/java ...")
    line = f"/jdk/bin/java -Xlog:x -XX:+Use{asked['gc']}GC -cp /cache/KillerTask-1 KillerTask 600"
    about = {"machine": {"cores": 2, "system": "Debian"}}
    return SimpleNamespace(
        outcome="exited",
        wall_ms=712.4,
        output="main returns",
        quiet=None,
        jdk=SimpleNamespace(version=f"{asked['jdk']}.0.1"),
        finished=SimpleNamespace(started="2026-11-22T10:00:00.000+00:00", about=about, command=line.split()),
        request=SimpleNamespace(log=(SimpleNamespace(kind="safepoint"),), args=("600",)),
        program=SimpleNamespace(main_class="KillerTask"),
    )


def test_a_record_keeps_outcome_build_day_machine_and_a_command_without_paths():
    records = Records()
    panel_records.keep(records, "17 Serial", panel_records.record(PANEL, PANEL.default, made))
    kept = records.records["17 Serial"]
    assert (kept["outcome"], kept["wall_ms"], kept["jdk"], kept["when"]) == ("exited", 712, "17.0.1", "2026-11-22")
    assert records.machines[kept["machine"]] == "2 cores, Debian"
    assert kept["java"] == "java -Xlog:x -XX:+UseSerialGC -cp classes KillerTask 600"


def test_what_cannot_run_is_recorded_with_the_reason_and_what_can_run_nowhere_without_a_run():
    kept = panel_records.record(PANEL, {"jdk": "8", "gc": "Z"}, made)
    assert (kept["outcome"], kept["reason"]) == ("not possible", "8u504 does not know -XX:+UseZGC.")
    panel = dataclasses.replace(PANEL, impossible=lambda _: "came with 25")
    kept = panel_records.record(panel, panel.default, lambda *_, **__: pytest.fail("ran"))
    assert (kept["outcome"], kept["reason"]) == ("not possible", "came with 25")


def test_records_come_back_as_they_were_written_and_one_of_another_request_is_missing():
    records = Records()
    for chosen in PANEL.combinations():
        panel_records.keep(records, PANEL.key(chosen), panel_records.record(PANEL, chosen, made))
    panel_records.save(PANEL, records)
    assert panel_records.load(PANEL) == records and panel_records.missing(PANEL, records) == []
    records.records["17 Serial"]["request"] = "KillerTask-of-old"
    assert panel_records.missing(PANEL, records) == [PANEL.default]


def test_a_damaged_file_is_told_with_a_way_out(folder):
    folder.mkdir()
    (folder / "tiny.json").write_text("{half")
    with pytest.raises(LabError, match="safepoint panels record tiny"):
        panel_records.load(PANEL)


@pytest.fixture
def command_line(monkeypatch, capsys):
    """command_line(run, "record"): its exit status and what it prints; the function runs each combination."""

    def called(run, *words):
        monkeypatch.setattr(lessons, "panels", lambda: {"tiny": PANEL})
        monkeypatch.setattr(command, "find_panel", lambda _: PANEL)
        monkeypatch.setattr(panel_records, "quietly", run)
        parser = argparse.ArgumentParser()
        command.configure(parser)
        arguments = parser.parse_args(words)
        return arguments.run(arguments), capsys.readouterr().out

    return called


def test_the_command_goes_on_where_it_was_interrupted_and_leaves_what_cannot_run_here(command_line):
    ran = []

    def interrupted(sample, **asked):
        if ran:
            raise KeyboardInterrupt
        ran.append(asked["jdk"])
        return made(sample, **asked)

    def without_8(sample, **asked):
        if asked["jdk"] == "8":
            raise JdkNotFound("no JDK 8. Install it with: safepoint jdks install 8")
        return made(sample, **asked)

    with pytest.raises(KeyboardInterrupt):
        command_line(interrupted, "record")
    status, text = command_line(without_8, "record")
    assert status == 1 and "NOT RECORDED: no JDK 8." in text and "3 of 4 combinations recorded" in text
    assert command_line(made, "record")[0] == 0
    assert "4 of 4 combinations recorded" in command_line(made, "list")[1]


def test_no_run_begins_after_its_minutes(command_line):
    status, text = command_line(lambda *_, **__: pytest.fail("ran"), "record", "--minutes", "0")
    assert status == 1 and "0 of 4" in text
