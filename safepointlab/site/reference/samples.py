"""java-samples/ -> a page for each program and benchmark: its question, how it is run, its notebook, its text."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path

from safepointlab.run import benchmarks, build, head
from safepointlab.run.head import Head
from safepointlab.site import markup
from safepointlab.site.reference import course
from safepointlab.site.reference.course import Page

HEAD = """# The Java samples

Each is a program of one page, and half of it is talk: the comments ask the next question and say why the JVM does it.
The command under *Run it* works as typed, in the sample's own folder.

"""
WORDS = {"ARGUMENTS": "Arguments", "JDKS": "JDKs"}


def write(folder: Path, pages: Mapping[str, Page]) -> None:
    heads = [head.read(source) for source in (*build.sample_files(), *benchmarks.sources())]
    markup.save(folder, "samples.md", index(heads, pages))
    for one in heads:
        markup.save(folder, f"samples/{one.name}.md", page(one, pages))


def index(heads: Iterable[Head], pages: Mapping[str, Page]) -> str:
    """The list of all samples by topic, in the order of the course."""
    topics = list(dict.fromkeys(page.topic for page in pages.values()))

    def topic(one: Head) -> str:
        return one.name.partition("/")[0]

    def place(one: Head) -> tuple[int, str]:
        return (topics.index(topic(one)) if topic(one) in topics else len(pages)), one.name

    text = []
    for name, group in groupby(sorted(heads, key=place), key=topic):
        rows, names = [], []
        for one in group:
            kind = " (JMH)" if "benchmarks" in one.source.parts else ""
            rows.append((f"[{one.name.partition('/')[2]}](samples/{one.name}.md){kind}", markup.prose(one.title)))
            names.append(f"{one.name} </reference/samples/{one.name}>")
        links = course.links(course.of_topic(name, pages), "../")
        table = markup.markdown_table(["sample", "what it is"], rows)
        text.append(f"## {name}\n\n{links}\n\n{table}\n{markup.tree(names, name)}")
    return HEAD + "\n".join(text)


def page(one: Head, pages: Mapping[str, Page]) -> str:

    def said(word: str) -> str:
        return markup.prose(" ".join(one.parts.get(word, ()))) or "–"

    notebooks = course.named_in(" ".join(one.parts.get("NOTEBOOK", ())), pages)
    about = " ".join(one.about).partition(": ")[2]
    parts = [
        f"# {one.name}\n",
        f"{markup.prose(about[:1].upper() + about[1:])}\n",
        f"**The question:** {said('QUESTION')}\n",
        f"**The page:** {course.links(notebooks, '../../../')}\n",
        *(f"**{title}:** {said(word)}\n" for word, title in WORDS.items() if word in one.parts),
        "## Run it\n",
        markup.code("\n".join(one.parts.get("RUN", ())), "sh"),
        "What comes:\n",
        markup.code("\n".join(one.parts.get("EXPECT", ())), "text"),
        "## Its text\n",
        markup.code(one.source.read_text("utf-8"), "java"),
    ]
    return "\n".join(parts)
