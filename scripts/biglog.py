"""A recorded log -> a log of any size: its lines again and again, their stamps, compile ids and GC numbers going on."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path

# Each piece of a line that counts something, by its unit. Of a compile line the time, then the id.
COUNTER = re.compile(
    r"(?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})(?=\+0000)"
    r"|(?:(?<=\[)|^|(?<=\+0000: ))(?P<s>\d+\.\d{3})(?=s\]|: )"
    r"|(?<=\[)(?P<ns>\d+)(?=ns\])|(?<=\[)(?P<ms>\d+)(?=ms\])"
    r"|(?:^(?P<time> *\d+)|(?<=\]))(?P<id> +\d+)(?= [% ][s ][! ][b ][n ] )"
    r"|(?<=GC\()(?P<gc>\d+)(?=\))",
    re.MULTILINE,
)
PER_SECOND = {"s": 1.0, "ms": 1e3, "time": 1e3, "ns": 1e9, "moment": 1e3}


@dataclass(frozen=True)
class Slot:
    """One counter: its value in the recorded log, how much a repetition adds, and how it is printed."""

    first: float
    step: float
    spec: str = "%d"

    def value(self, repetition: int) -> object:
        """What stands there in that repetition."""
        value = self.first + repetition * self.step
        return _moment(value) if self.spec == "%s" else value


def write(source: Path, target: Path, size: int) -> int:
    """Write a log of at most `size` bytes, but the recorded one at least; return the number of its lines."""
    text, written, lines = source.read_text(errors="replace"), 0, 0
    per_repetition = text.count("\n")
    with target.open("wb") as out:
        for repetition in repetitions(text):
            if written and written + len(repetition) > size:
                break
            written, lines = written + out.write(repetition), lines + per_repetition
    return lines


def write_together(sources: list[Path], targets: list[Path], size: int) -> None:
    """The same for the logs of one run: `size` bytes in all, as often repeated and as far in time."""
    texts, written = [source.read_text(errors="replace") for source in sources], 0
    longest = max(map(_seconds, texts))
    with ExitStack() as opened:
        files = [opened.enter_context(target.open("wb")) for target in targets]
        for parts in zip(*(repetitions(text, longest) for text in texts), strict=True):
            written += sum(file.write(part) for file, part in zip(files, parts, strict=True))
            if written >= size:
                break


def repetitions(text: str, seconds: int = 0) -> Iterator[bytes]:
    """The log, then the log as if it went on, without end; each `seconds` later, by default as long as the log is."""
    template, slots = _template(text if text.endswith("\n") else text + "\n", seconds or _seconds(text))
    number = 0
    while True:
        yield (template % tuple([slot.value(number) for slot in slots])).encode()
        number += 1


def _template(text: str, seconds: int) -> tuple[str, list[Slot]]:
    found = _found(text)
    step = _steps([(kind, _number(kind, match[kind])) for kind, match in found], seconds)
    slots, pieces, end = list[Slot](), list[str](), 0
    for kind, match in found:
        slots.append(Slot(_number(kind, match[kind]), step(kind), _spec(kind, match[kind])))
        pieces += [text[end : match.start(kind)].replace("%", "%%"), slots[-1].spec]
        end = match.end(kind)
    return "".join([*pieces, text[end:].replace("%", "%%")]), slots


def _found(text: str) -> list[tuple[str, re.Match[str]]]:
    return [(kind, match) for match in COUNTER.finditer(text) for kind, part in match.groupdict().items() if part]


def _seconds(text: str) -> int:
    """Whole seconds, longer than the log."""
    uptimes = [_number(kind, match[kind]) / PER_SECOND[kind] for kind, match in _found(text) if kind in ("s", "time")]
    return ceil(max(uptimes, default=0)) + 1


def _steps(values: list[tuple[str, float]], seconds: int) -> Callable[[str], float]:
    """How much of each kind a repetition adds; to ids and numbers, what leads beyond the log's last."""
    last = {name: max([value for kind, value in values if kind == name], default=0) for name in ("id", "gc")}
    return lambda kind: last[kind] + 1 if kind in last else seconds * PER_SECOND[kind]


def _spec(kind: str, text: str) -> str:
    width = len(text)
    return {"moment": "%s", "s": "%.3f", "time": f"%{width}d", "id": f" %{width - 1}d"}.get(kind, "%d")


def _number(kind: str, text: str) -> float:
    if kind == "moment":
        return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)
    return float(text) if kind == "s" else int(text)


def _moment(milliseconds: float) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")[:23]
