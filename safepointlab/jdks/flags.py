"""JVM flags and a JDK -> the flags as this JDK takes them, unlocked if necessary; or an error with what to use instead.

The flags of a JDK are those that it prints, queried once for each build and kept in the lab's cache:

    bool UseCountedLoopSafepoints  = false  {C2 product}   ->   Flag(type="bool", default="false", kind="product")

A JDK does not list its obsolete flags, which it accepts with a warning, so it is started once with an unlisted flag.
"""

import contextlib
import difflib
import functools
import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass

from safepointlab import jdks
from safepointlab.errors import FlagRejected, LabError
from safepointlab.jdks import Jdk, probe
from safepointlab.jdks.flag_history import HISTORY
from safepointlab.jdks.refusals import explain
from safepointlab.process import home, recording, shell
from safepointlab.process.replay import answered

__all__ = ["Flag", "check", "explain", "gc_flag", "known"]

UNLOCKS = {
    "diagnostic": "-XX:+UnlockDiagnosticVMOptions",
    "experimental": "-XX:+UnlockExperimentalVMOptions",
}
KINDS = ("diagnostic", "experimental", "manageable", "product")

# "     bool UseSerialGC             := true          {product}" on 8, on later JDKs "= true {product} {command line}"
FLAG_LINE = re.compile(r"^ *(\w+) +(\w+) +:?= *(.*?) *\{([^}]*)\}", re.MULTILINE)
FLAG_WORD = re.compile(r"-XX:([+-]?)(\w+)(=.*)?", re.DOTALL)
SIZE = re.compile(r"\d+[kKmMgGtT]?")
FAMILIAR_X = re.compile(
    r"-X(int|comp|mixed|batch|rs|noclassgc|check:jni|share:\w+|log(gc)?\b.*|bootclasspath.*|diag|future)"
)
PLAIN_COMMAND = re.compile(
    r"quiet|(print|exclude|compileonly|inline|dontinline|log),(\*|[\w$/*]+|[\w$.*]+(?=::))(\.|::)[\w$<>*]+"
)
# 8: "CompilerOracle: unrecognized line", 11: "CompileCommand: unrecognized command", later: "... An error occurred"
BAD_COMMAND = re.compile(r"^Compile(?:rOracle|Command): (?:unrecognized|An error).*\n(?:.*\n){0,2}", re.MULTILINE)
TAKES_A_WORD = re.compile(
    r"-cp|-classpath|-p|--(class-path|module-path|upgrade-module-path|add-\w+|limit-modules|patch-module)"
)


@dataclass(frozen=True)
class Flag:
    """One -XX flag of one build; `kind` is product, manageable, diagnostic or experimental."""

    name: str
    type: str
    default: str
    kind: str

    @property
    def is_switch(self) -> bool:
        """Whether it is set with + and -, rather than to a value."""
        return self.type == "bool"


@functools.lru_cache(maxsize=32)
def known(jdk: Jdk) -> dict[str, Flag]:
    """Every flag of this build that a user can set, with its default on this machine."""
    listed = answered("flags", str(jdk.home), lambda: [list(astuple(flag)) for flag in _known(jdk).values()])
    return {name: Flag(name, *about) for name, *about in listed}


def _known(jdk: Jdk) -> dict[str, Flag]:
    file = home.cache() / "flags" / f"{_digest(jdk)}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return {name: Flag(**flag) for name, flag in json.loads(file.read_text("utf-8")).items()}
    flags = parse(shell.output_of([str(jdk.java), *UNLOCKS.values(), "-XX:+PrintFlagsFinal", "-version"]))
    with contextlib.suppress(LabError):  # a cache that cannot be written only costs time
        home.ready(file.parent)
        recording.write_json(file, {name: asdict(flag) for name, flag in flags.items()})
    return flags


def _digest(jdk: Jdk) -> str:
    return hashlib.sha256(f"{jdk.java} {probe.mark(jdk.java)}".encode()).hexdigest()[:16]


def parse(text: str) -> dict[str, Flag]:
    """The flags in the output of -XX:+PrintFlagsFinal.

    >>> parse("     intx TieredStopAtLevel   = 4       {product} {default}")
    {'TieredStopAtLevel': Flag(name='TieredStopAtLevel', type='intx', default='4', kind='product')}
    """
    matches = FLAG_LINE.findall(text)
    return {name: Flag(name, type_, default, _kind(words)) for type_, name, default, words in matches}


def _kind(words: str) -> str:
    """ "C2 diagnostic", "pd product", "product lp64_product": the kind alone, without compiler or platform."""
    return next((kind for kind in KINDS if kind in words), "product")


