"""All claims with their verdicts -> the page "Then and now", a page per claim and per post, and all as CSV and JSON."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.claims import document, links
from safepointlab.claims.base import POSTS, shown
from safepointlab.claims.table import ANY_JDK, jdk_name
from safepointlab.site import markup
from safepointlab.site.reference import course, verdicts
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.verdicts import NOT_MEASURED, SIGNS, Entry, JudgedClaim, Measurement

CSV, JSON = "then-and-now.csv", "then-and-now.json"
COLUMNS = (
    "id", "post", "topic", "statement", "as_published", "jdk", "verdict", "why", "measured", "causes", "notebooks",
    "build", "date",
)  # fmt: skip
HEAD = """# Then and now

Each statement of the posts that can be checked is a *claim*. The posts were written between 2013 and 2019, on JDK 7
and 8. The lab ran every claim again on each JDK below. A row is a claim; its number leads to its page with the numbers,
the reasons and the cause. Neighbouring JDKs that agree share a cell.
"""
LEGEND = """| verdict | what it means |
|---|---|
| ✓ holds | what was measured on this JDK is what the post says |
| ↷ changed | it held once and does not on this JDK, because of the JEP or JDK bug that is named |
| ✗ fails | it was expected to hold on this JDK, and was measured otherwise |
| ? unclear | measured, and too close or too noisy to say |
| – not asked | this JDK lacks the flag or the thing that the statement is about |
| · not measured | this measurement has no verdict; the claim's page says why |
"""
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
    """The page in MyST Markdown."""
    states = {jdk: Counter(judged.state(jdk) for judged in measured.claims) for jdk in measured.jdks}
    rows = [markup.row(sign, [markup.cell(str(states[jdk][word])) for jdk in states]) for word, sign in SIGNS.items()]
    name = "How many claims have which verdict"
    caption = f"How many of the {len(measured.claims)} claims have which verdict"
    counts = markup.table("counts", name, ["", *(f"JDK {jdk}" for jdk in measured.jdks)], [rows], caption)
    download = f"All of it to keep: {{download}}`CSV <{CSV}>` and {{download}}`JSON <{JSON}>`, with the evidence.\n"
    posts = [f"{post} {verdicts.short(post)} </reference/claims/{post}>" for post in POSTS]
    parts = [HEAD, origin(measured), download, markup.raw(counts), LEGEND, "## All claims\n"]
    return "\n".join([*parts, markup.raw(filtered_table(measured)), markup.tree(posts, "Posts")])


def origin(measured: Measurement) -> str:
    """Where and when it was measured, in a paragraph, and how many verdicts are from another machine."""
    if not measured.machine:
        return NOTHING
    entries = [entry for judged in measured.claims for entry in judged.by_jdk.values()]
    dates = sorted(entry["date"][:10] for entry in entries if entry.get("date"))
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "at an unknown date"
    where = f"Measured {when} on {markup.plain(measured.machine)}, in the profile {measured.about.get('profile', '?')}."
    if others := [document.machine({}, entry) for entry in entries if entry.get("machine")]:
        many = "1 verdict is" if len(others) == 1 else f"{len(others)} verdicts are"
        where += f" {many} from {markup.plain(' and '.join(dict.fromkeys(others)))}."
    builds = "; ".join(markup.plain(build) for build in measured.about.get("jdks", {}).values())
    return f"{where} The JDKs: {builds}.\n"


def filtered_table(measured: Measurement) -> str:
    """The table of all claims with the form above it, in HTML."""
    choices = {
        "post": {post: f"{post} {verdicts.short(post)}" for post in POSTS},
        "topic": {topic: topic for topic in sorted({judged.topic for judged in measured.claims})},
        "JDK": {str(jdk): f"JDK {jdk}" for jdk in measured.jdks},
        "verdict": {css_word(word): sign for word, sign in SIGNS.items()},
    }
    head = ["claim", "what the post says", *(f"JDK {jdk}" for jdk in measured.jdks)]
    bodies = []
    for post in POSTS:
        link = f'<a href="claims/{post}.html">{post}</a> {escape(POSTS[post])}'
        title = f'<tr class="sl-post"><th scope="rowgroup" colspan="{len(head)}">{link}</th></tr>'
        bodies.append([title, *(claim_row(judged, measured) for judged in measured.of_post(post))])
    return markup.filter_form("claims", choices) + markup.table("claims", "All claims", head, bodies)


def css_word(verdict: str) -> str:
    """ "not asked" -> "not-asked": a verdict as a class and as a word of the filter."""
    return verdict.replace(" ", "-")


def claim_row(judged: JudgedClaim, measured: Measurement) -> str:
    """One claim in HTML: its data attributes are what the filter looks at ("8:holds 25:not-asked")."""
    claim = judged.claim
    said = f'{escape(claim.statement)}<br><span class="sl-then">then: {escape(claim.as_published)}</span>'
    cells = [markup.cell(said)]
    for word, jdks in judged.spans(measured.jdks):
        where = ANY_JDK if judged.once else f'<span class="sl-jdk">JDK </span>{verdicts.span(jdks)}'
        whys = " ".join(str(judged.by_jdk[jdk].get("why", "")) for jdk in jdks if jdk in judged.by_jdk)
        causes = "".join(f"<br>{markup.html(name)}" for name in links.names(whys)) if word == "changed" else ""
        text = f"<b>{SIGNS[word]}</b> <small>{where}{causes}</small>"
        cells.append(markup.cell(text, len(jdks), f"sl-verdict sl-{css_word(word)}"))
    states = " ".join(f"{jdk}:{css_word(judged.state(jdk))}" for jdk in measured.jdks)
    link = f'<a href="{judged.name}.html">{claim.id}</a>'
    return markup.row(link, cells, data_post=judged.post, data_topic=judged.topic, data_verdict=states)


def as_csv(measured: Measurement, pages: Mapping[str, Page]) -> str:
    """All verdicts as CSV, with COLUMNS above them."""
    return str(pd.DataFrame(csv_rows(measured, pages), columns=COLUMNS).to_csv(index=False))


def csv_rows(measured: Measurement, pages: Mapping[str, Page]) -> Iterator[dict[str, Any]]:
    """One row per claim and JDK; a claim without a verdict has one, too."""
    for judged in measured.claims:
        claim = judged.claim
        about = {"id": claim.id, "post": claim.source, "topic": judged.topic, "statement": claim.statement}
        about |= {"as_published": claim.as_published, "notebooks": " ".join(notebooks(judged, pages))}
        nothing = {"verdict": NOT_MEASURED, "why": verdicts.missing(claim), "measured": {}}
        for jdk, entry in judged.entries(measured.jdks) or [(0, nothing)]:
            said = {name: entry.get(name, "") for name in ("verdict", "why", "build", "date")}
            said |= {"measured": shown(entry["measured"]), "causes": " ".join(links.names(said["why"]))}
            yield {**about, "jdk": jdk or "", **said}


def notebooks(judged: JudgedClaim, pages: Mapping[str, Page]) -> list[str]:
    """The names of the notebooks that show the claim."""
    return [page.name for page in course.of_topic(judged.topic, pages)]


def as_json(measured: Measurement, pages: Mapping[str, Page]) -> str:
    """The document as `safepoint claims --compare` reads it, and the list of claims with topic and notebooks."""
    listed = []
    for judged in measured.claims:
        claim = judged.claim
        about = {
            "id": claim.id,
            "statement": claim.statement,
            "as_published": claim.as_published,
            "source": claim.source,
        }
        shown_by = {"topic": judged.topic, "notebooks": notebooks(judged, pages), "causes": judged.causes()}
        states = {jdk_name(0 if judged.once else jdk): judged.state(jdk) for jdk in measured.jdks}
        listed.append({**about, **shown_by, "verdicts": states})
    entries = [entry for judged in measured.claims for entry in judged.by_jdk.values()]
    made = {"kind": "safepointlab claims", **measured.about, "claims": listed, "verdicts": entries}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def claim_page(judged: JudgedClaim, measured: Measurement, pages: Mapping[str, Page]) -> str:
    """One claim's page in MyST Markdown: what was measured then and now, why, and how to run it again."""
    claim, entries = judged.claim, judged.entries(measured.jdks)
    parts = [
        f"# {claim.id}: {markup.plain(claim.statement)}\n",
        f"**Who says it:** {links.markdown(POSTS[judged.post])}. "
        f"All of the post's claims: [{judged.post}]({judged.post}.md).\n",
        f"**What the post measured or says:** {markup.linked(claim.as_published)}\n",
        "## What the lab measured\n",
    ]
    if entries:
        parts += [markup.raw(evidence(entries, claim.id)), "## Why\n", reasons(entries)]
    else:
        why = f"<b>Not measured.</b> {markup.html(verdicts.missing(claim))}"
        parts.append(markup.raw(f'<p class="sl-unmeasured">{why}</p>'))
    if names := judged.causes():
        listed = "".join(f"- {links.markdown(name)}\n" for name in names)
        parts.append(f"## The cause\n\nThe changes of the JDK that the reasons name:\n\n{listed}")
    parts.append("## See it, and run it again\n")
    parts.append(f"The page that shows it: {course.links(course.of_topic(judged.topic, pages), '../../')}\n")
    if not claim.not_run:
        parts.append(markup.code(f"safepoint claims {claim.id}", "sh"))
    return "\n".join([*parts, quietness(judged, measured)])


