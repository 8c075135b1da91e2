"""All claims with their verdicts -> the page "Then and now": one table with a filter, and the same as CSV and JSON."""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from safepointlab.claims import document, links
from safepointlab.claims.base import POSTS, shown
from safepointlab.claims.table import ANY_JDK, jdk_name
from safepointlab.site.reference import course, filters, markup, verdicts
from safepointlab.site.reference.course import Page
from safepointlab.site.reference.verdicts import NOT_MEASURED, SIGNS, Measured, Told

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


def write(folder: Path, measured: Measured, pages: Mapping[str, Page]) -> None:
    """Write the page, and beside it the two files that it offers."""
    markup.save(folder, "then-and-now.md", page(measured))
    markup.save(folder, CSV, as_csv(measured, pages))
    markup.save(folder, JSON, as_json(measured, pages))


def page(measured: Measured) -> str:
    """The page in MyST Markdown."""
    posts = [f"{post} {verdicts.short(post)} </reference/claims/{post}>" for post in POSTS]
    download = f"All of it to keep: {{download}}`CSV <{CSV}>` and {{download}}`JSON <{JSON}>`, with the evidence.\n"
    parts = [HEAD, about(measured), download, markup.raw(_counted(measured)), LEGEND, "## All claims\n"]
    return "\n".join([*parts, markup.raw(filtered(measured)), markup.tree(posts, "Posts")])


def about(measured: Measured) -> str:
    """Where and when it was measured, in a paragraph."""
    if not measured.machine:
        return (
            "Nothing is measured yet: `safepoint claims --to json --out docs/claims.json` does it, and takes an hour.\n"
        )
    dates = sorted(entry["date"][:10] for told in measured.told for entry in told.by_jdk.values() if entry.get("date"))
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "at an unknown date"
    builds = "; ".join(markup.plain(build) for build in measured.about.get("jdks", {}).values())
    where = f"Measured {when} on {markup.plain(measured.machine)}, in the profile {measured.about.get('profile', '?')}."
    return f"{where}{_elsewhere(measured)} The JDKs: {builds}.\n"


def _elsewhere(measured: Measured) -> str:
    """How many verdicts were measured on a machine of their own, and on which."""
    entries = [entry for told in measured.told for entry in told.by_jdk.values() if entry.get("machine")]
    places = " and ".join(dict.fromkeys(document.machine({}, entry) for entry in entries))
    many = "verdict is" if len(entries) == 1 else "verdicts are"
    return f" {len(entries)} {many} from {markup.plain(places)}." if entries else ""


def _counted(measured: Measured) -> str:
    """How many claims have which verdict on each JDK."""
    counts = {jdk: Counter(told.state(jdk) for told in measured.told) for jdk in measured.jdks}
    head = "".join(f'<th scope="col">JDK {jdk}</th>' for jdk in measured.jdks)
    rows = (
        f'<tr><th scope="row">{SIGNS[word]}</th>{"".join(f"<td>{counts[jdk][word]}</td>" for jdk in counts)}</tr>'
        for word in SIGNS
    )
    caption = f"<caption>How many of the {len(measured.told)} claims have which verdict</caption>"
    inside = f"{caption}<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
    table = f'<table class="table sl-counts">{inside}</table>'
    return markup.wide(table, "How many claims have which verdict")


def filtered(measured: Measured) -> str:
    """The table of all claims with the form above it, in HTML."""
    return _filter(measured) + _table(measured)


def _filter(measured: Measured) -> str:
    topics = sorted({told.topic for told in measured.told})
    choices = {
        "post": {post: f"{post} {verdicts.short(post)}" for post in POSTS},
        "topic": {topic: topic for topic in topics},
        "JDK": {str(jdk): f"JDK {jdk}" for jdk in measured.jdks},
        "verdict": {word.replace(" ", "-"): sign for word, sign in SIGNS.items()},
    }
    return filters.form("claims", choices, "claims")


def _table(measured: Measured) -> str:
    head = "".join(f'<th scope="col">JDK {jdk}</th>' for jdk in measured.jdks)
    head = f'<thead><tr><th scope="col">claim</th><th scope="col">what the post says</th>{head}</tr></thead>'
    bodies = "\n".join(_body(post, measured) for post in POSTS)
    return markup.wide(f'<table class="table sl-claims" id="claims">{head}\n{bodies}</table>', "All claims")


