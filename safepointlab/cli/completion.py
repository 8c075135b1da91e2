"""`safepoint completion SHELL` -> what that shell has to read so that the Tab key completes the words of `safepoint`.

The shell calls `safepoint` itself at each Tab, with SAFEPOINTLAB_COMPLETE set: `cli` then prints candidates() and does
nothing else.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence

from safepointlab import config

ASKED = config.COMPLETE.name
SCRIPTS = {
    "bash": f"""_safepoint() {{
    local IFS=$'\\n'
    COMPREPLY=($({ASKED}=1 safepoint "${{COMP_WORDS[@]:1:COMP_CWORD}}" 2>/dev/null))
}}
complete -o default -F _safepoint safepoint safepointlab""",
    "zsh": f"""_safepoint() {{
    local found=$({ASKED}=1 safepoint "${{(@)words[2,CURRENT]}}" 2>/dev/null)
    if [[ -n $found ]]; then compadd -- ${{(f)found}}; else _files; fi
}}
compdef _safepoint safepoint safepointlab""",
    "fish": f"""for name in safepoint safepointlab
    complete -c $name -a '(set -l before (commandline -opc); \
{ASKED}=1 safepoint $before[2..-1] "$(commandline -ct)" 2>/dev/null)'
end""",
}
EPILOG = """bash: this line goes into ~/.bashrc
  eval "$(safepoint completion bash)"
zsh: this line goes into ~/.zshrc, below compinit
  eval "$(safepoint completion zsh)"
fish: once
  safepoint completion fish > ~/.config/fish/completions/safepoint.fish"""


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint completion bash`."""
    parser.epilog = EPILOG
    parser.add_argument("shell", choices=SCRIPTS, help="which shell reads it")
    parser.set_defaults(run=_main)


def _main(arguments: argparse.Namespace) -> int:
    print(SCRIPTS[arguments.shell])
    return 0


def candidates(parser: argparse.ArgumentParser, words: Sequence[str]) -> list[str]:
    """What the last of the words may become; none where it is a file's name, or a word of another command's."""
    *before, begun = words or [""]
    if "--" in before:
        return []
    parser, rest = _reached(parser, before)
    argument = _next(parser, rest)
    if begun.startswith("-"):
        found: Iterable[str] = (name for action in parser._actions for name in action.option_strings)
    else:
        found = _values(argument) if argument else ()
    return sorted(word for word in found if word.startswith(begun))


def _reached(parser: argparse.ArgumentParser, words: Sequence[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of the innermost sub-command among the words, and the words after its name."""
    for place, word in enumerate(words):
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction) and word in action.choices:
                return _reached(action.choices[word], words[place + 1 :])
    return parser, list(words)


def _next(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Action | None:
    """The argument that comes after these words: the value of an option, or the first of the others that is left."""
    options = {name: action for action in parser._actions for name in action.option_strings}
    others = [action for action in parser._actions if not action.option_strings]
    option, left = None, 0
    for word in words:
        if word in options:
            option, left = options[word], _takes(options[word])
        elif left:
            left -= 1
        elif others and _takes(others[0]) == 1:
            others.pop(0)
    return option if left else next(iter(others), None)


def _takes(argument: argparse.Action) -> int:
    """How many words it takes at most."""
    return {"0": 0, "+": sys.maxsize, "*": sys.maxsize, "...": sys.maxsize}.get(str(argument.nargs), 1)


def _values(action: argparse.Action) -> list[str]:
    if action.choices is not None:
        return [str(choice) for choice in action.choices]
    return NAMES[action.dest]() if action.dest in NAMES else []


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
