"""A JDK -> one line about each of its flags, and the flags that what was typed so far may become.

    >>> print(fact(jdks.get(25), "GuaranteedSafepointInterval").line)  # doctest: +SKIP
    GuaranteedSafepointInterval: intx, 0 by default here (8 to 21: 1000) · diagnostic, the lab unlocks it ·
      known here on 8 to 28

Type and default are what this JDK itself prints, with the collector that it chooses on this machine. Which JDKs know a
flag, and another default that they have, is read from the lists of the JDKs of this machine: "since" and "gone in" are
the first of them that has it and the first that has it no more. Why, `flag_history` says where it knows.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache

from safepointlab import jdks
from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.jdks.flag_history import HISTORY
from safepointlab.jdks.flags import FLAG_WORD, Flag, known
from safepointlab.phrases import listed

Lists = Mapping[int, Mapping[str, Flag]]  # feature version -> its flags by name

COLLECTOR = re.compile(r"Use(Serial|Parallel|G1|Z|Shenandoah)GC")
SET_BY_COLLECTOR = ("UseCountedLoopSafepoints", "LoopStripMiningIter")  # by G1, Z, Shenandoah, Epsilon
MOST_DEFAULTS = 2  # how many other defaults a line names: beyond that it is no line any more
PLAIN_WORDS = (
    "-Xint", "-Xcomp", "-Xmixed", "-Xbatch", "-Xmx", "-Xms", "-Xmn", "-Xss", "-Xlog:safepoint", "-Xlog:gc",
)  # fmt: skip


@dataclass(frozen=True)
class FlagFact:
    """A flag on one JDK; `since` and `gone_in` are feature versions of this machine's JDKs, "" where there is none."""

    name: str
    type: str
    default: str
    since: str
    gone_in: str
    line: str


@lru_cache(maxsize=8)
def _lists(builds: tuple[Jdk, ...]) -> Lists:
    """The flags by feature version, for one build of each; a build that does not start has no list."""
    by_major: dict[int, Mapping[str, Flag]] = {}
    for jdk in builds:
        with suppress(LabError):
            by_major.setdefault(jdk.major, known(jdk))
    return by_major


def fact(jdk: Jdk, word: str) -> FlagFact | None:
    """The facts about one flag, by its name or as typed ("-XX:+UseZGC"); None if no JDK here has ever heard of it.

    A flag that this JDK does not know has neither type nor default; its line says which JDKs know it, and its fate.
    """
    parts = FLAG_WORD.fullmatch(word.strip())
    name = parts[2] if parts else word.strip().lstrip("+-").partition("=")[0]
    # for its own version, this very build counts
    lists = _lists((jdk, *(other for other in jdks.find() if other.home != jdk.home)))
    majors = sorted(major for major, flags in lists.items() if name in flags)
    flag = known(jdk).get(name)
    if not (flag or majors or name in HISTORY):
        return None
    since = str(majors[0]) if majors else ""
    gone_in = next((str(major) for major in sorted(lists) if majors and major > majors[-1]), "")
    about = [HISTORY[name]] if name in HISTORY else []
    if majors:
        about.insert(0, f"known here on {spans(majors, lists)}" + (f", gone in {gone_in}" if gone_in else ""))
    if flag is None:
        absent = f"{name}: not on {jdk.label}"
        line = " · ".join([absent, *([] if majors else ["known on none of the JDKs here"]), *about])
        return FlagFact(name, "", "", since, gone_in, line)
    chosen = (flag for flag in lists[jdk.major].values() if flag.default == "true")
    collectors = [used[1] for flag in chosen if (used := COLLECTOR.fullmatch(flag.name))]
    collector = f", with {collectors[0]}" if name in SET_BY_COLLECTOR and collectors else ""
    lock = [f"{flag.kind}, the lab unlocks it"] if flag.kind in ("diagnostic", "experimental") else []
    default = f"{flag.type}, {_shown(flag)} by default here{collector}{_other_defaults(flag, jdk.major, lists)}"
    return FlagFact(name, flag.type, flag.default, since, gone_in, f"{name}: {' · '.join([default, *lock, *about])}")


def _shown(flag: Flag) -> str:
    if flag.is_switch:
        return {"true": "on", "false": "off"}.get(flag.default, flag.default)
    return flag.default or "empty"


def _other_defaults(flag: Flag, major: int, lists: Lists) -> str:
    """The defaults of other JDKs here, where they differ: " (8 to 21: 1000)"; "" where they are many."""
    majors_of: dict[str, list[int]] = {}
    for other, flags in sorted(lists.items()):
        if other != major and flag.name in flags and (shown := _shown(flags[flag.name])) != _shown(flag):
            majors_of.setdefault(shown, []).append(other)
    words = [f"{spans(majors, lists)}: {value}" for value, majors in majors_of.items()]
    return f" ({', '.join(words)})" if 0 < len(words) <= MOST_DEFAULTS else ""


def spans(majors: Iterable[int], here: Iterable[int]) -> str:
    """Feature versions in words: from one to another if they are neighbours among those that there are here.

    >>> spans([8], [8, 11, 17]), spans([8, 11, 17], [8, 11, 17, 21]), spans([8, 17], [8, 11, 17])
    ('8', '8 to 17', '8 and 17')
    """
    first, *_ = known_majors = sorted(majors)
    between = [major for major in here if first <= major <= known_majors[-1]]
    if len(known_majors) > 2 and len(between) == len(known_majors):
        return f"{first} to {known_majors[-1]}"
    return listed(known_majors)


def complete(jdk: Jdk, text: str, most: int = 20) -> list[str]:
    """What the last word of the text may become: whole words, those that begin like it before those that contain it.

    A switch is completed with the sign that was typed, or +; a flag with a value ends in "=". Case does not matter, and
    -XX: may be left out.
    """
    word = text.split(" ")[-1]
    plain = [other for other in PLAIN_WORDS if other.startswith(word) and word.startswith("-X") and other != word]
    if word in ("", "-", "-X") or (plain and not word.startswith("-XX")):
        return plain[:most]
    typed = word.removeprefix("-XX:").removeprefix("-XX")
    sign = typed[:1] if typed[:1] in ("+", "-") else ""
    low = typed.removeprefix(sign).lower()
    names = sorted(known(jdk), key=lambda name: (not name.lower().startswith(low), name))
    flags = [known(jdk)[name] for name in names if low in name.lower()]
    words = [f"-XX:{sign or '+'}{flag.name}" if flag.is_switch else f"-XX:{flag.name}=" for flag in flags]
    return [other for other in words if other != word][:most]
