"""One source and two compilers: the relation that notebook 03 rests on, on each JDK of the lab."""

import pytest

from safepointlab import jdks
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.run.sweep import sweep

pytestmark = pytest.mark.live
FOUND = sorted({jdk.major for jdk in jdks.find()} & {8, 11, 17, 21, 25})


class Nothing:
    """Forensics take seconds, and these tests ask only whether a run hangs."""

    def to_dict(self) -> dict[str, str]:
        return {"examined": "no"}


@pytest.mark.gate
@pytest.mark.parametrize("jdk", FOUND)
def test_with_serial_eclipses_class_hangs_and_javacs_exits(jdk, monkeypatch):
    monkeypatch.setattr("safepointlab.run.forensics.examination.examine", lambda *_: Nothing())
    settings = {"gc": "Serial", "compiler": ["javac", compilers.ECJ], "args": compilers.HANGS_MS, "deadline": 3}
    outcomes = sweep(compilers.HANGS, jdk=jdk, **settings).set_index("compiler")["outcome"]
    assert outcomes.to_dict() == {"javac": "exited", compilers.ECJ: "hung"}


def test_eclipses_builder_begins_with_a_larger_array_and_c2_spares_both_that_builder():
    eclipses, javacs = (compilers.concat_bytes(17, name, compilers.INTERPRETED) for name in (compilers.ECJ, "javac"))
    assert eclipses["long_2_digits"] > javacs["long_2_digits"] and eclipses["long_14_digits"] < javacs["long_14_digits"]
    compiled = [compilers.concat_bytes(17, name, compilers.BATCH)["int_2_digits"] for name in (compilers.ECJ, "javac")]
    assert compiled[0] == compiled[1] < javacs["int_2_digits"]
