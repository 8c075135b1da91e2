"""MyST-NB's folds around code and outputs -> `details` with the lab's words: open for code, closed for answers.

A Sphinx extension: conf.py names it. A script of the book opens and closes all of one kind (static/site.js).
"""

from html import escape
from typing import Any

from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx

from safepointlab.site.prepare import ANSWER, CHECK, CODE, SETUP, SOLUTION

KINDS = {CODE: "code", SETUP: "setup", ANSWER: "answer", CHECK: "check", SOLUTION: "solution"}


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx: our folds take the place of MyST-NB's."""
    app.add_node(HideCodeCellNode, override=True, html=(opened, closed))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def opened(visitor: Any, node: HideCodeCellNode) -> None:
    """The fold's begin; an output below code that stays in sight is the answer to the question before it."""
    below = "below-input" in node["classes"]
    prompt = ANSWER if below else node["prompt_show"]
    stays_open = " open" if prompt == CODE else ""
    kind = KINDS.get(prompt, "code")
    visitor.body.append(f'<details class="sl-fold sl-fold-{kind}"{stays_open}>\n<summary>{escape(prompt)}</summary>\n')


def closed(visitor: Any, _: HideCodeCellNode) -> None:
    """The fold's end."""
    visitor.body.append("</details>\n")
