"""`safepoint report`: one page of any logs that asks nobody for anything, and a clear word where it cannot be made."""

import io
import re
import sys
from pathlib import Path

import pytest

from safepointlab import __version__, cli

DATA = Path(__file__).parent.parent / "data"
STOPS, COLLECTIONS = DATA / "safepoint" / "jdk25-info.log", DATA / "gc" / "jdk25-g1.log"


@pytest.fixture
def report(tmp_path, capsys):
    """Makes the page of some logs, and returns its text."""

    def made(*logs: object) -> str:
        target = tmp_path / "page.html"
        assert cli.main(["report", *map(str, logs), "-o", str(target)]) == 0
        return target.read_text("utf-8")

    return made


def test_the_finding_is_the_title(report):
    text = report(STOPS, COLLECTIONS)
    title, head = re.search(r"<title>(.*?)</title>", text)[1], re.search(r"<h1>(.*?)</h1>", text)[1]
    assert head.startswith("All threads were stopped 10 times") and title.startswith(head)


def test_every_picture_is_data_of_the_page_and_has_words(report):
    images = re.findall(r"<img ([^>]*)>", report(COLLECTIONS, STOPS))
    assert len(images) >= 3
    assert all(re.match(r'src="data:image/png;base64,[\w+/=]+" alt="[^"]{40,}"', image) for image in images)


def test_nothing_on_the_page_points_elsewhere_or_runs(report):
    text = report(STOPS)
    assert not re.search(r"<script|<link|https?://|url\(|@import", text) and "default-src 'none'" in text


def test_what_a_log_says_cannot_become_part_of_the_page(report, tmp_path):
    evil = tmp_path / "a<b>&.log"
    evil.write_text(STOPS.read_text().replace("G1CollectFull", "<script>alert(1)</script>"))
    text = report(evil)
    assert "<script" not in text and "&lt;script&gt;alert(1)" in text and "a&lt;b&gt;&amp;.log" in text


def test_the_page_says_what_made_it(report):
    text = report(STOPS)
    assert f"version {__version__} of the lab" in text and "Made by <code>safepoint report " in text


def test_what_is_left_out_stands_on_the_page_and_on_stderr(report, tmp_path, capsys):
    (tmp_path / "poem.txt").write_text("roses\n")
    text = report(STOPS, tmp_path / "poem.txt")
    assert "<h2>Left out</h2>" in text and "poem.txt is left out: It looks like none" in capsys.readouterr().err


def test_stdin_is_read_for_a_dash_and_the_page_goes_to_stdout(monkeypatch, capfdbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(STOPS.read_bytes())))
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    assert cli.main(["report", "-", "-o", "-"]) == 0
    assert b"stops in standard input" in out.buffer.getvalue()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["no-such.log"], "no such file: no-such.log. Looked from"),
        (["."], "a folder, not a log: ."),
        (["empty.log"], "empty.log is left out: It is empty."),
        (["poem.txt"], "It looks like none of the logs that the lab reads"),
        (["stops.log", "-o", "poem.txt"], "is there already, and it is no report of the lab"),
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