def _body(post: str, measured: Measured) -> str:
    """The rows of one post, below its name."""
    link = f'<a href="claims/{post}.html">{post}</a> {escape(POSTS[post])}'
    title = f'<tr class="sl-post"><th scope="rowgroup" colspan="{2 + len(measured.jdks)}">{link}</th></tr>'
    return f"<tbody>{title}\n" + "\n".join(row(told, measured) for told in measured.of_post(post)) + "</tbody>"


def row(told: Told, measured: Measured) -> str:
    """One claim in HTML: its data attributes are what the filter looks at."""
    said = f'{escape(told.claim.statement)}<br><span class="sl-then">then: {escape(told.claim.as_published)}</span>'
    link = f'<a href="{told.name}.html">{told.claim.id}</a>'
    data = f'data-post="{told.post}" data-topic="{told.topic}" data-verdict="{" ".join(_tokens(told, measured))}"'
    return f'<tr {data}><th scope="row">{link}</th><td>{said}</td>{cells(told, measured)}</tr>'


def _tokens(told: Told, measured: Measured) -> Iterator[str]:
    """ "8:holds", "25:not-asked": what the filter asks for by JDK and verdict."""
    for jdk in measured.jdks:
        yield f"{jdk}:{told.state(jdk).replace(' ', '-')}"


def cells(told: Told, measured: Measured) -> str:
    """A cell for each verdict that neighbouring JDKs share; the causes of a change are in it."""
    return "".join(_cell(told, word, jdks) for word, jdks in told.spans(measured.jdks))


def _cell(told: Told, word: str, jdks: list[int]) -> str:
    where = ANY_JDK if told.once else f'<span class="sl-jdk">JDK </span>{verdicts.span(jdks)}'
    whys = " ".join(str(told.by_jdk[jdk].get("why", "")) for jdk in jdks if jdk in told.by_jdk)
    causes = "".join(f"<br>{markup.html(name)}" for name in links.names(whys)) if word == "changed" else ""
    span = f' colspan="{len(jdks)}"' if len(jdks) > 1 else ""
    look = f'class="sl-verdict sl-{word.replace(" ", "-")}"'
    return f"<td{span} {look}><b>{SIGNS[word]}</b> <small>{where}{causes}</small></td>"


def rows(measured: Measured, pages: Mapping[str, Page]) -> Iterator[dict[str, Any]]:
    """One row a claim and JDK, fit for CSV: a claim without a verdict has one too."""
    for told in measured.told:
        notebooks = " ".join(page.name for page in course.of_topic(told.topic, pages))
        claim = {"id": told.claim.id, "post": told.claim.source, "topic": told.topic, "notebooks": notebooks}
        said = {"statement": told.claim.statement, "as_published": told.claim.as_published}
        nothing = {"verdict": NOT_MEASURED, "why": verdicts.missing(told.claim), "measured": {}}
        for jdk, entry in told.entries(measured.jdks) or [(0, nothing)]:
            yield {**claim, **said, "jdk": jdk or "", **_measured(entry)}


def _measured(entry: Mapping[str, Any]) -> dict[str, Any]:
    about = {name: entry.get(name, "") for name in ("verdict", "why", "build", "date")}
    causes = " ".join(links.names(about["why"]))
    return {**about, "measured": shown(entry["measured"]), "causes": causes}


def as_csv(measured: Measured, pages: Mapping[str, Page]) -> str:
    """All rows as CSV, with COLUMNS above them."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows(measured, pages))
    return out.getvalue()


def as_json(measured: Measured, pages: Mapping[str, Page]) -> str:
    """The document as `safepoint claims --compare` reads it, and the list of claims with topic and notebooks."""
    entries = [entry for told in measured.told for entry in told.by_jdk.values()]
    listed = [_listed(told, measured, pages) for told in measured.told]
    made = {"kind": "safepointlab claims", **measured.about, "claims": listed, "verdicts": entries}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def _listed(told: Told, measured: Measured, pages: Mapping[str, Page]) -> dict[str, Any]:
    claim = told.claim
    said = {"id": claim.id, "statement": claim.statement, "as_published": claim.as_published, "source": claim.source}
    states = {jdk_name(0 if told.once else jdk): told.state(jdk) for jdk in measured.jdks}
    notebooks = [page.name for page in course.of_topic(told.topic, pages)]
    return {**said, "topic": told.topic, "notebooks": notebooks, "causes": told.causes(), "verdicts": states}
