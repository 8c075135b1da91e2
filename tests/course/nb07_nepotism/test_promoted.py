"""What young collections promoted, in the words of each JDK and collector; a share for each panel of the picture."""

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.logs import gc

LOGS = {  # a young collection, and what it promoted in MiB
    "Serial of 8": (
        "0.193: [GC (Allocation Failure) 0.193: [DefNew: 69952K->8703K(78656K), 0.0790527 secs] "
        "70233K->70231K(253440K), 0.0790951 secs] [Times: user=0.04 sys=0.02, real=0.08 secs]",
        61247 / 1024,
    ),
    "Parallel of 8": (
        "0.113: [GC (Allocation Failure) [PSYoungGen: 65536K->10752K(76288K)] 65817K->66081K(251392K), 0.1231744 secs]",
        55048 / 1024,
    ),
    "G1 of 8": (
        "0.059: [GC pause (G1 Evacuation Pause) (young), 0.0193900 secs]\n   [Eden: 12.0M(12.0M)->0.0B(10.0M) "
        "Survivors: 0.0B->2048.0K Heap: 12.3M(256.0M)->12.3M(256.0M)]",
        10.0,
    ),
    "Serial of 11": (
        "[0.551s][info][gc,heap] GC(1) Tenured: 492K->61712K(174784K)\n"
        "[0.551s][info][gc] GC(1) Pause Young (Allocation Failure) 68M->68M(247M) 163.084ms",
        61220 / 1024,
    ),
    "Parallel of 25": (
        "[0.765s][info][gc,heap] GC(1) ParOldGen: 1231K(175104K)->56247K(175104K)\n"
        "[0.765s][info][gc] GC(1) Pause Young (Allocation Failure) 65M->65M(245M) 219.225ms",
        55016 / 1024,
    ),
    "G1 of 17": (
        "[0.008s][info][gc,init] Heap Region Size: 2M\n[0.152s][info][gc,heap] GC(1) Old regions: 1->12\n"
        "[0.152s][info][gc] GC(1) Pause Young (Normal) (G1 Evacuation Pause) 13M->13M(256M) 92.237ms",
        22.0,
    ),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_young_collection_tells_what_it_promoted(name):
    text, expected = LOGS[name]
    [promoted] = gc.read(text + "\n", strict=True)["promoted_mib"]
    assert promoted == pytest.approx(expected, abs=0.05)
    if " of 8" not in name:  # without the generations' own lines nobody knows
        assert gc.read([text.splitlines()[-1]])["promoted_mib"].isna().tolist() == [True]


@pytest.mark.parametrize(
    "lines",
    [
        [  # of 8: it took the old generation, too
            "0.225: [GC (Allocation Failure) 0.225: [DefNew: 78655K->78655K(78656K), 0.0000084 secs]0.225: "
            "[Tenured: 130079K->281K(174784K), 0.0272596 secs] 208735K->281K(253440K), "
            "[Metaspace: 2802K->2802K(1056768K)], 0.0273025 secs] [Times: user=0.02 sys=0.00, real=0.03 secs]"
        ],
        [  # a mixed one frees old regions as well
            "[1.000s][info][gc] GC(3) Old regions: 90->40",
            "[1.000s][info][gc] GC(3) Pause Young (Mixed) (G1 Evacuation Pause) 99M->49M(256M) 5.100ms",
        ],
    ],
)
def test_of_a_collection_that_freed_old_objects_too_nothing_is_told(lines):
    assert gc.read(lines)["promoted_mib"].isna().tolist() == [True]


def test_of_more_than_two_panels_each_names_its_own_share(title):
    kept, cut = (pd.DataFrame({"kind": ["young"], "before_mib": [60.0], "after_mib": [left]}) for left in (60.0, 0.0))
    drawn = plot.promotion({"kept": kept, "cut": cut, "self-linked": cut})
    panels = [text.get_text() for panel in drawn.child_axes for text in panel.texts]
    assert panels == ["kept: 0%", "cut: 100%", "self-linked: 100%"] and "free 0% to 100%" in title(drawn)
