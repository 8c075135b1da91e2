"""Who waits for whom: the relations of notebook 11 hold on each JDK."""

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.claims import unfair

FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
BRIEF = "-f 1 -wi 0 -i 3 -r 300ms"


def median_wait(jdk, gc, k):
    asked = {"params": {"k": k}, "groups": unfair.ASKED, "options": BRIEF, "log": "safepoint", "deadline": 60}
    return lab.stops(lab.jmh("unfair.Contains", jdk, gc=gc, **asked), "Deadlock")["ttsp_ms"].median()


@pytest.mark.live
@pytest.mark.parametrize("jdk", sorted({8, 17} & set(FOUND)))
def test_without_strip_mining_a_safepoint_waits_for_the_long_call(jdk):
    assert median_wait(jdk, "Serial", 10_000) > 5 * median_wait(jdk, "Serial", 1)


@pytest.mark.live
@pytest.mark.parametrize("jdk", FOUND)
def test_a_spinning_thread_stands_still_until_the_late_one_comes(jdk):
    late, nobody = unfair.spinner(jdk, 300), unfair.spinner(jdk, 0)
    assert late["still_ms"] > 0.8 * late["ttsp_ms"] > 2 * nobody["ttsp_ms"]
