"""What a reader may type that makes no sense -> an error of the lab that says what would, never one from the depths."""

from pathlib import Path

import pandas as pd
import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.culprit.report import Late, Plan
from safepointlab.errors import BadInput, JdkNotFound
from safepointlab.run.run import Run

RECORDED = Path(__file__).parent.parent / "data" / "late" / "scimark-17"
SAMPLE = "hang/KillerTask"


class LoggedRun(Run):
    """A Run with one log of one line."""

    def __init__(self) -> None:
        pass

    def logs(self, kind: str) -> list[Path]:
        return [RECORDED / "late.json"]


CALLS = [  # each with words of the error that it must give
    (lambda: lab.sweep(SAMPLE, jdk=[]), "jdk=.* has no value to combine. Give one"),
    (lambda: lab.sweep(SAMPLE, gc=()), "gc=.* has no value"),
    (lambda: lab.sweep(SAMPLE, repeat="x"), "repeat must be an integer >= 1, got 'x'"),
    (lambda: lab.sweep(SAMPLE, repeat=-1), "repeat must be an integer >= 1, got -1"),
    (lambda: lab.sweep(SAMPLE, repeat=True), "repeat must be an integer >= 1, got True"),
    (lambda: lab.sweep(SAMPLE, jobs=0), "jobs must be an integer >= 1, got 0"),
    (lambda: lab.sweep(SAMPLE, also=5), "also must map names of columns to functions .*, got 5"),
    (lambda: lab.sweep(SAMPLE, also={"stops": 3}), "also must map names"),
    (lambda: lab.excerpt(SAMPLE, "("), r"around must be a regular expression, got '\(': .*backslash"),
    (lambda: lab.excerpt(SAMPLE, mark="["), r"mark must be a regular expression, got '\['"),
    (lambda: lab.excerpt(SAMPLE, 5), "around must be a regular expression, got 5"),
    (lambda: LoggedRun().raw("safepoint", around="("), "around must be a regular expression"),
    (lambda: Late(RECORDED, Plan.load(RECORDED)).raw("("), "around must be a regular expression"),
    (lambda: lab.late("java -cp 'app.jar Main"), "command=.*no closing quotation"),
    (lambda: lab.late(5), "command must be a line of words or a list of them .*, got 5"),
    (lambda: lab.plot.outcomes(pd.DataFrame({"jdk": [8]})), "no column outcome, flags. It has jdk. .*lab.sweep"),
]


@pytest.mark.each(("call", "words"), CALLS)
def test_what_makes_no_sense_is_refused_with_what_would(call, words):
    with pytest.raises(BadInput, match=words):
        call()


@pytest.mark.each("place", ["/etc/passwd", "/etc", "/nowhere/java"])
def test_a_place_that_is_no_jdk_does_not_become_another_one(place):
    with pytest.raises(JdkNotFound, match="no Java in"):
        jdks.get(place)
