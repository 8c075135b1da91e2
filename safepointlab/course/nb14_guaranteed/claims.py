"""The stop that comes by itself: claims 001-01 to -05, -08, -09, -11 and -12, each run again on one JDK.

OnceASecond leaves the JVM something to tidy up, in 5 to 7 s where the post's log has 26.
"""

from safepointlab import jdks
from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, not_asked, refuted, unclear
from safepointlab.course.nb14_guaranteed import experiments as guaranteed
from safepointlab.course.nb14_guaranteed import logs as guaranteed_logs
from safepointlab.course.nb14_guaranteed.experiments import GROWING_S
from safepointlab.errors import FlagRejected
from safepointlab.jdks import flags

NO_WORK = "JDK-8322630 (23): call sites change without a stop; JDK-8329488 (23): nobody looks for work any more"
NOT_LOOKED_FOR = "JDK-8325872 (23): the default is 0"
OWN_THREAD = "JDK-8153224 (15): a thread of its own takes back idle monitors"
NO_MONITOR = "JDK-8319251 (23): a locked object gets its hash code without a monitor"
UNIFIED = "JEP 158 (9): the unified log, which took that flag's place in 12, has the name Cleanup on 17 and 21"
NO_STOP = "this JDK made no such stop"
STEADY_MS = 5  # the post's stops moved by 2 ms in 26 s
AT_RANDOM_MS = 100  # the median of random places is 250 ms from a whole second
ABOUT_100_US = (30, 300)


def _zero_garbage(jdk: int) -> Evidence:
    run = guaranteed.once_a_second(jdk)
    stops = guaranteed.stops(run)
    return {
        "collections": len(run.gc),
        "stops": len(stops),
        "median_us": float(1000 * stops["total_ms"].median()) if len(stops) else None,
    }


def _stopped_all_the_same(measured: Evidence, jdk: int) -> Judgement:
    if measured["collections"]:
        return unclear("there were collections, which may tidy up instead")
    if not measured["stops"]:
        return refuted("no stop", jdk, since=23, cause=NO_WORK)
    least, most = ABOUT_100_US
    if least <= measured["median_us"] <= most:
        return holds("of the same order, while there is something to tidy up")
    far = measured["median_us"] > 10 * most or measured["median_us"] < least / 3
    return fails("they are of another length") if far else unclear("somewhat off 100 us, as on a busy machine")


def _phase(jdk: int) -> Evidence:
    gaps = guaranteed.spacing(guaranteed.once_a_second(jdk))
    return {"gaps": len(gaps), "off a whole second, ms": float(1000 * (gaps - gaps.round()).abs().median())}


def _same_place(measured: Evidence, jdk: int) -> Judgement:
    if not measured["gaps"]:
        return not_asked(NO_STOP)
    if measured["off a whole second, ms"] < STEADY_MS:
        return holds("whole seconds after the stop before; which place it is, the last request decides")
    if measured["off a whole second, ms"] > AT_RANDOM_MS:
        return fails("they are not whole seconds apart")
    return unclear("about whole seconds: the VM thread got its core late")


def _irregular(jdk: int) -> Evidence:
    gaps = guaranteed.spacing(guaranteed.now_and_then(jdk))
    off_ms = float(1000 * (gaps - gaps.round()).abs().median())
    return {"gaps": len(gaps), "longest gap, s": float(gaps.max()), "off a whole second, ms": off_ms}


def _not_each_second(measured: Evidence, jdk: int) -> Judgement:
    if not measured["gaps"]:
        return not_asked(NO_STOP)
    if measured["longest gap, s"] < 1.5:
        return fails("there was one each second")
    if measured["off a whole second, ms"] < STEADY_MS:
        return holds("in a second that leaves nothing to tidy up the VM thread looks, and makes no stop")
    late = measured["off a whole second, ms"] > AT_RANDOM_MS
    return fails("the gaps are not whole seconds") if late else unclear("about whole seconds")


def _name(jdk: int) -> Evidence:
    names = guaranteed_logs.table(guaranteed_logs.with_table(jdk))["operation"]
    stops = len(guaranteed.stops(guaranteed_logs.with_table(jdk)))
    return {"stops": stops, "name": ", ".join(names.unique())}


def _no_vm_operation(measured: Evidence, jdk: int) -> Judgement:
    if not measured["stops"]:
        return not_asked(NO_STOP)
    if measured["name"] == "no vm operation":
        return holds("in the table of PrintSafepointStatistics")
    return refuted("it has another name", jdk, since=12, cause=UNIFIED)


def _stamps(jdk: int) -> Evidence:
    apart = guaranteed_logs.apart_ms(guaranteed_logs.with_table(jdk))
    return {"stops in both logs": len(apart), "farthest apart, ms": max(apart, default=float("nan"))}


def _same_stamps(measured: Evidence, jdk: int) -> Judgement:
    if not measured["stops in both logs"]:
        return not_asked(NO_STOP)
    if measured["farthest apart, ms"] <= 2:
        return holds("each stop of the one is in the other, as exactly as they print it")
    return fails("the logs differ") if measured["farthest apart, ms"] > 20 else unclear("some ms apart")


def _default(jdk: int) -> Evidence:
    flag = flags.known(jdks.get(jdk))["GuaranteedSafepointInterval"]
    return {"default_ms": float(flag.default), "diagnostic": flag.kind == "diagnostic"}


