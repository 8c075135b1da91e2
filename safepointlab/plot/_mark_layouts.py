"""A JDK, and perhaps a value -> the fields of an object's mark word and what its bits say there.

The layouts are those of `markOop.hpp` (8, 11) and `markWord.hpp` (17 and later) on 64-bit machines:

JDK        what changed
8 to 14    three low bits tell; 101 is a lock that is, or may be, biased to a thread
15 to 17   the same, but biased locks are off unless asked for (JEP 374)
18         no biased locks (JDK-8256425)
23         a lock that nobody waits for changes two bits, and the header stays (JDK-8319251; an option in 21 and 22)
24         the hash moves up by three bits; with compact headers the class is in the mark word, too (JEP 450, JEP 519)
27         compact headers are the default (JEP 534); a monitor is then found in a table, and the header stays
28         it is found in the table without compact headers, too (JDK-8389325)

>>> decoded(25, 0x000000c9b787a801).state, [(p.name, p.value) for p in decoded(25, 0x000000c9b787a801).parts][1]
('unlocked', ('identity hash', '0x1936f0f5'))
"""

from dataclasses import dataclass, field, replace

OLDEST, COMPACT_FROM, COMPACT_BY_DEFAULT = 8, 24, 27
NO_BIAS, LIGHT_BY_DEFAULT, TABLE_ALWAYS = 18, 23, 28
BITS = 64
UNKNOWN = "·"  # a bit that the state leaves open
AS_BITS = 4  # parts up to this wide are written as bits


@dataclass(frozen=True)
class Part:
    """Some neighbouring bits: a name, how many they are, what they mean, what they hold."""

    name: str
    bits: int
    meaning: str
    low: int = 0
    value: str = ""

    @property
    def high(self) -> int:
        """The highest of its bits; bit 0 is the last of the word."""
        return self.low + self.bits - 1


@dataclass(frozen=True)
class Word:
    """A state of the mark word, or one value: 64 signs, from bit 63 down, each 0, 1 or `·`, and its parts from above.

    `state` is a word, `says` a sentence about what the thread or the VM has done.
    """

    state: str
    says: str
    signs: str
    parts: tuple[Part, ...] = field(default=())


LOCK = Part("lock", 2, "01 unlocked, 00 locked, 10 locked with a monitor, 11 in the hands of a collector")
AGE = Part("age", 4, "young collections that the object has survived, up to 15")
HASH = Part("identity hash", 31, "System.identityHashCode, once somebody has asked for it; 0 before")
KLASS = Part("class", 22, "a number that leads to the object's class (compact headers)")
FREE = Part("unused", 25, "not used")
BIASED = Part("biased", 1, "1: the lock is biased to a thread, or may be; 0: it is not")
GAP = Part("unused", 1, "not used")
SELF = Part("collector's", 1, "1: a collector could not move the object, and left it where it is (self-forwarded)")
KEPT = Part("reserved", 4, "not used by ordinary objects; kept for value objects, Project Valhalla (JEP 401)")
THREAD = Part("thread", 54, "the address of the thread to which the lock is biased; 0: to nobody yet")
EPOCH = Part("epoch", 2, "an older epoch than that of the object's class makes the bias void")

FRESH = "Nobody holds the lock. The object's age and identity hash have their place here."
STATES = {  # name -> its low bits, and what it says; the pattern of three bits is for JDKs with biased locks
    "unlocked": ("01", FRESH),
    "biasable": ("101", "The first thread that locks the object will leave its address here."),
    "biased": ("101", "The word has the first thread's address, whether that thread holds the lock now or not."),
    "thin": ("00", "One thread holds the lock, and nobody waits."),
    "fat": ("10", "Inflated: a monitor outside the heap has the owner and the queue of those who wait."),
    "in a collection": ("11", "A collector has marked or moved the object. No program sees this state."),
    "being inflated": ("0" * BITS, "For a moment, while a thread makes a monitor for a lock that is held."),
}


def names(jdk: int) -> list[str]:
    """The states that a program can meet on this JDK, in the order of a lock's life; the collector's comes last."""
    biased = ["biasable", "biased"] if jdk < NO_BIAS else []
    return ["unlocked", *biased, "thin", "fat", "in a collection"]


