"""Tiles of a sweep: what hangs and what is late, or a number and where it is above a limit."""

import pandas as pd
import pytest

from safepointlab import plot
from safepointlab.errors import BadInput

SWEEP = pd.DataFrame(
    {
        "jdk": [8, 8, 17, 17],
        "flags": ["", "-Xint", "", "-Xint"],
        "outcome": ["hung", "exited", "exited", "exited"],
        "wall_ms": [8000.0, 640.0, 2500.0, 640.0],
    }
)
TWICE = pd.concat([SWEEP, SWEEP.assign(outcome="exited")])


def test_the_tiles_say_in_words_what_hangs_and_what_is_late_and_how_often(words):
    drawn = words(plot.outcomes(SWEEP, late_ms=2000))
    assert "HUNG" in drawn and "late\n2.5 s" in drawn and "on time" in drawn
    assert "HUNG 1 of 2" in words(plot.outcomes(TWICE))
    assert "still running" in words(plot.outcomes(SWEEP.assign(outcome="still running")))
    assert "flooded" in words(plot.outcomes(SWEEP.assign(outcome="flooded")))  # of another kind, in its own word


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        (["hung", "exited"] * 2, "The JVM hangs with no flag on JDK 8 and 17; it exits with -Xint"),
        (["hung", "hung", "hung", "exited"], "The JVM hangs with no flag on JDK 8 and 17, and with -Xint on JDK 8"),
        (
            ["still running", "exited"] * 2,
            "The JVM is still running at its deadline with no flag on JDK 8 and 17; it exits with -Xint",
        ),
        (["hung", "exited", "still running", "exited"], "The JVM hangs with no flag on JDK 8; it exits with -Xint"),
        (["exited"] * 4, "The JVM exits on time everywhere"),
        (["hung", "failed", "not recorded", "no JDK"], "The JVM hangs with no flag on JDK 8"),
        (["not recorded"] * 4, "No run came to an outcome"),
    ],
)
def test_the_outcomes_title_says_with_what_it_hangs_on_which_jdks(outcome, says, title):
    assert title(plot.outcomes(SWEEP.assign(outcome=outcome))) == says


def test_the_outcomes_title_says_every_jdk_only_of_three_or_more(title):
    three = pd.concat([SWEEP.assign(jdk=jdk, outcome=["hung", "exited"] * 2) for jdk in (8, 17, 25)])
    assert title(plot.outcomes(three)) == "The JVM hangs with no flag on every JDK; it exits with -Xint"
    long_name = three.replace({"flags": {"": "one not inlined"}})
    others = [three.assign(flags=name, outcome="exited") for name in ("-Xmx1g", "-Xmx2g")]
    said = "The JVM hangs on every JDK with one not inlined; it exits in the other 3 cases"
    assert title(plot.outcomes(pd.concat([long_name, *others]))) == said
    once = long_name.assign(outcome=long_name["outcome"].mask(long_name["jdk"] > 8, "exited"))
    said = "The JVM hangs with one not inlined on JDK 8; it exits in all other cases"
    assert title(plot.outcomes(pd.concat([once, *others]))) == said
    two = plot.outcomes(three[three["jdk"] > 8].assign(args="600"), rows=["jdk", "args"])
    assert title(two) == "The JVM hangs with no flag on JDK 17 and 25; it exits with -Xint"
    assert title(plot.outcomes(TWICE)).startswith("The JVM hangs with no flag on JDK 8, though not in each run")


@pytest.mark.parametrize(
    ("waits", "says"),
    [
        ([300, 2, 300, 2], "The collection is late (over 200 ms) with no flag on JDK 8 and 17; on time with -Xint"),
        ([300, 2, 2, 2], "The collection is late (over 200 ms) with no flag on JDK 8; on time with -Xint"),
        ([2, 2, 2, 2], "The collection is on time everywhere"),
    ],
)
def test_the_outcomes_title_says_with_what_it_is_late_by_the_column_that_was_chosen(waits, says, title, words):
    drawn = plot.outcomes(SWEEP.assign(outcome="exited", gc_ms=waits), late_ms=200, time="gc_ms", what="the collection")
    assert title(drawn) == says and ("late\n0.3 s" in words(drawn)) is ("late" in says)