def evidence(entries: Sequence[tuple[int, Entry]], name: str) -> str:
    """One column per JDK in HTML: its verdict, each number with its unit, the build, the date, a machine of its own."""
    words = [str(entry["verdict"]) for _, entry in entries]
    looks = [(SIGNS.get(word, escape(word)), f"sl-verdict sl-{css_word(word)}") for word in words]
    rows = [markup.row("verdict", [markup.cell(f"<b>{sign}</b>", look=look) for sign, look in looks])]
    numbers = verdicts.measured_rows(entries)
    numbers.append(("build", [str(entry.get("build") or "") for _, entry in entries]))
    numbers.append(("measured on", [str(entry.get("date") or "")[:10] for _, entry in entries]))
    if any(entry.get("machine") for _, entry in entries):
        numbers.append(("on another machine", [document.machine({}, entry) for _, entry in entries]))
    rows += [markup.row(escape(title), [markup.cell(escape(value)) for value in values]) for title, values in numbers]
    head = ["", *(jdk_name(jdk) for jdk, _ in entries)]
    return markup.table("evidence", f"What was measured of {name}", head, [rows])


def reasons(entries: Sequence[tuple[int, Entry]]) -> str:
    """One item per reason; JDKs that are neighbours and have the same share it."""
    items = ""
    for (word, why), group in groupby(entries, key=lambda one: (str(one[1]["verdict"]), str(one[1].get("why", "")))):
        jdks = [jdk for jdk, _ in group]
        where = jdk_name(jdks[0]) if len(jdks) == 1 else f"JDK {jdks[0]} to {jdks[-1]}"
        items += f"- **{where}: {markup.plain(SIGNS.get(word, word))}.** {markup.prose(why)}\n"
    return items


