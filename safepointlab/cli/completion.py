"""`safepoint completion SHELL` -> what that shell has to read so that the Tab key completes the words of `safepoint`.

The shell asks `safepoint` itself at each Tab, with _ARGCOMPLETE set: `cli` then calls answer(), which leaves.
"""

import argparse
from collections.abc import Callable, Iterable
from typing import Any

from argcomplete import autocomplete
from argcomplete.completers import BaseCompleter, FilesCompleter
from argcomplete.shell_integration import shellcode

EPILOG = """bash: this line goes into ~/.bashrc
  eval "$(safepoint completion bash)"
zsh: this line goes into ~/.zshrc, below compinit
  eval "$(safepoint completion zsh)"
fish: once
  safepoint completion fish > ~/.config/fish/completions/safepoint.fish"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint completion bash`."""
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="which shell reads it")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    print(shellcode(["safepoint", "safepointlab"], shell=arguments.shell))
    return 0


def answer(parser: argparse.ArgumentParser) -> None:
    """Tell the shell what the word at its cursor may become, and leave. Options are told once a "-" is typed."""
    autocomplete(parser, always_complete_options=False, default_completer=_WordsOrFiles())


class _WordsOrFiles(BaseCompleter):
    """The words of an argument; the files where none of them begins as the user does, or it has none."""

    def __call__(self, *, prefix: str, action: argparse.Action, **_: Any) -> Iterable[str]:
        words = NAMES[action.dest]() if action.dest in NAMES else []
        return [word for word in words if word.startswith(prefix)] or FilesCompleter()(prefix)


def _samples() -> list[str]:
    from safepointlab.run import build

    return [build.sample_name(path) for path in build.sample_files()]


def _jdks() -> list[str]:
    from safepointlab import jdks

    return [str(major) for major in sorted({jdk.major for jdk in jdks.find()})]


def _witnesses() -> list[str]:
    from safepointlab.culprit.witness import WITNESSES

    return list(WITNESSES)


def _demos() -> list[str]:
    from safepointlab.teaching.demo import demos

    return list(demos.NAMES)


def _kinds() -> list[str]:
    from safepointlab import logs

    return list(logs.kinds())


NAMES: dict[str, Callable[[], list[str]]] = {  # an argument's name in argparse -> its words
    "sample": _samples,
    "program": _samples,
    "jdk": _jdks,
    "witness": _witnesses,
    "name": _demos,
    "kind": _kinds,
    "gc": lambda: ["G1", "Parallel", "Serial", "Shenandoah", "Z"],
}
