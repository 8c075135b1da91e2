"""A prediction: asked without its answer, kept until the result is shown, then held against it."""

import json
from types import SimpleNamespace

import IPython.display
import pandas as pd
import pytest

from safepointlab.course import lessons, predictions
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.widgets import predict
from safepointlab.widgets.ask import VIEW

KILLER = pd.DataFrame(
    [(jdk, gc, "exited" if gc == "G1" and jdk > 8 else "hung") for jdk in (8, 17) for gc in ("Serial", "G1")],
    columns=["jdk", "gc", "outcome"],
)
every_question = pytest.mark.each("name", [each.name for each in lessons.predictions()])


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
    return question.commit([offered.index(key) for key in keys])


@every_question
def test_a_question_holds_no_reason_and_no_key_of_an_outcome_and_tells_nothing_by_their_order(name):
    question = predict.predict(name)
    widget = question.widget()
    state = {each: getattr(widget, each) for each in ("data", "committed", "note")}
    sent = json.dumps([question.bundle(), state], ensure_ascii=False)  # all that reaches the page
    for outcome in question.prediction.outcomes.values():
        assert not [why for why in (outcome.why, outcome.why_not) if why[:40] in sent]
    assert set(question.data()) == {"legend", "question", "outcomes", "several", "chosen", "closed", "note", "here"}
    texts = [text.replace("`", "").casefold() for text in question.outcomes]
    assert texts == sorted(texts) and len(set(texts)) == len(texts) >= 3
    still = question._repr_html_().partition("<script")[0]
    assert still.count("<li>") == len(texts) and still.count("<details>") == 1 and "<input" not in still
    assert predict.FOLDED in still


def test_a_choice_may_be_changed_until_the_result_was_shown_and_not_after():
    assert commit("02-killer", "serial").startswith("You said: On every JDK with Serial, never with G1.")
    data = predict.predict("02-killer").data()
    assert [data["outcomes"][place] for place in data["chosen"]] == ["On every JDK with Serial, never with G1"]
    commit("02-killer", "all")
    predict.reveal("02-killer", KILLER)
    assert "The result has been shown" in commit("02-killer", "not-new-g1")
    assert predictions.commitment("02-killer").keys == {"all"} and predict.predict("02-killer").data()["closed"]


def test_what_was_ticked_without_commit_counts_once_the_result_is_shown():
    question = predict.predict("02-killer")
    widget = question.widget()
    widget.ticked = [0, "1", 99]
    assert predictions.commitment("02-killer").keys is None and not widget.note
    first = question.prediction.texts([question.prediction.offered()[0]])[0]
    assert repr(predict.reveal("02-killer", KILLER)).startswith(f"You said: {first}.")
    widget.ticked = [1]
    assert predictions.commitment("02-killer").keys == {question.prediction.offered()[0]}
    commit("02-cures", "polls")
    other = predict.predict("02-cures")
    other.widget().ticked = [0, 1]
    assert predictions.commitment("02-cures").keys == {"polls"}


def test_code_in_the_sentence_about_a_choice_is_code_on_the_page():
    question = predict.predict("00-exit")
    widget = question.widget()
    widget.committed = {"chosen": [list(question.prediction.offered()).index("soon")], "at": 1}
    assert widget.note.startswith("You said: The JVM exits when <code>main</code> returns.")
    assert question.data()["note"] == widget.note


@pytest.mark.parametrize("sent", [{}, {"chosen": [99]}, {"chosen": [-1]}, {"chosen": ["0", None]}, {"chosen": [0]}])
def test_the_widget_hears_a_choice_of_what_was_offered_and_says_what_was_kept(sent):
    question = predict.predict("02-killer")
    widget = question.widget()
    widget.committed = {**sent, "at": 1}
    heard = sent == {"chosen": [0]}
    assert predictions.commitment("02-killer").keys == ({question.prediction.offered()[0]} if heard else None)
    assert widget.note.startswith("You said: ") is heard


@pytest.mark.parametrize(
    ("said", "titles", "words"),
    [
        ("serial", ["You said", "Result", "Why", "And yours"], "never with G1. That isn't what happened. ✗"),
        ("not-new-g1", ["You said", "Result", "Why"], "That's what happened. ✓"),
        (None, ["Result", "Why"], "Result: On every JDK with Serial, and on JDK 8 with G1."),
    ],
)
def test_the_result_is_held_against_what_was_said_with_the_reasons(said, titles, words):
    if said:
        commit("02-killer", said)
    held = predict.reveal("02-killer", KILLER)
    outcomes = lessons.prediction("02-killer").outcomes
    assert [title for title, _ in held.lines] == titles and words in repr(held)
    assert outcomes["not-new-g1"].why in repr(held)
    assert (outcomes["serial"].why_not in repr(held)) is (said == "serial")


def test_of_several_each_has_a_yes_or_a_no_of_its_own():
    commit("02-cures", "c1", "loop")
    cures = [hang.INTERPRETED, hang.EXCLUDED, hang.C1_ONLY, hang.KEEP_POLLS]
    cured = pd.DataFrame({"flags": ["", *cures], "gc": "Serial", "outcome": ["hung", *["exited"] * 4]})
    inner = pd.DataFrame({"flags": [f"dontinline,K.{name}" for name in ("countOdds", "isOdd")], "gc": "Serial"})
    held = repr(predict.reveal("02-cures", cured, inner.assign(outcome=["hung", "exited"])))
    assert "Yes. You said yes ✓." in held and "No. You said yes ✗." in held and "Yes. You said no ✗." in held
    assert "4 of 5 cures work. You were right about 1 of 5." in held


@every_question
@pytest.mark.each(
    "odd", [(), (...,), (None,), (3,), ("hung",), (pd.DataFrame(),), (SimpleNamespace(),), (KILLER, KILLER, KILLER)]
)
def test_a_result_of_another_question_gets_a_sentence_and_closes_nothing(name, odd):
    held = predict.reveal(name, *odd)
    assert "another result" in repr(held) and lessons.prediction(name).result_description in repr(held)
    assert not predictions.commitment(name).closed


def test_an_outcome_that_nobody_thought_of_is_told_by_its_facts():
    commit("02-killer", "serial")
    held = predict.reveal("02-killer", KILLER.assign(outcome=["exited", "hung", "hung", "hung"]))
    assert [title for title, _ in held.lines] == ["You said", "Result"]
    assert "None of these outcomes. With Serial it hangs on JDK 17, and with G1 on JDK 8 and 17." in repr(held)


def test_a_question_is_a_widget_until_its_result_is_shown_and_then_html_alone(displayed):
    predict.predict("02-killer")._ipython_display_()
    (place,) = displayed
    assert {VIEW, "text/html", "text/plain"} == set(displayed[place])
    predict.reveal("02-killer", KILLER)
    saved = displayed[place]
    assert {"text/html", "text/plain"} == set(saved)
    # nobody answered it, so it stays open on the saved page
    assert '"closed": false' in saved["text/html"] and "has been shown" not in saved["text/plain"]
