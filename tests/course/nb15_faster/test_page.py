"""Notebook 15's questions: by what a run shows, which of the outcomes came."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb15_faster import experiments as faster
from safepointlab.course.nb15_faster import titles as faster_titles
from safepointlab.errors import BadInput

JDKS = (11, 17, 25)


def requests(z, shenandoah, before=(100.0, 100.0), jdks=JDKS):
    """Requests in ms: on 11 as `before` says, on later JDKs as given for each collector."""
    later = {"ZGC": z, "Shenandoah": shenandoah}
    rows = [
        (gc, jdk, ms if jdk > 11 else base)
        for (gc, ms), base in zip(later.items(), before, strict=True)
        for jdk in jdks
    ]
    return pd.DataFrame(rows, columns=["gc", "jdk", "gc_ms"])


@pytest.mark.parametrize(
    ("z", "shenandoah", "keys"),
    [
        (700, 900, {"longer"}),
        (20, 40, {"sooner"}),
        (150, 60, {"same"}),
        (150, 500, {"one"}),
        (20, 100, set()),
    ],
)
def test_a_crowds_request_is_told_by_how_many_times_as_long_it_takes_as_on_11(z, shenandoah, keys):
    assert lessons.prediction("15-crowd").classify(requests(z, shenandoah)).keys == keys


def test_without_a_later_jdk_there_is_nothing_to_compare():
    with pytest.raises(BadInput):
        lessons.prediction("15-crowd").classify(requests(1, 1, jdks=(11,)))


def test_several_jvms_of_a_jdk_count_by_their_median():
    frame = pd.concat([requests(150, 150), requests(150, 150), requests(9000, 9000)])
    assert lessons.prediction("15-crowd").classify(frame).keys == {"same"}


def test_the_title_has_the_smallest_and_the_largest_factor():
    title = faster_titles.longer(requests(150, 500), "Eight threads a core")
    assert title == "Eight threads a core: since 17 System.gc() takes\n1.5 to 5.0 times as long as on 11"


def stops(reaching, operation, leaving):
    rows = [(1, 0.1, 0.1, 0.1), (32, reaching, operation, leaving)]
    return pd.DataFrame(rows, columns=["threads", "ttsp_ms", "operation_ms", "leaving_ms"])


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        ((90, 1, 1, 1), "reaching"),
        ((1, 90, 1, 1), "operation"),
        ((1, 1, 90, 80), "leaving"),
        ((1, 1, 80, 90), "handshakes"),
        ((1, 1, 80, 90, 400), "rest"),
        ((1, 1, None, None, 400), "rest"),
    ],
)
def test_the_largest_part_of_the_newest_jdks_bill_comes(parts, key):
    waits = parts[4] if len(parts) > 4 else sum(parts)
    rows = [(11, 500, 500, 500, 500, 2000), (25, *parts[:4], waits)]
    columns = ["jdk", "ttsp_ms", "operation_ms", "leaving_ms", "handshakes_ms", "gc_ms"]
    assert lessons.prediction("15-bill").classify(pd.DataFrame(rows, columns=columns)).keys == {key}


def averages(z, shenandoah, before=0.8):
    rows = [(f"{gc}: reaching", 11, before) for gc in ("ZGC", "Shenandoah")]
    rows += [("ZGC: reaching", 17, z), ("Shenandoah: reaching", 17, shenandoah), ("Shenandoah: gross pause", 17, 9.0)]
    return pd.DataFrame([*rows, ("Shenandoah: gross pause", 11, 1.0)], columns=["of", "jdk", "average_ms"])


@pytest.mark.parametrize(
    ("z", "shenandoah", "key"),
    [(0.07, 0.1, "posts"), (0.3, 0.1, "less"), (0.3, 0.9, "some"), (0.8, 0.9, "not")],
)
def test_the_averages_fall_as_in_the_post_or_less_or_not(z, shenandoah, key):
    came = lessons.prediction("15-reach").classify(averages(z, shenandoah))
    assert came.keys == {key}


def test_the_averages_title_says_what_reaching_and_a_pause_take_on_11_and_since():
    title = faster_titles.reached(averages(0.4, 0.2))
    assert title == "Reaching takes 0.8 ms on 11, 0.2 to 0.4 since 17;\na gross pause 1 ms on 11, 9 since 17"


def test_the_posts_averages_have_the_names_of_ours():
    names = set(faster.posts_averages().index)
    assert names == {"ZGC: reaching", "Shenandoah: reaching", "Shenandoah: gross pause"}


def test_the_title_of_the_phases_names_jdk_and_collector():
    title = faster_titles.left(stops(0.2, 0.1, 28.0))
    assert title == "JDK 25, Shenandoah: leaving takes 0.1 ms\nbeside 1 running thread, 28 ms beside 32"


@pytest.mark.parametrize(("handshakes", "share"), [(160.0, "most"), (20.0, "a part")])
def test_the_title_of_the_bill_says_how_much_longer_and_what_takes_it(handshakes, share):
    rows = [("Shenandoah", 11, None, 2.7, None, 60.0), ("Shenandoah", 17, None, 130.0, handshakes, 420.0)]
    bill = pd.DataFrame(rows, columns=["gc", "jdk", "leaving_ms", "rest_ms", "handshakes_ms", "gc_ms"])
    title = faster_titles.billed(bill.astype({"leaving_ms": float, "handshakes_ms": float}))
    assert title.endswith(f"waits 7 times as long as on 11;\nhandshakes and leaving take {share} of it")


def test_no_question_has_marks_of_a_markup():
    assert not [asked.name for asked in lessons.predictions() if "**" in asked.question]
