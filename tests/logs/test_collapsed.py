"""Collapsed stacks of async-profiler 4 on JDK 8 to 28, beside what awk counts in the same files."""

import pytest

from safepointlab.logs import collapsed
from tests.logs.conftest import DATA, table

LOGS = DATA / "stacks"
MIXED = ["[C2 Comp..hread0 tid=8];clone3;Compile::Compile 2", "[main tid=7];Main.main;Main.copy;arraycopy_avx3 5"]


@pytest.mark.each("counted", table(LOGS / "counts.csv"))
def test_rows_and_samples_are_as_many_as_awk_counts_and_every_stack_has_a_leaf(counted):
    stacks = collapsed.read(LOGS / counted["file"], strict=True)
    lost = stacks.loc[stacks["lost"] == "unknown_Java", "count"].sum()
    facts = [int(counted[key]) for key in ("rows", "samples", "unknown_java")]
    assert [len(stacks), stacks["count"].sum(), lost] == facts
    assert stacks.attrs["skipped"] == stacks.attrs["damaged"] == 0
    frames = stacks["frames"].str.split(";")
    assert (stacks["leaf"] == frames.str[-1]).all() and (stacks["leaf"] != "").all()
    assert (stacks["depth"] == frames.str.len()).all()


def test_the_thread_is_no_frame_and_its_name_may_hold_blanks_and_brackets():
    stacks = collapsed.read(MIXED)
    assert stacks["thread"].tolist() == ["C2 Comp..hread0", "main"] and stacks["tid"].tolist() == [8, 7]
    assert stacks["frames"].str.startswith(("clone3", "Main.main")).all()
    odd = collapsed.read(["[C-a tid=7];Main.run;Main.go a 3", "[b tid=1] tid=2];x;y 4", "one 5", "a;b; 6"])
    assert odd["frames"].tolist() == ["Main.run;Main.go a", "x;y", "one"]
    assert odd["thread"].tolist()[:2] == ["C-a", "b tid=1]"] and odd.attrs["damaged"] == 1


def test_the_late_thread_of_a_ttsp_profile_has_most_samples():
    for major in (17, 25):
        stacks = collapsed.read(LOGS / f"jdk{major}-ttsp.collapsed")
        assert stacks.groupby("thread")["count"].sum().idxmax() == "C-counted"


def test_a_library_without_symbols_is_named_without_its_folder():
    stacks = collapsed.read(LOGS / "jdk28-copy-ann-threads.collapsed")
    assert not stacks["frames"].str.contains("/usr/").any() and stacks["frames"].str.contains("libc.so.6;").any()


def test_samples_are_counted_by_what_became_of_them():
    stacks = collapsed.lost(collapsed.read(LOGS / "jdk25-crc32-cstack-no.collapsed")).set_index("outcome")
    assert stacks["samples"].to_dict() == {"unknown_Java": 162, "walked": 5, "no_Java_frame": 2}
    assert stacks["share"].sum() == pytest.approx(1)


def test_lines_that_read_the_same_are_added_up_thread_by_thread():
    twice = [*MIXED, MIXED[1], "Main.main;Main.copy;arraycopy_avx3 2", "Main.main;Main.copy;arraycopy_avx3 3"]
    stacks = collapsed.merged(collapsed.read(twice))
    assert stacks["count"].tolist() == [2, 10, 5] and stacks["thread"].tolist()[:2] == ["C2 Comp..hread0", "main"]
    assert stacks.attrs["lines"] == 5 and stacks.dtypes.astype(str).to_dict() == collapsed.COLUMNS


def test_a_share_is_of_samples_and_not_of_stacks():
    assert collapsed.share(collapsed.read(MIXED), "arraycopy", "leaf") == pytest.approx(5 / 7)
    empty = collapsed.read([])
    assert collapsed.share(empty, ".") != collapsed.share(empty, ".") and collapsed.lost(empty).empty  # NaN of none


@pytest.mark.each(
    ("frame", "kind"),
    [
        ("java/nio/file/Files.<clinit>_[0]", "java"),
        ("Main$$Lambda$14/0x0000000800c03000.run", "java"),
        ("java/lang/invoke/LambdaForm$MH.0x00007f1c5c001800.invoke_[j]", "java"),
        ("jbyte_disjoint_arraycopy_stub (stub gen)", "native"),
        ("clock_gettime@@GLIBC_2.17", "native"),
        ("memcpy_erms.cold", "native"),
        ("libc.so.6", "native"),
        ("finish_task_switch.isra.0_[k]", "kernel"),
        ("[deoptimization]", "lost"),
        ("[break_deopt]", "lost"),
    ],
)
def test_a_frame_is_of_one_kind(frame, kind):
    assert collapsed.kind(frame) == kind


def test_words_of_a_program_make_no_row():
    assert len(collapsed.read([*MIXED, "took 5 ms", "this is; no stack", "a line that ends in 7"])) == 2
