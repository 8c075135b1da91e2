"""What notebook 15 has measured -> the titles of its pictures, which say who, what and how much."""

import pandas as pd

from safepointlab.topics import faster, faster_bill

EARLY = 0.25  # the quartile of stops that other programs disturb least
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


def shaken(waits: pd.DataFrame) -> str:
    """The title of the picture of both waits."""
    median = waits.groupby("kind")["wait_ms"].median().astype("float64")
    return (
        f"The VM waits {median[faster_bill.HANDSHAKE]:,.1f} ms for a handshake of the crowd,\n"
        f"and {median[faster_bill.SAFEPOINT]:,.1f} ms until a safepoint is reached"
    )


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
    chosen = averages[averages["of"].str.endswith(what)]
    before = chosen["jdk"] == faster.BEFORE
    on_11, since = chosen.loc[before, "average_ms"].mean(), chosen.loc[~before, "average_ms"]
    ends = " to ".join(dict.fromkeys(f"{ms:.2g}" for ms in (since.min(), since.max())))
    return f"{on_11:.2g} ms on 11, {ends} since 17"


def by_size(stops: pd.DataFrame) -> str:
    """The title of the picture of stops over numbers of threads: how 11 compares with fewest and with most of them."""
    early = stops.groupby(["threads", "jdk"])["ttsp_ms"].quantile(EARLY).astype("float64").unstack()
    few, many = early.index[0], early.index[-1]
    (first, alone), (last, crowded) = (_place(early.loc[threads]) for threads in (few, many))
    return f"With {few} thread JDK 11 reaches the safepoint {first}\n({alone} ms), with {many} {last} ({crowded} ms)"


def _place(early: "pd.Series[float]") -> tuple[str, str]:
    """Whether 11 is the soonest JDK or the last one; its time against the median of the others."""
    before, since = float(early[faster.BEFORE]), early.drop(faster.BEFORE)
    place = "soonest" if before < since.min() else "last" if before > since.max() else "in between"
    return place, f"{before:.2f} against {since.median():.2f}"
