"""A program that the notebook on late threads watches -> what its command line needs: a jar, a folder, a script.

    late.scimark()       "~/.cache/safepointlab/.../scimark-2.0.jar"

The command lines themselves stand in the notebook, as typing them is what it teaches; `command` and `cure` are the two
that its price and an exercise run again.
"""

import re
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
    """How long SciMark is to run each of its kernels, in the profile in force."""
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
    """The command line that runs SciMark with these flags, each kernel for so many seconds."""
    return f"java {flags} -cp {scimark()} jnt.scimark2.commandline {length_s or seconds()}"


def cure() -> str:
    """The same with what the report advises on 17 with Serial."""
    return command(f"{POLLS} -XX:+UseSerialGC")


def scores(report: "Late") -> dict[str, float]:
    """What SciMark printed, by kernel, in its Mflops: more is faster. The composite is their mean."""
    return {name: float(number) for name, number in SCORE.findall(report.output)}


def prices(jdk: int = 17, pairs: int | None = None) -> "pd.DataFrame":
    """SciMark with and without polls in its loops, in turns: each kernel's scores, as `plot.scores` draws them.

    Args:
        pairs: how many runs of each; by default as many as the profile has time for.

    Returns:
        One row per kernel and setting: jdk, metric, kernel, loops ("as it was" or "with polls"), score (the median),
        low, high and best (the highest), in SciMark's Mflops.
    """
    import pandas as pd

    from safepointlab.late.command import late

    lines = {AS_IT_WAS: command(), WITH_POLLS: cure()}
    count = pairs or profile.by_effort(quick=1, standard=4, full=8)
    rows = [
        {"loops": loops, "kernel": kernel, "score": score}
        for _ in range(count)
        for loops, line in lines.items()
        for kernel, score in scores(late(line, jdk=jdk)).items()
        if kernel != COMPOSITE
    ]
    table = pd.DataFrame(rows).groupby(["kernel", "loops"], sort=False)["score"]
    summary = table.agg(score="median", low="min", high="max", best="max").reset_index()
    return summary.assign(jdk=jdk, metric="score", unit="Mflops")


def subject(who: str, report: "Late") -> str:
    """Whose stops they were, and how late anybody was: a picture's title."""
    longest = report.all_stops["waited_ms"].max()
    late = f"{len(report.stops) or 'none'} of {len(report.all_stops)} stops late"
    return f"{who}, JDK {report.jdk.major}, {report.plan.gc}:\n{late}, the longest wait {longest:.1f} ms"


def apart(prices: "pd.DataFrame") -> dict[str, float]:
    """The kernels whose scores with and without polls do not overlap, each with the ratio of the medians."""
    tables = {loops: rows.set_index("kernel") for loops, rows in prices.groupby("loops")}
    before, after = tables[AS_IT_WAS], tables[WITH_POLLS]
    clear = (after["high"] < before["low"]) | (after["low"] > before["high"])
    return {str(name): float(ratio) for name, ratio in (after["score"] / before["score"])[clear].items()}


def costliest(prices: "pd.DataFrame") -> str:
    """How many kernels the polls slow down, which most, and which are faster with them, as a picture's title."""
    ratios, kernels = apart(prices), prices["kernel"].nunique()
    slower = sorted((ratio, kernel) for kernel, ratio in ratios.items() if ratio < 1)
    faster = [kernel for kernel, ratio in ratios.items() if ratio > 1]
    beside = f" ({' and '.join(faster)} {'is' if len(faster) == 1 else 'are'} faster)" if faster else ""
    if not slower:
        return f"Polls: none of {kernels} kernels is told apart as slower{beside}"
    (ratio, most), (verb, rank) = slower[0], ("is", "") if len(slower) == 1 else ("are", " most")
    return f"With polls {len(slower)} of {kernels} kernels {verb} slower:\n{most}{rank}, by {1 - ratio:.0%}{beside}"


def on_each(versions: "Iterable[int]") -> "dict[str, Late]":
    """A short run of SciMark with Serial on each JDK, asked for a stop five times a second: its report by "JDK 17"."""
    from safepointlab.late.command import late

    return {f"JDK {jdk}": late(command(length_s=0.2), jdk=jdk, after=20, every=200) for jdk in versions}


def said(reports: "Mapping[str, Late]") -> "pd.DataFrame":
    """How often each witness had something to say, and of what: a column per report; NA where it is absent."""
    import pandas as pd

    told = {name: report.witnesses.set_index("witness")["times"] for name, report in reports.items()}
    return pd.DataFrame({"of": pd.Series(OF), **told}).dropna(subset="of").reindex(list(OF))
