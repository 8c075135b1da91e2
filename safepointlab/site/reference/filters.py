"""The columns of a table and what each can be -> a form above it; without static/reference.js it stays hidden."""

from collections.abc import Mapping
from html import escape


def form(table: str, choices: Mapping[str, Mapping[str, str]], things: str) -> str:
    """A form in HTML.

    Args:
        table: the id of the table; a row's attribute data-NAME holds the words by which it is found.
        choices: a field's name -> what can be chosen, as value and text; "JDK" and "verdict" are looked up together.
        things: what the rows are, in the plural, for the line that counts them.
    """
    fields = "".join(_field(name, options) for name, options in choices.items())
    search = '<label>with the words <input type="search" name="words" autocomplete="off"></label>'
    button = '<button type="reset">Show all</button>'
    count = f'<output role="status" data-things="{escape(things)}"></output>'
    return f'<form class="sl-filter" data-table="{table}" hidden>{fields}{search}{button}{count}</form>\n'


def _field(name: str, options: Mapping[str, str]) -> str:
    words = "".join(f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options.items())
    return f'<label>{name} <select name="{name.lower()}"><option value="">any</option>{words}</select></label>'