def test_with_a_second_name_beside_the_collectors_the_title_has_a_line_for_each_of_them(title):
    made = [("javac", "Serial", "exited"), ("javac", "G1", "exited"), ("ecj-4.6.1", "Serial", "hung")]
    rows = [SWEEP.assign(compiler=by, gc=gc, outcome=end) for by, gc, end in [*made, ("ecj-4.6.1", "G1", "exited")]]
    assert title(plot.outcomes(pd.concat(rows), columns=["gc", "compiler"])) == (
        "Compiled by javac: the JVM exits on time everywhere "
        "Compiled by ecj 4.6.1: the JVM hangs with Serial on JDK 8 and 17; it exits with G1"
    )
    called = pd.concat(rows[2:]).assign(past="called often")
    assert title(plot.outcomes(called, columns=["gc", "past"])).startswith("Called often: the JVM hangs with Serial")


def test_the_title_says_after_what_it_hangs_where_the_columns_names_do(title):
    past = SWEEP.assign(past=["after 10 calls", "without calls"] * 2, outcome=["hung", "exited"] * 2)
    said = "The JVM hangs after 10 calls on JDK 8 and 17; it exits without calls"
    assert title(plot.outcomes(past, columns="past")) == said


def test_the_collector_that_all_runs_have_is_named_first(title):
    hangs = SWEEP.assign(gc="Serial", flags=["", "-Xint"] * 2, outcome=["hung", "exited"] * 2)
    assert title(plot.outcomes(hangs)) == "With Serial, the JVM hangs with no flag on JDK 8 and 17; it exits with -Xint"
    both = pd.concat([hangs, hangs.assign(flags="-Xmx1g", outcome="exited")])
    assert title(plot.outcomes(both)).endswith("it exits with -Xint and with -Xmx1g")
    assert title(plot.outcomes(hangs.assign(gc="default"))).startswith("The JVM hangs")


def test_what_names_the_rows_before_the_jdk_has_a_line_of_the_title_each(title):
    rows = [SWEEP.assign(args=args, outcome=[end, "exited"] * 2) for args, end in (("1 call", "exited"), ("2", "hung"))]
    assert title(plot.outcomes(pd.concat(rows), rows=["args", "jdk"])) == (
        "1 call: the JVM exits on time everywhere 2: the JVM hangs with no flag on JDK 8 and 17; it exits with -Xint"
    )
    [alone] = rows[1:]
    assert title(plot.outcomes(alone, rows=["args", "jdk"])).startswith("2: the JVM hangs with no flag on JDK 8")


def test_the_rows_of_a_label_stand_together_and_a_long_line_of_the_title_says_what_hangs_alone(title):
    days = {"quiet day": ["a busy yesterday"], "lively day": ["no cache", "a busy yesterday"]}
    rows = [(jdk, day, past, "hung" if past in hung else "exited") for jdk in (25, 27) for day, hung in days.items()
            for past in ("no cache", "an idle yesterday", "a busy yesterday")]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["jdk", "args", "aot", "outcome"]).assign(wall_ms=700.0, gc="Serial")
    ax = plot.outcomes(frame, rows=["args", "jdk"], columns="aot")
    days = [label.get_text().partition(" JDK")[0] for label in ax.get_yticklabels()]
    assert days == ["quiet day", "quiet day", "lively day", "lively day"]
    assert ax.get_xlabel() == "Serial, one JVM per tile (HUNG: at its deadline, the JVM still ran and didn't respond)"
    assert title(ax) == (
        "Quiet day: the JVM hangs with a busy yesterday on JDK 25 and 27 "
        "Lively day: the JVM hangs with no cache and with a busy yesterday on JDK 25 and 27"
    )


def test_the_names_of_several_tables_stand_above_their_columns_and_keep_equal_ones_apart(title, words):
    usual, variant = SWEEP.assign(gc="Serial", outcome="exited"), SWEEP.assign(gc="Serial", flags="-Xcomp")
    ax = plot.outcomes({"the program": usual, "a variant": variant}, late_ms=5000)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["no flag", "-Xint", "-Xcomp"]
    assert {"the program", "a variant"} <= {text.get_text() for text in ax.texts} and len(ax.lines) == 1
    assert title(ax).startswith("With Serial, the JVM hangs with -Xcomp on JDK 8, though not in each run;")
    alike = plot.outcomes({"the program": usual, "a variant": SWEEP})
    assert len(alike.get_xticks()) == 4 and "with a variant no flag on JDK 8" in title(alike)
    assert title(plot.outcomes({"the program": usual[:0]})) == "Nothing was run"


