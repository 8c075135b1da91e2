"""docs/claims.md is what the claims say."""

import subprocess
import sys

from safepointlab.claims import base
from safepointlab.process.home import PROJECT


def test_the_list_of_claims_is_up_to_date():
    subprocess.run([sys.executable, PROJECT / "scripts" / "claims_page.py", "--check"], check=True)


def test_the_page_explains_every_state():
    opening = (PROJECT / "docs" / "claims.md").read_text("utf-8").partition("<!-- claims -->")[0]
    assert all(f"| `{state}` |" in opening for state in base.State.__args__)
