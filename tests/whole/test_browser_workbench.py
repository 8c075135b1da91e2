"""The workbench in a real page: whatever a reader runs there ends in words, and no JVM outlives its deadline."""

import os
import re
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect

OPEN = "import safepointlab as lab; bench = lab.workbench({program!r}, jdk=17, gc='Serial', deadline={deadline}); bench"
MAIN = "public class {name} {{ public static void main(String[] a) throws Exception {{ {body} }} }}\n"
LONG_MS = 60_000


class Bench:
    """The workbench of the page's first cell, as a reader sees it: by the names of its controls."""

    def __init__(self, reader, program="hang/KillerTask", deadline=5):
        self.reader, self.page = reader, reader.page
        reader.opens_cells(OPEN.format(program=program, deadline=deadline), "print('still here')", name="bench")
        reader.runs(0)
        self.place = reader.page.locator(".sl-bench")
        expect(self.field("Program")).to_have_value(program, timeout=LONG_MS)

    def field(self, name):
        return self.place.get_by_label(name, exact=True).first

    def presses(self, name):
        self.place.get_by_role("button", name=name).first.click()

    def chooses(self, **fields):
        """chooses(Program="Own.java", Jars="…"); the field is left, as by the Tab key."""
        for name, value in fields.items():
            self.field(name.replace("_", " ")).fill(value)
            self.field(name.replace("_", " ")).press("Tab")

    def runs(self, ends_with, seconds=60):
        """Until the status line says that."""
        self.presses("▶ Run")
        expect(self.place.get_by_role("status")).to_contain_text(ends_with, timeout=seconds * 1000)

    def opens(self, tab):
        self.place.get_by_role("tab", name=tab).click()
        expect(self.panel).not_to_have_attribute("aria-busy", "true", timeout=LONG_MS)

    @property
    def panel(self):
        return self.place.get_by_role("tabpanel")


def write(lab, name, body, before=""):
    (lab.folder / "work" / f"{name}.java").write_text(before + MAIN.format(name=name, body=body))


def jvms(lab) -> list[int]:
    """The JVMs that run in the lab's folder of runs."""
    runs, processes = str(lab.folder / "runs"), psutil.process_iter(["name", "cwd"])
    in_runs = (each for each in processes if str(each.info["cwd"] or "").startswith(runs))
    return [each.pid for each in in_runs if each.info["name"] == "java"]


@pytest.fixture
def bench(reader):
    return lambda *words, **named: Bench(reader, *words, **named)


def test_one_change_is_seen_beside_what_it_made_different(bench):
    page = bench()
    page.chooses(args="300", flags="-Xbatch")
    page.runs("HUNG")
    page.field("gc").select_option("G1")
    page.runs("exited 0")
    compared = page.place.locator(".sl-compared")
    expect(compared).to_contain_text("gcSerialG1", timeout=LONG_MS)
    expect(compared).to_contain_text("outcomeHUNGexited 0")
    assert page.panel.locator("section").count() == 2


def test_each_tab_of_a_hung_run_shows_what_it_is_called(bench):
    page = bench(deadline=3)
    page.chooses(args="300", flags="-Xbatch")  # with C2's code on any machine
    page.field("assembly").check()
    page.runs("HUNG")
    expect(page.panel).to_contain_text("Which thread holds up the safepoint?", timeout=LONG_MS)
    says = {"Output": "main returns", "Command": "-XX:+UseSerialGC", "Safepoints": "", "Compilations": "countOdds"}
    for tab, text in {**says, "Code with its polls": "Machine code", "Raw logs": "safepoint.log"}.items():
        page.opens(tab)
        expect(page.panel).to_contain_text(text, timeout=LONG_MS)
        if tab in ("Safepoints", "Compilations"):
            assert len(page.panel.locator("img").first.get_attribute("alt")) > 20


def test_a_program_that_does_not_compile_shows_the_compilers_line(bench, lab):
    write(lab, "Wrong", "int i = ;")
    page = bench("Wrong.java")
    page.runs("does not compile")
    expect(page.panel).to_contain_text("illegal start of expression", timeout=LONG_MS)
    expect(page.panel).to_contain_text("▶")


def test_the_compilers_message_is_seen_whatever_tab_was_open_and_beside_no_other_program(bench, lab):
    write(lab, "Broken", "int i = ;")
    page = bench()
    page.chooses(args="300", flags="-Xbatch")
    page.runs("HUNG")
    page.opens("Raw logs")
    page.chooses(Program="Broken.java")
    page.runs("does not compile")
    expect(page.place.get_by_role("tab", name="Outcome")).to_have_attribute("aria-selected", "true")
    expect(page.panel).to_contain_text("illegal start of expression", timeout=LONG_MS)
    expect(page.place.locator(".sl-compared")).to_be_empty()


def test_a_program_with_a_package_two_classes_and_a_jar_runs(bench, lab):
    head = 'package a.b;\nimport org.HdrHistogram.Histogram;\nclass Two { String s() { return "of two"; } }\n'
    write(lab, "Jarred", "System.out.println(new Two().s() + new Histogram(3).getMaxValue());", head)
    page = bench("Jarred.java")
    expect(page.field("jars")).to_have_value("org.hdrhistogram:HdrHistogram:2.2.2")
    page.runs("exited 0")
    page.opens("Output")
    expect(page.panel).to_contain_text("of two0", timeout=LONG_MS)