def check(flags: str | Iterable[str], jdk: Jdk) -> list[str]:
    """The flags for this JDK's command line, with what unlocks them in front.

    Raises:
        FlagRejected: this JDK would not start with one of them, or would ignore it silently; says what to use instead.
    """
    words = shlex.split(flags) if isinstance(flags, str) else [str(word) for word in flags]
    lenient = "-XX:+IgnoreUnrecognizedVMOptions" in words
    kinds = {_checked(word, jdk, lenient) for word in _options(words)}
    unlocks = [unlock for kind, unlock in UNLOCKS.items() if kind in kinds or unlock in words]
    return unlocks + [word for word in words if word not in unlocks]


def _options(words: Sequence[str]) -> list[str]:
    """The words, without those that belong to the word before them, like the path after -cp."""
    return [word for before, word in zip(["", *words], words, strict=False) if not TAKES_A_WORD.fullmatch(before)]


def _checked(word: str, jdk: Jdk, lenient: bool) -> str:
    """The kind of flag that the word sets."""
    if word.startswith("-XX"):
        return _checked_xx(word, jdk, lenient)
    if word.startswith("-X"):
        _check_x(word, jdk)
    elif not word.startswith(("-", "@")):
        typographic = word[:1] in "\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"
        hint = f"Write -{word[1:]}" if typographic else "The program's own words go to args."
        raise FlagRejected(f"{word!r} is no flag of the JVM: flags begin with a plain -. {hint}")
    return ""


def _checked_xx(word: str, jdk: Jdk, lenient: bool) -> str:
    parts = FLAG_WORD.fullmatch(word)
    if not parts:
        raise FlagRejected(f"{word!r} is no flag. Write -XX:+Name or -XX:-Name for a switch, else -XX:Name=value.")
    sign, name, value = parts.groups()
    flag = known(jdk).get(name)
    if flag is None:
        return "" if lenient else _accepted(word, name, jdk)
    if fault := _fault(flag, sign, value, jdk.major):
        raise FlagRejected(f"{word}: {fault}")
    if name == "CompileCommand" and not PLAIN_COMMAND.fullmatch((value or "=")[1:]):
        _check_command(word, jdk)
    return flag.kind


def _fault(flag: Flag, sign: str, value: str | None, major: int) -> str:
    """What is wrong with the form of a known flag; "" if nothing is."""
    hint = f" ({flag.type}, here {flag.default or 'empty'} by default)"
    if flag.is_switch:
        wrong = not sign or value is not None
        return f"{flag.name} is a switch: write -XX:+{flag.name} or -XX:-{flag.name}." if wrong else ""
    if sign:
        return f"{flag.name} takes a value{hint}: write -XX:{flag.name}={flag.default or '...'} without + or -."
    if value is None and not flag.type.startswith("ccstr"):
        return f"the value is missing{hint}: write -XX:{flag.name}={flag.default}."
    given_value = (value or "=")[1:]
    return "" if _fits(flag.type, given_value, major) else f"{given_value!r} is no value for it{hint}."


def _fits(type_: str, value: str, major: int) -> bool:
    """Whether the VM can parse the value; whether it is in range, the VM checks when it starts.

    >>> _fits("intx", "-1", 17), _fits("uintx", "-1", 17), _fits("size_t", "64m", 17), _fits("intx", "0x10", 8)
    (True, False, True, False)
    """
    if type_.startswith("ccstr"):
        return True
    if type_ == "double":
        return bool(re.fullmatch(r"[+-]?(0[xX][0-9a-fA-F]+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)", value))
    digits = value.removeprefix("-") if type_ in ("intx", "int", "int64_t") else value
    return bool(SIZE.fullmatch(digits)) or (major > 8 and bool(re.fullmatch(r"0[xX][0-9a-fA-F]+[kKmMgGtT]?", digits)))


def _accepted(word: str, name: str, jdk: Jdk) -> str:
    """Start the VM with a flag that it does not list: for an obsolete one it only warns, and none needs unlocking."""
    if _refusal(jdk, word) is None:
        return ""
    facts = [f"{jdk.label} does not know {word}.", *_whereabouts(name, jdk), *_history(name)]
    raise FlagRejected(" ".join(facts + ([] if name in HISTORY else _similar(name, jdk))))


def _whereabouts(name: str, jdk: Jdk) -> list[str]:
    others = [other.version for other in jdks.find() if other.home != jdk.home and name in known(other)]
    return [f"It exists in JDK {', '.join(dict.fromkeys(others))}."] if others else []


def _history(name: str) -> list[str]:
    return [f"{name}: {HISTORY[name]}."] if name in HISTORY else []


def _similar(name: str, jdk: Jdk) -> list[str]:
    by_lower_name = {flag.lower(): flag for flag in known(jdk)}
    matches = difflib.get_close_matches(name.lower(), by_lower_name, 3, cutoff=0.8)
    close_flags = [by_lower_name[match] for match in matches]
    spellings = [f"-XX:+{flag}" if known(jdk)[flag].is_switch else f"-XX:{flag}=..." for flag in close_flags]
    return [f"Close: {', '.join(spellings)}."] if spellings else ["No flag of this JDK is spelled like it."]


