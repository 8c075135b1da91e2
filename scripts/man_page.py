"""The commands' own help -> docs/safepoint.1, the page that `man safepoint` shows; `--check` only compares."""

import argparse
import os
import sys
from collections.abc import Iterator

os.environ["COLUMNS"] = "100"  # the width of every usage, whatever the terminal; argparse reads it

from readme import PROJECT

from safepointlab import cli, config

PAGE = PROJECT / "docs" / "safepoint.1"
HEAD = """\
.\\" Made of the commands' own help by scripts/man_page.py: edit that, then `make readme`.
.TH SAFEPOINT 1 "" "Safepoint Lab" "User Commands"
.SH NAME
safepoint \\- make HotSpot's hidden behaviour visible"""
STATUS = """\
.SH EXIT STATUS
.TP
0
done
.TP
1
the answer is no
.TP
2
an error, which is told on stderr
.TP
130
interrupted"""


def main() -> None:
    fresh = "\n".join(lines()) + "\n"
    if "--check" not in sys.argv:
        PAGE.write_text(fresh, "utf-8")
    elif fresh != PAGE.read_text("utf-8"):
        sys.exit("docs/safepoint.1 is not what the commands say. Make it again with: make readme")


def lines() -> Iterator[str]:
    """The page, a line of roff each."""
    top = cli.parser()
    [commands] = [action for action in top._actions if isinstance(action, argparse._SubParsersAction)]
    yield from (HEAD, ".SH SYNOPSIS", ".B safepoint", ".I COMMAND", "[options]", ".SH DESCRIPTION")
    yield f"{plain(top.description)} Each command tells its options with\n.BR \\-\\-help ."
    yield ".SH COMMANDS"
    for word, command in commands.choices.items():
        yield from one(word, command)
    yield ".SH ENVIRONMENT"
    yield from (setting(variable) for variable in config.VARIABLES if not variable.internal)
    yield from (STATUS, ".SH EXAMPLES", *literal(top.epilog))


def one(word: str, command: argparse.ArgumentParser) -> Iterator[str]:
    """A command: what it does, how it is called, its words and options, its examples."""
    yield f".SS {word}\n{plain(command.description)}"
    yield from literal(command.format_usage().removeprefix("usage: "))
    actions = [action for action in command._actions if "--help" not in action.option_strings]
    yield from (option(action) for action in actions if not isinstance(action, argparse._SubParsersAction))
    yield from literal(command.epilog)


def option(action: argparse.Action) -> str:
    names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    told = (action.help or "") % {**vars(action), "prog": "safepoint"}
    return f".TP\n.B {plain(names)}\n{plain(told)}"


def setting(variable: config.Variable) -> str:
    told = f"{variable.purpose}.\nValues: {variable.values}.\nDefault: {variable.default}."
    return f".TP\n.B {plain(variable.name)}\n{plain(told.replace('`', ''))}"


def literal(text: str | None) -> Iterator[str]:
    """Text whose lines stay as they are."""
    if text and text.strip():
        yield from (".PP", ".nf", ".RS 4", *map(plain, text.rstrip().split("\n")), ".RE", ".fi", ".PP")


def plain(text: str | None) -> str:
    r"""The text as roff prints it.

    >>> plain("a-b 'c' \\d")
    "a\\-b 'c' \\ed"
    >>> plain(".x"), plain("'x")
    ('\\&.x', "\\&'x")
    """
    safe = (text or "").replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{safe}" if safe.startswith((".", "'")) else safe


if __name__ == "__main__":
    main()