def _a_second(measured: Evidence, jdk: int) -> Judgement:
    if not measured["diagnostic"]:
        return fails("it is no diagnostic flag")
    if measured["default_ms"] == 1000:
        return holds("-XX:+UnlockDiagnosticVMOptions must come before it")
    return refuted("the default is another", jdk, since=23, cause=NOT_LOOKED_FOR)


def _off(jdk: int) -> Evidence:
    never = guaranteed.once_a_second(jdk, guaranteed.interval(300_000), guaranteed.BRIEF)
    runs = {"stops": guaranteed.once_a_second(jdk), "with 300000": never}
    return {name: len(guaranteed.stops(run)) for name, run in runs.items()}


def _removed(measured: Evidence, jdk: int) -> Judgement:
    if not measured["stops"]:
        return not_asked(NO_STOP)
    return fails("there are still some") if measured["with 300000"] else holds("none within the first five minutes")


def _memory(jdk: int) -> Evidence:
    grown = {ms: float(guaranteed.monitors(jdk, ms).values["grown_mib"]) for ms in (1000, 0)}
    return {"grown_mib": grown[1000], "grown with 0, mib": grown[0]}


def _grows(measured: Evidence, jdk: int) -> Judgement:
    stopped, never = measured["grown_mib"], measured["grown with 0, mib"]
    if never > 30 and never > 1.8 * stopped:
        return holds(f"{never - stopped:.0f} MiB of monitors that nobody holds are still there after {GROWING_S} s")
    if never > 1.4 * stopped + 10:
        return unclear("it grows somewhat more without the stops")
    cause = OWN_THREAD if jdk < 23 else f"{OWN_THREAD}; {NO_MONITOR}"
    return refuted("it grows no more without the stops", jdk, since=15, cause=cause)


def _flag_names(jdk: int) -> Evidence:
    names = ("PrintApplicationStoppedTime", "PrintGCApplicationStoppedTime")
    return {name: "known" if _is_known(name, jdk) else "unknown" for name in names}


def _is_known(name: str, jdk: int) -> bool:
    try:
        return bool(flags.check(f"-XX:+{name}", jdks.get(jdk)))
    except FlagRejected:
        return False


def _works(measured: Evidence, jdk: int) -> Judgement:
    if measured["PrintApplicationStoppedTime"] == "known":
        return holds("the JVM takes it")
    real = measured["PrintGCApplicationStoppedTime"]
    return fails(f"a slip of the pen: it is PrintGCApplicationStoppedTime ({real} here)")


CLAIMS = [
    Claim(
        "001-01",
        "A program that makes no garbage is stopped nevertheless, for about 100 us",
        as_published="8 stops in 26 s, of 86.5 to 142.1 us",
        measure=_zero_garbage,
        judge=_stopped_all_the_same,
        refuted_by=({"collections": 0, "stops": 0, "median_us": 90.0}, 8),
    ),
    Claim(
        "001-02",
        "The stops fall on the same place in the second: each comes whole seconds after the one before",
        as_published="always about 205 ms into the second: 20.204 … 46.207 s",
        measure=_phase,
        judge=_same_place,
        refuted_by=({"gaps": 4, "off a whole second, ms": 230.0}, 8),
    ),
    Claim(
        "001-03",
        "The safepoint statistics call them “no vm operation”",
        as_published="“no vm operation”, by -XX:+PrintSafepointStatistics",
        measure=_name,
        judge=_no_vm_operation,
        refuted_by=({"stops": 4, "name": "ForceSafepoint"}, 8),
    ),
    Claim(
        "001-04",
        "GuaranteedSafepointInterval, a diagnostic flag, is 1000 ms",
        as_published="1000 {diagnostic}",
        measure=_default,
        judge=_a_second,
        refuted_by=({"default_ms": 500.0, "diagnostic": True}, 8),
    ),
    Claim(
        "001-05",
        "With an interval of 300000 ms the stops are gone",
        as_published="none expected in a test of less than 300 s; the 100 us jitter was gone",
        measure=_off,
        judge=_removed,
        refuted_by=({"stops": 4, "with 300000": 3}, 8),
    ),
    Claim(
        "001-08",
        "It is not wise to do without: what is tidied up at these stops piles up",
        as_published="“probably not a good idea”, from mailing lists; not measured",
        measure=_memory,
        judge=_grows,
        refuted_by=({"grown_mib": 60.0, "grown with 0, mib": 62.0}, 8),
    ),
    Claim(
        "001-09",
        "-XX:+PrintApplicationStoppedTime logs the stops",
        as_published="the flag's name as printed in the post",
        measure=_flag_names,
        judge=_works,
        refuted_by=({"PrintApplicationStoppedTime": "unknown", "PrintGCApplicationStoppedTime": "known"}, 8),
    ),
    Claim(
        "001-11",
        "The stops do not come each second: there are gaps of several whole seconds",
        as_published="gaps of 1, 4, 10, 4, 1, 1 and 5 s",
        measure=_irregular,
        judge=_not_each_second,
        refuted_by=({"gaps": 6, "longest gap, s": 1.0, "off a whole second, ms": 0.5}, 8),
    ),
    Claim(
        "001-12",
        "The time stamps of the safepoint statistics match those of the log of stopped times",
        as_published="20.204 … 46.207 s in both, one of eight 1 ms apart",
        measure=_stamps,
        judge=_same_stamps,
        refuted_by=({"stops in both logs": 3, "farthest apart, ms": 480.0}, 8),
    ),
]
