"""Notebook 21's questions: by what a run shows, which of the outcomes came."""

from types import SimpleNamespace

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb21_calltrace import codes as calltrace_codes
from safepointlab.course.nb21_calltrace import counts as calltrace_counts


def profiled(counts, lost=(), thread="worker", **values):
    """A run with so many samples of each stack; those in `lost` have none."""
    rows = [(thread, frames, frames.rpartition(";")[2], n, frames if frames in lost else None)
            for frames, n in counts.items()]  # fmt: skip
    stacks = pd.DataFrame(rows, columns=["thread", "frames", "leaf", "count", "lost"])
    words = dict.fromkeys(("thread", "frames", "leaf", "lost"), "string")
    return SimpleNamespace(stacks=stacks.astype(words), values=values)


def test_the_clock_and_the_samples_are_put_side_by_side():
    top = "Neighbours.main;Neighbours.street"
    run = profiled({f"{top};Neighbours.innocent": 198, top: 2}, both_ns=5.0, innocent_ns=1.0)
    run.jdk = SimpleNamespace(label="JDK 17")
    assert calltrace_counts.blamed(run)["share"].round(2).tolist() == [0.8, 0.2, 0.0, 1.0]
    assert calltrace_counts.whose(run) == (
        "JDK 17: the division in guilty() takes 80 % of the time;\n198 of 200 samples name its neighbour, innocent()"
    )


def test_a_walkers_title_says_whom_it_names_most():
    run = profiled(
        {"StubTime.main;java/lang/String.hashCode;stub": 75, "StubTime.main;StubTime.copy;stub": 18, "C2": 7}
    )
    run.jdk = SimpleNamespace(label="JDK 17")
    says = "75 % name String.hashCode, 18 % name StubTime.copy"
    assert calltrace_counts.found(run) == f"JDK 17, async-profiler's own walker: {says}"


@pytest.mark.parametrize(("lost", "key"), [(97, "most"), (30, "some"), (2, "few")])
def test_the_share_without_a_stack_decides_on_the_copy(lost, key):
    run = profiled({"[unknown_Java]": lost, "S.main;S.copy": 100 - lost}, lost={"[unknown_Java]"})
    assert lessons.prediction("21-copy").classify(run).keys == {key}


def test_a_run_loses_stacks_where_most_without_java_are_mains():
    def without_java(**counts):
        lost = "no_Java_frame"
        parts = [profiled({lost: n}, {lost}, name).stacks for name, n in counts.items()]
        return SimpleNamespace(stacks=pd.concat(parts))

    busy = {"gc": without_java(GC=90, main=10), "compile": without_java(C2=5, main=5), "deopt": without_java(main=8)}
    came = lessons.prediction("21-vm").classify(busy)
    assert came.keys == {"deopt"} and came.facts.endswith("samples: gc 10 %, compile 50 %, deopt 100 %.")


def test_a_stub_is_one_that_is_lost_on_each_jdk():
    table = pd.DataFrame(
        {"loop": [0.0, 0.0], "copy": [0.9, 0.9], "crc32": [0.9, 0.4], "adler32": [0.0, 0.8]}, index=[8, 17]
    )
    assert lessons.prediction("21-stubs").classify(table).keys == {"copy"}
    assert lessons.prediction("21-stubs").classify(table.loc[[17]]).keys == {"copy", "adler32"}
    says = "loop on no JDK; copy on each JDK; crc32 on 8; adler32 on 17."
    assert lessons.prediction("21-stubs").classify(table).facts == f"Most samples are lost: {says}"


def test_the_title_of_the_stubs_says_how_much_is_lost_on_every_jdk_and_on_some():
    table = pd.DataFrame({"copy": [0.9, 0.95, 0.94], "adler32": [0.0, 0.82, 0.83]}, index=[11, 17, 25])
    title = "copy loses 90 to 95 % on every JDK,\nadler32 82 to 83 % on 17 and 25"
    assert calltrace_counts.unseen(table) == title
    assert calltrace_counts.by_work(table)["lost"].tolist()[:3] == [90.0, 95.0, 94.0]


def test_nothing_lost_is_said():
    assert calltrace_counts.unseen(pd.DataFrame({"copy": [0.1]}, index=[17])) == "Nothing is lost on any JDK"


def jfr(of_17, of_25):
    """Samples of JFR: 80 of the loop on each JDK, and of the copy so many (the method that they name, and how many)."""
    copies = [(jdk, "copy", method) for jdk, (method, n) in ((17, of_17), (25, of_25)) for _ in range(n)]
    loops = [(jdk, "loop", "StubTime::loop") for jdk in (17, 25) for _ in range(80)]
    return calltrace_counts.caught(pd.DataFrame(loops + copies, columns=["jdk", "work", "method"]))


COPY, MAIN = "StubTime::copy", "StubTime::main"


@pytest.mark.parametrize(
    ("of_17", "of_25", "keys"),
    [
        ((COPY, 78), (COPY, 75), {"all"}),
        ((COPY, 2), (COPY, 75), {"counted"}),
        ((COPY, 0), (MAIN, 75), {"caller"}),
        ((MAIN, 3), (MAIN, 1), {"missing"}),
        ((MAIN, 70), (MAIN, 75), set()),
    ],
)
def test_what_jfr_reports_of_the_copy_is_told_by_counts_and_names(of_17, of_25, keys):
    assert lessons.prediction("21-jfr").classify(jfr(of_17, of_25)).keys == keys


@pytest.mark.parametrize(
    ("guilty", "innocent", "street", "key"),
    [(90, 5, 5, "guilty"), (1, 98, 1, "innocent"), (5, 5, 90, "street"), (45, 45, 10, "shared")],
)
def test_who_has_most_samples_of_the_loop_is_blamed(guilty, innocent, street, key):
    top = "Neighbours.main;Neighbours.street"
    counts = {f"{top};Neighbours.guilty": guilty, f"{top};Neighbours.innocent": innocent, top: street}
    assert lessons.prediction("21-skid").classify(profiled(counts)).keys == {key}


def test_without_a_sample_of_the_loop_nobody_is_blamed():
    assert lessons.prediction("21-skid").classify(profiled({"Neighbours.main": 9})).keys == set()


def test_a_walk_starts_at_a_frame_of_its_stack_if_it_finds_the_stack():
    walks = calltrace_codes.walks()
    starts = [start in frames.split(";") for frames, start in zip(walks["frames"], walks["start"], strict=True)]
    assert starts == walks["found"].tolist() and walks["found"].any()


def test_each_outcome_is_explained_in_words_that_a_table_shows_in_full():
    doing = pd.DataFrame(calltrace_codes.OUTCOMES).loc[1]
    assert doing.map(len).max() < pd.get_option("display.max_colwidth")


def test_outcomes_are_explained_the_most_frequent_first_and_an_unknown_one_is_left_without():
    outcomes = pd.DataFrame({"calm": [0.01, 0.0, 0.99]}, index=["unknown_Java", "news", "walked"])
    table = calltrace_codes.explained(outcomes)
    assert table["calm"].to_dict() == {"walked": 99.0, "unknown_Java": 1.0, "news": 0.0}
    assert table["code"].tolist() == ["> 0", "−5", ""]


def test_the_outcome_of_a_walk_that_fails_is_one_of_the_codes():
    [lost] = calltrace_codes.walks().query("not found")["outcome"]
    code, name = lost.partition(":")[0].split(", ")
    assert calltrace_codes.OUTCOMES[name][0] == code
