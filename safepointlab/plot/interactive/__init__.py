"""A script, its data and a still picture of both -> one output that answers to mouse and keys wherever it is shown.

    Alive("mark_word", {"bits": [...]}, still="<table>…</table>", text="mark word: 64 bits, …")

`scripts/NAME.js` is an ES module of the form that anywidget defines (https://anywidget.dev/en/afm/):
`export default { render({ model, el }) { … } }`; it draws `model.get("data")` into `el`. `look.css` stands beside it.

Where the output is met         what the reader gets
JupyterLab, a page that they ran  the script
a static page, no kernel          the script: it comes with the output, and nothing is fetched
an untrusted notebook, GitHub     `still`: the sanitiser leaves no script, no style sheet and no inline SVG
a terminal                        `text`
"""

import json
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path
from typing import Any
from uuid import uuid4

HERE = Path(__file__).parent
PARTS = {"panel": ("panel", "panel_pictures")}  # a script of several files, which share their names
MOST_BYTES = 400_000  # what one output may add to a notebook
HOST = """
const code = URL.createObjectURL(new Blob([%(script)s], { type: "text/javascript" }));
const state = { data: %(data)s };
const model = { get: name => state[name], set: (name, value) => { state[name] = value; },
                on() {}, off() {}, send() {}, save_changes() {}, still: true };
import(code).then(module => {
  for (const el of document.querySelectorAll("#%(place)s:not(.sl-awake)")) {
    el.classList.add("sl-awake");
    // or JupyterLab takes the arrow keys before any script sees them; it asks the element that has the focus
    el.dataset.lmSuppressShortcuts = "true";
    el.addEventListener("focusin", event => { event.target.dataset.lmSuppressShortcuts = "true"; });
    // and would never get them back: Escape returns to the page's own keys
    el.addEventListener("keydown", event => { if (event.key === "Escape") el.closest(".jp-Notebook")?.focus(); });
    el.replaceChildren();
    module.default.render({ model, el });
  }
}).finally(() => URL.revokeObjectURL(code));
"""


class Alive:
    """An output that needs no kernel to answer; `data` is anything that JSON can hold."""

    def __init__(self, script: str, data: Mapping[str, Any], still: str, text: str) -> None:
        self.script, self.data, self.still, self.text = script, data, still, text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return page(self.script, self.data, self.still, self.text)


def page(script: str, data: Mapping[str, Any], still: str, text: str) -> str:
    """The HTML of it: what is seen without a script, then the script that takes its place.

    Raises:
        ValueError: the data are too large for an output.
    """
    packed = in_script(data)
    if len(packed) > MOST_BYTES:
        raise ValueError(f"{script}: {len(packed):,} bytes of data, {MOST_BYTES:,} at most go into an output")
    place = f"sl-{uuid4().hex[:12]}"
    code = HOST % {"script": in_script(source(script)), "data": packed, "place": place}
    look = f"<style>{style_sheet()}</style>"
    label = f"role='group' aria-label='{escape(text, quote=True)}'"
    return f"{look}<div class='sl-alive' id='{place}' {label}>{still}</div><script type='module'>{code}</script>"


@cache
def source(script: str) -> str:
    """The text of `scripts/NAME.js`, or of the files that it consists of."""
    files = PARTS.get(script, (script,))
    return "\n".join((HERE / "scripts" / f"{file}.js").read_text("utf-8") for file in files)


@cache
def style_sheet() -> str:
    """What all scripts look like, in the light theme and in the dark one."""
    return (HERE / "look.css").read_text("utf-8")


def in_script(thing: Any) -> str:
    """A literal that a script element can hold: nothing in it ends the element.

    >>> in_script({"a": "</script>"})
    '{"a": "\\\\u003c/script>"}'
    """
    literal = json.dumps(thing, ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    return literal.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
