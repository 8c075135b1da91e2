"""What page 04's benchmark returns, made up."""

import pandas as pd
import pytest


@pytest.fixture
def homemade():
    """homemade((76, 80), (20, 30)): a sweep over the harness, whose JVMs take these ns on 8, 17, ...

    The loop in the method takes 40 and 44 ns, or what `method` says.
    """

    def sweep(*inline, method=(40, 44), jdks=(8, 17, 25)):
        rows = [
            (jdk, f"{place} 300000 8", repeat, ns)
            for jdk, found in zip(jdks, inline, strict=False)
            for place, times in (("inline", found), ("method", method))
            for repeat, ns in enumerate(times)
        ]
        table = pd.DataFrame(rows, columns=["jdk", "args", "repeat", "ns_in_round_2"])
        return table.assign(gc="Serial", flags="", outcome="exited", ns_in_round_1=99.0)

    return sweep


@pytest.fixture
def by_jmh():
    """by_jmh(41, 42): a frame of lab.jmh, one JVM on 8 and one on 17 with these best iterations."""

    def frame(*best, unit="ns/op", jdks=(8, 17)):
        rows = pd.DataFrame({"jdk": jdks[: len(best)], "best": best})
        return rows.assign(metric="score", unit=unit, gc="Serial", flags="")

    return frame
