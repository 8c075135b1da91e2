"""All claims with their verdicts -> the page "Then and now", a page per claim and per post, and all as CSV and JSON."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.claims import links
from safepointlab.claims.base import POSTS, by_collector, shown
from safepointlab.claims.table import MARKS, where_they_differ
from safepointlab.site import markup
from safepointlab.site.reference import course, verdicts
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.verdicts import Entry, JudgedClaim, Measurement

CSV, JSON = "then-and-now.csv", "then-and-now.json"
COLUMNS = (
    "id", "post", "topic", "statement", "as_published", "jdk", "verdict", "why", "cause", "collectors",
    "measured", "notebooks",
    "build", "date",
)  # fmt: skip
HEAD = """# Then and now

Each statement of the posts that can be checked is a *claim*. The posts were written between 2013 and 2019, most of them
about JDK 7 and 8, the mail of 2019 about a build of JDK 13. A row is a claim. Its number leads to its page: how it was
measured, the results, and why. Neighbouring JDKs that agree share a cell. [How a verdict is made](../docs/claims.md)
is a page of its own.
"""
LEGEND = """| verdict | what it means |
|---|---|
| ✓ holds | what was measured on this JDK is what the post says |
| ↷ changed | it held once and does not on this JDK, because of the JEP or JDK bug that is named |
| ✗ never did | it was measured otherwise, and no change of the JDK explains it |
| ? unclear | measured, and too close, too noisy or contradictory; or not so here, and nobody knows if it ever was |
| · not run | the claim's page says why |
| – not applicable | this JDK lacks the flag or the thing that the statement is about |

