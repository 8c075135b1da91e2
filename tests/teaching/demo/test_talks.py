"""docs/talks.md says of decks, demos and keys what the code has."""

import json
import re

from safepointlab.cli import demo as command
from safepointlab.process.home import PROJECT
from safepointlab.teaching.demo import deck, demos, player, screen

TEXT = (PROJECT / "docs" / "talks.md").read_text("utf-8")
ROWS = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in TEXT.splitlines() if line[:1] == "|"]


def heading(page) -> str:
    first = json.loads(page.read_text("utf-8"))["cells"][0]
    return "".join(first["source"]).partition("\n")[0].removeprefix("# ")


def test_each_page_with_slides_is_listed_with_its_question_and_its_demo():
    live = {each.notebook: f"`safepoint demo {each.name}`" for each in demos.every()}
    assert [row for row in ROWS if row[0].startswith("[")] == [
        (f"[{page.stem[:2]}](../notebooks/{page.name})", heading(page), live.get(page.stem, "none"))
        for page in deck.pages()
    ]


def test_the_keys_are_those_of_decks_and_demos():
    keys = {row[0].strip("`"): row[1:] for row in ROWS if row[0].startswith("`")}
    in_decks = {key: does for name, does in deck.KEYS.items() for key in name.split(" or ") if key != "s"}
    assert {key: told[0].partition(" (as")[0] for key, told in keys.items() if told[0]} == in_decks
    in_demos = {key for key, told in keys.items() if told[1]}
    assert in_demos == {"space", *re.findall(r"(?<=· )(\w) ", player.KEYS_TO_RUN)}
    assert {screen.KEYS[key.encode()] for key in in_demos - {"space"}} == {"back", "notes", "recording", "quit"}


def test_the_page_and_the_command_agree_on_a_stages_font_and_on_what_page_04s_demo_asks():
    sizes = [re.findall(r"about (\d+) points", text) for text in (TEXT, command.EPILOG)]
    assert sizes == [["22"], ["22"]]  # measured with DejaVu Sans Mono; the next larger one has room for fewer rows
    assert "how long System.gc() waits" in demos.find("osr").title
    assert "how long `System.gc()` waits" in TEXT.replace("\n", " ")


def test_the_command_and_the_deck_say_whose_keys_are_whose():
    assert (
        "n shows or hides" in " ".join(command.DESCRIPTION.split()) and "safepoint slides --help" in command.DESCRIPTION
    )
