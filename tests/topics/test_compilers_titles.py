"""The titles of page 03 say what the frame or run beside them shows, whatever that is."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.topics import compilers, compilers_titles

JAVAC, ECJ = compilers.BOTH
SERIAL, G1 = "Serial", "G1"


def fates(hangs):
    points = [(jdk, gc, by) for jdk in (8, 17) for gc in (SERIAL, G1) for by in compilers.BOTH]
    rows = [(*point, "hung" if hangs(*point) else "exited") for point in points]
    return pd.DataFrame(rows, columns=["jdk", "gc", "compiler", "outcome"])


@pytest.mark.parametrize(
    ("hangs", "words"),
    [
        (
            lambda jdk, gc, by: by == ECJ and (gc == SERIAL or jdk == 8),
            "Only Eclipse's class hangs: with Serial on every JDK, with G1 on JDK 8",
        ),
        (lambda jdk, gc, by: jdk == 8, "Both classes hang: with Serial on JDK 8, with G1 on JDK 8"),
        (lambda jdk, gc, by: False, "Neither class hangs"),
    ],
)
def test_a_fate_names_the_class_the_collectors_and_the_jdks(hangs, words):
    assert compilers_titles.fates(fates(hangs)) == words


@pytest.fixture
def tested(monkeypatch):
    """Runs that are the place of their test, and have a poll or none."""
    monkeypatch.setattr(compilers, "outer_loops", lambda made: pd.DataFrame({"test": [made.test]}))
    return lambda test, polled=None: SimpleNamespace(
        test=test, compiler="ecj 3.46.0", loops=pd.DataFrame({"tier": 4, "osr_bci": 5, "depth": 1, "polled": [polled]})
    )


def test_a_shape_is_told_by_where_the_jump_back_leads(tested):
    said = compilers_titles.shapes(tested("top"), tested("bottom"))
    assert said == "In javac's class the jump back leads to the test,\nin ecj's to the body"


def test_the_newest_ecj_tests_where_its_class_says(tested):
    assert compilers_titles.newest(tested("bottom")) == "ecj 3.46.0 still tests at the bottom"
    assert compilers_titles.newest(tested("top")) == "ecj 3.46.0 tests at the top"


def test_a_poll_is_told_beside_the_place_of_the_test(tested):
    said = compilers_titles.polls(tested("top", True), tested("bottom", False))
    assert said == "javac's loop tests at the top and keeps its poll,\necj's tests at the bottom and has no poll"


def lates(by, jdks=(17,), **late_ms):
    rows = [
        (compiler, name, ms) for name, pair in late_ms.items() for compiler, ms in zip((ECJ, JAVAC), pair, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["compiler", by, "late_ms"]).replace({"short": "sleeps\u00a00.3\u00a0s"})
    return pd.concat(table.assign(jdk=jdk, gc=SERIAL) for jdk in jdks)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (
            lates("slept", short=(860, 50), long=(50, 50)),
            "late if main sleeps 0.3 s,\nby 0.9 s in the median; javac's never",
        ),
        (
            lates("place", lambda_=(807, 40), static=(1_019, 40), parameter=(651, 40)),
            "late in all 3 variants,\nby 0.7 to 1.0 s; javac's in none",
        ),
        (lates("place", lambda_=(807, 40), static=(90, 40)), "late as lambda_,\nby 0.8 s; javac's in none"),
        (lates("slept", short=(50, 50), long=(50, 50)), "late never,\njavac's never"),
    ],
)
def test_lateness_is_told_by_where_and_by_how_much(runs, words):
    assert (
        compilers_titles.late(runs, "slept" if "slept" in runs else "place")
        == f"JDK 17, Serial: Eclipse's class is {words}"
    )


def test_lateness_on_several_jdks_names_their_collector_alone():
    said = compilers_titles.late(lates("slept", jdks=(8, 17), short=(860, 50), long=(50, 50)), "slept")
    assert said.startswith("With Serial, Eclipse's class is late if main sleeps 0.3 s")


def test_a_stall_is_told_by_the_life_of_c2s_first_osr_version_beside_mains_sleep():
    rows = [("compiled", 3, True, 80.0), ("compiled", 4, True, 81.0), ("made not entrant", 4, True, 1_045.0)]
    log = pd.DataFrame(rows, columns=["event", "tier", "osr", "uptime_ms"]).assign(method="EclipseStalls::countOdds")
    run = SimpleNamespace(compilations=log, request=SimpleNamespace(args=("300",)))
    said = compilers_titles.stall(run)
    assert said == "No poll from 81 ms to the end of the inner loop\nat 1,045 ms; main sleeps for 300 ms only"
