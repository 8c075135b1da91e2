"""The words after `safepoint` -> one sub-command, the only one that is imported."""

import argparse
import importlib
import os
import signal
import sys
from collections.abc import Sequence

from safepointlab.errors import LabError

COMMANDS = {  # word -> the module in commands/ with its `configure(parser)`, and what it does
    "bench": ("bench", "run JMH benchmarks on a JDK"),
    "claims": ("claims", "run the statements of the posts again and judge them"),
    "demo": ("demo", "show a demo in large type, one key a step, live or from its recording"),
    "doctor": ("doctor", "check this machine before the first lesson"),
    "jdks": ("jdks", "list the JDKs of this machine, or install some into the lab's cache"),
    "kernels": ("kernels", "install the Python and Java kernels for JupyterLab"),
    "late": ("late", "run a java command line and find the thread and the line that hold its safepoints up"),
    "notebooks": ("notebooks", "execute the notebooks without a page"),
    "panels": ("panels", "record what the panels of the pages show, or list how much is recorded"),
    "parse": ("parse", "turn a log into a table: csv or json on stdout"),
    "run": ("run", "run a sample in a child JVM"),
    "runs": ("recordings", "list, prune, export, import or play recorded runs"),
    "setup": ("setup", "get what is missing: JDKs 8 11 17 21 25, ecj, libraries, kernels"),
    "site": ("site", "make the book: static web pages of the notebooks as they were saved"),
    "slides": ("slides", "make a deck of slides of each notebook that has one, in build/slides"),
    "workbench": ("workbench", "open the workbench in the browser, on a Java file of your own"),
    "workshop": ("workshop", "make a folder for a class: student pages, solutions, guide, agendas, handout"),
}
QUOTED_LINES = ("--args", "--flags", "--options", "--prof")  # their value is a line of words, and may begin with "-"


def main(words: Sequence[str] | None = None) -> int:
    """Run one sub-command; errors of the lab go to stderr in their own words.

    Returns:
        The exit status: 0 done, 1 the answer is no, 2 an error, 130 interrupted.
    """
    given = list(sys.argv[1:] if words is None else words)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # one who ignores it, as nohup does, means it
            signal.signal(number, _leave)
    try:
        asked = _as_options(given)
        arguments = parser(asked[:1]).parse_args(_joined(asked))
        return int(arguments.run(arguments) or 0)
    except LabError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted. What was recorded before is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `safepoint ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _leave(number: int, _: object) -> None:
    """A polite end cleans up as a Ctrl-C does: children, temporary folders and drafts go, the record is written."""
    raise SystemExit(128 + number)


def parser(chosen: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser that knows all sub-commands by name, and the options of the chosen ones."""
    top = argparse.ArgumentParser(prog="safepoint", description="Make HotSpot's hidden behaviour visible.")
    top.add_argument("--version", action=_Version, nargs=0, help="say which version of the lab this is, and exit")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for word, (module, purpose) in COMMANDS.items():
        command = commands.add_parser(word, help=purpose)
        if word in chosen:
            importlib.import_module(f"safepointlab.commands.{module}").configure(command)
    return top


class _Version(argparse.Action):
    """Finding the version takes longer than all else that --help needs, so it is looked up only when asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"safepoint {version('safepointlab')}")
        parser.exit()


def _as_options(words: list[str]) -> list[str]:
    """What people type for help, as argparse knows it.

    >>> _as_options([]), _as_options(["help"]), _as_options(["help", "late"]), _as_options(["late", "--pid", "1"])
    (['--help'], ['--help'], ['late', '--help'], ['late', '--pid', '1'])
    """
    return [*words[1:2], "--help"] if words[:1] in ([], ["help"]) else words


def _joined(words: Sequence[str]) -> list[str]:
    """`--flags -Xint` -> `--flags=-Xint`: argparse takes a value that begins with "-" for the next option.

    >>> _joined(["run", "A", "--flags", "-Xint", "--", "java", "--args", "-x"])
    ['run', 'A', '--flags=-Xint', '--', 'java', '--args', '-x']
    """
    end = words.index("--") if "--" in words else len(words)
    joined: list[str] = []
    for word in words[:end]:
        if joined and joined[-1] in QUOTED_LINES:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    return [*joined, *words[end:]]
