"""The threads that the VM found running, and its safepoints -> how late each thread was at each of them.

    9 to 28   -Xlog:safepoint*=trace                          each time the VM looks, who is still running
    8 to 28   -XX:+SafepointTimeout -XX:SafepointTimeoutDelay=0     their names, at the VM's first look

In the lab that is log="safepoint=trace straggler=0". The looks are about 1 ms apart, on 11 at first closer: a thread
has stopped between the last look that found it running and the next. "Running" is the VM's word for "not stopped yet":
a thread that waits for a core is running, too. 8 has no such level: its SafepointTimeout names who was running at the
first look and logs no time, so 8 has no row here. A thread that had stopped before the first look has none on any JDK.

>>> from pandas import DataFrame
>>> late = DataFrame({"uptime_s": [1.0], "until_s": [1.03], "told_by": "trace", "thread": "counted", "native_id": 9})
>>> stops = DataFrame({"begin_s": [0.9999], "ttsp_ms": [31.0], "operation": ["GenCollectFull"]})
>>> arrivals(late, stops).round(1).values.tolist()
[[0, 'GenCollectFull', 'counted', 30.1, 31.0]]

    stop         the index of the safepoint's row
    operation    what the safepoint was for
    thread       its name, or "thread 4711" by its native id if no SafepointTimeout has named it
    running_ms   until then, after the VM had asked, the VM found it running
    ttsp_ms      time to safepoint of the stop: until the last thread had stopped
"""

from typing import Any

import pandas as pd

COLUMNS = {
    "stop": "int64",
    "operation": "string",
    "thread": "string",
    "running_ms": "float64",
    "ttsp_ms": "float64",
}
SLACK_S = 0.0005  # the line of the safepoint is written a moment after its end


def arrivals(stragglers: pd.DataFrame, safepoints: pd.DataFrame) -> pd.DataFrame:
    """One row per safepoint and thread that the VM found running, the last to stop first."""
    looks = stragglers[stragglers["told_by"] == "trace"]
    names = looks["thread"].astype("object").fillna("thread " + looks["native_id"].astype("string").astype("object"))
    rows = [row for place, stop in safepoints.iterrows() for row in _of_stop(looks.assign(thread=names), place, stop)]
    frame = pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)
    return frame.sort_values(["stop", "running_ms"], ascending=[True, False], ignore_index=True)


def _of_stop(looks: pd.DataFrame, place: Any, stop: Any) -> list[dict[str, object]]:
    begin, wait = float(stop["begin_s"]), float(stop["ttsp_ms"])
    own = looks[looks["uptime_s"].between(begin - SLACK_S, begin + wait / 1e3 + SLACK_S)]
    about = {"stop": place, "operation": stop["operation"], "ttsp_ms": wait}
    running = ((own["until_s"] - begin) * 1e3).clip(lower=0.0, upper=wait)
    return [{**about, "thread": name, "running_ms": ms} for name, ms in zip(own["thread"], running, strict=True)]
