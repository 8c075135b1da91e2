"""The book in Chromium: its links lead somewhere, it asks nobody else, panels answer, and everybody can read it."""

import functools
import http.server
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from safepointlab.process.home import PROJECT
from safepointlab.site import book

pytestmark = pytest.mark.browser
NOTEBOOKS = [f"notebooks/{path.stem}.html" for path in sorted((PROJECT / "notebooks").glob("*.ipynb"))]
KILLER, BLAME = "notebooks/02-when-will-it-exit.html", "notebooks/20-safepoint-bias.html"
KINDS = ["index.html", "notebooks/index.html", KILLER, BLAME, "notebooks/91-mark-words.html"]
KINDS += ["notebooks/90-hang-your-own-kernel.html", "docs/claims.html", "docs/decisions/README.html"]
KINDS += ["docs/get.html", "search.html?q=poll"]
LOOKS = ["filter", "mixBlendMode", "backgroundColor", "padding"]
BESIDE_THE_PAGE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Links(HTMLParser):
    """The ids of a page, and where its links and files lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.targets: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        self.targets |= {given[name] for name in ("href", "src") if given.get(name)}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Nothing: pytest's output is for the tests."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole book, made once."""
    return book.build(tmp_path_factory.mktemp("book") / "site").parent


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, Links]:
    files = [path for path in site.rglob("*.html") if "_static" not in path.parts]
    return {str(path.relative_to(site)): Links(path.read_text("utf-8")) for path in files}


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the book is served."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture
def visitor(page: Page, address: str) -> Page:
    """A page of Chromium that keeps what goes wrong in `page.troubles`."""
    troubles: list[str] = []
    page.on("console", lambda said: troubles.append(f"{said.text} {said.location}") if said.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("request", lambda asked: troubles.append(asked.url) if foreign(asked.url, address) else None)
    page.troubles = troubles  # type: ignore[attr-defined]
    return page


def foreign(url: str, address: str) -> bool:
    return not url.startswith((address, "data:", "blob:"))


def sample(pages: dict[str, Links]) -> list[str]:
    """A page of each kind; of the reference its own pages, and one out of each of its folders."""
    reference = sorted((name for name in pages if name.startswith("reference/")), reverse=True)
    return [*KINDS, *{name.split("/")[1]: name for name in reference}.values()]


def dead(pages: dict[str, Links], site: Path, name: str, target: str) -> bool:
    """Whether a link of the page leads to nothing in the book; links to elsewhere are not followed."""
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return False
    path, fragment = unquote(parts.path), unquote(parts.fragment)
    there = ((site / name).parent / path).resolve() if path else (site / name).resolve()
    there = there / "index.html" if there.is_dir() else there
    if not there.is_file():
        return True
    inside = pages.get(str(there.relative_to(site.resolve())))
    return bool(fragment and inside and fragment not in inside.ids)


def test_every_link_inside_the_book_leads_to_a_page_or_file_of_it(pages, site):
    assert set(NOTEBOOKS) <= set(pages)
    assert [(name, to) for name, page in pages.items() for to in page.targets if dead(pages, site, name, to)] == []


def test_pages_open_without_an_error_ask_nobody_else_and_are_alive_without_a_kernel(visitor, pages, address):
    for name in dict.fromkeys([*NOTEBOOKS, *sample(pages)]):
        visitor.goto(f"{address}/{name}", wait_until="networkidle")
        assert visitor.troubles == [], name
        assert visitor.locator("img:not([alt]), img[alt='']").count() == 0, name
        expect(visitor.locator(".sl-alive:not(.sl-awake):not(.sl-awake *)")).to_have_count(0)


@pytest.mark.parametrize("name", [KILLER, BLAME])
def test_a_panel_answers_when_its_control_is_changed(visitor, address, name):
    visitor.goto(f"{address}/{name}")
    visitor.get_by_role("button", name="Show all results").click()
    panel = visitor.locator(".sl-alive", has_text="recorded 20").filter(has=visitor.locator("select"))
    choice, before = panel.locator("select").first, panel.inner_text()
    values = choice.evaluate("select => [...select.options].map(option => option.value)")
    choice.select_option(next(value for value in values if value != choice.input_value()))
    assert panel.inner_text() != before and visitor.troubles == []


def test_a_committed_prediction_opens_its_answer(visitor, address):
    visitor.goto(f"{address}/{KILLER}")
    answer = visitor.locator("details.sl-fold-answer").first
    expect(answer).not_to_have_attribute("open", "")
    question = visitor.locator(".sl-alive form").first
    question.get_by_role("radio").first.check()
    question.get_by_role("button", name="Commit").click()
    expect(answer).to_have_attribute("open", "")
    expect(answer.get_by_role("img").first).to_be_visible()


def test_code_is_seen_and_one_button_folds_it(visitor, address):
    visitor.goto(f"{address}/{KILLER}")
    code = visitor.get_by_text("import safepointlab").first
    expect(code).to_be_visible()
    visitor.get_by_role("button", name="Fold the code").click()
    expect(code).to_be_hidden()
    assert visitor.locator("details.sl-fold-solution[open], details.sl-fold-check[open]").count() == 0


def test_the_search_finds_a_page_by_its_word(visitor, address):
    visitor.goto(f"{address}/search.html?q=nepotism")
    expect(visitor.locator("#search-results a[href*='07-nepotism']").first).to_be_visible(timeout=20_000)


def test_the_search_for_a_flag_finds_pages_of_the_course_and_the_index_of_flags_before_single_claims(visitor, address):
    visitor.goto(f"{address}/search.html?q=UseCountedLoopSafepoints")
    found = visitor.locator("#search-results li > a[href]")
    expect(found.locator("xpath=self::*[contains(@href, 'reference/claims/')]").first).to_be_visible(timeout=20_000)
    visitor.wait_for_timeout(2_000)  # the results come one by one
    pages = [str(link) for link in found.evaluate_all("links => links.map(link => link.getAttribute('href'))")]
    first_claim = next(place for place, page in enumerate(pages) if "reference/claims/" in page)
    first = [page.partition("#")[0] for page in pages[:first_claim]]
    assert KILLER in first and "reference/flags.html" in first


def test_no_page_scrolls_sideways_on_a_phone(visitor, pages, address):
    visitor.set_viewport_size({"width": 400, "height": 800})
    for name in [*NOTEBOOKS, *sample(pages)]:
        visitor.goto(f"{address}/{name}")
        visitor.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        assert not visitor.evaluate(BESIDE_THE_PAGE), name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_in_either_theme(visitor, pages, address, theme, axe):
    visitor.add_init_script(f"for (const key of ['mode', 'theme']) localStorage.setItem(key, '{theme}')")
    for name in sample(pages):
        visitor.goto(f"{address}/{name}", wait_until="networkidle")
        assert visitor.locator("html").get_attribute("data-theme") == theme
        visitor.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        assert axe(every=True) == {}, name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_hang_plays_is_asked_and_ends_without_a_kernel(visitor, address, theme, axe):
    visitor.add_init_script(f"for (const key of ['mode', 'theme']) localStorage.setItem(key, '{theme}')")
    visitor.goto(f"{address}/index.html")
    visitor.get_by_role("button", name="Run it").click()
    asked = visitor.get_by_role("button", name="jstack")
    expect(asked).to_be_visible(timeout=10_000)
    screen = visitor.get_by_role("log")
    expect(screen).to_contain_text("main returns")
    asked.click()
    expect(screen).to_contain_text("no, not within", timeout=10_000)
    visitor.get_by_role("button", name="SIGKILL").click()
    expect(screen).to_contain_text("Killed")
    assert visitor.troubles == []  # axe itself looks for style sheets where there are none
    assert axe(every=True) == {}
    visitor.get_by_role("link", name="What does the JVM do").first.click()
    expect(visitor.locator("h1")).to_contain_text("What does the JVM do")


@pytest.mark.parametrize("width", [1280, 390])
def test_code_logs_and_listings_need_no_scrolling(visitor, address, width):
    visitor.set_viewport_size({"width": width, "height": 900})
    for name in NOTEBOOKS:
        visitor.goto(f"{address}/{name}")
        visitor.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        wide = (
            "blocks => blocks.filter(block => block.scrollWidth > block.clientWidth + 1).map(block => block.innerText)"
        )
        assert visitor.locator(".bd-article pre").evaluate_all(wide) == [], name


def test_on_a_phone_no_words_scroll_sideways_with_a_wide_table(visitor, address):
    visitor.set_viewport_size({"width": 390, "height": 900})
    mixed = """boxes => boxes.filter(box => box.clientWidth && box.scrollWidth > box.clientWidth + 1).filter(box =>
      [...box.querySelectorAll('p, small, summary')].some(word => !word.closest('table'))).map(box => box.innerText)"""
    for name in NOTEBOOKS:
        visitor.goto(f"{address}/{name}")
        visitor.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
        assert visitor.locator(".bd-article :is(.cell_output > .output, .sl-panel)").evaluate_all(mixed) == [], name


@pytest.mark.parametrize("width", [1200, 390])
def test_all_64_bits_of_a_mark_word_are_seen(visitor, address, width):
    visitor.set_viewport_size({"width": width, "height": 900})
    visitor.goto(f"{address}/notebooks/91-mark-words.html")
    visitor.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
    bits = visitor.locator(".sl-mw-bits i")
    assert bits.count() > 4 * 64
    outside = """bits => bits.filter(bit => bit.getBoundingClientRect().right >
                   bit.closest('.sl-alive').getBoundingClientRect().right + 1).length"""
    assert bits.evaluate_all(outside) == 0


def test_pictures_have_no_plate_of_their_own_in_the_dark(visitor, address):
    visitor.add_init_script("for (const key of ['mode', 'theme']) localStorage.setItem(key, 'dark')")
    visitor.goto(f"{address}/notebooks/00-start-here.html")
    picture = visitor.locator(".cell_output img:visible").first
    style = picture.evaluate("(picture, names) => names.map(name => getComputedStyle(picture)[name])", LOOKS)
    assert style == ["invert(1) hue-rotate(180deg)", "screen", "rgba(0, 0, 0, 0)", "0px"]


def test_the_three_doors_stand_on_the_first_screen(visitor, address):
    visitor.set_viewport_size({"width": 1400, "height": 900})
    visitor.goto(f"{address}/index.html")
    for door in visitor.locator(".sl-door").all():
        expect(door.get_by_role("link").first).to_be_in_viewport()
