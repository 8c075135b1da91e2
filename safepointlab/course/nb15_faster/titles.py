"""What notebook 15 has measured -> the titles of its pictures, which say who, what and how much."""

import pandas as pd

from safepointlab.course.nb15_faster import experiments as faster

MOST_OF_IT = 0.5  # of the request


def longer(requests: pd.DataFrame, who: str) -> str:
    """The title of a picture of requests beside threads: how many times as long they take as on 11."""
    times = span(faster.times_before(requests), "times as long as on 11")
    return f"{who}: since 17 System.gc() takes\n{times}"


def span(values: "pd.Series[float]", unit: str) -> str:
    """ "0.9 to 6.2 times as long as on 11"."""
    least, most = f"{values.min():.1f}", f"{values.max():.1f}"
    return f"{least} {unit}" if least == most else f"{least} to {most} {unit}"


def left(stops: pd.DataFrame) -> str:
    """The title of the picture of the phases: what leaving takes beside the fewest threads, and beside the most."""
    leaving = stops.groupby("threads")["leaving_ms"].median().astype("float64")
    few, many = leaving.index[0], leaving.index[-1]
    first = f"JDK 25, Shenandoah: leaving takes {leaving[few]:.2g} ms"
    return f"{first}\nbeside {few} running thread, {leaving[many]:.0f} ms beside {many}"


def billed(bill: pd.DataFrame) -> str:
    """The title of a request's bill: how many times as long as on 11 it is, and what takes most of it."""
    times = faster.times_before(bill)
    ends = " to ".join(dict.fromkeys(f"{value:.0f}" for value in (times.min(), times.max())))
    logged = bill[["leaving_ms", "rest_ms", "handshakes_ms"]].sum(axis=1) / bill["gc_ms"]
    share = logged[bill["jdk"] != faster.BEFORE].groupby(bill["jdk"]).median()
    what = "most" if share.min() > MOST_OF_IT else "a part"
    return f"Since 17 the caller waits {ends} times as long as on 11;\nhandshakes and leaving take {what} of it"


def reached(averages: pd.DataFrame) -> str:
    """The title of the averages' picture: the time to safepoint and the gross pause, on 11 and since."""
    reaching, whole = (_before_and_since(averages, what) for what in (faster.REACHING, faster.WHOLE))
    return f"Reaching takes {reaching};\na gross pause {whole}"


def _before_and_since(averages: pd.DataFrame, what: str) -> str:
    """ "0.48 ms on 11, 0.12 to 0.22 since 17": the mean of the collectors on 11, and the ends of all since."""
    before, since = faster.before_and_since(averages, what)
    ends = " to ".join(dict.fromkeys(f"{ms:.2g}" for ms in (since.min(), since.max())))
    return f"{before.mean():.2g} ms on 11, {ends} since 17"