@pytest.mark.parametrize("leaves", ["by Stop", "by closing the tab"])
def test_a_run_that_is_left_leaves_no_jvm_beyond_its_deadline(bench, lab, eventually, leaves):
    page = bench(deadline=120 if leaves == "by Stop" else 6)
    page.presses("▶ Run")
    assert eventually(lambda: jvms(lab), 30)
    if leaves == "by Stop":
        page.presses("■ Stop")
        expect(page.place.get_by_role("status")).to_contain_text("stopped", timeout=LONG_MS)
    else:
        page.page.goto("about:blank")
    assert eventually(lambda: not jvms(lab), 5 if leaves == "by Stop" else 20)


def test_an_unknown_flag_and_a_missing_jdk_are_answered_in_words(bench):
    page = bench()
    page.chooses(flags="-XX:+UseCountedLoopSafepoint")
    expect(page.place.locator(".sl-facts")).to_contain_text(
        "Did you mean -XX:+UseCountedLoopSafepoints", timeout=LONG_MS
    )
    page.runs("flag refused")
    page.chooses(flags="", others="99")
    page.runs("no such JDK", seconds=90)
    expect(page.panel).to_contain_text("safepoint jdks install 99", timeout=LONG_MS)


def test_a_file_of_ones_own_is_made_and_opened_in_jupyterlabs_editor(bench, lab):
    page = bench()
    page.presses("New Java file…")
    expect(page.field("Program")).to_have_value("MyProgram.java", timeout=LONG_MS)
    page.presses("Edit source")
    page.page.get_by_role("button", name="Run Once").click()  # JupyterLab asks, as long as nobody has trusted the page
    expect(page.page.locator(".jp-FileEditor")).to_contain_text("class MyProgram", timeout=LONG_MS)
    assert Path(lab.folder, "work", "MyProgram.java").exists()


def test_by_keyboard_alone_a_run_is_made_and_a_tab_is_chosen(bench):
    page = bench()
    page.field("args").fill("300")
    page.page.keyboard.press("Control+Enter")
    expect(page.place.get_by_role("status")).to_contain_text("HUNG", timeout=LONG_MS)
    page.place.get_by_role("tab", name="Outcome").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.place.get_by_role("tab", name="Output")).to_have_attribute("aria-selected", "true")
    expect(page.panel).to_contain_text("main returns", timeout=LONG_MS)


def test_nothing_of_the_workbench_is_off_screen_and_every_control_has_a_name(bench):
    page = bench()
    for width in (1280, 600):
        page.page.set_viewport_size({"width": width, "height": 900})
        page.page.wait_for_timeout(500)
        assert page.place.evaluate("node => node.scrollWidth - node.clientWidth") <= 0
    nameless = page.place.evaluate(
        "node => [...node.querySelectorAll('input, select, button')]"
        ".filter(one => !one.labels?.length && !one.textContent.trim() && !one.ariaLabel).map(one => one.outerHTML)"
    )
    assert nameless == []


@pytest.fixture
def alone(tmp_path, start_server, eventually) -> Iterator[str]:
    """The address that `safepoint workbench Own.java` prints; the file is not there before."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (tmp_path / "my sources").mkdir()
    words = [sys.executable, "-m", "safepointlab", "workbench", "my sources/Own.java", "--no-browser"]
    env = {**os.environ, "SAFEPOINTLAB_RUNS": str(tmp_path / "runs")}
    with start_server([*words, f"--port={port}"], tmp_path, env) as log:
        address = eventually(lambda: re.search(r"http://\S+token=\w+", log.read_text()), 60)
        assert address, log.read_text()
        yield address[0]


def test_the_command_opens_the_workbench_and_the_editor_and_leaves_nothing_beside_the_source(page, alone, tmp_path):
    page.goto(alone)
    program = page.locator(".sl-bench").get_by_label("Program", exact=True)
    expect(program).to_have_value("Own.java", timeout=LONG_MS)
    expect(page.locator(".jp-FileBrowser")).not_to_be_visible()
    editor = page.locator(".jp-FileEditor .cm-content")
    expect(editor).to_contain_text("class Own", timeout=LONG_MS)
    assert page.locator(".jp-Dialog").count() == 0
    source = tmp_path / "my sources" / "Own.java"
    editor.click()
    page.keyboard.press("Control+Home")
    page.keyboard.type("// mine\n")
    page.keyboard.press("Control+s")
    page.get_by_role("button", name="▶ Run").click()
    expect(page.locator(".sl-bench").get_by_role("status")).to_contain_text("exited 0", timeout=LONG_MS)
    assert source.read_text().startswith("// mine\n") and list(source.parent.iterdir()) == [source]


def test_each_jdk_shows_what_it_printed(bench, lab):
    write(lab, "Which", 'System.out.println("on " + System.getProperty("java.specification.version"));')
    page = bench("Which.java")
    for jdk in ("8", "25"):
        page.field(jdk).check()
    page.runs("JDK 25")
    page.opens("Output")
    expect(page.panel.locator("section")).to_contain_text(["on 1.8", "on 17", "on 25"], timeout=LONG_MS)
