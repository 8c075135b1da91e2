"""The claims table: a row a claim, a cell where neighbouring JDKs agree, each verdict a sign and a word."""

import re

import pytest

from safepointlab.claims import base, table
from safepointlab.claims.base import Verdict
from safepointlab.course import verdicts as claims

PAPERS = ["#ffffff", "#f5f5f5", "#111111", "#212121"]  # rows of a table in JupyterLab's light theme and in its dark one


@pytest.fixture
def shown(make):
    """Makes the frame of verdicts of one claim, of the states given by JDK."""
    return lambda **states: claims.frame(
        [Verdict(make(), int(jdk[1:]), state, "why <not>", measured={"ttsp_ms": 0.5}) for jdk, state in states.items()]
    )


def cells(html: str) -> list[tuple[int, str]]:
    """The verdicts' cells of a table of one claim: how many JDKs each spans, and its words."""
    found = re.findall(r"<td(?: colspan='(\d+)')?[^>]*>(.*?)</td>", html.rpartition("</ul>")[2])
    return [(int(span or 1), re.sub("<[^>]*>", "", text)) for span, text in found]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_every_state_has_a_sign_and_its_word():
    assert set(table.MARKS) == set(base.State.__args__)  # type: ignore[attr-defined]
    assert all(table.MARKS[state].endswith(f" {state}") for state in table.MARKS)


def test_neighbouring_jdks_that_agree_share_a_cell(shown):
    html = shown(j8="holds", j11="holds", j17="holds", j21="changed", j25="holds")._repr_html_()
    assert cells(html) == [(3, "✓ holds 8–17"), (1, "↷ changed"), (1, "✓ holds")]


def test_what_is_not_applicable_leaves_an_empty_place_and_its_reason_in_the_fold(shown):
    html = shown(j8="not applicable", j11="not applicable", j17="holds")._repr_html_()
    assert cells(html) == [(2, ""), (1, "✓ holds")]
    assert "JDK 8–11: – not applicable</b> why &lt;not&gt;" in html


def test_the_newest_jdk_to_which_a_claim_is_not_applicable_gives_the_reason_for_its_neighbours(make):
    whys = [(8, "8u504 does not know it"), (11, "11.0.33 does not know it"), (17, "no tool")]
    made = [Verdict(make(), jdk, "not run" if jdk == 17 else "not applicable", why) for jdk, why in whys]
    html = claims.frame(made)._repr_html_()
    assert "JDK 8–11: – not applicable</b> 11.0.33 does not know it" in html and "8u504" not in html
    assert "JDK 17: · not run</b> no tool" in html


def test_a_line_above_the_fold_counts_the_verdicts_of_the_newest_jdk(make):
    old, new = Verdict(make(), 8, "never did", ""), Verdict(make(), 25, "holds", "")
    others = [Verdict(make(id=f"000-0{n}"), 25, state, "") for n, state in ((2, "holds"), (3, "changed"))]
    html = claims.frame([old, new, *others])._repr_html_()
    assert html.startswith("<details><summary>3 statements; on JDK 25: 2 hold, 1 changed</summary><table>")


def test_what_is_applicable_with_another_collector_says_so_in_its_place_and_counts_above_the_fold(make):
    with_serial = {"G1": "not applicable", "Serial": "holds"}
    made = [Verdict(make(), jdk, "not applicable", "why", collectors=with_serial) for jdk in (17, 21)]
    assert cells(claims.frame(made)._repr_html_()) == [(2, "G1: not applicable; Serial: holds")]
    nowhere = Verdict(make(id="000-02"), 21, "not applicable", "why")
    assert "on JDK 21: 1 not applicable, 1 holds with Serial<" in claims.frame([*made, nowhere])._repr_html_()


def test_collectors_that_disagree_are_told_in_the_cell(make):
    verdict = Verdict(make(), 17, "changed", "why", collectors={"G1": "changed", "Serial": "holds"})
    agree = Verdict(make(), 8, "holds", "why", collectors={"Parallel": "holds", "Serial": "holds"})
    html = claims.frame([agree, verdict])._repr_html_()
    assert cells(html) == [(1, "✓ holds"), (1, "↷ changedG1: changed; Serial: holds")]
    assert "JDK 17     [G1: changed; Serial: holds] why" in repr(claims.frame([agree, verdict]))


def test_the_numbers_stand_with_their_units_in_one_fold_of_the_row(shown):
    html = shown(j8="holds", j17="never did")._repr_html_()
    fold = html[html.rindex("<details>") : html.index("</details>")]
    assert html.count("<details>") == 2 and html.count("0.5 ms") == fold.count("0.5 ms") == 2


def test_a_change_links_what_changed_it(make):
    verdict = Verdict(make(), 17, "changed", "no safepoint", "JEP 374 and JDK-8256425")
    found = re.findall(r"href='([^']+)'", claims.frame([verdict])._repr_html_().rpartition("</ul>")[2])
    assert found == ["https://openjdk.org/jeps/374", "https://bugs.openjdk.org/browse/JDK-8256425"]


def test_words_have_the_ink_of_the_page_around_and_no_colour_of_their_own(shown):
    styles = re.findall(
        r"style='([^']+)'", shown(j8="holds", j11="never did", j17="unclear", j21="changed")._repr_html_()
    )
    assert styles and not [style for style in styles if re.search(r"(^|;)(color|background)", style)]


@pytest.mark.parametrize("state", table.STROKES)
def test_the_line_above_a_verdict_can_be_seen_in_both_themes(state):
    own = luminance(table.STROKES[state].split()[-1])
    for paper in map(luminance, PAPERS):
        assert (max(own, paper) + 0.05) / (min(own, paper) + 0.05) >= 3
    assert len({stroke.split()[1] for stroke in table.STROKES.values()}) == len(table.STROKES)  # where colours are lost


def test_in_a_terminal_a_line_is_a_verdict_and_its_jdks(shown):
    text = table.text_table(shown(j8="holds", j11="holds", j17="never did", j21="not applicable"))
    assert [line.split() for line in text.splitlines()[1:]] == [
        ["✓", "holds", "JDK", "8–11"],
        ["✗", "never", "did", "JDK", "17", "why", "<not>"],
    ]


def test_in_a_terminal_reasons_that_differ_in_a_number_only_are_told_once(shown):
    frame = shown(j8="changed", j11="changed").assign(why=["1,270 times as long", "13.8 times as long"])
    assert table.text_table(frame).endswith("↷ changed        JDK 8–11   1,270 times as long")


def test_in_a_terminal_a_claim_that_is_applicable_nowhere_says_why(shown):
    assert table.text_table(shown(j8="not applicable")).endswith("– not applicable JDK 8      why <not>")


def test_a_frame_prints_itself_as_that_text_and_a_part_of_it_as_any_frame_does(shown):
    frame = shown(j8="holds")
    assert repr(frame) == table.text_table(frame) and list(frame.columns) == list(table.COLUMNS)
    part = frame[["id", "verdict"]]
    assert "claim</th>" not in part._repr_html_() and "verdict" in repr(part)
    assert table.text_table(shown()) == "" and "<table>" in table.html_table(shown())