def _check_command(word: str, jdk: Jdk) -> None:
    """8 to 24 start with a CompileCommand that they cannot parse, and ignore it: the run would show something else."""
    text = _start_with(jdk, word)[1]
    if fault := BAD_COMMAND.search(text):
        words = " ".join(fault[0].split())
        raise FlagRejected(f"{word}: write print,package.Class::method. {jdk.label} cannot parse it and says: {words}")


def _check_x(word: str, jdk: Jdk) -> None:
    if re.match(r"-Xlog(:|$)", word) and jdk.major < 9:
        raise FlagRejected(
            f"{jdk.label} does not know {word}: unified logging came with 9 (JEP 158). There are -XX:+PrintGCDetails, "
            '-XX:+PrintGCApplicationStoppedTime and -XX:+PrintSafepointStatistics; log="safepoint gc" chooses by JDK.'
        )
    if size := re.fullmatch(r"-X(mx|ms|mn|ss)(.*)", word):
        if not SIZE.fullmatch(size[2]):
            raise FlagRejected(f"{word}: no size. Write -X{size[1]}512m or -X{size[1]}2g, without = or a blank.")
    elif not FAMILIAR_X.fullmatch(word) and (refusal := _refusal(jdk, word)):
        raise FlagRejected(f"{jdk.label} does not take {word}: {refusal} `java -X` lists what it takes.")


def _refusal(jdk: Jdk, word: str) -> str | None:
    """Why the VM does not start with this word, or None if it does."""
    accepted, text = _start_with(jdk, word)
    return None if accepted else explain(text) or "the VM does not start with it."


@functools.lru_cache(maxsize=256)
def _start_with(jdk: Jdk, word: str) -> tuple[bool, str]:
    """Whether the VM starts with this word, and its output."""
    accepted, text = answered("starts with", f"{word} {jdk.home}", lambda: list(_started(jdk, word)))
    return bool(accepted), str(text)


def _started(jdk: Jdk, word: str) -> tuple[bool, str]:
    try:
        return True, shell.output_of([str(jdk.java), *UNLOCKS.values(), word, "-version"])
    except LabError as refusal:
        return False, str(refusal)


COLLECTORS = {
    "Serial": ["-XX:+UseSerialGC"],
    "Parallel": ["-XX:+UseParallelGC"],
    "G1": ["-XX:+UseG1GC"],
    "Z": ["-XX:+UseZGC"],
    "ZGenerational": ["-XX:+UseZGC", "-XX:+ZGenerational"],
    "Shenandoah": ["-XX:+UseShenandoahGC"],
    "ShenandoahGenerational": ["-XX:+UseShenandoahGC", "-XX:ShenandoahGCMode=generational"],
    "Epsilon": ["-XX:+UseEpsilonGC"],
    "CMS": ["-XX:+UseConcMarkSweepGC"],
}


def gc_flag(name: str, jdk: Jdk) -> list[str]:
    """The flags that choose a collector on this JDK, with what unlocks them.

    Raises:
        FlagRejected: there is no such collector, or not in this JDK; says why.
    """
    collector_flags = next((flags for known, flags in COLLECTORS.items() if known.lower() == _plain(name)), None)
    if collector_flags is None:
        raise FlagRejected(f"no collector {name!r}. Known: {', '.join(sorted(COLLECTORS))}.")
    return check(_for_version(collector_flags, jdk), jdk)


def _plain(name: str) -> str:
    """The collector's bare name.

    >>> _plain("Serial"), _plain("UseG1GC"), _plain("-XX:+UseConcMarkSweepGC")
    ('serial', 'g1', 'cms')
    """
    return re.sub(r"^(-xx:\+)?(use)?|gc$|[ _-]", "", name.lower()).replace("concmarksweep", "cms")


def _for_version(collector_flags: list[str], jdk: Jdk) -> list[str]:
    """ZGC is generational by itself from 24 on (JEP 490); Shenandoah can be from 24 on (JEP 404)."""
    if "-XX:ShenandoahGCMode=generational" in collector_flags and jdk.major < 24:
        raise FlagRejected(f"{jdk.label} has no generational Shenandoah. {' '.join(_history('ShenandoahGCMode'))}")
    unlocked = [UNLOCKS["experimental"]] if jdk.major == 24 and len(collector_flags) > 1 else []
    return unlocked + [flag for flag in collector_flags if flag != "-XX:+ZGenerational" or jdk.major < 24]


def quoted(flag: str) -> str:
    """A flag in a line of flags: JMH's -jvmArgs and JDK_JAVA_OPTIONS split it at blanks, and accept double quotes."""
    return f'"{flag}"' if " " in flag else flag
