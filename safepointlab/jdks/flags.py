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
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass

from safepointlab import jdks
from safepointlab.errors import FlagRejected, LabError
from safepointlab.jdks import Jdk, probe
from safepointlab.jdks.flag_history import HISTORY, explain
from safepointlab.process import home, recording, shell
from safepointlab.process.replay import answered

__all__ = ["Flag", "check", "explain", "gc_flag", "known"]

UNLOCKS = {"diagnostic": "-XX:+UnlockDiagnosticVMOptions", "experimental": "-XX:+UnlockExperimentalVMOptions"}
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
    listed = answered("flags", str(jdk.home), lambda: [list(astuple(flag)) for flag in _listed(jdk)])
    return {name: Flag(name, *about) for name, *about in listed}


def _listed(jdk: Jdk) -> list[Flag]:
    """What this build prints of its flags, queried once and kept in the lab's cache."""
    digest = hashlib.sha256(f"{jdk.java} {probe.mark(jdk.java)}".encode()).hexdigest()[:16]
    file = home.cache() / "flags" / f"{digest}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        return [Flag(**flag) for flag in json.loads(file.read_text("utf-8")).values()]
    flags = parse(shell.output_of([str(jdk.java), *UNLOCKS.values(), "-XX:+PrintFlagsFinal", "-version"]))
    with contextlib.suppress(LabError):  # a cache that cannot be written only costs time
        home.ready(file.parent)
        recording.write_json(file, {name: asdict(flag) for name, flag in flags.items()})
    return list(flags.values())


def parse(text: str) -> dict[str, Flag]:
    """The flags in the output of -XX:+PrintFlagsFinal.

    >>> parse("     intx TieredStopAtLevel   = 4       {product} {default}")
    {'TieredStopAtLevel': Flag(name='TieredStopAtLevel', type='intx', default='4', kind='product')}
    """
    flags = {}
    for type_, name, default, words in FLAG_LINE.findall(text):
        # "C2 diagnostic", "pd product", "product lp64_product": the kind alone, without compiler or platform
        flags[name] = Flag(name, type_, default, next((kind for kind in KINDS if kind in words), "product"))
    return flags


def check(flags: str | Iterable[str], jdk: Jdk) -> list[str]:
    """The flags for this JDK's command line, with what unlocks them in front.

    Raises:
        FlagRejected: this JDK would not start with one of them, or would ignore it silently; says what to use instead.
    """
    words = shlex.split(flags) if isinstance(flags, str) else [str(word) for word in flags]
    lenient = "-XX:+IgnoreUnrecognizedVMOptions" in words
    kinds = set()
    for before, word in zip(["", *words], words, strict=False):
        if TAKES_A_WORD.fullmatch(before):
            continue  # the path after -cp is not a flag
        if word.startswith("-XX"):
            kinds.add(_check_xx(word, jdk, lenient))
        elif word.startswith("-X"):
            _check_x(word, jdk)
        elif not word.startswith(("-", "@")):
            typographic = word[:1] in "\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}"
            hint = f"Write -{word[1:]}" if typographic else "The program's own words go to args."
            raise FlagRejected(f"{word!r} is not a flag of the JVM: flags begin with a plain -. {hint}")
    unlocks = [unlock for kind, unlock in UNLOCKS.items() if kind in kinds or unlock in words]
    return unlocks + [word for word in words if word not in unlocks]


def _check_xx(word: str, jdk: Jdk, lenient: bool) -> str:
    """The kind of the flag that the word sets; "" if this JDK does not list it, but starts with it."""
    parts = FLAG_WORD.fullmatch(word)
    if not parts:
        form = "-XX:+Name or -XX:-Name for a switch, else -XX:Name=value"
        raise FlagRejected(f"{word!r} does not have the form of a flag. Write {form}.")
    sign, name, value = parts.groups()
    flag = known(jdk).get(name)
    if flag is None:
        # for an obsolete flag, which it does not list, the VM only warns when it starts, and none needs unlocking
        if not lenient and _refusal(jdk, word) is not None:
            raise FlagRejected(_unknown(word, name, jdk))
        return ""
    if fault := _fault(flag, sign, value, jdk.major):
        raise FlagRejected(f"{word}: {fault}")
    plain = name != "CompileCommand" or PLAIN_COMMAND.fullmatch((value or "=")[1:])
    if not plain and (wrong := BAD_COMMAND.search(_start_with(jdk, word)[1])):
        # 8 to 24 start with a command that they cannot parse, and ignore it: the run would show something else
        said = f"{jdk.label} cannot parse it and says: {' '.join(wrong[0].split())}"
        raise FlagRejected(f"{word}: write print,package.Class::method. {said}")
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
    return "" if _fits(flag.type, given_value, major) else f"{given_value!r} is not a value for it{hint}."


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


