"""Claims, JDKs and a time -> their verdicts: measured here as long as it lasts, the rest as they were measured before.

A page's table of verdicts would take most of the page's time. So first comes what needs no new run, since the page has
made it; then, until the time is over, one claim after the other, the cheapest first. What is left stands as it was
measured within the last day by this machine, else as the lab's own machine measured it (docs/claims.json), and says so.
"""

import math
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

from safepointlab import config
from safepointlab.claims import document, measuring, series
from safepointlab.claims.base import Claim, Verdict
from safepointlab.claims.results import Results
from safepointlab.claims.series import Step
from safepointlab.claims.table import jdk_name
from safepointlab.errors import BadInput, Stopped
from safepointlab.process import home, stopping
from safepointlab.process.recording import replaying
from safepointlab.run import launch, profile
from safepointlab.run.progress import Progress

MEASURED = home.PROJECT / "docs" / "claims.json"
SECONDS = {"quick": 1.0, "standard": 12.0, "full": math.inf}  # of a table, by profile
UNKNOWN_S = 10.0  # what a step counts for if nobody ever measured it
OVER = "not measured: the time of this table was over, and docs/claims.json has no verdict of this version of the claim"


def usable(seconds: object) -> float:
    """How long a table measures: what was asked for, else the variable, else what the profile gives.

    >>> usable(60), usable(float("inf"))
    (60.0, inf)

    Raises:
        BadInput: no number of seconds.
    """
    asked = config.VERDICTS_S.value() if seconds is None else seconds
    if asked is None:
        return SECONDS[profile.name()]
    try:
        number = float(str(asked))
    except ValueError:
        number = math.nan
    if isinstance(asked, bool) or not number >= 0:
        raise BadInput(f"seconds={asked!r} is no time. Give the seconds that may be measured, such as 60, or inf.")
    return number


def each(claims: Sequence[Claim], jdks: Sequence[int], seconds: float) -> Iterator[Verdict]:
    """The verdict on each claim and JDK, in any order; after `seconds` no run begins, and one under way ends.

    A replay takes no time over runs, and measures all.

    Raises:
        StorageFailed: verdicts cannot be kept.
    """
    if replaying() or seconds == math.inf:
        yield from series.each(claims, jdks)
        return
    results, steps = Results(), series.steps(claims, jdks)
    left = {(claim.id, jdk): (claim, jdk) for claim, jdk in steps}
    for limit_s, order in ((0.0, steps), (seconds, _cheapest_first(steps, results))):
        for (claim, jdk), verdict in _measured([step for step in order if (step[0].id, step[1]) in left], limit_s):
            del left[claim.id, jdk]
            if claim.measure:
                results.add(verdict)
            yield verdict
    yield from (_before(step, results) for step in left.values())


def _measured(steps: Sequence[Step], limit_s: float) -> Iterator[tuple[Step, Verdict]]:
    """Those steps that the time suffices for, with their verdicts."""
    with _limited(limit_s) as over, Progress(len(steps), "verdicts") as progress:
        for claim, jdk in steps:
            progress.step(f"{claim.id} on {jdk_name(jdk)}")
            with suppress(Stopped):
                yield (claim, jdk), _until(over, claim, jdk)
    launch.release()


def _until(over: threading.Event, claim: Claim, jdk: int) -> Verdict:
    with stopping.by(over):
        return measuring.run(claim, jdk)


@contextmanager
def _limited(seconds: float) -> Iterator[threading.Event]:
    """An event that is set after so many seconds."""
    over = threading.Event()
    timer = threading.Timer(seconds, over.set)
    timer.daemon = True
    timer.start() if seconds else over.set()
    try:
        yield over
    finally:
        timer.cancel()


def _cheapest_first(steps: Sequence[Step], results: Results) -> list[Step]:
    """By what all JDKs of a claim took together; each claim's JDKs stay side by side."""
    cost: dict[str, float] = {}
    for claim, jdk in steps:
        cost[claim.id] = cost.get(claim.id, 0.0) + _seconds(claim, jdk, results)
    return sorted(steps, key=lambda step: (cost[step[0].id], step[0].id))


def _seconds(claim: Claim, jdk: int, results: Results) -> float:
    here = results.seconds(claim, jdk)
    if here is None:
        here = measured().get((claim.id, 0 if claim.arithmetic else jdk), {}).get("seconds", UNKNOWN_S)
    return float(here)


def _before(step: Step, results: Results) -> Verdict:
    """The verdict as it was measured before, by this machine or the lab's; `unclear` if by neither."""
    claim, jdk = step
    entry = measured().get((claim.id, 0 if claim.arithmetic else jdk), {})
    if verdict := results.get(claim, jdk):
        return verdict
    if not document.is_current(entry, claim):
        return Verdict(claim, 0 if claim.arithmetic else jdk, "unclear", OVER)
    about = {name: entry[name] for name in ("measured", "build", "seconds", "date", "quiet")}
    return Verdict(claim, entry["jdk"], entry["verdict"], entry["why"], **about, kept=True, machine=_machine(entry))


@cache
def measured() -> Mapping[tuple[str, int], Mapping[str, Any]]:
    """What the lab's own machine measured, by claim and JDK; nothing where the package is installed by itself."""
    if not MEASURED.is_file():
        return {}
    return {(entry["id"], entry["jdk"]): entry for entry in document.load(MEASURED)["verdicts"]}


def _machine(entry: Mapping[str, Any]) -> str:
    """Where docs/claims.json has this verdict from: "4 cores, Debian GNU/Linux 12 (bookworm), x86_64"."""
    return document.machine(document.load(MEASURED), entry)


def words(verdicts: Sequence[Verdict], names: Sequence[str], seconds: float) -> str:
    """What the line below a table says of what was not measured here; "" if all was."""
    kept = [verdict for verdict in verdicts if verdict.kept]
    if not kept:
        return ""
    machines = " and ".join(dict.fromkeys(verdict.machine or "this machine" for verdict in kept))
    days = sorted({verdict.date[:10] for verdict in kept})
    rest = series.duration(sum(verdict.seconds for verdict in kept))
    call = ", ".join([*map(repr, names), 'jdk=..., seconds=float("inf")'])
    now = f"{len(verdicts) - len(kept)} of {len(verdicts)} verdicts were measured here, in {seconds:.0f} s."
    before = f"Those marked “before” were measured on {' to '.join(dict.fromkeys([days[0], days[-1]]))} on {machines}."
    return f"{now} {before} All of them here, in about {rest} more: lab.claims.verdicts({call})"
