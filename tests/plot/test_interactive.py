"""An output with a script: what is seen with it, and what without."""

import json
import re

import pytest

from safepointlab.plot import interactive

PARTS = {file for script, files in interactive.PARTS.items() for file in files if file != script}
SCRIPTS = [
    name for name in sorted(path.stem for path in (interactive.HERE / "scripts").glob("*.js")) if name not in PARTS
]


def test_the_still_form_stands_before_the_script_that_replaces_it():
    page = interactive.page(SCRIPTS[0], {"a": 1}, "<p>still</p>", "what it says")
    assert page.index("<p>still</p>") < page.index("<script type='module'>")
    assert "aria-label='what it says'" in page


def test_nothing_in_the_data_ends_the_script():
    assert "</script>" not in interactive.in_script({"</script>": "</script><script>"})


def test_an_output_that_would_swell_the_notebook_is_refused():
    with pytest.raises(ValueError, match="at most"):
        interactive.page(SCRIPTS[0], {"a": "x" * interactive.MOST_BYTES}, "", "")


def test_each_output_has_a_place_of_its_own():
    pages = [interactive.page(SCRIPTS[0], {}, "", "") for _ in range(2)]
    assert len({re.search(r"id='(sl-\w+)'", page)[1] for page in pages}) == 2


@pytest.mark.each("script", SCRIPTS)
def test_a_script_draws_by_anywidgets_form_and_fetches_nothing(script):
    text = interactive.source(script)
    assert "export default" in text and "render(" in text
    assert not re.search(r"https?://(?!www\.w3\.org)|\bfetch\(|XMLHttpRequest|import .* from", text)


def test_data_come_back_as_they_were():
    data = {"text": "a < b\u2028", "rows": [1, 2.5, None, True]}
    assert json.loads(interactive.in_script(data)) == data
