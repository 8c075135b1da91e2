"""A notebook's deck: tagged cells become slides of one thought each, in one file with everything in it."""

import base64
import json
import re
import struct

import pytest

from safepointlab import cli
from safepointlab.cli import recordings
from safepointlab.course import glossary
from safepointlab.errors import BadInput
from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import deck, demos

KERNEL = '{"kernelspec": {"name": "python3", "display_name": "Python"}}'
NOTEBOOKS = {demo.name: PROJECT / "notebooks" / f"{demo.notebook}.ipynb" for demo in demos.every()}
PICTURE = "<img src='data:image/png;base64,iVBO' alt='5 of 5 hang: JDK 8. JDK 8, Serial: HUNG.' style='x'>"
EXCERPT = (
    "<div><small>hang/KillerTask.java</small><pre style='y'><span>48</span> long i = 0;\n<b>odds++;</b></pre></div>"
)
BET = "What happens? Choose one.\n  ( ) It hangs\n  ( ) It exits"


def markdown(text: str = "# Why?\n\nBecause.", tags: tuple[str, ...] = ("slide",)) -> dict:
    metadata = {"tags": list(tags), "speaker": "Say this."}
    return {"cell_type": "markdown", "id": "a1", "metadata": metadata, "source": [text]}


def code(*outputs: dict, source: str = "run") -> dict:
    made = [output if "name" in output else {"data": output} for output in outputs]
    metadata = {"tags": ["slide"], "speaker": "Say that."}
    cell = {"cell_type": "code", "id": "a1", "metadata": metadata, "execution_count": None}
    return {**cell, "source": [source], "outputs": made}


def texts(cell: dict) -> list[str]:
    return [slide.markdown for slide in deck.slides(cell)]


def test_a_title_keeps_its_hook_alone_a_summary_loses_its_references():
    [slide] = deck.slides(markdown("# Why?\n\nA hook.\n\nMore.\n\n*35 minutes. JDK 8.*\n\n## Part 1\n\nMore."))
    assert slide.markdown == "# Why?\n\nA hook." and slide.notes == "Say this."
    assert texts(markdown("# Why?\n\nHe measured:\n\n| a |\n\nMore.")) == ["# Why?\n\nHe measured:\n\n| a |"]
    tabled = markdown("## Part 1: two days\n\nAs in [04](04-osr-vs-xcomp.ipynb):\n\n| a |\n\nMore.")
    assert texts(tabled) == ["## Part 1: two days\n\nAs on page 04:\n\n| a |"]  # no link
    folded = "## In short\n\nOne thing.\n\n<details><summary>References</summary>\n\nA\n\n</details>"
    assert texts(markdown(folded)) == ["## In short\n\nOne thing."]
    assert texts(markdown("## In short\n\nOne thing.\n\n**References**: A, B")) == ["## In short\n\nOne thing."]


def test_an_audience_reads_of_a_page_where_the_page_has_a_link():
    link = "(04-osr-vs-xcomp.ipynb)"
    text = f"In [04]{link} it hung, as on page [04]{link}. See [04]{link} and [the next page]{link}."
    assert texts(markdown(f"## A\n\n{text}")) == [
        "## A\n\nOn page 04 it hung, as on page 04. See page 04 and the next page."
    ]


def test_the_last_slide_has_the_words_that_the_others_use():
    [slide] = deck.words([deck.Slide("C2 leaves out the poll. <img src='data:x tier' alt='2 polls'>", "")])
    assert re.findall("<dt><b>(.*?)</b>", slide.markdown) == ["C2", "poll"] and "<small>" not in slide.markdown
    assert not list(deck.words([deck.Slide("Polling stations", "")]))
    [slide] = deck.words([deck.Slide("Strip mining, and a stop at a deadline", "")], ["deadline"])
    assert re.findall("<dt><b>(.*?)</b>", slide.markdown) == ["strip mining", "deadline"]


def test_words_that_are_too_long_for_a_slide_are_smaller_and_then_fewer():
    longest = sorted(glossary.entries().values(), key=lambda word: -len(word.means))[: deck.MOST_WORDS]
    names = [word.word for word in longest]
    [slide] = deck.words([deck.Slide("; ".join(names), "")], names)
    told = re.findall("<dt><b>(.*?)</b>", slide.markdown)
    shown = [glossary.entries()[name] for name in told]
    assert "<dl class='many'>" in slide.markdown and 4 <= len(told) < deck.MOST_WORDS
    assert deck.list_height(shown, deck.SMALL) <= deck.LIST_HEIGHT


