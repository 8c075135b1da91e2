"""A prediction on a real page: made by keyboard and held against the result; a question with a fold where untrusted."""

from safepointlab.widgets.predict import FOLDED, HERE, predict

ACTIVE = "jupyterapp.shell.currentWidget.content.activeCellIndex"
ASK = "import safepointlab as lab\nlab.predict('02-killer')"
RUN = """import pandas as pd
points = [(jdk, gc) for jdk in (8, 17) for gc in ("Serial", "G1")]
killer = pd.DataFrame(points, columns=["jdk", "gc"])
killer["outcome"] = ["exited" if point == (17, "G1") else "hung" for point in points]
lab.reveal("02-killer", killer)"""


def test_a_prediction_is_made_by_keyboard_and_held_against_the_result(reader, tmp_path):
    def moves():
        before = reader.page.evaluate(ACTIVE)
        reader.page.keyboard.press("ArrowUp" if before else "ArrowDown")
        return {before, reader.page.evaluate(ACTIVE)} == {0, 1}

    reader.opens_cells(ASK, RUN, name="predict")
    reader.runs(0)
    question = reader.seen(0)
    reader.page.wait_for_timeout(1_500)  # JupyterLab gives the focus to the next cell some time after a run
    question.get_by_role("radio").first.focus()
    reader.page.keyboard.press("Escape")  # back to the page's own keys
    assert moves()
    question.get_by_role("radio").first.focus()
    reader.page.keyboard.press("ArrowDown")
    reader.page.keyboard.press("ArrowDown")
    reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Enter")
    question.get_by_text("You said: On every JDK with Serial, never with G1.").wait_for(timeout=20_000)
    question.screenshot(path=tmp_path / "asked.png")
    assert moves()  # a commit gives the keys back, too
    reader.runs(1)
    reader.seen(1).get_by_text("That isn't what happened. ✗").wait_for(timeout=20_000)
    question.get_by_text("The result has been shown.").wait_for(timeout=20_000)
    assert question.get_by_role("radio").first.is_disabled()
    assert "widget-view" not in reader.output(0)


def test_a_choice_without_a_commit_is_held_against_the_result_too(reader):
    reader.opens_cells(ASK, RUN, name="ticked")
    reader.runs(0)
    reader.seen(0).get_by_role("radio").first.check(timeout=20_000)
    reader.runs(1)
    reader.seen(1).get_by_text("You said").wait_for(timeout=20_000)


def test_untrusted_it_is_a_question_with_a_fold_and_trusted_it_can_be_answered_without_a_kernel(reader):
    reader.opens_outputs(predict("02-killer").bundle())
    question = reader.seen(0)
    assert question.get_by_role("listitem").count() == 5 and question.get_by_role("radio").count() == 0
    question.locator("summary").click()
    question.get_by_text(FOLDED).wait_for(timeout=10_000)
    reader.page.evaluate("void jupyterapp.commands.execute('notebook:trust')")  # its dialog stays open
    reader.page.locator(".jp-Dialog button.jp-mod-accept, .jp-Dialog button.jp-mod-warn").first.click()
    question.get_by_role("radio").first.check(timeout=20_000)
    question.get_by_role("button", name="Commit").click()
    question.get_by_text(HERE).wait_for(timeout=10_000)
