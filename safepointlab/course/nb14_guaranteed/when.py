"""Runs of OnceASecond -> when the stops came that nobody asked for: at what time, and where in the second.

guaranteed_when.each_case(jdks)          at rest and with changing call sites, on each JDK
guaranteed_when.moments(once)            their stops, as lab.plot.stop_lanes draws them
guaranteed_when.who_is_stopped(once)     on which JDKs call sites that change bring a stop each second: its title
guaranteed_when.places(moved)            of the runs of guaranteed.collecting: before the request and after it
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from safepointlab.course.nb14_guaranteed.experiments import AT_REST, CHANGING, stops, swept
from safepointlab.read.safepoint import PERIODIC
from safepointlab.run.load import load
from safepointlab.run.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame, Series

OFTEN = 3  # stops in 5 s: one a second, but for start and exit
NEAR_MS = 100  # two places in the second that are one, on a busy machine too
CASES = {AT_REST: "at rest", CHANGING: "10 call sites change a second"}


def each_case(jdks: Iterable[int]) -> "DataFrame":
    """OnceASecond at rest and while call sites change, on each JDK: the rows of `counted`, and the case."""
    frame = swept(list(jdks), args=[CHANGING, AT_REST], jobs=6)
    return frame.assign(case=frame["args"].map(CASES))


def who_is_stopped(frame: "DataFrame") -> str:
    """Of `each_case`: where call sites that change bring a stop each second, and where none: a picture's title."""
    stops = frame[frame["case"] == CASES[CHANGING]].set_index("jdk")["stops"]
    often, never = _jdks(stops[stops >= OFTEN]), _jdks(stops[stops == 0])
    if not often:
        return "While call sites change, no JDK stops everybody each second"
    rest = f"; JDK {never} never" if never else ""
    return f"While call sites change, JDK {often} stop{'' if ' ' in often else 's'} everybody\nonce a second{rest}"


def _jdks(by_jdk: "Series[int]") -> str:
    return " to ".join(map(str, dict.fromkeys([*by_jdk.index[:1], *by_jdk.index[-1:]])))


def moments(frame: "DataFrame") -> "DataFrame":
    """The stops of `each_case`, one a row: jdk, case, begin_s (missing in the one row of a run without), until_s."""
    from pandas import concat

    rows = [_moments(load(row["run"]), row["jdk"], row["case"]) for row in frame.to_dict("records")]
    return concat(rows, ignore_index=True)


def _moments(run: Run, jdk: int, case: str) -> "DataFrame":
    from pandas import DataFrame

    begins_s = list(stops(run)["uptime_s"]) or [float("nan")]
    return DataFrame({"jdk": jdk, "case": case, "begin_s": begins_s, "until_s": run.wall_ms / 1000})


def shifted(moved: "Mapping[str, Run]") -> str:
    """Whether the stops come elsewhere in the second after a collection: the title of the picture of `collecting`."""
    table = places(moved)
    if (apart(table["after_ms"] - table["before_ms"]) >= NEAR_MS).all():
        return "After a request (x) the stops come\nat another place in the second"
    return "A request (x), and where in the second\nthe stops come after it"


def apart(differences: Any) -> Any:
    """How far two places in the second are from each other, round the clock, in ms.

    >>> apart(980.0), apart(-300.0)
    (20.0, 300.0)
    """
    return abs((differences + 500) % 1000 - 500)


def places(moved: "Mapping[str, Run]") -> "DataFrame":
    """Where in the second the stops of `collecting` come, run by run, in ms.

    Returns:
        before_ms and after_ms: the median of the periodic stops before the collection and after it. request_ms: its
        own. spread_ms: how far those before are from each other. skipped: a second without a stop follows it.
    """
    from pandas import DataFrame

    return DataFrame({name: _places(run) for name, run in moved.items()}).T


def _places(run: Run) -> dict[str, float]:
    logged = run.safepoints[run.safepoints["total_ms"].notna()]
    begins_s, requested_s = stops(run)["uptime_s"], logged.loc[~logged["operation"].isin(PERIODIC), "begin_s"].min()
    early, late = begins_s[begins_s < requested_s], begins_s[begins_s > requested_s]
    early_ms, late_ms = 1000 * (early % 1), 1000 * (late % 1)
    return {
        "before_ms": early_ms.median(),
        "request_ms": 1000 * (requested_s % 1),
        "after_ms": late_ms.median(),
        "spread_ms": early_ms.max() - early_ms.min(),
        "skipped": float(late.min() - early.max() > 1.5),
    }
