"""Then and now: every claim has a row and a page, what was not measured is told, and no text is taken for markup."""

import csv
import io
import json
from dataclasses import replace

import pytest

from safepointlab.claims import document
from safepointlab.claims.base import Claim, holds
from safepointlab.course import verdicts as claims
from safepointlab.errors import BadInput
from safepointlab.site.reference import claims as pages_of_claims
from safepointlab.site.reference import course, verdicts
from safepointlab.site.reference.verdicts import Measurement

PAGES = {"02-hang": course.Page("02-hang", "When <b>?", "hang", "", ())}
ODD = "A <script> in {poll} and `code` | is *not* markup"


def claim(name: str, statement: str = "Loops hang", **more: object) -> Claim:
    return Claim(name, statement, "10 ms", lambda jdk: {}, lambda evidence: holds("so it was"), **more)


def verdict(
    name: str, jdk: int, word: str = "holds", why: str = "so it was", cause: str = "", **measured: object
) -> dict[str, object]:
    said = {"id": name, "jdk": jdk, "verdict": word, "why": why, "cause": cause, "measured": measured, "version": 1}
    return {**said, "build": f"{jdk}.0.1, Debian", "date": "2026-11-22T23:39:32+00:00", "quiet": None}


def measured(known: list[Claim], *entries: dict[str, object]) -> Measurement:
    machine = {"cores": 2, "system": "Debian"}
    made = {"kind": "safepointlab claims", "machine": machine, "profile": "standard", "verdicts": list(entries)}
    return verdicts.of(made, [replace(each, topic="hang") for each in known])


def test_neighbouring_jdks_that_agree_share_a_cell_with_a_sign_and_a_word():
    changed = verdict("000-01", 17, "changed", "polls", "JEP 312 did it")
    made = measured([claim("000-01")], verdict("000-01", 8), verdict("000-01", 11), changed)
    row = pages_of_claims.claim_row(made.claims[0], made)
    assert 'colspan="2"' in row and "✓ holds" in row and "8–11" in row
    assert "↷ changed" in row and "https://openjdk.org/jeps/312" in row


def test_a_row_says_to_the_filter_what_each_jdk_says():
    made = measured([claim("000-01")], verdict("000-01", 8), verdict("000-01", 25, "not applicable"))
    assert 'data-verdict="8:holds 25:not-applicable"' in pages_of_claims.claim_row(made.claims[0], made)


def test_a_claim_without_a_verdict_is_told_as_not_run_with_the_reason():
    made = measured([claim("000-01"), claim("000-02", full=True)], verdict("000-01", 8))
    page = pages_of_claims.claim_page(made.claims[1], made, PAGES)
    assert "· not run" in pages_of_claims.claim_row(made.claims[1], made)
    assert "Not run." in page and "profile full" in page and "safepoint claims 000-02" in page


def test_the_evidence_has_a_column_for_each_jdk_and_its_units():
    made = measured(
        [claim("000-01")], verdict("000-01", 8, ttsp_ms=2324.0), verdict("000-01", 11, ttsp_ms=None, stops=3)
    )
    rows = dict(verdicts.measured_rows(made.claims[0].entries(made.jdks)))
    assert rows == {"ttsp": ["2,324 ms", "none"], "stops": ["", "3"]}


def test_the_page_says_how_it_was_measured_and_what_each_collector_gave():
    run = {"sample": "hang/KillerTask", "compiler": "ecj", "flags": ["-Xint"], "args": ["600"], "jvms": 2}
    jmh = {"sample": "unfair.Contains.scan$", "gc": "Serial", "jvms": 1}
    entry = verdict("000-01", 17, "changed", "with G1 a poll; with Serial none", G1={"polls": 1}, Serial={"polls": 0})
    entry |= {"runs": [run, jmh], "collectors": {"G1": "changed", "Serial": "holds"}}
    polls = claim("000-01", rule="no poll is in the loop", setup="Eclipse's compiler is `ecj`.", collectors=True)
    made = measured([polls], entry)
    page = pages_of_claims.claim_page(made.claims[0], made, PAGES)
    assert "| [hang/KillerTask](../samples/hang/KillerTask.md) | ecj | the JDK's own | `-Xint` | `600` | 2 |" in page
    assert "| [unfair.Contains.scan](../samples/unfair/Contains.md) | javac | `Serial` | – | – | 1 |" in page
    assert "**It holds if** no poll is in the loop" in page and "Eclipse's compiler is `ecj`." in page
    assert "G1: changed; Serial: holds" in page and "polls with own collector" in page and "polls with Serial" in page


