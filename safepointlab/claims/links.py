"""Text that names a JEP, a JDK bug or a post -> the same text with a link at each name, in Markdown or in HTML.

    markdown("since JEP 376")   "since [JEP 376](https://openjdk.org/jeps/376)"

Authors write the bare name. `safepoint notebooks --in-place` and `--links` put the links into the pages' Markdown, and
what is a link already stays as it is: a page that is linked twice is the page that was linked once.
"""

import json
import re
from collections.abc import Callable
from html import escape

JEP, BUG = "https://openjdk.org/jeps/", "https://bugs.openjdk.org/browse/"
BLOG = "https://psy-lob-saw.blogspot.com/"
# What stands under its title on the pages and in the claims' sources. One post and one mail are reached by the month's
# page of their blog and list, which have them in full.
PAGES = {
    "Safepoints: Meaning, Side Effects and Overheads": f"{BLOG}2015/12/safepoints.html",
    "Wait For It: Counted/Uncounted loops, Safepoints and OSR Compilation": (
        f"{BLOG}2016/02/wait-for-it-counteduncounted-loops.html"
    ),
    "Why (Most) Sampling Java Profilers Are Fucking Terrible": (
        f"{BLOG}2016/02/why-most-sampling-java-profilers-are.html"
    ),
    "GC 'Nepotism' And Linked Queues": f"{BLOG}2016/03/gc-nepotism-and-linked-queues.html",
    "The Pros and Cons of AsyncGetCallTrace Profilers": f"{BLOG}2016/06/the-pros-and-cons-of-agct.html",
    "Fixing Coordinated Omission in Cassandra Stress": f"{BLOG}2016/07/fixing-co-in-cstress.html",
    "JVM guaranteed safepoints": "https://epickrram.blogspot.com/2015/08/jvm-guaranteed-safepoints.html",
    "How can JVM jitter get caused by a for loop with no object allocations?": (
        "https://chriskirk.blogspot.com/2013/04/"
    ),
    "RFR(XL) 8203469: Faster safepoints": "https://mail.openjdk.org/pipermail/hotspot-dev/2019-January/thread.html",
    "Akka issue 19216": "https://github.com/akka/akka/issues/19216",
    "RxJava pull request 7799": "https://github.com/ReactiveX/RxJava/pull/7799",
}

_JEPS = r"\bJEPs? \d{2,3}(?:(?:, | and )\d{3}(?!\d))*"  # "JEP 439, 474 and 490" are three
_BUG = r"\bJDK-\d{7}\b"
_NAME = re.compile(rf"(?P<jeps>{_JEPS})|(?P<bug>{_BUG})|(?P<page>{'|'.join(map(re.escape, PAGES))})")
# Code, links, images, addresses and HTML tags stay as they are; a bracket of a link may hold brackets of its own.
_KEPT = r"```.*?```|`[^`\n]+`|!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^)\s]*\)|https?://\S+|<[^<>\n]+>"
_MARKDOWN = re.compile(rf"(?P<kept>{_KEPT})|{_NAME.pattern}", re.DOTALL)
_HTML = re.compile(rf"(?P<jeps>{_JEPS})|(?P<bug>{_BUG})")


def markdown(text: str) -> str:
    """Link the names that stand in Markdown, except in code and in links.

    >>> markdown("JEP 439 and 474, `JEP 1`, [JDK-8186027](x)")
    '[JEP 439](https://openjdk.org/jeps/439) and [474](https://openjdk.org/jeps/474), `JEP 1`, [JDK-8186027](x)'
    """
    return _MARKDOWN.sub(lambda match: match["kept"] or _linked(match, lambda name, to: f"[{name}]({to})"), text)


def restructured(text: str) -> str:
    """The same in reStructuredText, as in a docstring.

    >>> restructured("since JEP 439 and 474, `JEP 1`")
    'since `JEP 439 <https://openjdk.org/jeps/439>`__ and `474 <https://openjdk.org/jeps/474>`__, `JEP 1`'
    """
    return _MARKDOWN.sub(lambda match: match["kept"] or _linked(match, lambda name, to: f"`{name} <{to}>`__"), text)


def html(text: str) -> str:
    """Escape plain text, and link the JEPs and bugs in it.

    >>> html("gone since JEP 374 <15>")
    "gone since <a href='https://openjdk.org/jeps/374'>JEP 374</a> &lt;15&gt;"
    """
    return _HTML.sub(lambda match: _linked(match, anchor), escape(text))


def names(text: str) -> list[str]:
    """The JEPs and bugs that a text names, each once, in their order.

    >>> names("JDK-8186027, JEP 439 and 474, JDK-8186027")
    ['JDK-8186027', 'JEP 439', 'JEP 474']
    """
    found = list[str]()
    for match in _HTML.finditer(text):
        found += [match["bug"]] if match["bug"] else [f"JEP {number}" for number in re.findall(r"\d+", match["jeps"])]
    return list(dict.fromkeys(found))


def anchor(name: str, to: str) -> str:
    """An HTML link; the name is HTML already."""
    return f"<a href='{escape(to)}'>{name}</a>"


def url(name: str) -> str:
    """Where "JEP 376" or "JDK-8186027" is described."""
    return BUG + name if name.startswith("JDK-") else JEP + re.sub(r"\D", "", name)


def _linked(match: re.Match[str], link: Callable[[str, str], str]) -> str:
    found = match.groupdict()
    if found["jeps"]:
        return re.sub(r"(?:JEPs? )?\d+", lambda part: link(part[0], url(part[0])), found["jeps"])
    return link(match[0], url(match[0]) if found["bug"] else PAGES[match[0]])


def in_notebook(text: str) -> str:
    """A notebook's JSON with the links in its Markdown cells; a notebook that needs none comes back to the byte."""
    notebook, changed = json.loads(text), False
    for cell in notebook["cells"]:
        before = "".join(cell["source"])  # one string or a list of lines, and it stays so
        if cell["cell_type"] == "markdown" and (after := markdown(before)) != before:
            cell["source"] = after.splitlines(keepends=True) if isinstance(cell["source"], list) else after
            changed = True
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n" if changed else text