Where the answer depends on the collector, a claim is measured with the collector that the JDK chooses by itself, which
gives the verdict, and with Serial; a cell says so where the two differ.
"""
WIDE = "---\nhtml_theme.sidebar_secondary.remove: true\n---\n"  # the table has the place of the page's contents
NOTHING = "Nothing is measured yet: `safepoint claims --to json --out docs/claims.json` does it, and takes an hour.\n"


def write(folder: Path, measured: Measurement, pages: Mapping[str, Page]) -> None:
    """Write "Then and now", the two files that it offers, a page for each claim, and for each post one that lists its
    claims."""
    markup.save(folder, "then-and-now.md", then_and_now(measured))
    markup.save(folder, CSV, as_csv(measured, pages))
    markup.save(folder, JSON, as_json(measured, pages))
    for judged in measured.claims:
        markup.save(folder, f"{judged.name}.md", claim_page(judged, measured, pages))
    for post in POSTS:
        markup.save(folder, f"claims/{post}.md", post_page(post, measured))


def then_and_now(measured: Measurement) -> str:
    states = {jdk: Counter(judged.state(jdk) for judged in measured.claims) for jdk in measured.jdks}
    rows = [markup.row(sign, [markup.cell(str(states[jdk][word])) for jdk in states]) for word, sign in MARKS.items()]
    name = "How many claims have which verdict"
    caption = f"How many of the {len(measured.claims)} claims have which verdict"
    counts = markup.table("counts", name, ["", *(f"JDK {jdk}" for jdk in measured.jdks)], [rows], caption)
    download = f"All of it to keep: {{download}}`CSV <{CSV}>` and {{download}}`JSON <{JSON}>`, with the evidence.\n"
    posts = [f"{post} {verdicts.short(post)} </reference/claims/{post}>" for post in POSTS]
    parts = [HEAD, origin(measured), download, markup.raw(counts), LEGEND, "## All claims\n"]
    return "\n".join([*parts, markup.raw(filtered_table(measured)), markup.tree(posts, "Posts")])


def origin(measured: Measurement) -> str:
    """Where and when it was measured, in a paragraph."""
    if not measured.machine:
        return NOTHING
    entries = [entry for judged in measured.claims for entry in judged.by_jdk.values()]
    dates = sorted(entry["date"][:10] for entry in entries if entry.get("date"))
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "at an unknown date"
    where = f"Measured {when} on {markup.plain(measured.machine)}, in the profile {measured.about.get('profile', '?')}."
    builds = "; ".join(markup.plain(build) for build in measured.about.get("jdks", {}).values())
    return f"{where} The JDKs: {builds}.\n"


def filtered_table(measured: Measurement) -> str:
    """The table of all claims with the form above it, in HTML."""
    choices = {
        "post": {post: f"{post} {verdicts.short(post)}" for post in POSTS},
        "topic": {topic: topic for topic in sorted({judged.topic for judged in measured.claims})},
        "JDK": {str(jdk): f"JDK {jdk}" for jdk in measured.jdks},
        "verdict": {css_word(word): sign for word, sign in MARKS.items()},
    }
    head = ["claim", "what the post says", *(f"JDK {jdk}" for jdk in measured.jdks)]
    bodies = []
    for post in POSTS:
        link = f'<a href="claims/{post}.html">{post}</a> {escape(POSTS[post])}'
        title = f'<tr class="sl-post"><th scope="rowgroup" colspan="{len(head)}">{link}</th></tr>'
        bodies.append([title, *(claim_row(judged, measured) for judged in measured.of_post(post))])
    return markup.filter_form("claims", choices) + markup.table("claims", "All claims", head, bodies)


def css_word(verdict: str) -> str:
    """ "never did" -> "never-did": a verdict as a class and as a word of the filter."""
    return verdict.replace(" ", "-")


def claim_row(judged: JudgedClaim, measured: Measurement) -> str:
    claim = judged.claim
    said = f'{escape(claim.statement)}<br><span class="sl-then">then: {escape(claim.as_published)}</span>'
    cells = [markup.cell(said)]
    for word, jdks in judged.spans(measured.jdks):
        where = f'<span class="sl-jdk">JDK </span>{verdicts.span(jdks)}'
        entries = [judged.by_jdk[jdk] for jdk in jdks if jdk in judged.by_jdk]
        names = links.names(" ".join(str(entry.get("cause", "")) for entry in entries))
        causes = "".join(f"<br>{markup.html(name)}" for name in names)
        differ = dict.fromkeys(
            filter(None, (where_they_differ(by_collector(entry.get("collectors", {}))) for entry in entries))
        )
        told = "".join(f"<br>{escape(each)}" for each in differ)
        text = f"<b>{MARKS[word]}</b> <small>{where}{told}{causes}</small>"
        cells.append(markup.cell(text, len(jdks), f"sl-verdict sl-{css_word(word)}"))
    states = " ".join(f"{jdk}:{css_word(judged.state(jdk))}" for jdk in measured.jdks)
    link = f'<a href="{judged.name}.html">{claim.id}</a>'
    return markup.row(link, cells, data_post=judged.post, data_topic=judged.topic, data_verdict=states)


def as_csv(measured: Measurement, pages: Mapping[str, Page]) -> str:
    return str(pd.DataFrame(csv_rows(measured, pages), columns=COLUMNS).to_csv(index=False))


def csv_rows(measured: Measurement, pages: Mapping[str, Page]) -> Iterator[dict[str, Any]]:
    """One row per claim and JDK; a claim without a verdict has one, too."""
    for judged in measured.claims:
        claim = judged.claim
        about = {"id": claim.id, "post": claim.source, "topic": judged.topic, "statement": claim.statement}
        about |= {"as_published": claim.as_published, "notebooks": " ".join(notebooks(judged, pages))}
        nothing = {"verdict": "not run", "why": verdicts.missing(claim), "measured": {}}
        for jdk, entry in judged.entries(measured.jdks) or [(0, nothing)]:
            said = {name: entry.get(name, "") for name in ("verdict", "why", "cause", "build", "date")}
            said |= {"measured": shown(entry["measured"]), "collectors": by_collector(entry.get("collectors", {}))}
            yield {**about, "jdk": jdk or "", **said}


def notebooks(judged: JudgedClaim, pages: Mapping[str, Page]) -> list[str]:
    return [page.name for page in course.of_topic(judged.topic, pages)]


def as_json(measured: Measurement, pages: Mapping[str, Page]) -> str:
    """The document as `safepoint claims --compare` reads it, and the list of claims with topic and notebooks."""
    listed = []
    for judged in measured.claims:
        claim = judged.claim
        about = {name: getattr(claim, name) for name in ("id", "statement", "as_published", "source")}
        shown_by = {"topic": judged.topic, "notebooks": notebooks(judged, pages), "causes": judged.causes()}
        states = {f"JDK {jdk}": judged.state(jdk) for jdk in measured.jdks}
        listed.append({**about, **shown_by, "verdicts": states})
    entries = [entry for judged in measured.claims for entry in judged.by_jdk.values()]
    made = {"kind": "safepointlab claims", **measured.about, "claims": listed, "verdicts": entries}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def claim_page(judged: JudgedClaim, measured: Measurement, pages: Mapping[str, Page]) -> str:
    """One claim's page in MyST Markdown: who says it, how it is measured, the results, and why."""
    claim, entries = judged.claim, judged.entries(measured.jdks)
    post = f"{links.markdown(POSTS[judged.post])} ([all its claims]({judged.post}.md))"
    who = f"the lab, about something that the post leads to: {post}" if claim.ours else post
    parts = [
        WIDE,
        f"# {claim.id}: {markup.plain(claim.statement)}\n",
        f"**Who says it:** {who}.\n",
        f"**What the post measured or says:** {markup.linked(claim.as_published)}\n",
    ]
    if claim.not_run:
        parts.append(f"**Not run.** {markup.prose(verdicts.missing(claim))}\n")
    else:
        parts += ["## How it is measured\n", *how(judged, entries)]
    if entries:
        parts += ["## Results\n", markup.raw(evidence(entries, claim.id)), reasons(entries)]
    elif not claim.not_run:
        parts.append(f"**Not run.** {markup.prose(verdicts.missing(claim))}\n")
    if claim.mechanism:
        parts.append(
            f"## Why it is so\n\nRead in the sources named, not measured here. {markup.prose(claim.mechanism)}\n"
        )
    parts.append(f"## Where the course shows it\n\n{course.links(course.of_topic(judged.topic, pages), '../../')}\n")
    return "\n".join([*parts, circumstances(judged, measured)])


