"""A cell's saved outputs -> the same without a kernel: what a page of the book can show, and links that hold there."""

import re
from html import unescape
from typing import Any

Output = dict[str, Any]
NEEDS_A_KERNEL = ("application/vnd.jupyter.widget-view+json",)
OWN_FILE = re.compile(r"<a\s[^>]*href=['\"]\.\./work/[^>]*>(.*?)</a>", re.DOTALL)  # what an exercise wrote for a reader
PAGE_LINK = re.compile(r"(href=['\"])(\d\d-[\w-]+)\.ipynb")
PICTURE = re.compile(r"<img\s[^>]*?src=(['\"])(.*?)\1[^>]*?alt=(['\"])(.*?)\3", re.DOTALL)


def still(saved: list[Output]) -> list[Output]:
    """The outputs that are to be shown.

    Progress lines go to stderr; once a run is over they say nothing.
    """
    shown = [without_kernel(output) for output in saved if output.get("name") != "stderr"]
    return [output for output in shown if output["output_type"] == "stream" or output.get("data") != {}]


def without_kernel(output: Output) -> Output:
    """Its forms that live without a kernel; the HTML beside a widget's view is the widget's still form."""
    if "data" not in output:
        return output
    data = {kind: form for kind, form in output["data"].items() if kind not in NEEDS_A_KERNEL}
    if "text/html" in data:
        data["text/html"] = linked("".join(data["text/html"]))
    return {**output, "data": data}


def linked(html: str) -> str:
    """HTML whose links hold in the book.

    >>> linked("<a href='02-when.ipynb'>02</a>, <a href='../work/Own.java'><code>Own.java</code></a>")
    "<a href='02-when.html'>02</a>, <code>Own.java</code>"
    """
    return PAGE_LINK.sub(r"\1\2.html", OWN_FILE.sub(r"\1", html))


def picture(output: Output) -> tuple[str, str] | None:
    """The `src` and the text alternative of the picture that an output is; None if it is none."""
    found = PICTURE.search("".join(output.get("data", {}).get("text/html", "")))
    return (found[2], unescape(found[4])) if found else None