def test_a_reason_ends_in_one_full_stop():
    assert pages_of_claims.reasons([(8, {"verdict": "not run", "why": "it needs Zing. Get it."})]).endswith("Get it.\n")


def test_a_statement_is_never_taken_for_markup():
    made = measured([claim("000-01", ODD)], verdict("000-01", 8, "never did", ODD, x=ODD))
    page = pages_of_claims.claim_page(made.claims[0], made, PAGES) + pages_of_claims.claim_row(made.claims[0], made)
    assert "<script>" not in page.replace(r"\<script\>", "") and "{poll}" not in page.partition("```{raw}")[0]


def test_a_page_names_the_post_the_notebook_the_cause_the_machine_and_the_command():
    made = measured([claim("000-01")], verdict("000-01", 17, "changed", "polls", "JDK-8186027 did it"))
    page = pages_of_claims.claim_page(made.claims[0], made, PAGES)
    wanted = ("2015/12/safepoints.html", "notebooks/02-hang.ipynb", "browse/JDK-8186027", "2 cores, Debian", "10 ms")
    assert not [text for text in wanted if text not in page] and "safepoint claims 000-01" in page


def test_a_verdict_of_an_earlier_version_is_told_as_such():
    made = measured([claim("000-01")], verdict("000-01", 8) | {"version": 0})
    assert "The measure has changed since" in pages_of_claims.claim_page(made.claims[0], made, PAGES)
    made = measured([claim("000-01")], verdict("000-01", 8))
    assert "The measure has changed since" not in pages_of_claims.claim_page(made.claims[0], made, PAGES)


def test_every_claim_of_the_list_has_its_page_and_its_row(tmp_path):
    made = verdicts.read(tmp_path / "claims.json")
    pages_of_claims.write(tmp_path, made, PAGES)
    table = (tmp_path / "then-and-now.md").read_text()
    lacking = [each.id for each in claims.everything() if f'href="claims/{each.id}.html"' not in table]
    assert not lacking and all((tmp_path / f"claims/{each.id}.md").exists() for each in claims.everything())


def test_csv_has_a_row_for_each_jdk_and_for_what_was_not_measured():
    made = measured([claim("000-01", ODD), claim("000-02")], verdict("000-01", 8, ttsp_ms=2.0), verdict("000-01", 11))
    rows = list(csv.DictReader(io.StringIO(pages_of_claims.as_csv(made, PAGES))))
    assert [(row["id"], row["jdk"], row["verdict"]) for row in rows] == [
        ("000-01", "8", "holds"), ("000-01", "11", "holds"), ("000-02", "", "not run"),
    ]  # fmt: skip
    assert rows[0]["statement"] == ODD and rows[0]["measured"] == "ttsp 2 ms" and rows[0]["notebooks"] == "02-hang"


def test_the_json_can_be_compared_with_and_lists_every_claim(tmp_path):
    made = measured([claim("000-01"), claim("000-02")], verdict("000-01", 8))
    (file := tmp_path / "all.json").write_text(pages_of_claims.as_json(made, PAGES))
    assert [entry["id"] for entry in document.load(file)["verdicts"]] == ["000-01"]
    assert [entry["verdicts"] for entry in json.loads(file.read_text())["claims"]] == [
        {"JDK 8": "holds"}, {"JDK 8": "not run"},
    ]  # fmt: skip


def test_a_damaged_document_is_told(tmp_path):
    (file := tmp_path / "claims.json").write_text('{"kind": "other"}')
    with pytest.raises(BadInput, match="holds no verdicts"):
        verdicts.read(file)