def how(judged: JudgedClaim, entries: Sequence[tuple[int, Entry]]) -> Iterator[str]:
    """The programs and settings, what differs from the post, the judge's rule, and the command that runs it again."""
    claim = judged.claim
    if rows := list(made(entries)):
        head = ["program", "compiler", "collector", "flags", "arguments", "JVMs on each JDK"]
        yield markup.markdown_table(head, rows)
    if claim.setup:
        yield f"**What differs from the post:** {markup.prose(claim.setup)}\n"
    if claim.rule:
        yield f"**It holds if** {markup.prose(claim.rule)}\n"
    yield f"**Run it again:**\n\n{markup.code(f'safepoint claims {claim.id}', 'sh')}"


def made(entries: Sequence[tuple[int, Entry]]) -> Iterator[tuple[str, ...]]:
    """A row for each kind of run that the measurement made, over all JDKs."""
    counts: dict[str, Counter[int]] = {}
    kinds: dict[str, Mapping[str, Any]] = {}
    for jdk, entry in entries:
        for kind in entry.get("runs", []):
            key = json.dumps({name: value for name, value in kind.items() if name != "jvms"}, sort_keys=True)
            kinds[key] = kind
            counts.setdefault(key, Counter())[jdk] += int(kind["jvms"])
    for key, kind in kinds.items():
        jars = [f"`{jar}`" for jar in kind.get("jars", [])]
        lines = (" ".join(kind.get(name, [])).replace("|", "\\|") for name in ("flags", "args"))
        words = [f"`{line}`" if line else "–" for line in lines]
        own = f"`{gc}`" if (gc := kind.get("gc")) else "the JDK's own"
        compiler = kind.get("compiler") or "javac"
        yield " ".join([sample(kind["sample"]), *jars]), compiler, own, *words, _jvms(counts[key], len(entries))


def sample(name: str) -> str:
    """A link to the page of a program ("hang/KillerTask") or of a benchmark ("unfair.Scan.scan$")."""
    file = name if "/" in name else "/".join(re.sub(r"[^\w.]", "", name).split(".")[:2])
    known = file.endswith(".java") or "/" not in file
    return f"`{name}`" if known else f"[{markup.plain(name.rstrip('$'))}](../samples/{file}.md)"


