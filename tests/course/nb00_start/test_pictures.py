"""The picture of an exit, of a JVM that hung and of one that left."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from safepointlab.course.nb00_start import pictures
from safepointlab.errors import BadInput
from safepointlab.run.run import Run


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


class OneRun(Run):
    """As much of a run as the picture needs: the safepoint was requested at 0.71 s."""

    def __init__(self, hung, wall_ms, holdup):
        log = pd.DataFrame()
        log.attrs["begun_s"] = 0.71
        self.__dict__.update(hung_=hung, lived_ms=wall_ms, safepoints=log, forensics=type("F", (), {"holdup": holdup}))

    hung = property(lambda self: self.hung_)
    wall_ms = property(lambda self: self.lived_ms)


def title(run):
    return " ".join(pictures.exit(run).get_title(loc="left").split())


def test_a_hang_says_when_main_returned_and_for_whom_the_jvm_waits():
    said = title(OneRun(True, 3000, "killer"))
    assert said == "main returned at 0.7 s; 2.3 s later the JVM still waits for the thread killer"


def test_in_a_hang_main_has_returned_when_the_vm_thread_starts_to_wait():
    ends = pictures._lanes_of_a_hang(OneRun(True, 3000, "killer")).set_index("what")[["begin_s", "end_s"]]
    assert ends.loc["asleep", "end_s"] == ends.loc["reaching", "begin_s"] == 0.71
    assert ends.loc["reaching", "end_s"] == ends.loc["call", "end_s"] == 3.0


def test_a_run_that_exits_says_so_after_the_reader_chose_another_collector():
    assert title(OneRun(False, 750, None)) == "The JVM exits 0.8 s after its start"
    assert title(OneRun(True, 3000, None)).startswith("The JVM still runs, and no thread holds it up")


def test_what_is_no_run_is_refused():
    with pytest.raises(BadInput, match="the run of lab.java, not DataFrame"):
        pictures.exit(pd.DataFrame())
