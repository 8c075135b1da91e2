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
from dataclasses import dataclass
from functools import lru_cache

from safepointlab import jdks
from safepointlab.errors import LabError
from safepointlab.jdks import Jdk
from safepointlab.jdks.flag_history import HISTORY
from safepointlab.jdks.flags import FLAG_WORD, Flag, known

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
        try:
            by_major.setdefault(jdk.major, known(jdk))
        except LabError:
            continue
    return by_major


def fact(jdk: Jdk, word: str) -> FlagFact | None:
    """The facts about one flag, by its name or as typed ("-XX:+UseZGC"); None if no JDK here has ever heard of it.

    A flag that this JDK does not know has neither type nor default; its line says which JDKs know it, and its fate.
    """
    parts = FLAG_WORD.fullmatch(word.strip())
    name = parts[2] if parts else word.strip().lstrip("+-").partition("=")[0]
    lists = _lists_around(jdk)
    if name in known(jdk):
        return _fact(name, jdk, lists)
    if name in HISTORY or any(name in flags for flags in lists.values()):
        return _absent(name, jdk, lists)
    return None


def complete(jdk: Jdk, text: str, most: int = 20) -> list[str]:
    """What the last word of the text may become: whole words, those that begin like it before those that contain it.

    A switch is completed with the sign that was typed, or +; a flag with a value ends in "=". Case does not matter, and
    -XX: may be left out.
    """
    word = text.split(" ")[-1]
    plain = [other for other in PLAIN_WORDS if other.startswith(word) and word.startswith("-X") and other != word]
    if word in ("", "-", "-X") or (plain and not word.startswith("-XX")):
        return plain[:most]
    sign, typed = _typed(word)
    names = _alike(typed, known(jdk))
    words = [_word(known(jdk)[name], sign) for name in names]
    return [other for other in words if other != word][:most]


def _typed(word: str) -> tuple[str, str]:
    """The sign and the letters of a half-typed flag.

    >>> _typed("-XX:-UseCoun"), _typed("-XX:Loop"), _typed("stripmining")
    (('-', 'UseCoun'), ('', 'Loop'), ('', 'stripmining'))
    """
    letters = word.removeprefix("-XX:").removeprefix("-XX")
    sign = letters[:1] if letters[:1] in ("+", "-") else ""
    return sign, letters.removeprefix(sign)


def _alike(typed: str, names: Iterable[str]) -> list[str]:
    low = typed.lower()
    containing = [name for name in names if low in name.lower()]
    return sorted(containing, key=lambda name: (not name.lower().startswith(low), name))


def _word(flag: Flag, sign: str) -> str:
    return f"-XX:{sign or '+'}{flag.name}" if flag.is_switch else f"-XX:{flag.name}="


def _lists_around(jdk: Jdk) -> Lists:
    """The flags of this machine's JDKs by feature version; for its own version, this very build counts."""
    return _lists((jdk, *(other for other in jdks.find() if other.home != jdk.home)))


def _fact(name: str, jdk: Jdk, lists: Lists) -> FlagFact:
    flag, majors = lists[jdk.major][name], _majors(name, lists)
    since, gone_in = _ends(majors, lists)
    where = _with_collector(name, lists[jdk.major]) + _other_defaults(flag, jdk.major, lists)
    lock = [f"{flag.kind}, the lab unlocks it"] if flag.kind in ("diagnostic", "experimental") else []
    about = " · ".join(
        [f"{flag.type}, {_shown(flag)} by default here{where}", *lock, _presence(majors, gone_in, lists), *_past(name)]
    )
    return FlagFact(name, flag.type, flag.default, since, gone_in, f"{name}: {about}")


def _absent(name: str, jdk: Jdk, lists: Lists) -> FlagFact:
    majors = _majors(name, lists)
    since, gone_in = _ends(majors, lists)
    presence = [_presence(majors, gone_in, lists)] if majors else ["known on none of the JDKs here"]
    return FlagFact(name, "", "", since, gone_in, " · ".join([f"{name}: not on {jdk.label}", *presence, *_past(name)]))


def _past(name: str) -> list[str]:
    return [HISTORY[name]] if name in HISTORY else []


def _majors(name: str, lists: Lists) -> list[int]:
    return sorted(major for major, flags in lists.items() if name in flags)


def _ends(majors: list[int], lists: Lists) -> tuple[str, str]:
    """The first version here that has the flag, and the first after all of them, that has it no more."""
    if not majors:
        return "", ""
    later = sorted(major for major in lists if major > majors[-1])
    return str(majors[0]), str(later[0]) if later else ""


def _presence(majors: list[int], gone_in: str, lists: Lists) -> str:
    return f"known here on {spans(majors, lists)}" + (f", gone in {gone_in}" if gone_in else "")


def spans(majors: Iterable[int], here: Iterable[int]) -> str:
    """Feature versions in words: from one to another if they are neighbours among those that there are here.

    >>> spans([8], [8, 11, 17]), spans([8, 11, 17], [8, 11, 17, 21]), spans([8, 17], [8, 11, 17])
    ('8', '8 to 17', '8 and 17')
    """
    *most, last = sorted(majors)
    between = [major for major in here if min([*most, last]) <= major <= last]
    if len(most) > 1 and len(between) == len(most) + 1:
        return f"{most[0]} to {last}"
    return f"{', '.join(map(str, most))} and {last}" if most else str(last)


def _shown(flag: Flag) -> str:
    if flag.is_switch:
        return {"true": "on", "false": "off"}.get(flag.default, flag.default)
    return flag.default or "empty"


def _with_collector(name: str, flags: Mapping[str, Flag]) -> str:
    """ ", with G1" for a flag whose default the collector sets."""
    chosen = [used[1] for flag in flags.values() if flag.default == "true" and (used := COLLECTOR.fullmatch(flag.name))]
    return f", with {chosen[0]}" if name in SET_BY_COLLECTOR and chosen else ""


def _other_defaults(flag: Flag, major: int, lists: Lists) -> str:
    """The defaults of other JDKs here, where they differ: " (8 to 21: 1000)"; "" where they are many."""
    majors_of: dict[str, list[int]] = {}
    for other, flags in sorted(lists.items()):
        if other != major and flag.name in flags and (shown := _shown(flags[flag.name])) != _shown(flag):
            majors_of.setdefault(shown, []).append(other)
    words = [f"{spans(majors, lists)}: {value}" for value, majors in majors_of.items()]
    return f" ({', '.join(words)})" if 0 < len(words) <= MOST_DEFAULTS else ""