def quietness(judged: JudgedClaim, measured: Measurement) -> str:
    """Machine, profile, and how quiet the measurement was."""
    if not judged.by_jdk:
        return ""
    quiet = [entry["quiet"] for entry in judged.by_jdk.values() if entry.get("quiet")]
    runs, disturbed = (sum(int(each.get(name, 0)) for each in quiet) for name in ("runs", "disturbed"))
    said = f" {runs} runs of a JVM, {disturbed} of them disturbed by other processes." if runs else ""
    since = " The measure has changed since; the command above measures what it is now." if judged.stale else ""
    return f"Measured on {markup.plain(measured.machine)}, profile {measured.about.get('profile', '?')}.{said}{since}\n"


def post_page(post: str, measured: Measurement) -> str:
    """One post's page: its link, and its claims with their verdicts ("JDK 8 ✓ holds, 11–28 ↷ changed")."""
    rows, names = [], []
    for judged in measured.of_post(post):
        if judged.once or not judged.by_jdk:
            said = markup.plain(SIGNS[judged.state(measured.jdks[0])])
        else:
            spans = judged.spans(measured.jdks)
            said = "JDK " + ", ".join(f"{verdicts.span(jdks)} {markup.plain(SIGNS[word])}" for word, jdks in spans)
        link = f"[{judged.claim.id}]({judged.claim.id}.md)"
        rows.append((link, markup.plain(judged.claim.statement), said))
        names.append(f"{judged.claim.id} </reference/{judged.name}>")
    table = markup.markdown_table(["claim", "what the post says", "verdicts"], rows)
    title = f"# {post}: {markup.plain(POSTS[post])}\n\nThe post: {links.markdown(POSTS[post])}\n"
    return "\n".join([title, table, markup.tree(names)])
