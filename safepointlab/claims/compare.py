"""Two documents of verdicts -> what changed between them: other verdicts with their numbers, new ones, those gone."""

from collections.abc import Iterator, Mapping
from typing import Any

from safepointlab.claims.base import label, quantity
from safepointlab.claims.table import jdk_name

Entry = Mapping[str, Any]
Entries = Mapping[tuple[str, int], Entry]  # by claim and JDK


def text(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What changed, in words; the last line counts."""
    before, now = entries(old), entries(new)
    both = [key for key in now if key in before]
    changed = [key for key in both if before[key]["verdict"] != now[key]["verdict"]]
    added, gone = [key for key in now if key not in before], [key for key in before if key not in now]
    lines = [line for key in changed for line in _change(before[key], now[key])]
    lines += [f"new   {_named(key)}: {now[key]['verdict']}" for key in added]
    lines += [f"gone  {_named(key)}: was {before[key]['verdict']}" for key in gone]
    numbers = {"the same": len(both) - len(changed), "changed": len(changed), "new": len(added), "gone": len(gone)}
    return "\n".join([*_builds(old, new), *lines, ", ".join(f"{number} {word}" for word, number in numbers.items())])


def entries(document: Mapping[str, Any]) -> Entries:
    """The verdicts of a document by claim and JDK."""
    return {(entry["id"], entry["jdk"]): entry for entry in document["verdicts"]}


def within(document: Mapping[str, Any], ids: set[str] | None, jdks: set[int] | None) -> dict[str, Any]:
    """The document with the verdicts on these claims and JDKs alone; None: on all. What no JVM decides always stays."""
    chosen = [
        entry
        for entry in document["verdicts"]
        if (ids is None or entry["id"] in ids) and (jdks is None or entry["jdk"] in jdks | {0})
    ]
    return {**document, "verdicts": chosen}


def _builds(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """When the other one was made, and of which builds, as far as they differ from those now."""
    profile, builds = old.get("profile", "?"), old.get("jdks", {})
    others = [f"JDK {jdk} was {build}" for jdk, build in builds.items() if new["jdks"].get(jdk, build) != build]
    yield "; ".join([f"Compared with the verdicts of {old.get('made', '?')}, profile {profile}", *others])


def _change(before: Entry, now: Entry) -> Iterator[str]:
    yield f"{_named((now['id'], now['jdk']))}: {before['verdict']} -> {now['verdict']}  {now.get('statement', '')}"
    if before.get("version") != now.get("version"):
        yield "        the claim measures something else than it did"
    if now.get("why"):
        yield f"        {now['why']}"
    old, new = before["measured"], now["measured"]
    for name in dict.fromkeys([*old, *new]):
        yield f"        {label(name)}: {_value(name, old)} -> {_value(name, new)}"


def _value(name: str, measured: Mapping[str, Any]) -> str:
    return quantity(name, measured[name]) if name in measured else "not measured"


def _named(key: tuple[str, int]) -> str:
    return f"{key[0]} on {jdk_name(key[1])}"