def test_what_is_shown_to_an_audience_takes_the_place_of_what_readers_read():
    hook = markdown("# Why?\n\nAs you know from page 00.\n\nMore.")
    hook["metadata"]["shown"] = "It hangs.\n\nWhy?"
    assert texts(hook) == ["# Why?\n\nIt hangs.\n\nWhy?"]


def test_a_picture_is_a_slide_with_its_finding_and_the_result_is_told_to_the_speaker_alone():
    result = {"text/html": "<table>", "text/plain": "Result: It hangs.\nWhy: No poll."}
    [slide] = deck.slides(code(result, {"text/html": PICTURE}))
    assert ">5 of 5 hang: JDK 8</h2>" in slide.markdown
    assert "alt='5 of 5 hang: JDK 8. JDK 8, Serial: HUNG.'" in slide.markdown
    assert slide.notes == "Result: It hangs.\n\nWhy: No poll.\n\nSay that." and "Result" not in slide.markdown


def test_an_excerpt_without_its_files_name_is_one_too():
    bare = re.sub("<small>.*?</small>", "", EXCERPT)
    [slide] = texts(code({"text/html": bare}, source='lab.excerpt("hang/KillerTask", "run", caption=False)'))
    assert slide.startswith("## hang/KillerTask.java\n\n<pre>") and "lab.excerpt" not in slide


def test_an_excerpt_and_a_bet_are_two_slides():
    shown, asked = {"text/html": EXCERPT}, {"text/html": "<div>", "text/plain": BET}
    java, bet = texts(code(shown, asked, source='lab.excerpt("hang/KillerTask", "static void run")'))
    assert java.startswith("## hang/KillerTask.java\n\n<pre>") and "<b>odds++;</b>" in java
    assert bet.splitlines() == ["## Your bet?", "", "What happens?", "", "- **A** It hangs", "- **B** It exits"]


def test_each_of_a_cells_slides_has_its_own_note_and_the_last_one_the_result():
    cell = code({"text/html": EXCERPT}, {"text/html": PICTURE}, {"text/plain": "Result: It hangs."})
    cell["metadata"]["speaker"] = "The code.\n\n---\n\nThe picture."
    assert [slide.notes.strip() for slide in deck.slides(cell)] == ["The code.", "Result: It hangs.\n\nThe picture."]
    cell["metadata"]["speaker"] = "Both."
    assert [slide.notes for slide in deck.slides(cell)] == ["Result: It hangs.\n\nBoth."] * 2
    cell["metadata"]["then"] = "Next?"
    assert [slide.notes for slide in deck.slides(cell)] == ["Result: It hangs.\n\nBoth.\n\nNext?"] * 2


@pytest.mark.each("path", [NOTEBOOKS["hang"], NOTEBOOKS["pause"]])
def test_no_two_slides_of_a_deck_have_the_same_note(path):
    said = [slide.notes for cell in deck.tagged(json.loads(path.read_text("utf-8"))) for slide in deck.slides(cell)]
    assert len(said) == len(set(said)) and not [note for note in said if "elow:" in note]


def test_a_result_of_a_vote_on_several_has_their_letters_below_it():
    letters = {"Not compiled: `-Xint`": "A", "Keep <them>: `-XX:+Polls`": "B", "C1": "C"}
    told = "Result: 2 of 3.\nC1: No.\nKeep <them>: `-XX:+Polls`: Yes.\nNot compiled: `-Xint`: Yes."
    cell = code({"text/plain": told}, {"text/html": PICTURE})
    [slide] = deck.slides(cell, "Recorded", letters)
    ballot = slide.markdown.partition("<p class='ballot'>")[2].partition("</p>")[0]
    assert re.sub("<.*?>", "", ballot) == "The vote: A -Xint · B +Polls · C C1"
    [slide] = deck.slides(code({"text/plain": "Result: C1. It hangs."}, {"text/html": PICTURE}), "", letters)
    assert "ballot" not in slide.markdown


def test_the_notes_of_a_vote_on_several_begin_with_a_yes_or_no_for_each_letter():
    told = "Result: 1 of 2.\nC1: No. It polls.\nNot compiled: `-Xint`: Yes. It's slow."
    [slide] = deck.slides(
        code({"text/plain": told}, {"text/html": PICTURE}), "", {"Not compiled: `-Xint`": "A", "C1": "B"}
    )
    assert slide.notes.split("\n\n")[:2] == ["A yes · B no", "Result: 1 of 2."]
    assert slide.notes.endswith("\n\nSay that.")
    [slide] = deck.slides(code({"text/plain": "Result: C1. No."}, {"text/html": PICTURE}), "", {"C1": "B"})
    assert slide.notes.split("\n\n") == ["Result: B. C1. No.", "Say that."]


