"""JMH's stack profiler: one row a stack, with its share of the samples, from the console text of any JDK."""

from pathlib import Path

import pytest

from safepointlab import logs
from safepointlab.errors import DamagedLog, ForeignLog
from safepointlab.logs import jmh_stack

LOGS = Path(__file__).parent.parent / "data" / "stack"


def test_each_stack_is_one_row_with_its_shares():
    frame = jmh_stack.read(LOGS / "jdk8.log", strict=True)
    assert len(frame) == 4 and frame["share"].tolist() == [97.1, 1.4, 0.7, 0.7]
    assert frame["state"].tolist() == ["RUNNABLE"] * 3 + ["WAITING"] and set(frame["benchmark"]) == {
        "lab.Bias.hotInline"
    }


def test_the_topmost_frame_is_who_is_blamed_and_the_stack_begins_at_the_root():
    row = jmh_stack.read(LOGS / "jdk25.log", strict=True).iloc[1]
    assert (row["method"], row["line"]) == ("lab.Bias::hotInline", 17)
    assert row["frames"].endswith("hotInline_avgt_jmhStub;lab.Bias::hotInline") and row["lines"] == "153;190;17"


def test_native_methods_have_no_line_and_stacks_that_jmh_hides_no_method():
    frame = jmh_stack.read(LOGS / "jdk25.log")
    assert frame["method"].isna().sum() == 1
    assert frame.loc[frame["method"] == "jdk.internal.misc.Unsafe::park", "line"].isna().all()


def test_a_stack_may_have_all_samples():
    text = "....[Thread state: RUNNABLE]....\n100.0% 100.0% blame.Loop.inlined:7\n\n\n# Run complete.\n"
    assert jmh_stack.read(text, strict=True)[["share", "method", "line"]].values.tolist() == [
        [100, "blame.Loop::inlined", 7]
    ]


def test_shares_of_a_state_add_up():
    for path in LOGS.glob("*.log"):
        sums = jmh_stack.read(path).groupby("state")["share_of_state"].sum()
        assert ((sums - 100).abs() < 1).all()


def test_without_detail_lines_the_method_is_all():
    head = "....[Thread state: RUNNABLE]....\n 50.0% 100.0% blame.Loop.inlined\n              java.lang.Thread.run\n"
    row = jmh_stack.read(head, strict=True).iloc[0]
    assert row["frames"] == "java.lang.Thread::run;blame.Loop::inlined" and str(row["line"]) == "<NA>"


def test_a_line_cut_off_within_the_table_is_damaged(tmp_path):
    whole = (LOGS / "jdk25.log").read_text()
    (tmp_path / "cut.log").write_text(whole[: whole.index("48.5%") + 3])
    assert jmh_stack.read(tmp_path / "cut.log").attrs["damaged"] == 1
    with pytest.raises(DamagedLog, match="cut.log:11"):
        jmh_stack.read(tmp_path / "cut.log", strict=True)


def test_other_texts_are_foreign():
    with pytest.raises(ForeignLog):
        jmh_stack.read("roses\nviolets\n", strict=True)


def test_the_kind_is_guessed_from_its_marks():
    assert logs.guess((LOGS / "jdk8.log").read_text())[0] == "stack"


def test_shares_are_read_in_locales_with_a_decimal_comma():
    dots = (LOGS / "jdk8.log").read_text()
    frame = jmh_stack.read(dots.replace("97.1%", "97,1%").replace("97.8%", "97,8%"), strict=True)
    assert frame.equals(jmh_stack.read(dots))
