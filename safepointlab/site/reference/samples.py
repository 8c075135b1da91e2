"""java-samples/ -> a page for each program and benchmark: its question, how it is run, its notebook, its text."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from safepointlab.run import benchmarks, build, head
from safepointlab.run.head import Head
from safepointlab.site.reference import course, markup
from safepointlab.site.reference.course import Page

HEAD = """# The Java samples

Each is a program of one page, and half of it is talk: the comments ask the next question and say why the JVM does it.
The command under *Run it* works as typed, in the sample's own folder.

"""
WORDS = {"ARGUMENTS": "Arguments", "JDKS": "JDKs"}


def write(folder: Path, pages: Mapping[str, Page]) -> None:
    """Write the list, and a page for each sample."""
    heads = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
    markup.save(folder, "samples.md", index(heads, pages))
    for one in heads:
        markup.save(folder, f"samples/{one.name}.md", page(one, one.source.read_text("utf-8"), pages))


def topic(one: Head) -> str:
    """The folder in which the sample stands."""
    return one.name.partition("/")[0]


def index(heads: Iterable[Head], pages: Mapping[str, Page]) -> str:
    """The list of all samples by topic, in the order of the course."""
    order = {page.topic: number for number, page in reversed(list(enumerate(pages.values())))}
    chosen = sorted(heads, key=lambda one: (order.get(topic(one), len(order)), one.name))
    groups = ((name, list(group)) for name, group in groupby(chosen, key=topic))
    return HEAD + "\n".join(_group(name, group, pages) for name, group in groups)


def _group(name: str, heads: list[Head], pages: Mapping[str, Page]) -> str:
    rows = [(_link(one), markup.prose(one.title)) for one in heads]
    table = markup.markdown_table(["sample", "what it is"], rows)
    tree = markup.tree([f"{one.name} </reference/samples/{one.name}>" for one in heads], name)
    return f"## {name}\n\n{course.links(course.of_topic(name, pages), '../')}\n\n{table}\n{tree}"


def _link(one: Head) -> str:
    kind = " (JMH)" if "benchmarks" in one.source.parts else ""
    return f"[{one.name.partition('/')[2]}](samples/{one.name}.md){kind}"


def page(one: Head, text: str, pages: Mapping[str, Page]) -> str:
    """One sample's page in MyST Markdown."""
    notebooks = course.named_in(" ".join(one.parts.get("NOTEBOOK", ())), pages)
    about = " ".join(one.about).partition(": ")[2]
    parts = [
        f"# {one.name}\n",
        f"{markup.prose(about[:1].upper() + about[1:])}\n",
        f"**The question:** {_said(one, 'QUESTION')}\n",
    ]
    parts += [f"**The page:** {course.links(notebooks, '../../../')}\n"]
    parts += [f"**{WORDS[word]}:** {_said(one, word)}\n" for word in WORDS if word in one.parts]
    parts += ["## Run it\n", markup.code("\n".join(one.parts.get("RUN", ())), "sh")]
    parts += ["What comes:\n", markup.code("\n".join(one.parts.get("EXPECT", ())), "text")]
    return "\n".join([*parts, "## Its text\n", markup.code(text, "java")])


def _said(one: Head, word: str) -> str:
    return markup.prose(" ".join(one.parts.get(word, ()))) or "–"
