"""The JDKs of this machine -> the map of JDKs: one row a default, one column a JDK of the lab's set."""

from collections.abc import Callable, Mapping
from functools import cache

from safepointlab import jdks
from safepointlab.errors import LabError
from safepointlab.jdks import default_collector
from safepointlab.jdks.flag_facts import COLLECTOR
from safepointlab.jdks.flags import Flag, known
from safepointlab.run.profile import LAB_SET

Flags = Mapping[str, Flag]
NOT_HERE, NOT_KNOWN = "not here", "–"  # a JDK that this machine lacks; a flag that a JDK does not know
SERVER, SMALL = (4, 8.0), (1, 1.0)  # cores and GiB of two machines, on either side of HotSpot's limit


@cache
def flags_of(major: int) -> Flags | None:
    """The flags of this machine's JDK of that version; None if there is none that starts."""
    try:
        return known(jdks.get(major))
    except LabError:
        return None


def default(name: str, major: int) -> str:
    """A flag's default on that JDK, on this machine, as it is said: on, off, a number; or why there is none."""
    flags = flags_of(major)
    if flags is None:
        return NOT_HERE
    if name not in flags:
        return NOT_KNOWN
    value = flags[name].default
    return {"true": "on", "false": "off"}.get(value, value.removesuffix(".000000"))


def rows() -> dict[str, list[str]]:
    """The map: what is told, and what is so on each JDK of the lab's set, from the oldest on."""
    return {**_collectors(), **{name: [_told(told, major) for major in LAB_SET] for name, told in FACTS.items()}}


def _collectors() -> dict[str, list[str]]:
    machines = {"collector on a server": SERVER, "collector with 1 CPU": SMALL}
    return {
        name: [default_collector.choice(major, *machine)[0] for major in LAB_SET] for name, machine in machines.items()
    }


def _told(told: Callable[[Flags], str], major: int) -> str:
    flags = flags_of(major)
    return NOT_HERE if flags is None else told(flags)


def _switched(flags: Flags, name: str, on: str = "on", off: str = "off", absent: str = NOT_KNOWN) -> str:
    return absent if name not in flags else on if flags[name].default == "true" else off


def _strips(flags: Flags) -> str:
    """Strip mining as the collector has it that this JDK chooses on this machine."""
    if "LoopStripMiningIter" not in flags:
        return "none yet"
    strip, chosen = flags["LoopStripMiningIter"].default, next(filter(None, map(_collector, flags.values())), "none")
    return _switched(flags, "UseCountedLoopSafepoints", f"{chosen}: strips of {int(strip):,}", f"{chosen}: off")


def _collector(flag: Flag) -> str:
    """The collector that this flag is about, if it is the one that the JDK chooses here; else ""."""
    used = COLLECTOR.fullmatch(flag.name)
    return used[1] if used and flag.default == "true" else ""


def _biased(flags: Flags) -> str:
    delay = flags["BiasedLockingStartupDelay"].default if "BiasedLockingStartupDelay" in flags else "0"
    on = "on from the start" if delay == "0" else f"on after {int(delay):,} ms"
    return _switched(flags, "UseBiasedLocking", on, absent="gone")


def _guaranteed(flags: Flags) -> str:
    interval = flags["GuaranteedSafepointInterval"].default
    return "never by itself" if interval == "0" else f"each {int(interval):,} ms, if needed"


def _stops(flags: Flags) -> str:
    return "PrintGCApplicationStoppedTime" if "PrintGCApplicationStoppedTime" in flags else "-Xlog:safepoint"


def _zgc(flags: Flags) -> str:
    return NOT_KNOWN if "UseZGC" not in flags else "experimental" if flags["UseZGC"].kind == "experimental" else "there"


FACTS: dict[str, Callable[[Flags], str]] = {
    "strip mining": _strips,
    "tiered compilation": lambda flags: _switched(flags, "TieredCompilation"),
    "biased locking": _biased,
    "guaranteed safepoint": _guaranteed,
    "log of the stops": _stops,
    "ZGC": _zgc,
    "Shenandoah, in this build": lambda flags: "there" if "UseShenandoahGC" in flags else NOT_KNOWN,
    "compact object headers": lambda flags: _switched(flags, "UseCompactObjectHeaders"),
}
