"""`safepoint report`: one page of any logs that asks nobody for anything, and a clear word where it cannot be made."""

import io
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from safepointlab import __version__, cli

DATA = Path(__file__).parent.parent / "data"
STOPS, COLLECTIONS = DATA / "safepoint" / "jdk25-info.log", DATA / "gc" / "jdk25-g1.log"
LOG, REPORT = shlex.quote(str(STOPS)), f"{shlex.quote(sys.executable)} -m safepointlab report"


@pytest.fixture
def report(tmp_path, capsys):
    """Makes the page of some logs, and returns its text."""

    def made(*logs: object) -> str:
        target = tmp_path / "page.html"
        assert cli.main(["report", *map(str, logs), "-o", str(target)]) == 0
        return target.read_text("utf-8")

    return made


def test_the_page_has_its_finding_as_title_pictures_with_words_its_command_and_nothing_that_points_elsewhere(report):
    text = report(STOPS, COLLECTIONS)
    title, head = re.search(r"<title>(.*?)</title>", text)[1], re.search(r"<h1>(.*?)</h1>", text)[1]
    assert head.startswith("The longest of 10 safepoints took") and title.startswith(head)
    images = re.findall(r"<img ([^>]*)>", text)
    assert len(images) >= 3
    assert all(re.match(r'src="data:image/png;base64,[\w+/=]+" alt="[^"]{40,}"', image) for image in images)
    assert not re.search(r"<script|<link|https?://|url\(|@import", text) and "default-src 'none'" in text
    assert f"version {__version__} of the lab" in text and "Made by <code>safepoint report " in text


def test_what_a_log_says_cannot_become_part_of_the_page(report, tmp_path):
    evil = tmp_path / "a<b>&.log"
    evil.write_text(STOPS.read_text().replace("G1CollectFull", "<script>alert(1)</script>"))
    text = report(evil)
    assert "<script" not in text and "&lt;script&gt;alert(1)" in text and "a&lt;b&gt;&amp;.log" in text


def test_what_is_left_out_stands_on_the_page_and_on_stderr(report, tmp_path, capsys):
    (tmp_path / "poem.txt").write_text("roses\n")
    text = report(STOPS, tmp_path / "poem.txt")
    assert "<h2>Left out</h2>" in text and "poem.txt is left out: It looks like none" in capsys.readouterr().err


def test_of_a_folder_that_late_kept_only_the_jvms_files_are_read(report, tmp_path, capsys):
    for name in ("late.json", "watch.json", "ttsp.txt", "started-7.log"):
        (tmp_path / name).write_text('{"words": ["java"]}\n')
    (tmp_path / "safepoint-7.log").write_bytes(STOPS.read_bytes())
    assert "<h2>Left out</h2>" not in report(tmp_path) and "left out" not in capsys.readouterr().err


@pytest.mark.parametrize("name", [".", "safepoint-30408.log"])
def test_a_folder_that_late_kept_or_a_log_in_it_brings_what_late_found(report, name):
    text = report(DATA / "late" / "scimark-17" / name)
    assert "7 stops of 11 waited 20 ms or more" in text and "<h3>What to do</h3>" in text
    assert "make the report where these are: " in text  # the recorded program's class files are not here


def test_stdin_is_read_for_a_dash_and_the_page_goes_to_stdout(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STOPS.read_bytes())))
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert cli.main(["report", "-", "-o", "-"]) == 0
    assert b"stops in standard input" in out.buffer.getvalue()


PIPES = [
    f"cat {LOG} | {REPORT} /dev/stdin",
    f"{REPORT} <(cat {LOG})",
    f"{REPORT} <(gzip -c {LOG})",
    f"mkfifo log; cat {LOG} > log & {REPORT} log",
]


@pytest.mark.parametrize("line", PIPES)
def test_a_log_comes_through_any_kind_of_pipe_and_no_line_is_lost(line, tmp_path):
    in_bash(f"{line} -o page.html", tmp_path)
    assert "10 rows from" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize("line", ["mkfifo out; cat out > page.html & {} -o out; wait", "{} -o /dev/stdout > page.html"])
def test_a_page_goes_through_a_pipe_or_to_stdout_by_its_name(line, tmp_path):
    in_bash(line.format(f"{REPORT} {LOG}"), tmp_path)
    assert (tmp_path / "page.html").read_text("utf-8").rstrip().endswith("</html>")


def in_bash(line: str, folder: Path) -> None:
    subprocess.run(["bash", "-c", line], cwd=folder, check=True, timeout=100)


@pytest.mark.parametrize("words", [["report", "-"], ["parse", "gc", "-"]])
def test_a_closed_stdin_is_refused_in_a_sentence(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", None)
    assert cli.main(words) == 2
    assert "standard input is closed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no-such.log"], "no such file: no-such.log. Looked from"),
        (["empty.log"], "empty.log is left out: It is empty."),
        (["poem.txt"], "It looks like none of the logs that the lab reads"),
        (["stops.log", "-o", "poem.txt"], "already exists, and it isn't a report of the lab"),
        (["stops.log", "-o", "no/such/page.html"], "there is no folder"),
        (["stops.log", "-o", "."], "is a folder. Name a file in it"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.log").touch()
    (tmp_path / "poem.txt").write_text("roses\n")
    (tmp_path / "stops.log").write_bytes(STOPS.read_bytes())
    assert cli.main(["report", *words]) == 2
    assert message in capsys.readouterr().err and (tmp_path / "poem.txt").read_text() == "roses\n"


def test_an_earlier_report_is_replaced_and_that_is_said(report, tmp_path, capsys):
    report(STOPS)
    report(COLLECTIONS)
    assert "in place of the report that was there" in capsys.readouterr().out
