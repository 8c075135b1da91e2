"""A tagged cell becomes slides of one thought each, with what the speaker says."""

from safepointlab.teaching.demo import cells

PICTURE = "<img src='data:image/png;base64,iVBO' alt='5 of 5 hang: JDK 8. JDK 8, Serial: HUNG.' style='x'>"
EXCERPT = (
    "<div><small>hang/KillerTask.java</small><pre style='y'><span>48</span> long i = 0;\n<b>odds++;</b></pre></div>"
)
BET = "What happens? What comes? Choose one.\n  ( ) It hangs\n  ( ) It exits"


def markdown(text: str) -> dict:
    return {"cell_type": "markdown", "metadata": {"tags": ["slide"], "speaker": "Say this."}, "source": [text]}


def code(*outputs: dict) -> dict:
    made = [output if "name" in output else {"data": output} for output in outputs]
    return {"cell_type": "code", "metadata": {"speaker": "Say that."}, "source": ["run"], "outputs": made}


def texts(cell: dict) -> list[str]:
    return [slide.markdown for slide in cells.slides(cell)]


def test_a_title_keeps_its_hook_and_loses_the_line_of_minutes():
    [slide] = cells.slides(markdown("# Why?\n\nA hook.\n\n*35 minutes. JDK 8.*\n\n## Part 1\n\nMore."))
    assert slide.markdown == "# Why?\n\nA hook." and slide.notes == "Say this."


def test_a_summary_loses_its_references():
    assert texts(markdown("## In short\n\nOne thing.\n\n**References**: A, B")) == ["## In short\n\nOne thing."]


def test_a_picture_is_a_slide_with_its_finding_as_heading_and_its_words():
    [picture] = texts(code({"text/html": PICTURE}))
    assert ">5 of 5 hang: JDK 8</h2>" in picture and "alt='5 of 5 hang: JDK 8. JDK 8, Serial: HUNG.'" in picture


def test_what_came_is_told_to_the_speaker_and_not_shown():
    came = {"text/html": "<table>", "text/plain": "What came: It hangs.\nWhy: No poll."}
    [slide] = cells.slides(code(came, {"text/html": PICTURE}))
    assert slide.notes == "Say that.\n\nWhat came: It hangs.\nWhy: No poll." and "What came" not in slide.markdown


def test_an_excerpt_and_a_bet_are_two_slides():
    java, bet = texts(code({"text/html": EXCERPT}, {"text/html": "<div>", "text/plain": BET}))
    assert java.startswith("## hang/KillerTask.java\n\n<pre>") and "<b>odds++;</b>" in java
    assert bet.splitlines() == ["## Your bet?", "", "What happens?", "", "- It hangs", "- It exits"]


def test_other_output_stands_under_its_line_and_wide_text_is_smaller():
    [slide] = texts(code({"name": "stdout", "text": ["GC(1) <Pause> " * 9]}))
    assert slide.startswith("```python\nrun\n```") and "<pre class='wide'>GC(1) &lt;Pause&gt;" in slide


def test_progress_scripts_and_warnings_are_no_slides():
    html = ["<small>hang: done in 4 s</small>", "<script>1</script>" + PICTURE]
    assert texts(code(*({"text/html": each} for each in html), {"name": "stderr", "text": "careful"})) == []