def _unknown(word: str, name: str, jdk: Jdk) -> str:
    """What is known of a flag that this JDK does not know: the JDKs here that do, its history, or the closest names."""
    facts = [f"{jdk.label} does not know {word}."]
    others = [other.version for other in jdks.find() if other.home != jdk.home and name in known(other)]
    if others:
        facts.append(f"It exists in JDK {', '.join(dict.fromkeys(others))}.")
    if name in HISTORY:
        return " ".join([*facts, f"{name}: {HISTORY[name]}."])
    flags, lower = {flag.name.lower(): flag for flag in known(jdk).values()}, name.lower()
    close = difflib.get_close_matches(lower, flags, 3, cutoff=0.8) or [each for each in flags if lower in each][:3]
    spellings = [
        f"-XX:+{flags[each].name}" if flags[each].is_switch else f"-XX:{flags[each].name}=..." for each in close
    ]
    return " ".join([*facts, f"Close: {', '.join(spellings)}." if close else "No flag of this JDK has a name like it."])


def _check_x(word: str, jdk: Jdk) -> None:
    if re.match(r"-Xlog(:|$)", word) and jdk.major < 9:
        raise FlagRejected(
            f"{jdk.label} does not know {word}: unified logging came with 9 (JEP 158). There are -XX:+PrintGCDetails, "
            '-XX:+PrintGCApplicationStoppedTime and -XX:+PrintSafepointStatistics; log="safepoint gc" chooses by JDK.'
        )
    if size := re.fullmatch(r"-X(mx|ms|mn|ss)(.*)", word):
        if not SIZE.fullmatch(size[2]):
            example = f"-X{size[1]}512m or -X{size[1]}2g"
            raise FlagRejected(f"{word} does not end in a size. Write {example}, without = or a blank.")
    elif not FAMILIAR_X.fullmatch(word) and (refusal := _refusal(jdk, word)):
        raise FlagRejected(f"{jdk.label} does not take {word}: {refusal} `java -X` lists what it takes.")


def _refusal(jdk: Jdk, word: str) -> str | None:
    """Why the VM does not start with this word, or None if it does."""
    accepted, text = _start_with(jdk, word)
    return None if accepted else explain(text) or "the VM does not start with it."


@functools.lru_cache(maxsize=256)
def _start_with(jdk: Jdk, word: str) -> tuple[bool, str]:
    """Whether the VM starts with this word, and its output."""

    def ask() -> list[object]:
        try:
            return [True, shell.output_of([str(jdk.java), *UNLOCKS.values(), word, "-version"])]
        except LabError as refusal:
            return [False, str(refusal)]

    accepted, text = answered("starts with", f"{word} {jdk.home}", ask)
    return bool(accepted), str(text)


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
    # "Serial", "UseG1GC", "-XX:+UseConcMarkSweepGC" -> serial, g1, cms
    plain = re.sub(r"^(-xx:\+)?(use)?|gc$|[ _-]", "", name.lower()).replace("concmarksweep", "cms")
    chosen = next((flags for known_name, flags in COLLECTORS.items() if known_name.lower() == plain), None)
    if chosen is None:
        raise FlagRejected(f"no collector {name!r}. Known: {', '.join(sorted(COLLECTORS))}.")
    # ZGC is generational by itself from 24 on (JEP 490); Shenandoah can be from 24 on (JEP 404), then as an experiment
    if "-XX:ShenandoahGCMode=generational" in chosen and jdk.major < 24:
        history = f"ShenandoahGCMode: {HISTORY['ShenandoahGCMode']}."
        raise FlagRejected(f"{jdk.label} has no generational Shenandoah. {history}")
    unlocked = [UNLOCKS["experimental"]] if jdk.major == 24 and len(chosen) > 1 else []
    return check(unlocked + [flag for flag in chosen if flag != "-XX:+ZGenerational" or jdk.major < 24], jdk)


def quoted(flag: str) -> str:
    """A flag in a line of flags: JMH's -jvmArgs and JDK_JAVA_OPTIONS split it at blanks, and accept double quotes."""
    return f'"{flag}"' if " " in flag else flag
