"""The runs and frames of page 02 -> the titles of its pictures, computed from them: who hangs where, and how long."""

import pandas as pd

from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.answers import LATE_MS
from safepointlab.run.run import Run

UNCURED = hang.CURE_NAMES[""]


def fates(runs: pd.DataFrame, who: str) -> str:
    """ "With Serial the killer task hangs on every JDK, with G1 on 8 only"; or that it exits on every JDK."""
    where = {hang.collector(str(gc)): _where_hung(some) for gc, some in runs.groupby("gc", sort=False)}
    if (runs["outcome"] == "exited").all():
        late = int((runs["wall_ms"] > LATE_MS).sum())
        return f"{who[0].upper()}{who[1:]} exits {f'late in {late} runs' if late else 'on time on every JDK'}"
    (gc, jdks), *others = where.items()
    rest = "".join(f", with {other} {more}" for other, more in others)
    return f"With {gc} {who} hangs {jdks}{rest}"


def _where_hung(runs: pd.DataFrame) -> str:
    """ "on every JDK", "on no JDK", "on 8 and 11 only"."""
    hung = sorted(set(runs.loc[runs["outcome"] == "hung", "jdk"]))
    if len(hung) in (0, runs["jdk"].nunique()):
        return "on every JDK" if hung else "on no JDK"
    return f"on {' and '.join(map(str, hung))} only"


def versions(run: Run, method: str) -> str:
    """ "Called once, the method run gets OSR versions only: 2 by C1, 2 by C2"; or how many others nobody calls."""
    log = run.compilations
    own = log[log["method"].str.endswith(f"::{method}", na=False) & (log["event"] == "compiled")]
    by_c2 = int((own["tier"] == 4)[own["osr"]].sum())
    osr = f"{int(own['osr'].sum()) - by_c2} by C1, {by_c2} by C2"
    if own["osr"].all():
        return f"Called once, {method}() gets OSR versions only:\n{osr}"
    return f"Called once, {method}() runs in OSR versions:\n{osr}; nobody calls the rest"


def cures(tried: pd.DataFrame) -> str:
    """ "Every cure but one lets the JVM exit on all 5 JDKs: / …", by the rows of `hang.named`."""
    some = tried[tried["flags"] != UNCURED]
    works = (some["outcome"] == "exited").groupby(some["flags"], sort=False).all()
    failing = [str(name).removeprefix(hang.VARIANT) for name in works.index[~works]]
    but = f" but {'one' if len(failing) == 1 else len(failing)}" if failing else ""
    rest = f":\nit hangs with {' and '.join(failing)}" if failing else ""
    return f"Every cure{but} lets the JVM exit on all {some['jdk'].nunique()} JDKs{rest}"
