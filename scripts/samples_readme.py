"""The heads of all samples, the notebooks' topics, the pinned jars -> the generated parts of java-samples/README.md."""

import json
import sys
from collections.abc import Iterator
from itertools import groupby

from readme import PROJECT, between

from safepointlab.run import benchmarks, build, head

SAMPLES = PROJECT / "java-samples"
README = SAMPLES / "README.md"
NAME = "java-samples/README.md"
TABLE = "| topic | notebook | program | what it is |\n|---|---|---|---|\n"
FETCH = "    mvn dependency:copy -Dartifact={} -DoutputDirectory=.\n"


def main() -> None:
    text = README.read_text()
    fresh = between(text, "samples", TABLE + "".join(rows()), NAME)
    fresh = between(fresh, "jars", "".join(jar_lines()), NAME)
    if "--check" not in sys.argv:
        README.write_text(fresh)
    elif fresh != text:
        sys.exit(f"{NAME} is not what the heads of the samples say. Make it again with: make readme")


def rows() -> Iterator[str]:
    """A row for each program and benchmark, in the order of the notebooks; a topic is named in its first row."""
    pages = notebooks()
    heads = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
    heads.sort(key=lambda one: (pages[topic(one)], one.name))
    for name, group in groupby(heads, key=topic):
        for number, one in enumerate(group):
            first = f"`{name}` | {links(pages[name])}" if number == 0 else " | "
            yield f"| {first} | {link(one)} | {one.title} |\n"


def topic(one: head.Head) -> str:
    return one.source.parent.name


def notebooks() -> dict[str, list[str]]:
    """The notebooks of each topic, as their own metadata say."""
    pages: dict[str, list[str]] = {}
    for path in sorted((PROJECT / "notebooks").glob("*.ipynb")):
        pages.setdefault(json.loads(path.read_text())["metadata"]["topic"], []).append(path.stem)
    return pages


def links(pages: list[str]) -> str:
    return ", ".join(f"[{page[:2]}](../notebooks/{page}.ipynb)" for page in pages)


def link(one: head.Head) -> str:
    path = one.source.relative_to(SAMPLES)
    kind = "" if path.parts[0] == "programs" else " (JMH)"
    return f"[{one.source.stem}]({path.as_posix()}){kind}"


def jar_lines() -> Iterator[str]:
    """What fetches Eclipse's compilers, and then every library that a RUN line names."""
    for coordinate, _ in build.ECJ.values():
        yield FETCH.format(coordinate)
    yield f"    export ECJ=$PWD/ecj-{list(build.ECJ)[-1]}.jar\n"
    for coordinate in sorted({each for source in build.sample_files() for each in head.read(source).libraries}):
        yield FETCH.format(coordinate)


if __name__ == "__main__":
    main()
