"""`safepoint completion SHELL` -> what that shell has to read so that the Tab key completes the words of `safepoint`.

The shell asks `safepoint` itself at each Tab, with _ARGCOMPLETE set: `cli` then calls answer(), which leaves.
"""

import argparse
from collections.abc import Iterable
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
    parser.add_argument("shell", choices=["bash", "zsh", "fish"], help="which shell reads it")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    print(shellcode(["safepoint", "safepointlab"], shell=arguments.shell))
    return 0


def answer(parser: argparse.ArgumentParser) -> None:
    """Tell the shell what the word at its cursor may become, and leave. Options are told once a "-" is typed."""
    autocomplete(parser, always_complete_options=False, default_completer=_WordsOrFiles())


class _WordsOrFiles(BaseCompleter):
    """The words of an argument; the files where none of them begins as the user does, or it has none."""

    def __call__(self, *, prefix: str, action: argparse.Action, **_: Any) -> Iterable[str]:
        return [word for word in words(action.dest) if word.startswith(prefix)] or FilesCompleter()(prefix)


def words(argument: str) -> Iterable[str]:
    """What an argument of that name may be; each needs modules that the other commands do without."""
    if argument in ("sample", "program"):
        from safepointlab.run import build

        return map(build.sample_name, build.sample_files())
    if argument == "jdk":
        from safepointlab import jdks

        return map(str, sorted({jdk.major for jdk in jdks.find()}))
    if argument == "witness":
        from safepointlab.culprit.witness import WITNESSES

        return WITNESSES
    if argument == "pid":
        from safepointlab.culprit import perfdata

        return map(str, perfdata.pids())
    if argument == "name":
        from safepointlab.teaching.demo import demos

        return demos.NAMES
    if argument == "kind":
        from safepointlab import logs

        return list(logs.kinds())
    return ["G1", "Parallel", "Serial", "Shenandoah", "Z"] if argument == "gc" else []