@pytest.mark.each("tags, question", [([], ["Question: What happens?"]), (["slide"], [])])
def test_the_notes_of_a_result_have_the_question_that_no_slide_asks(tags, question):
    asks = code({"text/html": "<div>", "text/plain": BET}, source='lab.predict("99-own")')
    asks["metadata"] = {"tags": tags}
    result = {"text/html": "<table>", "text/plain": "Result: It hangs."}
    tells = code({"text/html": PICTURE}, result, source='lab.reveal("99-own", run)')
    [slide] = deck.slides(tells, unasked=deck.questions_without_slide({"cells": [asks, tells]}))
    assert slide.notes.split("\n\n") == [*question, "Result: It hangs.", "Say that."]


def test_other_output_is_under_its_line_and_wide_text_is_smaller():
    for times, size in ((6, "wide"), (9, "many")):
        [slide] = texts(code({"name": "stdout", "text": ["GC(1) <Pause> " * times]}))
        assert slide.startswith("```python\nrun\n```") and f"<pre class='{size}'>GC(1) &lt;Pause&gt;" in slide


def test_the_notes_name_a_result_by_the_letter_that_was_voted_on():
    cell = code({"text/plain": "Result: On each JDK. All hang.\nWhy: On each JDK C2 removes the poll."})
    [slide] = deck.slides(
        cell | {"outputs": [*cell["outputs"], {"data": {"text/html": PICTURE}}]}, "", {"On each JDK": "B"}
    )
    assert "Result: B. On each JDK. All hang." in slide.notes and "Why: On each" in slide.notes


def test_a_cells_own_heading_takes_the_place_of_its_line():
    cell = code({"name": "stdout", "text": ["a=1"]})
    cell["metadata"]["heading"] = "What the tools say"
    [slide] = texts(cell)
    assert slide.startswith("## What the tools say\n\n<pre>a=1") and "run" not in slide


@pytest.mark.each(
    "name, heading, words",
    [
        ("line", "## Why?", ("blame `level9`", "blames `level5`", "+lines", "-XX:+UnlockDiagnosticVMOptions")),
        ("line", "## In short", ("-XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints",)),
        ("pause", "# How can", ("JDK 8 with Parallel",)),
    ],
)
def test_a_deck_tells_an_audience_what_its_pictures_leave_open(name, heading, words):
    cells = deck.tagged(json.loads(NOTEBOOKS[name].read_text("utf-8")))
    [shown] = [slide.markdown for cell in cells for slide in deck.slides(cell) if slide.markdown.startswith(heading)]
    assert all(word in re.sub(r"\*\*", "", shown) for word in words)


def test_the_notes_of_a_written_deck_have_the_question_that_it_does_not_show(tmp_path):
    shown, cut = (deck.write_deck(NOTEBOOKS[name], tmp_path).read_text("utf-8") for name in ("line", "late"))
    asked = r"Question: (.{15}).*?</p>\s*<p>Result: (.{3})"
    assert not re.findall(asked, shown)  # its questions are slides
    assert len(re.findall(asked, cut)) == 1


@pytest.mark.each("path", deck.pages())
def test_no_slide_leads_to_a_notebook_or_is_headed_by_a_line_of_python(path):
    shown = [slide for cell in deck.tagged(json.loads(path.read_text("utf-8"))) for slide in deck.slides(cell)]
    assert not [slide.markdown for slide in shown if ".ipynb" in slide.markdown or slide.markdown.startswith("```")]


def test_a_result_has_its_machine_and_day_at_its_foot(tmp_path):
    stamped = {
        "text/plain": "REPLAY of runs recorded 2026-11-28 on 2 cores · Debian 12 · JDKs 8u504, 17 · profile full"
    }
    first = code(stamped, source="lab.stamp()")
    first["metadata"] = {}
    parts = first, markdown(), code({"text/html": PICTURE}), code({"name": "stdout", "text": ["a=1"]})
    _, *made = deck.write_deck(notebook(tmp_path, *parts), tmp_path).read_text("utf-8").split("<section><section>")
    foot = '<p class="stamp">Recorded 2026-11-28 on 2 cores · Debian 12</p>'
    assert [foot in slide for slide in made] == [False, True, True]


