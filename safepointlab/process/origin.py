"""The checkout -> the public address from which others can clone it, as far as git knows one."""

import re
import subprocess
from pathlib import Path

from safepointlab.process import home

SSH = re.compile(r"(?:ssh://)?[\w.-]+@([\w.-]+)(?::\d+/|[:/])(.+)")  # git@host:owner/name, ssh://git@host:22/owner/name
HTTPS = re.compile(r"https://(?:[^@/]*@)?([^/]+)/(.+)")  # who fetched it, and with which token, is nobody's business
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")


def address(project: Path = home.PROJECT) -> str:
    """Where others can clone the lab, over https; "" if `origin` is a folder or isn't set, or this isn't a checkout."""
    command = ["git", "-C", str(project), "remote", "get-url", "origin"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return ""
    return public(asked.stdout.strip())


def public(remote: str) -> str:
    """A remote of git as an https address without a user's name or token.

    >>> public("git@github.com:someone/lab.git"), public("https://me:secret@git.example.org/a/lab")
    ('https://github.com/someone/lab', 'https://git.example.org/a/lab')
    >>> public("/srv/git/lab.git"), public("file:///srv/lab")
    ('', '')
    """
    found = HTTPS.fullmatch(remote) or SSH.fullmatch(remote)
    return f"https://{found[1]}/{found[2].rstrip('/').removesuffix('.git')}" if found else ""


def at_github(place: str) -> str:
    """The "owner/name" of an address at GitHub, else "".

    >>> at_github("https://github.com/someone/lab"), at_github("https://git.example.org/a/lab")
    ('someone/lab', '')
    """
    found = GITHUB.fullmatch(place)
    return found[1] if found else ""