def test_the_number_of_jvms_is_below_the_tiles_with_what_they_have_in_common_unless_the_title_says_it():
    hung = " (HUNG: at its deadline, the JVM still ran and didn't respond)"
    assert plot.outcomes(SWEEP).get_xlabel() == f"one JVM per tile{hung}"
    assert plot.outcomes(SWEEP.assign(outcome="exited")).get_xlabel() == "one JVM per tile"
    thrice = pd.concat([TWICE, SWEEP[:2].assign(outcome="not possible"), SWEEP[2:]]).assign(gc="G1", jdk=25)
    assert plot.outcomes(thrice, rows="gc").get_xlabel() == f"JDK 25, 5 JVMs per tile{hung}"
    assert plot.outcomes(SWEEP.assign(gc="G1")).get_xlabel() == f"one JVM per tile{hung}"  # "With G1, the JVM hangs"
    assert amounts(runs(gc="G1")).get_xlabel() == "promoted, MiB\nG1, one JVM per tile"
    assert amounts([runs(), runs()]).get_xlabel().endswith("\n2 JVMs per tile: the least and the most of them")
    assert amounts(runs(promoted_mib=[255, 0, None, 0])).get_xlabel().endswith("one JVM per tile (–: no number)")
    assert amounts(runs().drop(columns="outcome")).get_xlabel() == "promoted, MiB"


def test_the_outcomes_title_speaks_of_hangs_where_there_are_any_and_of_late_exits_elsewhere(title):
    assert title(plot.outcomes(SWEEP, late_ms=2000)).startswith("The JVM hangs")
    late = plot.outcomes(SWEEP.assign(outcome="exited", wall_ms=3000), late_ms=2000)
    assert title(late) == "The JVM is late (over 2,000 ms) with no flag and with -Xint on JDK 8 and 17"


def test_a_number_with_its_unit_or_its_thousands_is_not_broken_below_a_tile():
    sleeps = [SWEEP.iloc[:1].assign(past="100,000 calls", sleep=f"after 0.{tenth} s") for tenth in range(1, 9)]
    ax = plot.outcomes(pd.concat(sleeps), columns=["past", "sleep"])
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names[0] == "100,000\ncalls after\n0.1\N{NO-BREAK SPACE}s" and len(names) == 8


def test_a_name_is_broken_only_where_there_is_no_room_and_then_into_lines_of_like_length():
    wide = plot.outcomes(SWEEP.assign(past=["after 0 calls", "after 10 calls"] * 2), columns="past")
    assert [label.get_text() for label in wide.get_xticklabels()] == ["after 0 calls", "after 10 calls"]
    four = [SWEEP.assign(gc=gc, past=past) for gc in ("Serial", "G1") for past in ("once", "called over and over")]
    narrow = plot.outcomes(pd.concat(four), columns=["gc", "past"])
    assert narrow.get_xticklabels()[1].get_text() == "Serial called\nover and over"
    flags = plot.outcomes(SWEEP.assign(flags=["", "-XX:-TieredCompilation -Xcomp"] * 2))
    assert [label.get_text() for label in flags.get_xticklabels()] == ["no flag", "-TieredCompilation\n-Xcomp"]


def runs(**columns):
    rows = [(8, "a.b.Kept", "exited", 255.0), (8, "a.b.Cut", "exited", 0.1), (17, "a.b.Kept", "exited", 250.0)]
    frame = pd.DataFrame([*rows, (17, "a.b.Cut", "exited", 0.0)], columns=["jdk", "args", "outcome", "promoted_mib"])
    return frame.assign(**columns)


def amounts(frame, **settings):
    settings = {"rows": "args", "columns": "jdk", "limit": 50} | settings
    return plot.amounts(frame, "promoted_mib", **settings)


