"""Who waits for whom: the relations of notebook 11 hold on each JDK."""

import pytest

from safepointlab import jdks
from safepointlab.topics import unfair

JDKS = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", sorted({8, 17} & set(JDKS)))
def test_without_strip_mining_a_safepoint_waits_for_the_long_call(jdk):
    one, most = (unfair.ttsp_ms(unfair.somebody_asks(jdk, k)) for k in (1, unfair.MOST))
    assert most > 5 * one


@pytest.mark.live
@pytest.mark.timed
@pytest.mark.parametrize("jdk", JDKS)
def test_a_spinning_thread_stands_still_until_the_late_one_comes(jdk):
    late, nobody = (unfair.spinner_ms(unfair.spinner(jdk, iterations)) for iterations in (300, 0))
    assert late["still_ms"] > 0.8 * late["ttsp_ms"] > 2 * nobody["ttsp_ms"]