def test_progress_scripts_and_warnings_are_no_slides():
    html = ["<small>hang: done in 4 s</small>", "<script>1</script>" + PICTURE]
    assert texts(code(*({"text/html": each} for each in html), {"name": "stderr", "text": "careful"})) == []


def notebook(folder, *parts: dict):
    path = folder / "99-own.ipynb"
    path.write_text(json.dumps({"cells": list(parts), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    return path


@pytest.mark.each("path", deck.pages())
def test_each_deck_has_slides_that_all_say_something_and_none_of_raw_log(path):
    tagged = deck.tagged(json.loads(path.read_text("utf-8")))
    assert 4 <= len(tagged) <= 12 and tagged[0]["cell_type"] == "markdown"
    assert all(part["metadata"].get(deck.SPEAKER) for part in tagged)
    assert not [part["source"] for part in tagged if ".raw(" in "".join(part["source"])]


def test_each_demos_notebook_has_a_deck():
    assert set(NOTEBOOKS.values()) <= set(deck.pages())


def test_a_deck_is_one_file_that_fetches_nothing(tmp_path):
    html = deck.write_deck(notebook(tmp_path, markdown()), tmp_path).read_text("utf-8")
    page = re.sub(r"(<script>).*?(</script>)", r"\1\2", html, flags=re.DOTALL)
    assert not re.findall(r"\s(?:src|href)=[\"'](?!data:)", page) and "@import" not in page and "reveal.js 5" in html
    assert "<title>Why?</title>" in html and '<aside class="notes">' in html


def test_a_notebook_without_tags_or_outputs_is_refused_with_what_it_lacks(tmp_path):
    with pytest.raises(BadInput, match="99-own.ipynb has no slides. These pages have some: 00, 02"):
        deck.write_deck(notebook(tmp_path, markdown(tags=())), tmp_path)
    with pytest.raises(BadInput, match="99-own.ipynb: the cell a1 is tagged and has no output"):
        deck.write_deck(notebook(tmp_path, code()), tmp_path)


def test_the_command_writes_the_deck_of_one_notebook(tmp_path, capsys):
    assert cli.main(["slides", "02", "--saved", "--to", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"02-when-will-it-exit.html", "index.html"}
    slides = (tmp_path / "02-when-will-it-exit.html").read_text("utf-8").count("<aside class=")
    link = f"<a href='02-when-will-it-exit.html'>02 When will this program exit?</a>, {slides} slides"
    index = (tmp_path / "index.html").read_text("utf-8")
    assert f"{link} · <code>safepoint demo hang</code></li>" in index and "prefers-color-scheme: dark" in index
    assert all(f"<kbd>{key}</kbd></dt><dd>{does}</dd>" in index for key, does in deck.KEYS.items())


def test_the_command_writes_the_decks_of_several_notebooks_each_once_and_refuses_one_without(tmp_path, capsys):
    assert cli.main(["slides", "20", "02", "20-safepoint", "--saved", "--to", str(tmp_path)]) == 0
    printed = [path.rpartition("/")[2] for path in capsys.readouterr().out.split()]
    assert printed == ["20-safepoint-bias.html", "02-when-will-it-exit.html", "index.html"]
    assert cli.main(["slides", "02", "05", "--saved", "--to", str(tmp_path / "none")]) == 2
    assert "05-counted-or-uncounted.ipynb has no slides. These pages have some: 00, 02" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


@pytest.mark.notebook
def test_a_deck_is_played_from_recordings_for_pictures_of_twice_the_size(tmp_path, monkeypatch):
    source = "import matplotlib.pyplot as plt\nfrom safepointlab.plot import _spoken\n"
    source += "figure, ax = plt.subplots(figsize=(4, 3), dpi=100)\n_spoken.speak(ax)\nfigure"
    own, played = notebook(tmp_path, code(source=source)), list[bool]()
    own.write_text(own.read_text().replace('"metadata": {},', f'"metadata": {KERNEL},', 1))
    monkeypatch.setattr(deck, "pages", lambda: [own])
    monkeypatch.setattr(recordings, "play", lambda: played.append(True))
    assert cli.main(["slides", "--to", str(tmp_path)]) == 0 and played == [True]
    png = re.search(r"data:image/png;base64,([^']+)", (tmp_path / "99-own.html").read_text())
    assert struct.unpack(">I", base64.b64decode(png[1])[16:20])[0] > 600
