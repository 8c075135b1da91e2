"""The questions of scripts/changes.toml, put to the JDKs here -> docs/changes.json, and from it docs/changes.md.

    .venv/bin/python scripts/changes.py           # the answers of a JDK that is not here stay as they are
    .venv/bin/python scripts/changes.py --page    # no JDK is asked; only the page is written anew

A nightly test asks the JDKs at hand again.
"""

import json
import re
import shlex
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import flags_facts
import section
from readme import PROJECT

from safepointlab import jdks
from safepointlab.claims import links
from safepointlab.errors import RunFailed
from safepointlab.jdks import Jdk, flags
from safepointlab.process import shell
from safepointlab.process.files import write_whole
from safepointlab.site.reference.flags import KIND, NOT_RECORDED, Facts, described, read

FILE, PAGE = PROJECT / "docs" / "changes.json", PROJECT / "docs" / "changes.md"
PARTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))["part"]
ROWS = {row["what"]: row for part in PARTS for row in part["rows"]}
FIRST = 25  # the JDK to which the others are compared
STARTS, REFUSED, NO_LINE = "✓ starts", "✗ doesn't start", "no such line"
HEAD = """# What changed in JDK {newer}

What is different on a JDK after {first}, as far as it matters in this lab. Each cell is what that JDK said when it was
asked; "=" means that it said the same as the JDK before it.

"""

Row = Mapping[str, Any]


def main() -> None:
    facts = read(FILE)
    if "--page" not in sys.argv:
        majors = sorted({jdk.major for jdk in jdks.find() if jdk.major >= FIRST})
        facts = asked(facts, [jdks.get(major) for major in majors])
        made = {"kind": KIND, "jdks": facts.jdks, "flags": facts.flags}
        write_whole(FILE, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    write_whole(PAGE, page(facts))


def asked(facts: Facts, found: list[Jdk]) -> Facts:
    """The facts with what these JDKs say today."""
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    builds = {**facts.jdks, **{jdk.major: f"{jdk.version}, {jdk.vendor}, asked {today}" for jdk in found}}
    fresh = {what: {str(jdk.major): answer(row, jdk) for jdk in found} for what, row in ROWS.items()}
    answers = {what: dict(sorted({**facts.flags.get(what, {}), **said}.items())) for what, said in fresh.items()}
    return Facts(dict(sorted(builds.items())), {}, answers)


def answer(row: Row, jdk: Jdk) -> str:
    if "flag" in row:
        return described(flags_facts.about(row["flag"], jdk))
    with tempfile.TemporaryDirectory() as folder:
        words = ["-version"]
        if "program" in row:
            source = Path(folder, "Probe.java")
            source.write_text(row["program"], "utf-8")
            words = [str(source), folder]
        try:
            text = shell.output_of([str(jdk.java), *shlex.split(row["java"]), *words], deadline=120)
        except RunFailed as failure:
            if not flags.explain(str(failure)):
                raise
            return REFUSED
    if "find" not in row:
        return STARTS
    found = re.search(row["find"], text)
    return found[found.lastindex or 0] if found else NO_LINE


def page(facts: Facts) -> str:
    """The page in Markdown."""
    names = [f"{jdk}{'-ea' * ('-ea' in build)}" for jdk, build in facts.jdks.items()]
    heads = ("what", *(f"JDK {name}" for name in names), "changed by", "pages")
    newer = f"{', '.join(names[1:-1])} and {names[-1]}"
    parts = [
        f"## {part['title']}\n\n{section.table(heads, [tuple(cells(row, facts)) for row in part['rows']])}\n"
        for part in PARTS
    ]
    builds = "; ".join(f"JDK {build}" for build in facts.jdks.values())
    return HEAD.format(newer=newer, first=FIRST) + "\n".join([*parts, f"{builds}. `make flags` asks the JDKs here.\n"])


def cells(row: Row, facts: Facts) -> Iterator[str]:
    """One row of the table, in Markdown."""
    flag = f" (`{row['flag']}`)" if "flag" in row else ""
    yield f"{row['what']}{flag}. {row['so']}"
    said = [facts.flags.get(row["what"], {}).get(str(jdk), NOT_RECORDED) for jdk in facts.jdks]
    for before, each in zip(["", *said], said, strict=False):
        plain = "find" not in row or each in (REFUSED, NO_LINE, NOT_RECORDED)
        yield "=" if each == before else each if plain else f"`{each}`"
    yield f"[announcement]({row['by']})" if row["by"].startswith("https:") else links.markdown(row["by"])
    pages = sorted(path.stem for path in (PROJECT / "notebooks").glob("*.ipynb") if path.stem[:2] in row["pages"])
    yield ", ".join(f"[{name[:2]}](../notebooks/{name}.ipynb)" for name in pages) or "–"


if __name__ == "__main__":
    main()
