"""laptops.py and guesses.py: a class's verdicts and predictions, with the finding in the title."""

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput
from safepointlab.plot import _alternative

VERDICTS = {8: ["holds"] * 20, 11: ["holds"] * 17 + ["unclear"] * 3, 17: ["changed"] * 20, 21: ["changed"] * 20}
CLASS = pd.DataFrame(
    [
        {"laptop": n + 1, "cores": 4, "system": "Linux, x86_64", "id": "000-24", "jdk": jdk, "verdict": verdict,
         "statement": "The wait grows with K", "evidence": {"ttsp_ms": 20.7 + n, "outcome": "hung"}}
        for jdk, verdicts in {**VERDICTS, 25: ["changed"] * 20}.items()
        for n, verdict in enumerate(verdicts)
    ]
)  # fmt: skip
SAID = pd.DataFrame(
    [
        {"laptop": n, "question": "02-killer", "outcome": outcome, "chosen": outcome == chosen, "seen": n > 18}
        for n, chosen in enumerate(["`all`"] * 12 + ["one"] * 8)
        for outcome in ("`all`", "none", "one")
    ]
)


def cells(ax):
    return [text.get_text() for text in ax.texts]


def test_twenty_laptops_and_five_jdks_are_a_hundred_cells_in_words(title):
    ax = plot.laptops(CLASS)
    assert len(cells(ax)) == 100 and cells(ax).count("✓ holds") == 37 and cells(ax).count("? unclear") == 3
    assert [label.get_text() for label in ax.get_xticklabels()] == [f"JDK {n}" for n in (8, 11, 17, 21, 25)]
    assert title(ax) == "000-24: 20 laptops disagree on 1 of 5 JDKs; on JDK 11: 17 holds, 3 unclear"
    assert "JDK 11: 17 holds, 3 unclear." in _alternative.of(ax.figure)
    agreed = title(plot.laptops(CLASS[CLASS["jdk"] != 11]))
    assert agreed == "000-24: all 20 laptops agree: holds on JDK 8; changed on JDK 17, 21, 25"


def test_a_number_stands_in_each_cell_with_its_unit():
    ax = plot.laptops(CLASS[CLASS["laptop"] == 1], number="ttsp_ms")
    assert cells(ax) == ["✓ 21 ms", "✓ 21 ms", "↷ 21 ms", "↷ 21 ms", "↷ 21 ms"]
    assert " ".join(ax.get_xlabel().split()) == "The wait grows with K. In the cells: ttsp_ms."


def test_the_predictions_are_a_bar_an_outcome_in_the_pages_own_order(title):
    ax = plot.guesses(SAID)
    assert [bar.get_width() for bar in ax.patches] == [12, 0, 8]
    assert title(ax) == "02-killer: “all” is expected by 12 of 20; 1 of them has seen the result"
    assert title(plot.guesses(SAID.assign(seen=False))).endswith("by 12 of 20; none of them has seen the result")
    tie = plot.guesses(SAID[SAID["laptop"] >= 4])
    assert title(tie) == "02-killer: 2 outcomes lead, each expected by 8 of 16; 1 of them has seen the result"


@pytest.mark.parametrize(
    ("draw", "arguments", "says"),
    [
        (plot.laptops, (CLASS, "9-9"), r"no claim '9-9'\. It has: 000-24\."),
        (plot.laptops, (pd.concat([CLASS, CLASS.assign(id="000-25")]),), "several claims, .* It has: 000-24, 000-25"),
        (plot.laptops, (CLASS, "", "waits"), "no number 'waits'. It has: ttsp_ms, outcome"),
        (plot.guesses, (SAID, "x"), "no question 'x'. It has: 02-killer"),
    ],
)
def test_what_nobody_shared_is_refused_with_what_was_shared(draw, arguments, says):
    with pytest.raises(BadInput, match=says):
        draw(*arguments)
