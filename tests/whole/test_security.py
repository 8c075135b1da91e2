"""What comes from logs, archives and the network cannot do harm; what is tested beside its module is not repeated.

Archives: tests/recordings/test_archive.py, tests/whole/test_bundle.py. Downloads: tests/jdks/provision,
tests/jdks/test_jars.py. Pages of the book, slides, reports and shares: tests/site, teaching, culprit and classroom.
"""

import urllib.error
import urllib.request
from html.parser import HTMLParser

import pandas as pd
import psutil
import pytest

import safepointlab as lab
from safepointlab import plot
from safepointlab.logs import collapsed
from safepointlab.plot import _spoken
from safepointlab.run.excerpt import Excerpt
from safepointlab.run.forensics.examination import Forensics
from safepointlab.widgets.expect import Expected

HOSTILE = "a'\"><img src=x onerror=alert(1)><script>alert(2)</script>$x_y$z"  # a thread or a method may be called so
VIEWS = {
    "flame graph": lambda: plot.flame_svg(collapsed.read([f"{HOSTILE.replace(' ', '')};b 5"]))._repr_html_(),
    "picture's words": lambda: _spoken.html("", HOSTILE),
    "forensics": lambda: Forensics(1, 1, HOSTILE, HOSTILE, [], [], [], {HOSTILE: [HOSTILE]})._repr_html_(),
    "excerpt": lambda: Excerpt(HOSTILE, ((1, HOSTILE),), "alert")._repr_html_(),
    "expectation": lambda: Expected(False, HOSTILE, HOSTILE, HOSTILE)._repr_html_(),
}


class Elements(HTMLParser):
    """The names of a page's elements, and of the attributes that would run something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names, self.handlers = set[str](), set[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.handlers |= {name for name, _ in attributes if name.startswith("on")}
        if tag == "img":
            self.names |= {f"img {value}" for name, value in attributes if name == "src" and value == "x"}


@pytest.mark.parametrize("view", VIEWS)
def test_a_name_with_markup_in_it_is_text_on_a_page(view):
    found = Elements(shown := VIEWS[view]())
    assert "alert(" in shown and "img x" not in found.names and not found.handlers
    assert "<script>alert" not in shown


def test_a_name_with_dollars_in_it_is_no_formula_in_a_picture():
    frame = pd.DataFrame({"jdk": [8], "outcome": ["hung"], "wall_ms": [9.0], "gc": [HOSTILE]})
    axes = plot.outcomes(frame, columns="gc")
    axes.figure.canvas.draw()  # a formula with an error in it raises here
    assert not any(text.get_parse_math() for text in axes.get_xticklabels())


@pytest.mark.parametrize("which", ["..", "../../etc", "*", "/etc"])
def test_a_folder_that_holds_no_run_is_taken_for_none(which):
    with pytest.raises(lab.errors.LabError):
        lab.load(which)


@pytest.fixture(scope="module")
def jupyterlab(lab):
    """The JupyterLab of `make lab`; `lab` itself is the package here."""
    return lab


@pytest.mark.gate
@pytest.mark.live
def test_jupyterlab_listens_on_this_machine_only(jupyterlab):
    port = int(jupyterlab.url.rpartition(":")[2])
    listening = [each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN]
    addresses = {each.laddr.ip for each in listening if each.laddr.port == port}
    assert addresses and addresses <= {"127.0.0.1", "::1"}


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize(
    "path", ["/api/contents/", "/api/kernels", "/api/terminals", "/files/work/00-start-here.ipynb"]
)
def test_without_its_token_jupyterlab_gives_nothing_away(jupyterlab, path):
    try:
        with urllib.request.urlopen(f"{jupyterlab.url}{path}", timeout=20) as answer:
            assert "/login" in answer.url and b"nbformat" not in answer.read()
    except urllib.error.HTTPError as refusal:
        assert refusal.code in (401, 403)


@pytest.mark.gate
@pytest.mark.live
def test_jupyterlab_answers_nobody_who_calls_it_by_another_name(jupyterlab):
    asked = urllib.request.Request(f"{jupyterlab.url}/api?token={jupyterlab.token}", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked, timeout=20)
