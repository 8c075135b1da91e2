"""A program that the notebook on late threads watches -> what its command line needs: a jar, a folder, a script.

    late.scimark()       "~/.cache/safepointlab/.../scimark-2.0.jar"

The command lines themselves stand in the notebook, as typing them is what it teaches; `command` and `cure` are the two
that its price and an exercise run again.
"""

import re
from operator import itemgetter
from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.late.cures import CAUSES as CAUSES  # for the page
from safepointlab.process import home
from safepointlab.programs import build, jars
from safepointlab.session import profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd

    from safepointlab.late.report import Late

SCIMARK, ECJ = "gov.nist.math:scimark:2.0", "org.eclipse.jdt:ecj:3.46.0"
POLLS = "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000"  # what the report advises on 17 with Serial
AS_IT_WAS, WITH_POLLS = "as it was", "with polls"
# FFT (1024): 1964.2359843939278
SCORE = re.compile(r"^(\w[\w ]*?)(?: \(.*\))?\s*:\s+(\d+\.\d+)$", re.MULTILINE)
COMPOSITE = "Composite Score"
OF = {  # witness -> what it counts
    "log": "late stops",
    "timeout": "late threads",
    "ttsp": "samples",
    "latency": "events",
    "kernel": "late threads",
    "agent": "stacks",
}
CHECKSUMS = """\
byte[] a = new byte[600_000_000]; for (int i = 0; i < 12; i++) new java.util.zip.CRC32().update(a);
/exit
"""


def scimark() -> str:
    """The jar of SciMark 2, NIST's numeric benchmark, which is fetched the first time.

    Raises:
        InstallFailed: it could not be fetched.
    """
    return home.shown(jars.fetch(SCIMARK))


def seconds() -> float:
    """How long SciMark is to run each of its computations, in the profile in force."""
    return profile.by_effort(quick=0.2, standard=0.4)


def ecj() -> str:
    """The jar of the Eclipse compiler: a program with many threads, many allocations and no late thread.

    Raises:
        InstallFailed: it could not be fetched.
    """
    return home.shown(jars.fetch(ECJ))


def sources() -> str:
    """A folder of Java sources to compile."""
    return home.shown(home.SAMPLES / "hang")


def killer(jdk: int = 17) -> str:
    """The folder with the classes of hang/KillerTask, whose counted loop nothing can stop."""
    return home.shown(build.javac("hang/KillerTask", jdks.get(jdk)).classes)


def hanging() -> str:
    """The command line that runs it with Serial; -Xbatch lets it wait for the compiler, so it hangs on any machine."""
    return f"java -Xbatch -XX:+UseSerialGC -cp {killer()} KillerTask 300"


def checksums() -> str:
    """A script for jshell: checksums over an array of 600 MB, again and again."""
    script = home.ready(home.cache() / "late") / "crc.jsh"
    script.write_text(CHECKSUMS)
    return home.shown(script)


def command(flags: str = "-XX:+UseSerialGC", length_s: float | None = None) -> str:
    """The command line that runs SciMark with these flags, each computation for so many seconds."""
    return f"java {flags} -cp {scimark()} jnt.scimark2.commandline {length_s or seconds()}"


def cure() -> str:
    """The same with what the report advises on 17 with Serial."""
    return command(f"{POLLS} -XX:+UseSerialGC")


def scores(report: "Late") -> dict[str, float]:
    """What SciMark printed, by computation, in its Mflops: more is faster. The composite is their mean."""
    return {name: float(number) for name, number in SCORE.findall(report.output)}


def prices(jdk: int = 17, pairs: int | None = None) -> "pd.DataFrame":
    """SciMark with and without polls in its loops, in turns: each computation's scores.

    Args:
        pairs: how many runs of each; by default as many as the profile has time for.

    Returns:
        One row per computation and setting: jdk, computation, loops ("as it was" or "with polls"), score (the median),
        low and high, in SciMark's Mflops, and runs (with different scores: a replay plays one again and again).
    """
    import pandas as pd

    from safepointlab.late.command import late

    lines = {AS_IT_WAS: command(), WITH_POLLS: cure()}
    count = pairs or profile.by_effort(quick=1, standard=4, full=8)
    rows = [
        {"loops": loops, "computation": computation, "score": score}
        for _ in range(count)
        for loops, line in lines.items()
        for computation, score in scores(late(line, jdk=jdk)).items()
        if computation != COMPOSITE
    ]
    table = pd.DataFrame(rows).groupby(["computation", "loops"], sort=False)["score"]
    return table.agg(score="median", low="min", high="max", runs="nunique").reset_index().assign(jdk=jdk)


