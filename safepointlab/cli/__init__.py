"""The words after `safepoint` -> one sub-command, the only one that is imported."""

import argparse
import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from safepointlab.errors import LabError, StorageFailed
from safepointlab.phrases import did_you_mean
from safepointlab.process import extras
from safepointlab.version import __version__

COMMANDS = {  # word -> the module in cli/ with its EPILOG and `configure(parser)`, and what it does
    "late": ("late", "run a java command and find the thread and the line that delay its safepoints"),
    "report": ("report", "make one HTML page with pictures from your logs"),
    "parse": ("parse", "turn a log into a table: csv or json on stdout"),
    "run": ("run", "run a sample, or a .java file of your own, on one JDK or several"),
    "bench": ("bench", "run JMH benchmarks on a JDK"),
    "claims": ("claims", "run the statements of the course's posts again and judge them"),
    "completion": ("completion", "print the completion script of your shell"),
    "demo": ("demo", "show a demo in large type, one key a step, live or from its recording"),
    "doctor": ("doctor", "check this machine before the first lesson"),
    "jdks": ("jdks", "list the JDKs of this machine, or install some into the lab's cache"),
    "kernels": ("kernels", "install the Python and Java kernels for JupyterLab"),
    "notebooks": ("notebooks", "execute notebooks from the command line"),
    "panels": ("panels", "list the recorded runs behind the course's panels, or record them"),
    "runs": ("recordings", "list, prune, export, import or play recorded runs"),
    "setup": ("setup", "get what is missing: JDKs 8 11 17 21 25 and the newest, ecj, libraries, kernels"),
    "site": ("site", "make the book: static web pages of the notebooks as they were saved"),
    "slides": ("slides", "make the slides of each notebook that has some, in build/slides"),
    "workbench": ("workbench", "open the workbench in the browser, on a Java file of your own"),
    "workshop": ("workshop", "make a folder for a class: student pages, solutions, guide, agendas, handout"),
}
ON_NOTEBOOKS = ("notebooks", "site", "slides", "workshop")  # these need a checkout, not only the package
WITH_EXTRA = ("kernels", "workbench")  # these need the extra `lab`
EPILOG = """a program of your own, one that never exits, and the examples of one command:
  safepoint late -- java -jar app.jar
  safepoint run hang/KillerTask --deadline 3
  safepoint parse --help"""
TAB_PRESSED = "_ARGCOMPLETE"  # a shell sets it that wants to complete a word: cli/completion.py
UNWRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)  # why stdout takes no more
QUOTED_LINES = ("--args", "--flags", "--options", "--prof")  # their value is a line of words, and may begin with "-"


def main(words: Sequence[str] | None = None) -> int:
    """Run one sub-command; errors of the lab go to stderr in their own words.

    Returns:
        The exit status: 0 done, 1 the answer is no, 2 an error, 130 interrupted.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:  # one who ignores it, as nohup does, means it
            signal.signal(number, _leave)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # as Python's stderr: \xb7 where ASCII has no `·`
    words = list(sys.argv[1:] if words is None else words)
    try:
        if TAB_PRESSED in os.environ:
            _complete(os.environ["COMP_LINE"].split()[1:2])
        status = _execute(words)
        if sys.stdout:
            sys.stdout.flush()  # now, where a full disk can still be told
        return status
    except ModuleNotFoundError as error:
        refusal = extras.refusal(error)  # a module of the course, where only the tools are installed
        if refusal is None:
            raise  # a defect
        return _tell(refusal, words)
    except LabError as error:
        return _tell(error, words)
    except KeyboardInterrupt:
        print("Interrupted. What was recorded before is kept.", file=sys.stderr)
        return 130
    except BrokenPipeError:  # `safepoint ... | head`
        _drop_stdout()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in UNWRITTEN or sys.stdout is None:
            raise  # a defect
        _drop_stdout()
        reason = f"cannot write to stdout or a temporary file: {error.strerror}. Free some space."
        return _tell(StorageFailed(reason), words)


def _execute(words: list[str]) -> int:
    """The status of the sub-command, once it is done.

    Raises:
        StorageFailed: its answer would go to a stdout that is closed.
    """
    arguments = parse_words(words)
    if words[0] in ON_NOTEBOOKS:
        extras.demand_notebooks(words[0])
    if sys.stdout is None and words[0] != "late":  # its stdout is the program's
        raise StorageFailed("stdout is closed, so the answer would be lost. Give it a file, a pipe or a terminal.")
    return int(arguments.run(arguments) or 0)


def _tell(error: LabError, words: Sequence[str]) -> int:
    command = " ".join(["safepoint", *words[:1]])
    print(f"{command}: {error}", file=sys.stderr)
    return 2


def _drop_stdout() -> None:
    """What is left to be written at the exit goes nowhere, as stdout does not take it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _complete(chosen: list[str]) -> None:
    """Tell the shell what the word at its cursor may become, and leave."""
    from safepointlab.cli import completion

    known = parser(chosen)
    [commands] = (action for action in known._actions if isinstance(action, argparse._SubParsersAction))
    commands.add_parser("help", help="what a command does").add_argument("command", choices=COMMANDS)
    completion.answer(known)


