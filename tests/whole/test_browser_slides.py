"""A deck in Chromium at a projector's size: nothing fetched, nothing cut off, and the speaker's view has the notes."""

import pytest

from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import deck

OUTSIDE = """() => {
  const cut = [];
  for (const part of Reveal.getCurrentSlide().querySelectorAll('*')) {
    const box = part.getBoundingClientRect();
    if (part.closest('.notes') || box.width < 2) continue;
    const outside = box.left < 0 || box.top < 0 || box.right > innerWidth || box.bottom > innerHeight;
    if (outside) cut.push(part.outerHTML.slice(0, 80));
  }
  return cut;
}"""


@pytest.fixture(params=["02-when-will-it-exit"])
def shown(page, tmp_path, request):
    """The deck of a notebook, opened from its file; and every address that it asked for."""
    path, asked = deck.write_deck(PROJECT / "notebooks" / f"{request.param}.ipynb", tmp_path), []
    page.on("request", lambda request: asked.append(request.url))
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(path.as_uri())
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    return page, [url for url in asked if not url.startswith("data:") and url != path.as_uri()]


@pytest.mark.parametrize("shown", [path.stem for path in deck.pages()], indirect=True)
def test_nothing_is_fetched_and_no_slide_is_cut_off(shown):
    page, asked = shown
    assert asked == []
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({number})")
        assert page.evaluate(OUTSIDE) == [], f"slide {number + 1}"


def test_each_slide_has_notes_and_a_picture_fills_it(shown):
    page, _ = shown
    notes = page.locator("aside.notes").all_text_contents()
    assert len(notes) == page.evaluate("Reveal.getTotalSlides()") and all(text.strip() for text in notes)
    page.evaluate("Reveal.slide(3)")
    assert page.locator("section.present section.present img").bounding_box()["height"] > 800


def test_the_speakers_view_opens_with_what_to_say(shown):
    page, _ = shown
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    notes = opened.value.locator(".speaker-controls-notes .value")
    notes.wait_for()
    assert "daemon thread" in notes.inner_text()


def test_the_key_d_makes_a_light_deck_dark_and_back(shown):
    page, _ = shown
    dark = "document.documentElement.matches('.dark')"
    assert not page.evaluate(dark)
    page.keyboard.press("d")
    assert page.evaluate(f"{dark} && getComputedStyle(document.body).backgroundColor") == "rgb(0, 0, 0)"
    page.keyboard.press("d")
    assert not page.evaluate(dark)