def subject(who: str, report: "Late") -> str:
    """Whose stops they were, and how late anybody was, in one line."""
    longest = report.all_stops["waited_ms"].max()
    late = f"{len(report.stops) or 'none'} of {len(report.all_stops)} stops late"
    return f"{who}, JDK {report.jdk.major}, {report.plan.gc}: {late}, the longest wait {longest:.1f} ms"


def top(report: "Late", count: int) -> "pd.DataFrame":
    """The first culprits: method, line, samples, worst_ms, cause and loop, without SciMark's package."""
    columns = ["method", "line", "samples", "worst_ms", "cause", "loop"]
    plain = {r"jnt\.scimark2\.": "", "counted by an int, ": ""}
    return report.culprits[columns].head(count).round(1).replace(plain, regex=True)


def all_but(report: "Late", word: str, count: int = 3) -> "pd.DataFrame":
    """The first culprits' method, worst_ms and cause; the cause of methods with that word is left to the reader."""
    rows = report.culprits[["method", "worst_ms", "cause"]].head(count).round(1)
    return rows.assign(cause=rows["cause"].mask(rows["method"].str.contains(word), "?"))


def requests(report: "Late") -> str:
    """How many stops of the run there were of each operation, in words."""
    return ", ".join(
        f"{count} {operation}" for operation, count in report.all_stops["operation"].value_counts().items()
    )


def changes(prices: "pd.DataFrame") -> "pd.DataFrame":
    """By how many per cent each computation's score is above the old one with polls, as `plot.changes` draws it.

    Returns:
        One row per computation: name, percent (of the medians), low_percent (the slowest with polls against the fastest
        without) and high_percent (the reverse). A range without 0: no run of one setting is among the other's.
    """
    import pandas as pd

    tables = {loops: rows.set_index("computation") for loops, rows in prices.groupby("loops")}
    before, after = tables[AS_IT_WAS], tables[WITH_POLLS]
    several = (before["runs"] > 1) & (after["runs"] > 1)
    ratios = {
        "percent": after["score"] / before["score"],
        "low_percent": (after["low"] / before["high"]).where(several),
        "high_percent": (after["high"] / before["low"]).where(several),
    }
    table = pd.DataFrame({name: 100 * (ratio - 1) for name, ratio in ratios.items()})
    return table.rename_axis("name").reindex(prices["computation"].unique()).reset_index()


def apart(prices: "pd.DataFrame") -> dict[str, float]:
    """The computations whose scores with and without polls do not overlap, each with its change in per cent."""
    table = changes(prices).set_index("name")
    clear = table[(table["low_percent"] > 0) | (table["high_percent"] < 0)]
    return {str(name): float(percent) for name, percent in clear["percent"].items()}


def costliest(prices: "pd.DataFrame") -> str:
    """Which computations are told apart with polls, and by how much, as a picture's title."""
    clear, run = apart(prices), f"JDK {prices['jdk'].iloc[0]}, Serial"
    costs = [f"{name} {-percent:.0f} %" for name, percent in sorted(clear.items(), key=itemgetter(1)) if percent < 0]
    gains = [f"{name} gains {percent:.0f} %" for name, percent in clear.items() if percent > 0]
    rest = prices["computation"].nunique() - len(clear)
    others = "computation" if rest == 1 else f"{rest} computations"
    told = [*gains, f"for the other {others} no change can be told"] if rest and clear else gains
    first = f"{run}: polls cost {' and '.join(costs) if costs else 'nothing that can be told'}"
    return ";\n".join(filter(None, [first, ", ".join(told)]))


def on_each(versions: "Iterable[int]") -> "dict[str, Late]":
    """A short run of SciMark with Serial on each JDK, asked for a stop five times a second: its report by "JDK 17"."""
    from safepointlab.late.command import late

    return {f"JDK {jdk}": late(command(length_s=0.2), jdk=jdk, after=20, every=200) for jdk in versions}


def said(reports: "Mapping[str, Late]") -> "pd.DataFrame":
    """How often each witness that spoke in any run did so, and of what: a column per report; – where it is absent."""
    import pandas as pd

    told = {name: report.witnesses.set_index("witness")["times"] for name, report in reports.items()}
    table = pd.DataFrame({"of": pd.Series(OF), **told}).dropna(subset="of").reindex(list(OF))
    spoke = table[table.drop(columns="of").fillna(0).sum(axis=1) > 0]
    return spoke.astype(object).where(spoke.notna(), "–")
