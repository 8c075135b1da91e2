"""The pictures of lesson 14: round trips and stops, when the stops came, and what piles up without them."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb14_guaranteed import experiments
from safepointlab.course.nb14_guaranteed.round_trips import longest, trip_stops
from safepointlab.phrases import counted, listed
from safepointlab.plot import _alternative, style
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk
from safepointlab.run.load import load
from safepointlab.run.run import Run

APART = 0.22  # of a lane: how far its cases are above each other
EACH_S = (0.9, 1.2)  # apart: one stop a second
MOST_DOTS = 900  # more would blur: of many spans some are drawn, at equal distances
IN_MS = 100_000  # µs: from here on the axis counts milliseconds
ROOM = 1.42  # of the time axis: at the right end the medians are written
STOP = style.Look("a stop", "#F2C29B")
LOOKS = {  # is it at a stop?
    True: style.Look("longest round trip under way during a stop", style.COLORS[1], "", "X"),
    False: style.Look("longest in an equally long stretch without a stop", style.COLORS[0], "", "o"),
}
PALE = 0.3  # how opaque a dot is, so that the line of the median is seen among them
WRITTEN = {True: "during a stop", False: "without a stop"}
INTERVALS = {False: "stops forbidden (interval 0)", True: "allowed (interval 1,000 ms)"}  # may the VM make its stops?


def round_trips(run: Run) -> Axes:
    """Draw the longest round trips of a run of PingPong, and its stops.

    The stops are shaded. A cross is the longest round trip that touches a stop; a dot is the longest in a span of time
    as long as a stop that touches none.

    Raises:
        BadInput: the run is none of PingPong.
    """
    return trips(longest(run), trip_stops(run))


@picture("a run of guaranteed/PingPong", "begin_s", "trip_us", "at_stop")
def trips(frame: pd.DataFrame, stops: pd.DataFrame) -> Axes:
    """Draw the longest round trips on a log axis; `stops` has begin_s and total_ms, on the clock of the trips."""
    ax = style.canvas(None, height=4.9)
    if frame.empty:
        return style.empty(ax, "No round trip was noted")
    kinds = {bool(at_stop): rows for at_stop, rows in frame.groupby("at_stop")}
    medians = {at_stop: float(rows["trip_us"].median()) for at_stop, rows in kinds.items()}
    scale = 1000 if frame["trip_us"].max() >= IN_MS else 1
    for begin_s, total_ms in zip(stops["begin_s"], stops["total_ms"], strict=True):
        ax.axvspan(begin_s, begin_s + total_ms / 1000, color=STOP.color, lw=1.5, zorder=0)
    step = 1 + len(kinds.get(False, ())) // MOST_DOTS  # of so many spans one is drawn
    for at_stop, rows in kinds.items():
        look, shown, size = LOOKS[at_stop], rows if at_stop else rows.iloc[::step], 60 if at_stop else 9
        marked: dict[str, Any] = {"color": look.color, "marker": look.marker, "alpha": 1.0 if at_stop else PALE}
        ax.scatter(shown["begin_s"], shown["trip_us"] / scale, s=size, **marked)
    style.log_axis(ax)
    ax.set_ylim(frame["trip_us"].min() * 0.6 / scale, frame["trip_us"].max() * 1.6 / scale)
    until_s = float((frame["begin_s"] + frame["trip_us"] / 1e6).max()) or 1.0
    ax.set_xlim(-0.04 * until_s, ROOM * until_s)
    ax.set_xticks([tick for tick in ax.get_xticks() if 0 <= tick <= 1.01 * until_s])
    for at_stop, median in medians.items():  # at the right end, each at its height
        said, color = f"{WRITTEN[at_stop]}:\n{style.us(median)} (median)", LOOKS[at_stop].color
        line: dict[str, Any] = {"color": color, "lw": 1.2 if at_stop else 2.2, "zorder": 1 if at_stop else 3}
        ax.plot([0, until_s * 1.02], [median / scale] * 2, "--", **line)
        style.label(ax, until_s * 1.04, median / scale, said, color=color, fontweight="bold")
    style.axis_names(ax, "since the first round trip, s", f"round trip, {'ms' if scale > 1 else 'µs'} (log)")
    as_long = ""
    if len(kinds) == 2:
        as_long = f"{100 * float((kinds[False]['trip_us'] >= medians[True]).mean()):.1f} %"
        if step > 1:
            drawn = f"1 dot in {step} is drawn; {as_long} of all {len(kinds[False]):,}"
            style.note(ax, f"since the first round trip, s\n({drawn} are as long as the median cross)")
    drawn_kinds = [kind for kind in LOOKS if kind in kinds]
    marks = [ax.scatter([], [], color=LOOKS[kind].color, marker=LOOKS[kind].marker) for kind in drawn_kinds]
    names = [*(LOOKS[kind].label for kind in drawn_kinds), STOP.label]
    ax.legend([*marks, ax.fill_between([], [], color=STOP.color)], names, ncols=2, **style.KEY)
    style.finding(ax, _trips_finding(medians, kinds, stops), key_rows=2)
    _alternative.own(ax, _trips_words(medians, kinds, stops, as_long))
    return ax


def _trips_finding(medians: dict[bool, float], kinds: dict[bool, pd.DataFrame], stops: pd.DataFrame) -> str:
    if True not in kinds:
        return "No round trip touches a stop" if len(stops) else "There was no stop, only round trips"
    takes = f"The longest round trip during a stop: {style.us(medians[True])} (median)"
    if False not in kinds:
        return f"{takes}; there are no others"
    return f"{takes};\nin an equally long stretch without one: {style.us(medians[False])}"


def _trips_words(medians: dict[bool, float], kinds: dict[bool, pd.DataFrame], stops: pd.DataFrame, as_long: str) -> str:
    """What the picture shows, in words: of each kind its own number and median."""
    total_ms = stops["total_ms"].astype("float64")
    lengths = f", {style.ms(total_ms.min())} to {style.ms(total_ms.max())} long" if len(stops) else ""
    said = [f"{counted(len(stops), 'stop')}{lengths}."]
    if True in kinds:
        met = f"Noted round trips touch {len(kinds[True])} of them"
        said.append(f"{met}; the longest at each takes {style.us(medians[True])} (median).")
    if False in kinds:
        spans = f"In {len(kinds[False]):,} spans elsewhere, each as long as a stop"
        said.append(f"{spans}, it is {style.us(medians[False])} (median).")
    if as_long:
        said.append(f"{as_long} of these spans have one as long as that at a stop.")
    return " ".join(said)


@picture("lab.sweep of guaranteed/OnceASecond", "jdk", "gc", "flags", "args", "run")
def stop_times(frame: pd.DataFrame) -> Axes:
    """Draw a lane per JDK, the oldest on top, with a mark for each stop at its time: by the clock, or for a collection.

    In each lane the cases are in the order of the sweep. A run without such a stop says so. Where only one JDK was run,
    each case has a lane of its own.
    """
    table = _moments(frame)
    jdks, cases = sorted(table["jdk"].unique()), list(dict.fromkeys(table["case"]))
    several = len(jdks) > 1
    rows: list[object] = list(jdks) if several else list(cases)
    ax = style.canvas(None, height=1.7 + 0.62 * max(len(rows), 2))
    if table.empty:
        return style.empty(ax, "Nothing was run")
    until_s = float(table["until_s"].max())
    ax.vlines(range(int(until_s) + 1), -0.6, len(rows) - 0.4, color=style.LINE, lw=1, ls=":", zorder=0)
    looks = [(style.COLORS[n % len(style.COLORS)], style.MARKERS[n % len(style.MARKERS)]) for n in range(len(cases))]
    looks = looks if several else looks[:1] * len(cases)  # a lane of its own tells the cases apart
    for (jdk, case), lane in table.groupby(["jdk", "case"], sort=False):
        number, stops = cases.index(case), lane.dropna(subset="begin_s")
        y = rows.index(jdk) + APART * (2 * number - len(cases) + 1) if several else float(rows.index(case))
        color, marker = looks[number]
        ax.plot([0, until_s], [y, y], color=style.LINE, lw=1, zorder=0)
        clock_s, requested_s = (stops.loc[stops["requested"] == requested, "begin_s"] for requested in (False, True))
        ax.plot(clock_s, [y] * len(clock_s), marker, ms=9, color=color)
        ax.plot(requested_s, [y] * len(requested_s), "x", ms=9, mew=2.5, color=color)
        if stops.empty:
            style.label(ax, 0.02 * until_s, y, "none", color=style.MUTED, fontsize=style.SMALL_PT - 2)
    ax.set(xlim=(0, 1.02 * until_s), ylim=(len(rows) - 0.4, -0.6))
    ax.set_yticks(range(len(rows)), [f"JDK {row}" for row in rows] if several else cases)
    ax.tick_params(axis="y", length=0)
    style.axis_names(ax, "uptime, s")
    for (color, marker), case in zip(looks, cases if several else [], strict=False):
        ax.plot([], [], marker, ms=9, color=color, label=case)
    if table["requested"].any():
        if not several:  # all lanes have this mark
            ax.plot([], [], looks[0][1], ms=9, color=looks[0][0], label="guaranteed safepoint")
        ax.plot([], [], "x", ms=9, mew=2.5, color=style.INK if several else looks[0][0], label="the collection")
    if names := ax.get_legend_handles_labels()[1]:
        ax.legend(ncols=len(names), **style.KEY)
    style.finding(ax, _times_finding(table, frame))
    _alternative.own(ax, _times_words(table))
    return ax


def _moments(frame: pd.DataFrame) -> pd.DataFrame:
    """The stops by the clock and for collections in a sweep of OnceASecond, one row each; a run without has one, too.

    Returns:
        jdk, case, begin_s, requested (by a collection, not by the clock), until_s (how long the JVM lived).
    """
    known = frame[frame["run"].fillna("") != ""]
    lanes = []
    for name, jdk, case in zip(known["run"], known["jdk"], experiments.cases(known), strict=True):
        run = load(name)
        collects = experiments.is_collection(run.safepoints)
        logged = run.safepoints[collects | experiments.is_periodic(run.safepoints)]
        begins_s = list(logged["begin_s"].astype("float64")) or [float("nan")]
        lane = {"jdk": jdk, "case": case, "until_s": run.wall_ms / 1000, "begin_s": begins_s}
        lanes.append(pd.DataFrame({**lane, "requested": list(collects[logged.index]) or [False]}))
    none = pd.DataFrame(columns=["jdk", "case", "until_s", "begin_s", "requested"])
    return pd.concat(lanes, ignore_index=True) if lanes else none


def _times_finding(table: pd.DataFrame, frame: pd.DataFrame) -> str:
    """Whether the stops moved, where each run has a collection among them; or where they are a second apart."""
    places = experiments.places(frame)
    if len(places) and places.notna().all(axis=None):
        moved = experiments.apart_ms(places["after_ms"] - places["before_ms"]) >= experiments.NEAR_MS
        some = f"in {moved.sum()} of {len(moved)} runs at another point"
        where = "at another point" if moved.all() else some if moved.any() else "at the same point"
        return f"After a collection (x) the stops come\n{where} in the second"
    told = []
    for case, lanes in table.groupby("case", sort=False):
        clock = {jdk: stops.loc[~stops["requested"], "begin_s"].dropna() for jdk, stops in lanes.groupby("jdk")}
        regular = [jdk for jdk, begins_s in clock.items() if _each_second(begins_s)]
        never = [jdk for jdk, begins_s in clock.items() if begins_s.empty]
        rest = f"; none on JDK {listed(never)}" if never else ""
        told += [f"With {case}, stops are a second\napart on JDK {listed(regular)}{rest}"] if regular else []
    return ";\n".join(told) or "On no JDK are the stops a second apart"


def _each_second(begins_s: "pd.Series[float]") -> bool:
    """Whether these are three stops or more, a second apart."""
    return len(begins_s) >= 3 and bool(EACH_S[0] <= float(begins_s.sort_values().diff().median()) <= EACH_S[1])


def _times_words(table: pd.DataFrame) -> str:
    """How many stops by the clock each run had."""
    clock = table["begin_s"].where(~table["requested"])
    counts = clock.groupby([table["case"], table["jdk"]], sort=False).count()
    by_case = []
    for case in dict.fromkeys(table["case"]):
        of_jdk = [f"{counted(number, 'stop')} on JDK {jdk}" for jdk, number in counts[case].items()]
        by_case.append(f"{case}: {', '.join(of_jdk)}")
    asked = int(table["requested"].sum())
    requested = f" {asked} more {'was' if asked == 1 else 'were'} requested by a collection." if asked else ""
    return f"Within {table['until_s'].max():.0f} s, {'; '.join(by_case)}.{requested}"


@picture("lab.sweep of guaranteed/OnceASecond", "jdk", "flags", "grown_mib")
def grown(frame: pd.DataFrame) -> Axes:
    """Draw how much the process grew with the stops and without: the medians of a sweep with two intervals of them.

    The flags set the interval in ms; 0 is none. The program prints grown_mib.
    """
    mib = experiments.growth_mib(frame)
    if mib.empty:
        return style.empty(style.canvas(None), "Nothing was run with an interval of the stops")
    table = mib.rename(columns=INTERVALS).melt(value_name="grown_mib", ignore_index=False).reset_index()
    what, title = "growth of the process", _grown_finding(mib)
    ax = by_jdk(table, y="grown_mib", by="allowed", what=what, unit="MiB", log_scale=False, title=title)
    if not frame.duplicated(["jdk", "flags"]).any():
        style.note(ax, "one JVM for each mark")
    return ax


def _grown_finding(mib: pd.DataFrame) -> str:
    """On which JDKs it grows by much more without the stops, and by how much others grow, forbidden or allowed."""
    if len(mib.columns) < len(INTERVALS):
        return "How much the process grew"
    more = mib.index[experiments.grows_more(mib)]
    if more.empty:
        return "Without the stops the process doesn't grow more"
    said = f"On JDK {listed(more)} a process grows far more without stops"
    others = mib.drop(more)
    as_well = others[others.min(axis=1) > experiments.LEAST_MIB]
    if as_well.empty:
        return f"{said};\nno more on the others" if len(others) else said
    much = " to ".join(dict.fromkeys(f"{end:.0f}" for end in (as_well.to_numpy().min(), as_well.to_numpy().max())))
    return f"{said};\non JDK {listed(as_well.index)} by {much} MiB\nwith either interval"
