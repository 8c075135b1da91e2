"""notebooks/*.ipynb -> the table in notebooks/README.md; git's `origin` -> README.md, docs/get.md: ways to get the lab.

`--check` only says whether that is so, with the address that README.md has, because a fork has another origin.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from safepointlab.process import origin

PROJECT = Path(__file__).resolve().parent.parent
README, GET, COURSE = "README.md", "docs/get.md", "notebooks/README.md"
HEAD = "| notebook | question | minutes | kernel |\n|---|---|---|---|\n"
TOOLS = "its tools alone: `safepoint late`, `parse`, `report`, `run`, `bench`, `jdks` and `claims`"
CLONED = re.compile(r"`git clone (\S+)")


def main() -> None:
    checking = "--check" in sys.argv
    cloned = CLONED.search((PROJECT / README).read_text())
    address = (cloned[1] if cloned else "") if checking else origin.address(PROJECT)
    here, anywhere = (ways(address, place) for place in (README, GET))
    parts = ((README, "get", here), (GET, "get", anywhere), (COURSE, "notebooks", HEAD + "".join(rows())))
    for file, marker, fresh in parts:
        text = (PROJECT / file).read_text()
        whole = between(text, marker, fresh, file)
        if not checking:
            (PROJECT / file).write_text(whole)
        elif whole != text:
            sys.exit(f"{file} is out of date between its markers {marker!r}. Make it again with: make readme")


def between(text: str, marker: str, fresh: str, file: str) -> str:
    """The text with what stands between <!-- marker --> and <!-- /marker --> replaced."""
    begin, end = f"<!-- {marker} -->\n", f"<!-- /{marker} -->"
    before, found, rest = text.partition(begin)
    if not found or end not in rest:
        sys.exit(f"{file} has lost its markers {begin.strip()} and {end}: put them back around the table")
    return before + begin + fresh + end + rest.partition(end)[2]


def ways(address: str, file: str) -> str:
    """The table of what to type for the lab, its container and its tools.

    Without a public address it says what is true in any checkout; docs/get.md is a page of the book, too, whose readers
    may have none.
    """
    clone = f"`git clone {address} safepoint-lab`, and in that folder `make lab`"
    here = "`make lab` in this folder; on another machine, first `git clone` what this folder was cloned from"
    if file == GET:
        here = "`make lab` in a checkout: if you have none, ask whoever gave you this page what to `git clone`"
    run = "podman run --rm -p 8888:8888 -v safepoint-work:/home/jovyan safepoint-lab"  # the volume keeps your work
    container = f"in the checkout `make image`, then `{run}`"
    source = f"git+{address}" if address else "."
    install = f"`python3 -m venv ~/safepoint && ~/safepoint/bin/pip install {source}`"
    tools = install if address else f"in the checkout {install}"
    rows = [("the lab", clone if address else here), ("the lab in a container", container), (TOOLS, tools)]
    return "| you get | type |\n|---|---|\n" + "".join(f"| {what} | {how} |\n" for what, how in rows)


def rows() -> Iterator[str]:
    for path in sorted((PROJECT / "notebooks").glob("*.ipynb")):
        notebook = json.loads(path.read_text())
        opening = "".join(notebook["cells"][0]["source"])
        title = opening.splitlines()[0].removeprefix("# ")
        minutes = re.search(r"(\d+(?:\s*(?:-|–|to)\s*\d+)?)\s+minutes", opening)
        spec = notebook["metadata"]["kernelspec"]
        kernel = "Python" if spec["name"] == "python3" else spec["display_name"]
        yield f"| [{path.stem}]({path.name}) | {title} | {minutes[1] if minutes else ''} | {kernel} |\n"


if __name__ == "__main__":
    main()
