"""The page of `safepoint report` in a browser: it asks for nothing, fits a phone, and a screen reader can use it."""

import pytest
from playwright.sync_api import Page, expect

from safepointlab import cli
from safepointlab.process.home import PROJECT

DATA = PROJECT / "tests" / "data"
LOGS = [DATA / "safepoint" / "jdk25-info.log", DATA / "gc" / "jdk8-g1.log", DATA / "gc" / "jdk21-with-safepoints.log"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    target = tmp_path_factory.mktemp("report") / "report.html"
    assert cli.main(["report", *map(str, LOGS), "-o", str(target)]) == 0
    return target.as_uri()


@pytest.mark.parametrize(("theme", "width"), [("light", 1100), ("dark", 1100), ("light", 400)])
def test_the_page_fits_shows_its_pictures_and_asks_for_nothing(page: Page, address, theme, width):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    expect(page.locator("h1")).to_contain_text("safepoints took")
    assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth > 300)")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert [url for url in asked if not url.startswith("data:")] == [address]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_grave_in_either_theme(page: Page, address, theme, axe):
    page.emulate_media(color_scheme=theme)
    page.goto(address)
    assert axe() == {}
