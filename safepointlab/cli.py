"""The words after `safepoint` -> what a module does with them; a module with a `register` function is a sub-command."""

import argparse
import importlib
import os
import pkgutil
import sys
from collections.abc import Sequence
from types import ModuleType

import safepointlab
from safepointlab.errors import LabError


def main(words: Sequence[str] | None = None) -> int:
    """Run one sub-command; errors of the lab go to stderr in their own words.

    Returns:
        The exit status: 0 done, 1 the answer is no, 2 an error, 130 interrupted.
    """
    arguments = parser().parse_args(words)
    try:
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


def parser() -> argparse.ArgumentParser:
    """The parser with all sub-commands that this version of the lab has."""
    top = argparse.ArgumentParser(prog="safepoint", description="Make HotSpot's hidden behaviour visible.")
    commands = top.add_subparsers(metavar="COMMAND", required=True)
    for module in command_modules():
        module.register(commands)
    return top


def command_modules() -> list[ModuleType]:
    """The lab's modules that offer sub-commands, in alphabetical order; none of them imports pandas to do so."""
    names = [f"{safepointlab.__name__}.{found.name}" for found in pkgutil.iter_modules(safepointlab.__path__)]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    return [module for module in modules if hasattr(module, "register")]
