"""A saved notebook becomes a page of the book, and what was given stays as it was."""

import copy

import pytest

from safepointlab.errors import BadInput
from safepointlab.site import prepare


def marks(cell):
    return cell["metadata"]["tags"], cell["metadata"]["mystnb"]["code_prompt_show"]


def test_code_can_be_folded_and_answers_checks_and_solutions_are(page):
    question, answer, check, solution = prepare.folded(page)["cells"][1:]
    assert marks(question) == (["hide-input"], prepare.CODE)
    assert marks(answer) == (["hide-input", "hide-output"], prepare.CODE)
    assert marks(check) == (["check", "hide-cell"], prepare.CHECK)
    assert marks(solution) == (["solution", "hide-cell"], prepare.SOLUTION)


def test_a_hidden_source_that_is_neither_check_nor_solution_is_the_pages_own_tool(page):
    page["cells"][1]["metadata"] = {"jupyter": {"source_hidden": True}}
    assert marks(prepare.folded(page)["cells"][1]) == (["hide-input"], prepare.SETUP)


def test_no_step_changes_the_notebook_that_it_is_given(page):
    before = copy.deepcopy(page)
    prepare.prepared(page, "00-start-here", "someone/lab")
    assert page == before


def test_the_state_of_widgets_is_dropped(page):
    page["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    assert "widgets" not in prepare.prepared(page, "00-start-here")["metadata"]


def test_the_links_that_run_a_page_stand_between_title_and_text(page):
    opening = prepare.source(prepare.prepared(page, "00-start-here")["cells"][0])
    title, links, text = opening.split("\n\n", 2)
    assert title == "# Does it exit?" and "downloads/00-start-here.ipynb" in links
    assert text.startswith("A daemon counts.")


def test_title_and_minutes_are_those_of_the_opening(page):
    assert (prepare.title(page), prepare.minutes(page)) == ("Does it exit?", "35")


def test_a_page_with_a_cell_that_was_not_run_is_refused_with_the_command_that_runs_it(page):
    page["cells"][2]["execution_count"] = None
    with pytest.raises(BadInput, match=r"03-three.*1 of 4 .*reveal.*safepoint notebooks 03 --in-place"):
        prepare.prepared(page, "03-three")


def test_a_page_without_any_output_is_refused(page):
    for cell in page["cells"][1:]:
        cell["outputs"] = []
    with pytest.raises(BadInput, match="saved without its outputs: 4 of 4"):
        prepare.prepared(page, "03-three")


def test_a_cell_that_hangs_its_own_kernel_need_not_have_been_run(page):
    page["cells"][2].update(execution_count=None, metadata={"tags": ["skip-headless"]})
    prepare.require_outputs(page, "90-hang")


def test_the_first_picture_comes_with_its_text_alternative(page):
    assert prepare.first_picture(page) == ("data:image/png;base64,AAAA", "1 of 2 hangs")


def test_a_page_without_a_picture_says_who_wants_one(page):
    del page["cells"][2]
    with pytest.raises(BadInput, match="first page of the book"):
        prepare.first_picture(page)
