"""The book's page 00 -> docs/page.png, which opens the README: a question, the cell that answers it, the answer."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from safepointlab.process import home
from safepointlab.site import book

SIZE = {"width": 1280, "height": 1000}


def main() -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("docs/page.png is taken in Chromium, and there is none. Debian: apt install chromium")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        page_00 = book.build(Path(made, "book")).parent / "notebooks" / "00-start-here.html"
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        page.goto(page_00.as_uri(), wait_until="load")
        page.locator("details.sl-fold-answer").first.evaluate("fold => { fold.open = true; }")
        question = page.locator(".sl-alive form").first
        question.evaluate("form => window.scrollBy(0, form.getBoundingClientRect().top - 110)")
        page.mouse.move(0, 0)
        page.screenshot(path=home.PROJECT / "docs" / "page.png")
        browser.close()


if __name__ == "__main__":
    main()
