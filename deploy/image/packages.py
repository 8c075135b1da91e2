"""requirements.lock on standard input -> its part that readers need: the package with [lab] and the group hub.

The lock's comments ("# via …") say which package asked for which. What only the groups dev and site ask for is left
out, but for the project's own build backend.
"""

import re
import sys

ROOTS = ("safepointlab (pyproject.toml)", "safepointlab (pyproject.toml:hub)")
BACKEND = ("hatchling", "editables")
ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)==.*(?:\n .*)+", re.MULTILINE)


def wanted(lock: str) -> list[str]:
    """The entries of the lock that the roots and the build backend reach, with their hashes, in the lock's order."""
    entries = {entry[1]: entry[0] for entry in ENTRY.finditer(lock)}
    asked_by = {name: set(re.findall(r"^ +#(?: via)? +(\S.*)$", text, re.MULTILINE)) for name, text in entries.items()}
    kept = {name for name, askers in asked_by.items() if name in BACKEND or askers & set(ROOTS)}
    while more := {name for name, askers in asked_by.items() if askers & kept} - kept:
        kept |= more
    return [text for name, text in entries.items() if name in kept]


if __name__ == "__main__":
    print("\n".join(wanted(sys.stdin.read())))
