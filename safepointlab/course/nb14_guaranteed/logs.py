"""Runs with two logs of each safepoint, its table of statistics and the line on the stop -> what each says, and when.

8          -XX:+PrintSafepointStatistics, and "Total time for which application threads were stopped"
11         the same flag (deprecated; it writes to stdout), and -Xlog:safepoint
17 and on  -Xlog:safepoint+stats, and -Xlog:safepoint
"""

import re

import pandas as pd

from safepointlab import jdks, logs
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags
from safepointlab.logs.safepoint import PERIODIC
from safepointlab.run.run import Run

TABLE = "-XX:+PrintSafepointStatistics -XX:PrintSafepointStatisticsCount=1"
ARGS = "3 10"

# 8, 11:   2.378: no vm operation                 [                 9                 0             0 ][ ...
# 17:   [1.027s][...][safepoint,stats  ] Cleanup                      [             11               0 ][ ...
ROW = re.compile(
    r"^(?: *(?P<old>[\d.]+): |\[(?P<new>[\d.]+)s\].*safepoint,stats *\] )(?P<name>\w[\w ]*?) +\[ +\d", re.M
)
# 8:    1.016: Total time for which application threads were stopped: 0.0002038 seconds, ...
# 17:   [1.027s][...][safepoint        ] Safepoint "Cleanup", Time since last: ...
STOP = re.compile(r"^\[?(?P<at>[\d.]+)(?:s\].*?)?(?:: |\] )(?:Total time for which|Safepoint \")", re.M)


def with_table(jdk: int) -> Run:
    """OnceASecond with both logs; on 11 a flag asks for the table, on the others the lab's safepoint log has it."""
    return guaranteed.once_a_second(jdk, TABLE if jdk >= 9 and _knows_table(jdk) else "", ARGS)


def _knows_table(jdk: int) -> bool:
    try:
        return bool(flags.check(TABLE.split()[0], jdks.get(jdk)))
    except FlagRejected:
        return False


def table(run: Run) -> pd.DataFrame:
    """The rows of the statistics on stops that nobody asked for: uptime_s, operation. 8 and 11 have the exit, too."""
    rows = [(float(row["old"] or row["new"]), row["name"]) for row in ROW.finditer(_text(run))]
    frame = pd.DataFrame(rows, columns=["uptime_s", "operation"])
    return frame[frame["operation"].isin(PERIODIC)].reset_index(drop=True)


def apart_ms(run: Run) -> list[float]:
    """Of each periodic stop: how far its stamp in the statistics is from the nearest one in the other log."""
    stamps = [float(stop["at"]) for stop in STOP.finditer(_text(run))]
    rows = table(run)["uptime_s"].head(len(guaranteed.stops(run)))
    return [1000 * min(abs(at - stamp) for stamp in stamps) for at in rows if stamps]


def _text(run: Run) -> str:
    return "\n".join([run.output, *(logs.text_of(path, 5_000_000) for path in run.logs("safepoint"))])
