"""A claim with its verdicts -> its own page: what was measured then and now, why, and how to run it again."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from safepointlab.claims import document, links
from safepointlab.claims.base import POSTS
from safepointlab.claims.table import jdk_name
from safepointlab.site.reference import course, markup, verdicts
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.verdicts import SIGNS, Entry, Measured, Told

UP = "../../"  # from a claim's page to the book's root


def write(folder: Path, measured: Measured, pages: Mapping[str, Page]) -> None:
    """Write a page for each claim, and for each post one that lists its claims."""
    for told in measured.told:
        markup.save(folder, f"{told.name}.md", page(told, measured, pages))
    for post in POSTS:
        markup.save(folder, f"claims/{post}.md", post_page(post, measured))


def page(told: Told, measured: Measured, pages: Mapping[str, Page]) -> str:
    """One claim's page in MyST Markdown."""
    title = f"# {told.claim.id}: {markup.plain(told.claim.statement)}\n"
    return "\n".join([title, _then(told), _now(told, measured), _again(told, measured, pages)])


def _then(told: Told) -> str:
    return (
        f"**Who says it:** {verdicts.post_link(told.post)}. "
        f"All of the post's claims: [{told.post}]({told.post}.md).\n\n"
        f"**What the post measured or says:** {markup.linked(told.claim.as_published)}\n"
    )


def _now(told: Told, measured: Measured) -> str:
    entries = told.entries(measured.jdks)
    if not entries:
        why = markup.raw(
            f'<p class="sl-unmeasured"><b>Not measured.</b> {markup.html(verdicts.missing(told.claim))}</p>'
        )
        return f"## What the lab measured\n\n{why}"
    table = markup.raw(markup.wide(evidence(entries), f"What was measured of {told.claim.id}"))
    return f"## What the lab measured\n\n{table}\n## Why\n\n{_reasons(entries)}\n{_causes(told)}"


def evidence(entries: Sequence[tuple[int, Entry]]) -> str:
    """A column a JDK in HTML: its verdict, each number with its unit, the build, the date, and a machine of its own."""
    head = "".join(f'<th scope="col">{jdk_name(jdk)}</th>' for jdk, _ in entries)
    verdict = "".join(_verdict(str(entry["verdict"])) for _, entry in entries)
    about = [("build", "build"), ("measured on", "date")]
    about += [("on another machine", "machine")] if any(entry.get("machine") for _, entry in entries) else []
    numbers = [*verdicts.measured_rows(entries), *((name, [_about(e, key) for _, e in entries]) for name, key in about)]
    body = "\n".join(_row(name, values) for name, values in numbers)
    top = f'<thead><tr><td></td>{head}</tr></thead><tbody><tr><th scope="row">verdict</th>{verdict}</tr>'
    return f'<table class="table sl-evidence">{top}\n{body}</tbody></table>'


def _verdict(word: str) -> str:
    return f'<td class="sl-verdict sl-{word.replace(" ", "-")}"><b>{SIGNS.get(word, escape(word))}</b></td>'


def _about(entry: Entry, key: str) -> str:
    if key == "machine":
        return document.machine({}, entry)
    text = str(entry.get(key) or "")
    return text[:10] if key == "date" else text


def _row(name: str, values: Sequence[str]) -> str:
    cells = "".join(f"<td>{escape(value)}</td>" for value in values)
    return f'<tr><th scope="row">{escape(name)}</th>{cells}</tr>'


def _reasons(entries: Sequence[tuple[int, Entry]]) -> str:
    """One item a reason; JDKs that are neighbours and have the same share it."""
    groups = verdicts.alike(entries, lambda entry: (entry["verdict"], entry.get("why", "")))
    return "".join(f"- {_reason(jdks, entry)}\n" for jdks, entry in groups)


def _reason(jdks: Sequence[int], entry: Entry) -> str:
    where = jdk_name(jdks[0]) if len(jdks) == 1 else f"JDK {jdks[0]} to {jdks[-1]}"
    return f"**{where}: {_sign(entry)}.** {markup.prose(str(entry.get('why', '')))}"


def _sign(entry: Entry) -> str:
    word = str(entry["verdict"])
    return markup.plain(SIGNS.get(word, word))


def _causes(told: Told) -> str:
    names = told.causes()
    listed = "".join(f"- {links.markdown(name)}\n" for name in names)
    return f"## The cause\n\nThe changes of the JDK that the reasons name:\n\n{listed}" if names else ""


def _again(told: Told, measured: Measured, pages: Mapping[str, Page]) -> str:
    shows = course.links(course.of_topic(told.topic, pages), UP)
    parts = ["## See it, and run it again\n", f"The page that shows it: {shows}\n"]
    if not told.claim.not_run:
        parts.append(markup.code(f"safepoint claims {told.claim.id}", "sh"))
    return "\n".join([*parts, _where(told, measured)])


def _where(told: Told, measured: Measured) -> str:
    """Machine, profile, and how quiet the measurement was."""
    if not told.by_jdk:
        return ""
    quiet = [entry["quiet"] for entry in told.by_jdk.values() if entry.get("quiet")]
    runs, disturbed = (sum(int(each.get(name, 0)) for each in quiet) for name in ("runs", "disturbed"))
    said = f" {runs} runs of a JVM, {disturbed} of them disturbed by other processes." if runs else ""
    since = " The measure has changed since; the command above measures what it is now." if told.stale else ""
    return f"Measured on {markup.plain(measured.machine)}, profile {measured.about.get('profile', '?')}.{said}{since}\n"


def post_page(post: str, measured: Measured) -> str:
    """One post's page: its link, and its claims with their verdicts."""
    mine = measured.of_post(post)
    rows = [
        (f"[{told.claim.id}]({told.claim.id}.md)", markup.plain(told.claim.statement), _spoken(told, measured))
        for told in mine
    ]
    table = markup.markdown_table(["claim", "what the post says", "verdicts"], rows)
    names = [f"{told.claim.id} </reference/{told.name}>" for told in mine]
    title = f"# {post}: {markup.plain(POSTS[post])}\n\nThe post: {verdicts.post_link(post)}\n"
    return "\n".join([title, table, markup.tree(names)])


def _spoken(told: Told, measured: Measured) -> str:
    """ "JDK 8 ✓ holds, 11–28 ↷ changed"."""
    if told.once or not told.by_jdk:
        return markup.plain(SIGNS[told.state(measured.jdks[0])])
    spans = told.spans(measured.jdks)
    return "JDK " + ", ".join(f"{verdicts.span(jdks)} {markup.plain(SIGNS[word])}" for word, jdks in spans)
