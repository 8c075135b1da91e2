"""Sphinx's settings -> a book that executes nothing, and fetches nothing when it is opened."""

import re
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx

from safepointlab.claims import links
from safepointlab.site.prepare import ANSWER, CHECK, CODE, SETUP, SOLUTION

HERE = Path(__file__).parent

project = "Safepoint Lab"
html_title = project
copyright = "the authors of Safepoint Lab, Apache-2.0"
language = "en"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
add_module_names = False
autodoc_typehints = "signature"
python_use_unqualified_type_names = True
default_role = "code"  # `x` in a docstring
exclude_patterns = ["_extra"]
suppress_warnings = ["mystnb.mime_priority", "mystnb.unknown_mime_type"]

nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[
    str, dict[str, str]
] = {}  # the pages hold no widgets; MyST-NB would load their scripts from a CDN
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
mathjax_path = "no-maths.js"  # a page with a formula fails the tests: no maths is fetched from elsewhere

html_theme = "pydata_sphinx_theme"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css", "reference.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("reference.js", {"defer": "defer"})]
html_search_scorer = str(HERE / "static" / "scorer.js")
html_context = {"default_mode": "auto"}  # the reader's own system says light or dark, until they choose
html_favicon = str(HERE / "static" / "favicon.svg")
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_show_sphinx = False
# a table or a list, with no pages beside it
WIDE = ["reference/then-and-now", "reference/flags", "reference/glossary", "docs/changes"]
html_sidebars: dict[str, list[str]] = {name: [] for name in ["index", "reference/claims/*", *WIDE]}
html_theme_options = {
    "logo": {"text": project},
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "navigation_with_keys": True,
    "show_prev_next": True,
    "show_nav_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], **{name: [] for name in WIDE}},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": True,
}

FOLDS = {CODE: "code", SETUP: "setup", ANSWER: "answer", CHECK: "check", SOLUTION: "solution"}
ASKS = "lab.predict("
IN_COLUMNS = re.compile(r"\S {3,}\S|\n {2,}\S")


def mark_up(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    """A docstring for autodoc, in place: listings in a module's words are literal, and each JEP or bug is a link."""
    text = links.restructured("\n".join(lines))
    if what == "module":
        blocks = re.split(r"\n\s*\n", text)
        text = "\n\n".join(
            "::\n\n    " + each.replace("\n", "\n    ") if IN_COLUMNS.search(each) else each for each in blocks
        )
    lines[:] = [*text.split("\n"), ""]


def open_fold(visitor: Any, node: HideCodeCellNode) -> None:
    """The start of a fold: open for code, closed for answers; a script of the book moves all of one kind at once.

    An output below code that stays in sight is the answer to the question before it.
    """
    prompt = ANSWER if "below-input" in node["classes"] else node["prompt_show"]
    look = f'class="sl-fold sl-fold-{FOLDS.get(prompt, "code")}"{" open" if prompt == CODE else ""}'
    visitor.body.append(f"<details {look}>\n<summary>{escape(prompt)}</summary>\n")


def fold_what_follows(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put what is said about an answer into the answer's fold: up to the next heading or question.

    The paragraph right before a question belongs to the question.
    """
    for answer in list(doctree.findall(HideCodeCellNode)):
        if "below-input" not in answer["classes"]:
            continue
        cell = answer.parent
        after = cell.parent.children[cell.parent.index(cell) + 1 :]
        said = list(takewhile(lambda node: not (isinstance(node, nodes.section) or ASKS in node.astext()), after))
        asks = len(said) < len(after) and ASKS in after[len(said)].astext()
        if said and asks and isinstance(said[-1], nodes.paragraph):
            said.pop()
        for node in said:
            cell.parent.remove(node)
        answer += said


def close_fold(visitor: Any, node: HideCodeCellNode) -> None:
    visitor.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Called by Sphinx. Our folds take the place of MyST-NB's."""
    app.connect("autodoc-process-docstring", mark_up)
    app.connect("doctree-resolved", fold_what_follows)
    app.add_node(HideCodeCellNode, override=True, html=(open_fold, close_fold))
