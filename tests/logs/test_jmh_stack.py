"""JMH's stack profiler: one row per stack, with its share of the samples, from the console text of any JDK."""

from safepointlab.logs import jmh_stack
from tests.logs.conftest import DATA

LOGS = DATA / "stack"
HEAD = "....[Thread state: RUNNABLE]....\n"


def test_each_stack_is_one_row_with_its_shares():
    frame = jmh_stack.read(LOGS / "jdk8.log", strict=True)
    assert len(frame) == 4 and frame["share"].tolist() == [97.1, 1.4, 0.7, 0.7]
    assert frame["state"].tolist() == ["RUNNABLE"] * 3 + ["WAITING"]
    assert set(frame["benchmark"]) == {"lab.Bias.hotInline"}
    for path in LOGS.glob("*.log"):
        sums = jmh_stack.read(path).groupby("state")["share_of_state"].sum()
        assert ((sums - 100).abs() < 1).all()


def test_the_topmost_frame_gets_the_blame_and_the_stack_begins_at_the_root():
    frame = jmh_stack.read(LOGS / "jdk25.log", strict=True)
    row = frame.iloc[1]
    assert (row["method"], row["line"]) == ("lab.Bias::hotInline", 17)
    assert row["frames"].endswith("hotInline_avgt_jmhStub;lab.Bias::hotInline") and row["lines"] == "153;190;17"
    assert frame["method"].isna().sum() == 1  # a stack that JMH hides
    assert frame.loc[frame["method"] == "jdk.internal.misc.Unsafe::park", "line"].isna().all()  # native


def test_a_stack_may_have_all_samples_or_no_lines():
    whole = jmh_stack.read(f"{HEAD}100.0% 100.0% blame.Loop.inlined:7\n\n\n# Run complete.\n", strict=True)
    assert whole[["share", "method", "line"]].values.tolist() == [[100, "blame.Loop::inlined", 7]]
    text = f"{HEAD} 50.0% 100.0% blame.Loop.inlined\n              java.lang.Thread.run\n"
    row = jmh_stack.read(text, strict=True).iloc[0]
    assert row["frames"] == "java.lang.Thread::run;blame.Loop::inlined" and str(row["line"]) == "<NA>"


def test_shares_are_read_in_locales_with_a_decimal_comma():
    dots = (LOGS / "jdk8.log").read_text()
    frame = jmh_stack.read(dots.replace("97.1%", "97,1%").replace("97.8%", "97,8%"), strict=True)
    assert frame.equals(jmh_stack.read(dots))
