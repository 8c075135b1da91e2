"""Which queues are cured of nepotism, and what that costs size(): claims 003c-04 to -08 and 003c-11 on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.claims.nepotism import about
from safepointlab.topics.nepotism import CUT, JCTOOLS, JDK_QUEUES, REUSED, SPSC, promoted_mib, queue, real_queue, size

TRUE_SIZE = 1000
KEPT = "MiB promoted: links kept"
ONE_STAYS = "the same while one element stays"


def _works(kept_mib: float, cured_mib: float) -> Judgement:
    """Is a queue cured that promotes so much, where one that keeps its links promotes that?"""
    if kept_mib < 100:
        return fails("there is nothing to cure")
    if cured_mib < kept_mib / 20:
        return holds("no chain, no promotion")
    return fails("the cured queue's nodes are promoted, too")


def _unlinked(jdk: int) -> Evidence:
    return {KEPT: promoted_mib(queue(jdk)), "links cut": promoted_mib(queue(jdk, CUT))}


def _cured(measured: Evidence, jdk: int) -> Judgement:
    return _works(measured[KEPT], measured["links cut"])


def _self_linked(jdk: int) -> Evidence:
    jars = {f"JCTools {version}": f"{JCTOOLS}:{version}" for version in ("1.1", "4.0.5")}
    promoted = {name: promoted_mib(real_queue(jdk, SPSC, jar)) for name, jar in jars.items()}
    return {**about("MiB promoted", promoted), "sizes too low": int(size(jdk, "self").values["too_low"])}


def _cured_and_size_usable(measured: Evidence, jdk: int) -> Judgement:
    cured = _works(measured["MiB promoted: JCTools 1.1"], measured["JCTools 4.0.5"])
    if cured.state == "holds" and measured["sizes too low"]:
        return fails("it is cured, but size() falls short all the same")
    return cured


def _reused(jdk: int) -> Evidence:
    kept, reused = promoted_mib(queue(jdk)), promoted_mib(queue(jdk, REUSED))
    return {KEPT: kept, "empty node reused": reused, ONE_STAYS: promoted_mib(queue(jdk, REUSED, staying=1))}


def _fewer_when_empty(measured: Evidence, jdk: int) -> Judgement:
    if (cured := _works(measured[KEPT], measured["empty node reused"])).state != "holds":
        return cured
    if measured[ONE_STAYS] > 100:
        return holds("as long as the queue runs empty; with one element that stays it is as bad as before")
    return holds("also when it never runs empty")


def _weaker_size(jdk: int) -> Evidence:
    unlinked, linked = size(jdk, "unlink").values, size(jdk, "self").values
    names = {"asked": "asked", "too low": "too_low", "lowest": "lowest"}
    walks = {name: int(unlinked[key]) for name, key in names.items()}
    return {**walks, "self-linked: too low": int(linked["too_low"]), "overtaken": int(linked["restarts"])}


def _falls_short(measured: Evidence, jdk: int) -> Judgement:
    if not measured["too low"] and not measured["overtaken"]:
        return unclear("no walk along the queue was overtaken in the time it had")
    if not measured["too low"]:
        return fails("walks were overtaken, yet none came out too low")
    return holds(f"of {TRUE_SIZE} elements: a node that was cut off looks like the queue's end")


def _of_the_jdk(jdk: int) -> Evidence:
    promoted = {name.rpartition(".")[2]: promoted_mib(real_queue(jdk, name)) for name in JDK_QUEUES}
    return {KEPT: promoted_mib(queue(jdk)), **promoted}


def _immune(measured: Evidence, jdk: int) -> Judgement:
    most = max(mib for name, mib in measured.items() if name != KEPT)
    if most < measured[KEPT] / 20:
        return holds("they part with their nodes since JDK-6805775 and JDK-6806875 (JDK 7)")
    return fails("one of them promotes its nodes")


CLAIMS = [
    Claim(
        "003c-04",
        "Akka's cure, setting next to null on poll, works",
        then="cured (akka issue 19216)",
        measure=_unlinked,
        judge=_cured,
        refuted_by=({KEPT: 256.0, "links cut": 230.0}, 17),
    ),
    Claim(
        "003c-05",
        "JCTools' cure, linking a dead node to itself, works, and size() stays usable",
        then="cured",
        measure=_self_linked,
        judge=_cured_and_size_usable,
        refuted_by=({"MiB promoted: JCTools 1.1": 256.0, "JCTools 4.0.5": 0.0, "sizes too low": 36}, 17),
    ),
    Claim(
        "003c-06",
        "Agrona's reuse of one empty node lessens promotion in a queue that is mostly empty",
        then="fewer promotions",
        measure=_reused,
        judge=_fewer_when_empty,
        refuted_by=({KEPT: 256.0, "empty node reused": 250.0, ONE_STAYS: 256.0}, 17),
    ),
    Claim(
        "003c-07",
        "Setting next to null weakens size()",
        then="less accurate",
        measure=_weaker_size,
        judge=_falls_short,
        refuted_by=({"asked": 90_000, "too low": 0, "lowest": 1000, "self-linked: too low": 0, "overtaken": 60}, 17),
    ),
    Claim(
        "003c-08",
        "The JDK's own linked queues are immune",
        then="cured by Doug Lea long before",
        measure=_of_the_jdk,
        judge=_immune,
        refuted_by=({KEPT: 256.0, "LinkedBlockingQueue": 256.0}, 17),
    ),
    Claim(
        "003c-11",
        "Queues and encoders of servers (JBoss, Netty) had 20 times the promotion",
        then="20 times",
        not_run="needs those servers of 2016 under their load; what their queues have in common is claim 003c-01",
    ),
]
