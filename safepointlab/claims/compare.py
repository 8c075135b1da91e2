"""Two documents of verdicts -> what changed between them: other verdicts with their numbers, new ones, those gone."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from safepointlab.claims.base import Verdict, label, quantity


def text(old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """What changed, in words; the last line counts."""
    before, now = entries(old), entries(new)
    both = [key for key in now if key in before]
    changed = [key for key in both if before[key]["verdict"] != now[key]["verdict"]]
    added, gone = [key for key in now if key not in before], [key for key in before if key not in now]
    builds = [(jdk, build) for jdk, build in old.get("jdks", {}).items() if new["jdks"].get(jdk, build) != build]
    about = f"Compared with the verdicts of {old.get('made', '?')}, profile {old.get('profile', '?')}"
    lines = ["; ".join([about, *(f"JDK {jdk} was {build}" for jdk, build in builds)])]
    for key in changed:
        lines += _change(key, before[key], now[key])
    lines += [f"new   {_name(key)}: {now[key]['verdict']}" for key in added]
    lines += [f"gone  {_name(key)}: was {before[key]['verdict']}" for key in gone]
    numbers = {"the same": len(both) - len(changed), "changed": len(changed), "new": len(added), "gone": len(gone)}
    return "\n".join([*lines, ", ".join(f"{number} {word}" for word, number in numbers.items())])


def differences(committed: Mapping[str, Any], verdicts: Iterable[Verdict]) -> Iterator[str]:
    """A line for each verdict that is another one than the committed one, or that could not be measured."""
    known = entries(committed)
    for verdict in verdicts:
        before = known.get((verdict.claim.id, verdict.jdk))
        name = _name((verdict.claim.id, verdict.jdk))
        if before and before["verdict"] != verdict.state:
            yield f"{name}: {before['verdict']} in the committed document, now {verdict.state}: {verdict.why}"
        elif not before and verdict.state == "not run" and verdict.claim.measure:
            yield f"{name}: not run: {verdict.why}"


def entries(document: Mapping[str, Any]) -> dict[tuple[str, int], Mapping[str, Any]]:
    """The verdicts of a document by claim and JDK."""
    return {(entry["id"], entry["jdk"]): entry for entry in document["verdicts"]}


def within(document: Mapping[str, Any], ids: set[str] | None, jdks: set[int] | None) -> dict[str, Any]:
    """The document with the verdicts on these claims and JDKs alone; None: on all."""
    chosen = [
        entry
        for entry in document["verdicts"]
        if (ids is None or entry["id"] in ids) and (jdks is None or entry["jdk"] in jdks)
    ]
    return {**document, "verdicts": chosen}


def _change(key: tuple[str, int], before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    lines = [f"{_name(key)}: {before['verdict']} -> {now['verdict']}  {now.get('statement', '')}"]
    if before.get("version") != now.get("version"):
        lines.append("        the claim measures something else than it did")
    if now.get("why"):
        lines.append(f"        {now['why']}")
    for name in dict.fromkeys([*before["measured"], *now["measured"]]):
        old, new = (
            quantity(name, each["measured"][name]) if name in each["measured"] else "not measured"
            for each in (before, now)
        )
        lines.append(f"        {label(name)}: {old} -> {new}")
    return lines


def _name(key: tuple[str, int]) -> str:
    return f"{key[0]} on JDK {key[1]}"
