"""Faster safepoints: what is compared, and when a machine may not decide."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import verdicts as claims
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster.claims import ANOTHER, LEAVING, REST

STOPS = pd.DataFrame(
    {
        "kind": ["safepoint", "safepoint", "handshake", "safepoint", "safepoint"],
        "operation": ["ZMarkStart", "RevokeBias", "ZRendezvous", "XMarkEnd", None],
    }
)
STATISTICS = """[1.0s][info][gc,stats    ] Concurrent Reset                   6899 us
[1.0s][info][gc,stats    ] Pause Init Mark (G)               97981 us
[1.0s][info][gc,stats    ] Pause Init Mark (N)                  49 us
[1.0s][info][gc,stats    ]   Update Region States               12 us"""


def test_only_safepoints_that_the_collector_asked_for_are_compared():
    assert list(faster.collector_stops(STOPS)["operation"]) == ["ZMarkStart", "XMarkEnd"]


def test_gross_and_net_pauses_are_read_apart(tmp_path):
    (log := tmp_path / "gc.log").write_text(STATISTICS)
    run = SimpleNamespace(logs=lambda _: [log])
    assert [list(faster.pauses(run, kind)) for kind in (faster.GROSS, faster.NET)] == [[97981.0], [49.0]]


def judged(name, **lists):
    """The answer on these evidence's lists, in their order, for a JDK that is another than 11."""
    [claim] = claims.find([name])
    return claim.judge({ANOTHER: True, **lists})


def test_11_is_what_the_others_are_compared_with():
    assert claims.find(["004-08"])[0].judge({ANOTHER: False}).answer == "not applicable"


@pytest.mark.parametrize(
    ("leaving", "answer", "why"),
    [
        ([140.0, 150.0, 120.0], "holds", "is 75 to 93.8 % (3 JVMs) of the rest"),
        ([74.0, 90.0, 120.0], "unclear", "is 46.2 to 75 % (3 JVMs) of the rest"),
        ([20.0, 30.0, 40.0], "differs", "is 12.5 to 25 % (3 JVMs) of the rest"),
        ([140.0, 150.0, 480.0], "unclear", "more than there is"),
    ],
)
def test_leaving_is_most_of_the_rest_of_a_pause_in_each_jvm_or_in_none(leaving, answer, why):
    found = judged("004-09", **{REST: [160.0, 160.0, 160.0], LEAVING: leaving})
    assert found.answer == answer and why in found.why