def numbers(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize(
    ("promoted", "says"),
    [
        ([255, 0.1, 250, 0], "Promoted: at least 250 MiB with Kept, at most 0.1 MiB with Cut"),
        ([255, 255, 0, 0], "Promoted: 255 MiB on JDK 8, 0 MiB on JDK 17"),
        ([255, 0, 0, 255], "Promoted: more than 50 MiB in 2 of 4 combinations"),
        ([255, 0, 0, 0], "Promoted: more than 50 MiB only with Kept and on JDK 8"),
        ([0] * 4, "Promoted: more than 50 MiB in no combination"),
        ([99] * 4, "Promoted: more than 50 MiB in each combination"),
    ],
)
def test_the_title_says_where_the_numbers_are_above_the_limit(promoted, says, title):
    assert title(amounts(runs(promoted_mib=promoted))) == says


def test_the_title_has_the_numbers_only_where_the_limit_lies_between_all_of_them(title):
    twice = [runs(promoted_mib=[255, 0.02, 250, 0.0]), runs(promoted_mib=[128, 0.04, 250, 0.0])]
    assert title(amounts(twice)) == "Promoted: at least 128 MiB with Kept, less than 0.1 MiB with Cut"
    twice[1].loc[0, "promoted_mib"] = 10
    assert title(amounts(twice)) == "Promoted: more than 50 MiB with Kept, nowhere else"


def test_a_title_that_is_too_long_for_two_lines_has_three(title):
    flags, called = ["", "-Xlog:async"] * 2, "longest System.gc() with a full pipe"
    ax = amounts(runs(promoted_mib=[2015, 16, 2029, 13], flags=flags), rows="jdk", columns="flags", what=called)
    first, *others = ax.get_title(loc="left").split("\n")
    assert first == "Longest System.gc() with a full pipe:"
    assert len(others) == 2 and title(ax).endswith(": at least 2,015 MiB with no flag, at most 16 MiB with -Xlog:async")


def test_a_tile_has_its_number_and_several_runs_are_the_least_and_the_most(title):
    assert numbers(amounts(runs())) == ["255", "250", "0.1", "0"]
    assert title(amounts(runs(), limit=None)) == "Promoted: 0 to 255 MiB"
    assert numbers(amounts([runs(), runs(promoted_mib=[251, 0, 250, 0])]))[:2] == ["251–255", "250"]


def test_names_that_are_too_long_for_the_title_are_not_in_it(title):
    flags = ["", "-XX:+UseBiasedLocking -XX:BiasedLockingStartupDelay=4000"] * 2
    frame = runs(promoted_mib=[0, 255, 0, 255], flags=flags, jdk=[11, 11, 17, 17])
    frame.loc[4] = {"jdk": 21, "args": "", "outcome": "exited", "promoted_mib": 0, "flags": ""}
    said = title(amounts(frame, rows="jdk", columns="flags", what="time to safepoint"))
    assert said == "Time to safepoint: more than 50 MiB in 2 of 5 combinations, one each on JDK 11 and 17"
    named = frame.replace({flags[1]: "old flags"})
    named.loc[5] = {"jdk": 21, "args": "", "outcome": "not possible", "promoted_mib": None, "flags": "old flags"}
    said = title(amounts(named, rows="jdk", columns="flags", what="time to safepoint"))
    assert said == "Time to safepoint: more than 50 MiB only on JDK 11 and 17, with old flags"


def test_a_tile_without_a_number_has_a_border_that_no_neighbour_hides():
    tiles = amounts(runs(promoted_mib=[255, 0, None, 0])).patches
    [bare] = [tile for tile in tiles if tile.get_zorder() > 1]
    assert bare.get_xy() == (0.5, -0.5) and not bare.get_clip_on()


def test_a_run_without_a_number_says_why_and_the_title_does_not_count_it_as_above_the_limit(title):
    ax = amounts(runs(promoted_mib=[255, 0, None, 0], outcome=["exited", "exited", "not possible", "exited"]))
    assert numbers(ax)[1] == "not possible" and title(ax) == "Promoted: more than 50 MiB only with Kept and on JDK 8"


def test_the_names_of_several_tables_tell_their_rows_apart(title):
    ax = amounts({"1.1": runs()[:1], "4.0": runs(promoted_mib=0)[:1]})
    assert [text.get_text() for text in ax.get_yticklabels()] == ["1.1\nKept", "4.0\nKept"]
    assert title(ax) == "Promoted: 255 MiB with 1.1, 0 MiB with 4.0"


def test_several_columns_of_numbers_have_rows_of_their_own(title):
    frame = runs(cold_mib=[300.0, 0.0, 300.0, 0.0], promoted_mib=0.0)
    names = {"promoted_mib": "a file in memory", "cold_mib": "a cold file"}
    ax = plot.amounts(frame, names, rows="args", columns="jdk", limit=50, what="longest wait")
    rows = [label.get_text() for label in ax.get_yticklabels()]
    assert rows == [f"{file}\n{args}" for file in names.values() for args in ("Kept", "Cut")]
    assert title(ax) == "Longest wait: 300 MiB with a cold file Kept, 0 MiB elsewhere"
    with pytest.raises(BadInput, match="no column cold_mib"):
        plot.amounts(runs(), names)
