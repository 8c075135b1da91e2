"""An exercise can be unanswered, wrong or solved, and never breaks a notebook."""

from safepointlab.session.exercises import check


def test_no_answer_yet_shows_the_hint():
    judged = check(..., lambda answer: answer == 3, "Right.", "Count the polls.")
    assert judged.solved is None and "Count the polls." in repr(judged)


def test_a_wrong_answer_shows_the_hint_and_a_right_one_does_not():
    wrong, right = (check(n, lambda answer: answer == 3, "Right.", "Count the polls.") for n in (2, 3))
    assert (wrong.solved, right.solved) == (False, True)
    assert "Count" in wrong._repr_html_() and "Count" not in right._repr_html_()
