"""The declarations of safepointlab/config.py -> docs/settings.md's table, between its markers; `--check` compares."""

import sys

from readme import PROJECT, between

from safepointlab import config

PAGE = PROJECT / "docs" / "settings.md"
NAME = "docs/settings.md"
HEAD = "| variable | what it does | default | values |\n|---|---|---|---|\n"


def main() -> None:
    text = PAGE.read_text("utf-8")
    fresh = between(text, "settings", HEAD + "".join(map(row, config.VARIABLES)), NAME)
    if "--check" not in sys.argv:
        PAGE.write_text(fresh, "utf-8")
    elif fresh != text:
        sys.exit(f"{NAME} is not what safepointlab/config.py declares. Make it again with: make readme")


def row(variable: config.Variable) -> str:
    return f"| `{variable.name}` | {variable.purpose} | {variable.default} | {variable.values} |\n"


if __name__ == "__main__":
    main()
