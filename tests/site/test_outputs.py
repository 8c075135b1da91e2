"""A saved output keeps what lives without a kernel, and only that."""

from safepointlab.site import outputs


def shown(**data):
    return {"output_type": "display_data", "metadata": {}, "data": data}


def test_a_widget_gives_way_to_the_html_beside_it():
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}, "text/html": "<p>still</p>"}
    assert outputs.still([shown(**view)]) == [shown(**{"text/html": "<p>still</p>"})]


def test_a_widget_without_another_form_is_left_out():
    assert outputs.still([shown(**{"application/vnd.jupyter.widget-view+json": {}})]) == []


def test_progress_lines_are_left_out_and_what_a_program_printed_stays():
    printed = {"output_type": "stream", "name": "stdout", "text": "20 odd numbers"}
    assert outputs.still([{**printed, "name": "stderr"}, printed]) == [printed]


def test_html_that_was_saved_as_lines_is_one_text():
    assert outputs.still([shown(**{"text/html": ["<a href='02-x.ipynb'>", "02</a>"]})]) == [
        shown(**{"text/html": "<a href='02-x.html'>02</a>"})
    ]


def test_an_alternative_with_quotes_and_signs_is_read_as_it_is_heard():
    html = '<img style="width:9em" src="data:x" alt="a &lt; b, &quot;late&quot;">'
    assert outputs.picture(shown(**{"text/html": html})) == ("data:x", 'a < b, "late"')
    assert outputs.picture(shown(**{"text/html": "<p>no picture</p>"})) is None
