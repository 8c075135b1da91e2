"""One source and two compilers: the relation that notebook 03 rests on, on each JDK of the lab."""

import pytest

import safepointlab as lab
from safepointlab import jdks
from safepointlab.read import bytecode

pytestmark = pytest.mark.live
FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})
ECJ = ["ecj-4.6.1", "ecj"]


@pytest.mark.parametrize("jdk", FOUND)
def test_with_serial_eclipses_class_hangs_and_javacs_exits(jdk, monkeypatch):
    monkeypatch.setattr("safepointlab.forensics.examination.examine", lambda *_: Nothing())
    runs = lab.sweep(
        "compilers/EclipseHangs", jdk=jdk, compiler=["javac", ECJ[0]], gc="Serial", args="1000", deadline=4
    )
    assert list(runs["outcome"]) == ["exited", "hung"]


@pytest.mark.parametrize("compiler", ECJ)
def test_every_eclipse_compiler_tests_at_the_bottom(compiler):
    program = lab.ecj("compilers/EclipseHangs", compiler.partition("-")[2] or None)
    assert set(bytecode.back_edges(bytecode.read(program.javap().splitlines()))["test"]) == {"bottom"}


def test_javac_tests_at_the_top():
    program = lab.javac("compilers/EclipseHangs")
    assert set(bytecode.back_edges(bytecode.read(program.javap().splitlines()))["test"]) == {"top"}


class Nothing:
    """Forensics take seconds, and these tests ask only whether a run hangs."""

    def to_dict(self) -> dict[str, str]:
        return {"examined": "no"}
