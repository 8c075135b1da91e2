"""The committed verdicts are of the present version of their claims, and docs/claims.md is what the claims say."""

import subprocess
import sys

from safepointlab.claims import document, series
from safepointlab.course import verdicts as claims
from safepointlab.process.home import PROJECT


def test_every_committed_verdict_is_of_the_present_version_of_a_claim_that_is_measured():
    known = {claim.id: claim for claim in claims.everything() if claim.measure}
    entries = document.load(series.MEASURED)["verdicts"]
    outdated = [
        (entry["id"], entry["jdk"])
        for entry in entries
        if entry["id"] not in known or not document.is_current(entry, known[entry["id"]])
    ]
    assert entries and outdated == []


def test_the_list_of_claims_is_up_to_date():
    subprocess.run([sys.executable, PROJECT / "scripts" / "claims_page.py", "--check"], check=True)
