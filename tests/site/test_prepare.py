"""A saved notebook becomes a page of the book, and what was given stays as it was."""

import copy

import pytest

from safepointlab.errors import BadInput
from safepointlab.site import prepare


def prepared(page, repository=""):
    return prepare.prepared(page, "03-three", repository)


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def marks(cell):
    return cell["metadata"]["tags"], cell["metadata"]["mystnb"]["code_prompt_show"]


def test_code_can_be_folded_and_answers_checks_and_solutions_are(page):
    page["cells"].append({**page["cells"][1], "metadata": {"jupyter": {"source_hidden": True}}})
    question, answer, check, solution, tool = prepared(page)["cells"][1:]
    assert marks(question) == (["hide-input"], prepare.CODE)
    assert marks(answer) == (["hide-input", "hide-output"], prepare.CODE)
    assert marks(check) == (["check", "hide-cell"], prepare.CHECK)
    assert marks(solution) == (["solution", "hide-cell"], prepare.SOLUTION)
    assert marks(tool) == (["hide-input"], prepare.SETUP)


def test_the_state_of_widgets_is_dropped_and_the_notebook_that_was_given_stays_as_it_is(page):
    page["metadata"]["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}
    before = copy.deepcopy(page)
    assert "widgets" not in prepared(page, "someone/lab")["metadata"]
    assert page == before


def test_the_links_that_run_a_page_stand_between_title_and_text(page):
    title, links, text = prepare.source(prepared(page)["cells"][0]).split("\n\n", 2)
    assert title == "# Does it exit?" and text.startswith("A daemon counts.")
    assert (
        'href="../docs/get.html"' in links
        and 'href="../downloads/03-three.ipynb" download' in links
        and "https://" not in links
    )
    links = prepare.source(prepared(page, "someone/lab")["cells"][0])
    assert "https://mybinder.org/v2/gh/someone/lab/HEAD?urlpath=lab/tree/safepoint-lab/03-three.ipynb" in links
    assert "https://codespaces.new/someone/lab?quickstart=1" in links


def test_a_page_with_a_cell_that_was_not_run_is_refused_with_the_command_that_runs_it(page):
    page["cells"][2]["execution_count"] = None
    with pytest.raises(BadInput, match=r"03-three.*1 of 4 .*reveal.*safepoint notebooks 03 --in-place"):
        prepared(page)
    page["cells"][2]["metadata"] = {"tags": ["skip-headless"]}  # such a cell hangs its own kernel
    assert prepared(page)


def test_a_page_without_any_output_is_refused(page):
    for cell in page["cells"][1:]:
        cell["outputs"] = []
    with pytest.raises(BadInput, match="saved without its outputs: 4 of 4"):
        prepared(page)


def test_a_widget_gives_way_to_the_html_beside_it_and_is_left_out_where_there_is_none():
    view = {prepare.WIDGET: {"model_id": "1"}}
    outputs = [shown(**view, **{"text/html": "<p>still</p>"}), shown(**view)]
    assert prepare.without_kernel(outputs) == [shown(**{"text/html": "<p>still</p>"})]


def test_a_table_scrolls_without_the_words_around_it_and_a_script_is_left_alone():
    [table, script] = prepare.without_kernel(
        [
            shown(**{"text/html": "<p>9 hold</p><table><tr></tr></table>"}),
            shown(**{"text/html": "<script>'<table></table>'"}),
        ]
    )
    assert table["data"]["text/html"].startswith("<p>9 hold</p><div class='pst-scrollable-table-container'><table>")
    assert script["data"]["text/html"] == "<script>'<table></table>'"


def test_progress_lines_are_left_out_and_what_a_program_printed_stays():
    printed = {"output_type": "stream", "name": "stdout", "text": "20 odd numbers"}
    assert prepare.without_kernel([{**printed, "name": "stderr"}, printed]) == [printed]


def test_links_in_an_output_hold_in_the_book_and_none_leads_to_a_readers_own_file():
    saved = ["<a href='02-x.ipynb'>", "02</a>, <a href='../work/Own.java'><code>Own.java</code></a>"]
    [output] = prepare.without_kernel([shown(**{"text/html": saved})])
    assert output["data"]["text/html"] == "<a href='02-x.html'>02</a>, <code>Own.java</code>"


def test_a_long_line_of_a_log_wraps_between_its_phases_and_a_short_one_stays_text():
    line = '[0.1s][info][safepoint    ] Safepoint "Exit", Time since last: 124170201 ns, Reaching safepoint: 90355 ns\n'
    printed = {"output_type": "stream", "name": "stdout", "text": [line, "a < b\n"]}
    [output] = prepare.without_kernel([printed])
    html = output["data"]["text/html"]
    assert "<span>[0.1s][info][safepoint    ] </span>" in html and "<span>Reaching safepoint: 90355 ns</span>" in html
    assert html.count("<div>") == 2 and "a &lt; b" in html and output["data"]["text/plain"] == line + "a < b\n"
