"""This machine now -> the line under every result: cores, memory, system, JDK builds, profile, quiet or not, date."""

import itertools
import shlex
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from typing import Any

from safepointlab import config, jdks
from safepointlab.process import machine, recording, replay
from safepointlab.run import profile


@dataclass(frozen=True)
class Stamp:
    """Where and when results were made, in one line; more lines name missing JDKs, and a page that is out of date."""

    cores: int
    memory_gib: float
    cpu: str
    system: str
    jdks: tuple[str, ...]
    profile: str
    date: str
    replay: bool
    jmh: str = ""
    quiet: str = ""
    outdated: str = ""
    recorded: str = ""
    asked: str = ""
    limits: str = ""
    missing: str = ""

    def __str__(self) -> str:
        size = self.limits or f"{self.cores} cores · {self.memory_gib:.0f} GiB"
        size += f" · {self.cpu}" if self.cpu else ""
        if self.recorded:
            size = f"REPLAY of runs recorded {self.recorded} on {size}"
        elif self.replay:
            size = f"REPLAY of recorded runs · {size}"
        other = f", the recordings' ({self.asked} was asked for)" if self.asked not in ("", self.profile) else ""
        facts = [size, self.system, f"JDKs {', '.join(self.jdks) or 'none'}", f"profile {self.profile}{other}"]
        facts += [self.jmh, self.quiet, f"played {self.date}" if self.recorded else self.date]
        return "\n".join(filter(None, [" · ".join(filter(None, facts)), self.missing, self.outdated]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The same; as HTML it is broken between words."""
        return "".join(f"<div>{escape(line)}</div>" for line in str(self).splitlines())


def stamp(jmh: str = "") -> Stamp:
    """The stamp of this machine, now; with JMH's options it also says how many forks and iterations there were."""
    majors = sorted({jdk.major for jdk in jdks.find()})  # each stands for one JDK, the one that get() prefers
    replayed, packed = recording.replaying() is not None, recording.packed()
    # of a recording, how quiet this machine is now says nothing
    now = {} if replayed else {"quiet": machine.quiet(), "limits": machine.limits_here()}
    return Stamp(
        machine.cores(), machine.memory_gib(), machine.cpu(),
        ", ".join(filter(None, [machine.system(), machine.kernel()])),
        tuple(jdks.get(major).version for major in majors), profile.name(), datetime.now(UTC).strftime("%Y-%m-%d"),
        replayed, jmh=effort(jmh) if jmh else "", recorded=replay.recorded_when(packed) if packed else "",
        asked=config.profile(), missing="" if replayed else profile.missing_jdks(), **now,
    )  # fmt: skip


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
