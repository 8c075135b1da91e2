"""The decorations of a log line (-Xlog's, or the stamps of 8) -> uptime, time of day and System.nanoTime.

`-Xlog:...:uptime,timenanos,tags` chooses the decorations, so a log has one layout of them. Unified logging always
prints them in the same order, whatever their order in the option. With all of them a line begins with

    [2026-11-20T05:53:49.388+0000][...+0000]    time, utctime
    [0.487s][1795154029388ms][487ms]            uptime, timemillis, uptimemillis
    [6076727624854ns][487400185ns]              timenanos, uptimenanos
    [vm][18655][18665][info][safepoint,stats  ]     hostname, pid, tid, level, tags
"""

import re
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import numpy.typing as npt

from safepointlab.logs.lines.columns import ASCII, Column, decimals, missing, moments, whole

DAY = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.,]\d{3}[+-]\d{4}"
ITEM = rf"\[(?:{DAY}|\d{{1,12}}[.,]\d{{3}}s|\d{{1,18}}[mn]s|[\w.,+-]+ *)\]"

# either "[0.487s][info ][safepoint       ] ", or "2026-11-20T05:23:04.365+0000: 4.299: " of 8, each half optional
DECORATION = rf"(?P<decoration>(?:{ITEM})+ |(?:{DAY}: )?(?:(?<![\d.,])\d{{1,12}}[.,]\d{{3}}: )?)"

# the same wherever a collector of logs has put it, in a text and not at a known place
ANYWHERE = re.compile(
    rf"(?:{ITEM})+ |^ *(?:{DAY}: (?:\d{{1,12}}[.,]\d{{3}}: )?|\d{{1,12}}[.,]\d{{3}}: )", ASCII | re.MULTILINE
)

UPTIME_NANOS_BELOW = 3_600_000_000_000  # an hour


@dataclass(frozen=True)
class Layout:
    """One way to decorate: the pattern that matches it, and what each of its groups holds."""

    pattern: str
    groups: tuple[str, ...]


def layout(decoration: str) -> Layout:
    """The layout of one decoration, as DECORATION matches it.

    >>> layout("[0.487s][6076727624854ns][info ][safepoint,stats  ] ").groups
    ('s', 'ns')
    >>> layout("2026-11-20T05:23:04.365+0000: 4.299: ").groups
    ('time', 's')
    """
    pattern, groups = "", list[str]()
    if not decoration.startswith("["):
        if re.search(DAY, decoration, ASCII):
            pattern, groups = rf"({DAY}): ", ["time"]
        if re.search(r"(?<![\d:.,])\d+[.,]\d{3}: ", decoration, ASCII):
            pattern, groups = pattern + r"(\d{1,12}[.,]\d{3}): ", [*groups, "s"]
        return Layout(pattern, tuple(groups))
    for item in re.findall(r"\[([^\]]*)\]", decoration):
        group, part = "", ""
        if re.fullmatch(DAY, item, ASCII):
            group, part = "time", rf"\[({DAY})\]"
        elif re.fullmatch(r"\d{1,12}[.,]\d{3}s", item, ASCII):
            group, part = "s", r"\[(\d{1,12}+[.,]\d{3})s\]"
        elif match := re.fullmatch(r"\d{1,18}([mn]s)", item, ASCII):
            group, part = match[1], rf"\[(\d{{1,18}}+){match[1]}\]"
        known = group and group not in groups[:-1] and not (group == "time" and "time" in groups)
        pattern += part if known else r"\[[^\]\n]*+\]"
        groups += [group] if known else []
    # of two equal units the first is the clock's, the second the JVM's age: "ns", "ns" becomes "ns", "age_ns"
    distinct = (f"age_{group}" if group in groups[:place] else group for place, group in enumerate(groups))
    return Layout(pattern + " ", tuple(distinct))


@dataclass
class Clock:
    """Turns the groups of a layout into times; the first line with a lone "[...ns]" settles which clock that is."""

    lone_ns_is_age: bool | None = None

    def uptime_s(self, groups: dict[str, list[str]], size: int) -> Column:
        """Seconds since the JVM's start, from the decoration of the finest resolution; NaN if none has it."""
        if "age_ns" in groups:
            return whole(groups["age_ns"]) / 1e9
        if "age_ms" in groups and "s" not in groups:
            return whole(groups["age_ms"]) / 1e3
        if (uptime := self._uptime_from_ns(groups)) is not None:
            return uptime
        if "s" in groups:
            return decimals(groups["s"]) / 1e3
        if "ms" in groups:
            uptime = whole(groups["ms"]) / 1e3
            uptime[uptime > 1e8] = np.nan  # milliseconds since 1970, not since the start
            return uptime
        return missing(size)

    def _uptime_from_ns(self, groups: dict[str, list[str]]) -> Column | None:
        """A single [...ns] is `uptimenanos` if it agrees with [...s]; without [...s], if it is below one hour.

        No JVM of the lab logs its first line after an hour, and few machines have been up for less than one.
        """
        if "ns" not in groups or not groups["ns"]:
            return None
        if self.lone_ns_is_age is None:
            first = int(groups["ns"][0])
            age = decimals(groups["s"][:1])[0] * 1e6 if "s" in groups else None
            self.lone_ns_is_age = first < UPTIME_NANOS_BELOW if age is None else abs(first - age) < 1e7
        return whole(groups["ns"]) / 1e9 if self.lone_ns_is_age else None

    def nanotime_ns(self, groups: dict[str, list[str]], size: int) -> npt.NDArray[np.int64]:
        """System.nanoTime of the line; -1 where it is not logged."""
        if "ns" not in groups or ("age_ns" not in groups and self.lone_ns_is_age):
            return np.broadcast_to(np.int64(-1), size)
        return whole(groups["ns"])

    def time(self, groups: dict[str, list[str]], size: int) -> npt.NDArray[np.datetime64]:
        """The time of day in UTC; NaT where it is not logged."""
        if "time" in groups:
            return moments(groups["time"])
        if "ms" in groups:
            since_1970 = whole(groups["ms"])
            return np.where(since_1970 > 1e11, since_1970, np.iinfo(np.int64).min).astype("datetime64[ms]")
        return np.broadcast_to(np.datetime64("NaT", "ms"), size)


def first_stamp(text: str) -> tuple[datetime | None, float | None]:
    """Time of day in UTC and uptime of the first line that has one of them; None for what it lacks.

    >>> first_stamp("a header\\n2026-11-20T05:23:04.365+0000: 4.299: [GC (System.gc())  4M->1M(8M), 0.0040191 secs]\\n")
    (datetime.datetime(2026, 11, 20, 5, 23, 4, 365000), 4.299)
    """
    for found in ANYWHERE.finditer(text):
        shape = layout(found[0].lstrip())
        if match := re.match(shape.pattern, found[0].lstrip(), ASCII):
            groups = {name: [value] for name, value in zip(shape.groups, match.groups(), strict=True)}
            clock = Clock()
            uptime_s, time = float(clock.uptime_s(groups, 1)[0]), clock.time(groups, 1)[0]
            if not (np.isnan(uptime_s) and np.isnat(time)):
                return time.astype(datetime), None if np.isnan(uptime_s) else uptime_s
    return None, None