def _leave(number: int, _: object) -> None:
    """A polite end cleans up as a Ctrl-C does: children, temporary folders and drafts go, the record is written."""
    raise SystemExit(128 + number)


def parse_words(words: Sequence[str]) -> argparse.Namespace:
    """The words after `safepoint`, as the sub-command takes them; `run` is what it does.

    No word, or "help", asks for help. `--flags -Xint` is taken as `--flags=-Xint`, because argparse takes a value that
    begins with "-" for the next option; anything after "--" stays as it is. A wrong word ends the process with the
    usage of the command that it was for, and a guess at what it should have been.
    """
    if words[:1] in ([], ["help"]):
        words = [*words[1:2], "--help"]
    top = parser(words[:1])
    if not (words[0].startswith("-") or words[0] in COMMANDS):
        top.error(f"no command {words[0]!r}.{did_you_mean(words[0], COMMANDS)} All commands: safepoint --help")
    end = words.index("--") if "--" in words else len(words)
    joined: list[str] = []
    for word in words[:end]:
        if joined and joined[-1] in QUOTED_LINES:
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    arguments, unknown = top.parse_known_args([*joined, *words[end:]])
    if unknown:
        _refuse(_commands(top).get(words[0], top), unknown)
    return arguments


def _refuse(command: argparse.ArgumentParser, unknown: Sequence[str]) -> NoReturn:
    """End the process with the command's usage, and a guess at what the first wrong option should have been."""
    wrong = next((word.partition("=")[0] for word in unknown if word.startswith("-")), "")
    if not wrong:
        command.error(f"it takes no further words: {' '.join(unknown)}")
    options = [option for action in command._actions for option in action.option_strings]
    command.error(f"no option {wrong!r}.{did_you_mean(wrong, options)}")


def _commands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each sub-command."""
    [commands] = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


def parser(chosen: Sequence[str] = tuple(COMMANDS)) -> argparse.ArgumentParser:
    """The parser that knows all sub-commands by name, and the options of the chosen ones."""
    purpose, form = "Make HotSpot's hidden behaviour visible.", argparse.RawDescriptionHelpFormatter
    top = argparse.ArgumentParser(prog="safepoint", description=purpose, epilog=EPILOG, formatter_class=form)
    version, told = f"safepoint {__version__}", "say which version of the lab this is, and exit"
    top.add_argument("--version", action="version", version=version, help=told)
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for word, (name, purpose) in COMMANDS.items():
        told = f"{purpose[:1].upper()}{purpose[1:]}."
        where = " (in a checkout)" if word in ON_NOTEBOOKS else ' (with the extra "lab")' if word in WITH_EXTRA else ""
        command = commands.add_parser(word, help=purpose + where, description=told, formatter_class=form)
        if word in chosen:
            module = importlib.import_module(f"safepointlab.cli.{name}")
            command.epilog = module.EPILOG
            module.configure(command)
    return top
