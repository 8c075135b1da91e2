"""A deck in Chromium at a projector's size: nothing fetched, nothing cut off, and the speaker's view has the notes."""

import pytest

from safepointlab.course import glossary
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


@pytest.mark.parametrize("count", [4, deck.MOST_WORDS])
def test_the_longest_words_are_not_cut_off(page, tmp_path, count):
    longest = sorted(glossary.entries().values(), key=lambda word: -len(word.means))[:count]
    names = [word.word for word in longest]
    made = [deck.Slide("# Own?\n\n", "Say."), *deck.words([deck.Slide("; ".join(names), "")], names)]
    path = tmp_path / "own.html"
    path.write_text(deck.html(made), "utf-8")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{path.as_uri()}#/1")
    page.wait_for_function("window.Reveal && Reveal.isReady()")
    assert page.locator("dt:visible").count() >= 4 and page.evaluate(OUTSIDE) == []


def test_each_slide_has_notes_and_a_picture_fills_it(shown):
    page, _ = shown
    notes = page.locator("aside.notes").all_text_contents()
    assert len(notes) == page.evaluate("Reveal.getTotalSlides()") and all(text.strip() for text in notes)
    page.evaluate("Reveal.slide(3)")
    assert page.locator("section.present section.present img").bounding_box()["height"] > 800


@pytest.mark.parametrize("key", ["s", "n"])
def test_the_speakers_view_opens_with_what_to_say(shown, key):
    page, _ = shown
    with page.expect_popup() as opened:
        page.keyboard.press(key)
    assert page.evaluate("Reveal.getIndices().h") == 0  # n is reveal.js's key for the next slide
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


def test_on_paper_each_slide_is_a_light_page(shown):
    page, _ = shown
    page.emulate_media(color_scheme="dark")
    page.goto(f"{page.url.partition('#')[0]}?print-pdf")
    page.wait_for_function("document.querySelectorAll('.pdf-page').length === Reveal.getTotalSlides()")
    assert not page.evaluate("document.documentElement.matches('.dark')")


def test_the_help_has_the_decks_own_keys(shown):
    page, _ = shown
    page.keyboard.press("Shift+?")
    keys = page.locator(".r-overlay-help").inner_text()
    assert "N: speaker notes view" in keys and "Dark or light" in keys
