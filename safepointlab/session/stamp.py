"""This machine at this moment -> the line under every result: cores, memory, system, JDK builds, profile, date."""

import itertools
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from safepointlab import jdks
from safepointlab.process import recording
from safepointlab.session import machine, profile


@dataclass(frozen=True)
class Stamp:
    """Where and when results were made; prints itself in one line."""

    cores: int
    memory_gib: float
    system: str
    jdks: tuple[str, ...]
    profile: str
    date: str
    replay: bool
    jmh: str = ""

    def __str__(self) -> str:
        versions = ", ".join(self.jdks) or "none"
        facts = [f"{self.cores} cores", f"{self.memory_gib:.0f} GiB", self.system, f"JDKs {versions}"]
        replay = ["REPLAY of recorded runs"] if self.replay else []
        jmh = [self.jmh] if self.jmh else []
        return " · ".join([*replay, *facts, f"profile {self.profile}", *jmh, self.date])

    __repr__ = __str__


def stamp(jmh: str = "") -> Stamp:
    """The stamp of this machine, now; with JMH's options it also says how many forks and iterations there were."""
    versions = tuple(sorted_versions())
    date = datetime.now(UTC).strftime("%Y-%m-%d")
    replay = recording.replaying() is not None
    return Stamp(
        machine.cores(),
        machine.memory_gib(),
        machine.system(),
        versions,
        profile.name(),
        date,
        replay,
        effort(jmh) if jmh else "",
    )


def sorted_versions() -> list[str]:
    """The version of the JDK that each feature number stands for on this machine, the oldest first."""
    majors = sorted({jdk.major for jdk in jdks.find()})
    return [jdks.get(major).version for major in majors]


def facts() -> dict[str, Any]:
    """What a recording keeps of the machine; cheap, as every run asks for it."""
    return {"machine": {"cores": machine.cores(), "system": machine.system()}, "profile": profile.name()}


def effort(options: str) -> str:
    """JMH's options -> how much was measured, in words.

    >>> effort("-f 2 -wi 3 -w 300ms -i 5 -r 200ms -tg 1,1")
    'JMH: 2 forks, 3 warm-up iterations of 300ms, 5 measured of 200ms'
    """
    words = shlex.split(options)
    # JMH's options have the form "-name value"; pairs that begin with a value do no harm
    by_name = dict(itertools.pairwise(words))
    forks = by_name.get("-f", "?")
    warm = f"{by_name.get('-wi', '?')} warm-up iterations of {by_name.get('-w', '?')}"
    measured = f"{by_name.get('-i', '?')} measured of {by_name.get('-r', '?')}"
    return f"JMH: {forks} fork{'s' * (forks != '1')}, {warm}, {measured}"