def _jvms(counts: Counter[int], jdks: int) -> str:
    """ "4", "2 to 4", and on which JDKs, if not on all."""
    ends = sorted(set(counts.values()))
    many = f"{ends[0]}" if len(ends) == 1 else f"{ends[0]} to {ends[-1]}"
    return many if len(counts) == jdks else f"{many} (JDK {', '.join(map(str, counts))})"


def evidence(entries: Sequence[tuple[int, Entry]], name: str) -> str:
    """One column per JDK in HTML: its verdict, also by collector, and each number with its unit."""
    words = [str(entry["verdict"]) for _, entry in entries]
    looks = [(MARKS[word], f"sl-verdict sl-{css_word(word)}") for word in words]
    rows = [markup.row("verdict", [markup.cell(f"<b>{sign}</b>", look=look) for sign, look in looks])]
    numbers = verdicts.measured_rows(entries)
    if told := [
        where_they_differ(by_collector(entry.get("collectors", {}))) for _, entry in entries if entry.get("collectors")
    ]:
        numbers.insert(0, ("by collector", told))
    rows += [markup.row(escape(title), [markup.cell(escape(value)) for value in values]) for title, values in numbers]
    head = ["", *(f"JDK {jdk}" for jdk, _ in entries)]
    return markup.table("evidence", f"What was measured of {name}", head, [rows])


def reasons(entries: Sequence[tuple[int, Entry]]) -> str:
    """One item per reason; JDKs that are neighbours and have the same share it."""
    items = ""

    def said(one: tuple[int, Entry]) -> tuple[str, str, str]:
        return str(one[1]["verdict"]), str(one[1].get("why", "")), str(one[1].get("cause", ""))

    for (word, why, cause), group in groupby(entries, key=said):
        jdks = [jdk for jdk, _ in group]
        where = f"JDK {jdks[0]}" if len(jdks) == 1 else f"JDK {jdks[0]} to {jdks[-1]}"
        because = f" *Cause:* {markup.prose(cause)}." if cause else ""
        items += f"- **{where}: {markup.plain(MARKS[word])}.** {markup.prose(why.removesuffix('.'))}.{because}\n"
    return items


def circumstances(judged: JudgedClaim, measured: Measurement) -> str:
    """Machine, profile, builds, dates, and how quiet the measurement was."""
    entries = [(jdk, judged.by_jdk[jdk]) for jdk in sorted(judged.by_jdk)]
    if not entries:
        return ""
    quiet = [entry["quiet"] for _, entry in entries if entry.get("quiet")]
    runs, disturbed = (sum(int(each.get(name, 0)) for each in quiet) for name in ("runs", "disturbed"))
    said = f" {runs} runs of a JVM, {disturbed} of them disturbed by other processes." if runs else ""
    since = " The measure has changed since; the command above measures what it is now." if judged.stale else ""
    days = sorted({str(entry["date"])[:10] for _, entry in entries if entry.get("date")})
    when = " to ".join(dict.fromkeys([days[0], days[-1]])) if days else "at an unknown date"
    builds = "; ".join(markup.plain(str(entry["build"])) for _, entry in entries if entry.get("build"))
    where = f"Measured {when} on {markup.plain(measured.machine)}, profile {measured.about.get('profile', '?')}."
    return f"{where}{said}{since} The JDKs: {builds}.\n"


def post_page(post: str, measured: Measurement) -> str:
    """One post's page: its link, and its claims with their verdicts ("JDK 8 ✓ holds, 11–28 ↷ changed")."""
    rows, names = [], []
    for judged in measured.of_post(post):
        if not judged.by_jdk:
            said = markup.plain(MARKS["not run"])
        else:
            spans = judged.spans(measured.jdks)
            said = "JDK " + ", ".join(f"{verdicts.span(jdks)} {markup.plain(MARKS[word])}" for word, jdks in spans)
        link = f"[{judged.claim.id}]({judged.claim.id}.md)"
        rows.append((link, markup.plain(judged.claim.statement), said))
        names.append(f"{judged.claim.id} </reference/{judged.name}>")
    table = markup.markdown_table(["claim", "what the post says", "verdicts"], rows)
    title = f"# {post}: {markup.plain(POSTS[post])}\n\nThe post: {links.markdown(POSTS[post])}\n"
    return "\n".join([title, table, markup.tree(names)])