def decoded(jdk: int, value: int, compact: bool | None = None) -> Word:
    """What this value of 64 bits says on this JDK."""
    signs = f"{value:0{BITS}b}"
    state = _state(jdk, value)
    return Word(state, _says(jdk, state, compact), signs, _filled(_parts(jdk, state, compact), value))


def drawn(jdk: int, state: str, compact: bool | None = None) -> Word:
    """The state without a value: only the bits that make it are known."""
    low = STATES[state][0]
    low = f"0{low}" if state == "unlocked" and jdk < NO_BIAS else low
    signs = low.rjust(BITS, UNKNOWN)
    signs = "0" * THREAD.bits + signs[THREAD.bits :] if state == "biasable" else signs  # biased to nobody yet
    return Word(state, _says(jdk, state, compact), signs, _placed(_parts(jdk, state, compact)))


def is_compact(jdk: int, compact: bool | None) -> bool:
    """Whether the class is in the mark word: as asked for, else by this JDK's default."""
    return jdk >= COMPACT_FROM and (jdk >= COMPACT_BY_DEFAULT if compact is None else compact)


def keeps_header(jdk: int, state: str, compact: bool | None) -> bool:
    """Whether age, hash and class stay in the word while the lock is held."""
    if state == "thin":
        return jdk >= LIGHT_BY_DEFAULT
    return state == "fat" and (jdk >= TABLE_ALWAYS or is_compact(jdk, compact))


def _state(jdk: int, value: int) -> str:
    if value == 0 and jdk < LIGHT_BY_DEFAULT:
        return "being inflated"
    if jdk < NO_BIAS and value & 0b111 == 0b101:
        return "biased" if value >> (BITS - THREAD.bits) else "biasable"
    return ("thin", "unlocked", "fat", "in a collection")[value & 0b11]


def _says(jdk: int, state: str, compact: bool | None) -> str:
    text = STATES[state][1]
    if state == "thin":
        list_of = "The owner has it in a list of its locks; age and hash stay where they are."
        return f"{text} {list_of if jdk >= LIGHT_BY_DEFAULT else 'The old word is on the stack of its owner.'}"
    if state == "fat":
        table = "It is found in a table, by the identity hash, which the object gets now if it had none."
        return f"{text} {table if keeps_header(jdk, state, compact) else 'The old word is kept in there.'}"
    return text


def _parts(jdk: int, state: str, compact: bool | None) -> list[Part]:
    """The parts from the highest bit down."""
    if state in ("biased", "biasable"):
        return [THREAD, EPOCH, GAP, AGE, BIASED, LOCK]
    if state == "unlocked" or keeps_header(jdk, state, compact):
        return _header(jdk, compact)
    whole = {
        "thin": Part("address of the old word", 62, "where the owner keeps this word"),
        "fat": Part("address of the monitor", 62, "owner, queue, waiting threads"),
        "being inflated": Part("nothing", 62, "all bits are 0"),
    }.get(state, Part("new address", 62, "where the object has gone, or what the collector needs"))
    return [whole, LOCK]


def _header(jdk: int, compact: bool | None) -> list[Part]:
    if jdk < NO_BIAS:
        return [FREE, HASH, GAP, AGE, BIASED, LOCK]
    if jdk < COMPACT_FROM:
        return [FREE, HASH, GAP, AGE, GAP, LOCK]
    return [KLASS if is_compact(jdk, compact) else replace(FREE, bits=22), HASH, KEPT, AGE, SELF, LOCK]


def _placed(parts: list[Part]) -> tuple[Part, ...]:
    """Each part with its lowest bit."""
    lows = [BITS - sum(part.bits for part in parts[: n + 1]) for n in range(len(parts))]
    return tuple(replace(part, low=low) for part, low in zip(parts, lows, strict=True))


def _filled(parts: list[Part], value: int) -> tuple[Part, ...]:
    return tuple(replace(part, value=_held(part, value)) for part in _placed(parts))


def _held(part: Part, value: int) -> str:
    """What the part holds, as a maintainer would read it: an address whole, a count in decimal, bits as bits."""
    bits = value >> part.low & ((1 << part.bits) - 1)
    if "address" in part.name or part.name in ("thread", "nothing", "new address"):
        return f"0x{bits << part.low:x}"
    if part.name in ("age", "epoch"):
        return str(bits)
    return f"0x{bits:x}" if part.bits > AS_BITS else f"{bits:0{part.bits}b}"
