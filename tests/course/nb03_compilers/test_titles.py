"""The titles of page 03 say what the frame or run beside them shows, whatever that is."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb03_compilers import titles as compilers_titles

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


def test_a_poll_is_told_beside_the_place_of_the_test(tested):
    said = compilers_titles.polls(tested("top", True), tested("bottom", False))
    assert said == "javac's loop tests at the top and keeps its poll,\necj's tests at the bottom and has no poll"


def lates(jdks=(17,), **late_ms):
    rows = [(by, name, ms) for name, pair in late_ms.items() for by, ms in zip((ECJ, JAVAC), pair, strict=True)]
    table = pd.DataFrame(rows, columns=["compiler", "slept", "late_ms"]).replace({"short": "sleeps\u00a00.3\u00a0s"})
    return pd.concat(table.assign(jdk=jdk, gc=SERIAL) for jdk in jdks)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (lates(short=(860, 50), long=(50, 50)), "late if main sleeps 0.3 s,\nby 0.9 s in the median; javac's never"),
        (
            lates(short=(860, 50), long=(650, 50)),
            "late after either sleep,\nby 0.7 to 0.9 s in the median; javac's never",
        ),
        (lates(short=(50, 50), long=(50, 50)), "late never,\njavac's never"),
    ],
)
def test_lateness_is_told_by_the_sleep_and_by_how_much(runs, words):
    assert compilers_titles.late(runs) == f"JDK 17, Serial: Eclipse's class is {words}"


def test_lateness_on_several_jdks_names_their_collector_alone():
    said = compilers_titles.late(lates(jdks=(8, 17), short=(860, 50), long=(50, 50)))
    assert said.startswith("With Serial, Eclipse's class is late if main sleeps 0.3 s")


FIRST, GONE = [(1, "compiled", 3, 80.0), (2, "compiled", 4, 81.0)], (2, "made not entrant", 4, 1_045.0)


def logged(*rows, asked_s=0.381):
    log = pd.DataFrame(rows, columns=["compile_id", "event", "tier", "uptime_ms"])
    log = log.assign(method="EclipseStalls::countOdds", osr=True)
    asked = pd.DataFrame({"begin_s": [0.02, asked_s]})
    return SimpleNamespace(compilations=log, safepoints=asked, request=SimpleNamespace(args=("300",)))


def test_a_stall_is_told_by_the_life_of_the_version_in_which_main_returns():
    said = compilers_titles.stall(logged(*FIRST, GONE))
    assert said == "No poll from 81 ms to the end of the inner loop\nat 1,045 ms; main sleeps for 300 ms only"


def test_a_version_that_was_thrown_away_before_main_returns_is_not_the_one():
    early = [(9, "compiled", 4, 70.0), (9, "made not entrant", 4, 75.0)]
    assert compilers.version_at_return_ms(logged(*early, *FIRST, GONE)) == (81, 381, 1_045)


@pytest.mark.parametrize(("rows", "asked_s"), [((*FIRST, GONE), 1.2), ((FIRST[0],), 0.381), (FIRST, 0.381)])
def test_no_stall_is_told_where_main_returns_in_no_such_version(rows, asked_s):
    assert compilers_titles.stall(logged(*rows, asked_s=asked_s)).startswith("Here main does not return")
