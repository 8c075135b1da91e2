"""A prediction: asked without its answer, kept until the result is shown, then held against it."""

import json
from types import SimpleNamespace

import IPython.display
import pandas as pd
import pytest

from safepointlab.course import lessons, predictions
from safepointlab.widgets import predict
from safepointlab.widgets.ask import VIEW

ALL = lessons.predictions()
KILLER = pd.DataFrame(
    [(jdk, gc, "exited" if gc == "G1" and jdk > 8 else "hung") for jdk in (8, 17) for gc in ("Serial", "G1")],
    columns=["jdk", "gc", "outcome"],
)

every_question = pytest.mark.each("name", [each.name for each in ALL])


@pytest.fixture
def displayed(monkeypatch):
    """What was displayed, and what it became: by the place of each display."""
    places = {}
    show = lambda bundle, raw, display_id=None: places.update({display_id: bundle})  # noqa: E731
    monkeypatch.setattr(IPython.display, "display", show)
    monkeypatch.setattr(IPython.display, "update_display", show)
    return places


def commit(name, *keys):
    question = predict.predict(name)
    offered = question.prediction.offered()
    return question.heard([offered.index(key) for key in keys])


def everything_sent(question):
    """All that reaches the page: the bundle with its script's data, and the state of the widget."""
    widget = question.widget()
    state = {name: getattr(widget, name) for name in ("data", "committed", "note")}
    return json.dumps([question.bundle(), state], ensure_ascii=False)


@every_question
def test_a_question_holds_no_reason_and_no_key_of_an_outcome(name):
    question = predict.predict(name)
    sent = everything_sent(question)
    for outcome in question.prediction.outcomes.values():
        assert not [why for why in (outcome.why, outcome.why_not) if why[:40] in sent]
    assert set(question.data()) == {"legend", "question", "outcomes", "several", "chosen", "closed", "note", "here"}


@every_question
def test_outcomes_stand_in_the_order_of_the_alphabet(name):
    texts = [text.replace("`", "").casefold() for text in predict.predict(name)._outcomes()]
    assert texts == sorted(texts) and len(set(texts)) == len(texts) >= 3


@every_question
def test_without_a_script_there_is_a_list_and_a_fold_that_does_not_tell(name):
    still = predict.predict(name).still()
    assert still.count("<li>") == len(lessons.prediction(name).outcomes)
    assert still.count("<details>") == 1 and "<script" not in still and "<input" not in still
    assert predict.FOLDED in still


def test_a_committed_choice_comes_back_when_the_cell_runs_again():
    assert commit("02-killer", "serial").startswith("You said: On each JDK with Serial, never with G1.")
    data = predict.predict("02-killer").data()
    assert [data["outcomes"][place] for place in data["chosen"]] == ["On each JDK with Serial, never with G1"]


def test_a_choice_may_be_changed_until_the_result_was_shown_and_not_after():
    commit("02-killer", "serial")
    commit("02-killer", "all")
    predict.reveal("02-killer", KILLER)
    assert "The result has been shown" in commit("02-killer", "not-new-g1")
    assert predictions.commitment("02-killer").keys == {"all"} and predict.predict("02-killer").data()["closed"]


def test_the_widget_hears_a_choice_and_says_what_was_kept():
    question = predict.predict("02-killer")
    widget = question.widget()
    widget.committed = {"chosen": [0], "at": 1}
    assert predictions.commitment("02-killer").keys == {question.prediction.offered()[0]}
    assert widget.note.startswith("You said: ")


@pytest.mark.parametrize("sent", [{}, {"chosen": [99]}, {"chosen": [-1]}, {"chosen": ["0", None]}])
def test_a_choice_of_what_was_not_offered_is_no_outcome(sent):
    widget = predict.predict("02-killer").widget()
    widget.committed = {**sent, "at": 1}
    assert predictions.commitment("02-killer").keys is None


def test_the_result_is_held_against_what_was_said_with_both_reasons():
    commit("02-killer", "serial")
    held = repr(predict.reveal("02-killer", KILLER))
    outcomes = lessons.prediction("02-killer").outcomes
    assert (
        "never with G1. It did not come. ✗" in held and "What came: On each JDK with Serial, with G1 on 8 only." in held
    )
    assert outcomes["not-new-g1"].why in held and outcomes["serial"].why_not in held


def test_a_prediction_that_came_is_told_so_and_nothing_against_it():
    commit("02-killer", "not-new-g1")
    held = predict.reveal("02-killer", KILLER)
    assert "It came. ✓" in repr(held) and [title for title, _ in held.lines] == ["You said", "What came", "Why"]


def test_who_committed_nothing_learns_what_came_and_is_not_blamed():
    held = predict.reveal("02-killer", KILLER)
    assert [title for title, _ in held.lines] == ["What came", "Why"] and "with G1 on 8 only" in repr(held)


def test_of_several_each_has_a_yes_or_a_no_of_its_own():
    commit("02-cures", "c1", "loop")
    cured = pd.DataFrame({"flags": ["", *cures()], "outcome": ["hung", *["exited"] * 4]})
    inner = pd.DataFrame({"flags": [f"dontinline,K.{name}" for name in ("countOdds", "isOdd")]})
    held = repr(predict.reveal("02-cures", cured, inner.assign(outcome=["hung", "exited"])))
    assert "Yes. You said yes ✓." in held and "No. You said yes ✗." in held and "Yes. You said no ✗." in held
    assert "4 of 5 cures work. 1 of 5 came as you said." in held


def cures():
    from safepointlab.course.nb02_hang import experiments as hang

    return hang.INTERPRETED, hang.EXCLUDED, hang.C1_ONLY, hang.KEEP_POLLS


@every_question
@pytest.mark.each(
    "odd", [(), (...,), (None,), (3,), ("hung",), (pd.DataFrame(),), (SimpleNamespace(),), (KILLER, KILLER, KILLER)]
)
def test_a_result_of_another_question_gets_a_sentence_and_closes_nothing(name, odd):
    held = predict.reveal(name, *odd)
    assert "another result" in repr(held) and lessons.prediction(name).result_description in repr(held)
    assert not predictions.commitment(name).closed


def test_an_outcome_that_nobody_thought_of_is_told_by_its_facts():
    strange = KILLER.assign(outcome=["exited", "hung", "hung", "hung"])
    assert "None of these outcomes. With Serial it hangs on JDK 17, with G1 on JDK 8 and 17." in repr(
        predict.reveal("02-killer", strange)
    )


def test_a_question_is_a_widget_and_html_until_its_result_is_shown_and_then_html_alone(displayed):
    predict.predict("02-killer")._ipython_display_()
    (place,) = displayed
    assert {VIEW, "text/html", "text/plain"} == set(displayed[place])
    predict.reveal("02-killer", KILLER)
    assert {"text/html", "text/plain"} == set(displayed[place])


def test_a_question_that_nobody_answered_stays_open_on_the_saved_page(displayed):
    predict.predict("02-killer")._ipython_display_()
    predict.reveal("02-killer", KILLER)
    (saved,) = displayed.values()
    assert '"closed": false' in saved["text/html"] and "has been shown" not in saved["text/plain"]
