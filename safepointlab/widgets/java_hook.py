"""An IPython shell -> the same with the cell magic `%%java` and the completion of its line.

`import safepointlab` in a notebook calls `install`, `%load_ext safepointlab` calls `register`; outside IPython neither
does anything. What the magic needs is imported when a cell uses it.
"""

from typing import Any

from safepointlab.run.frontend import ipython
from safepointlab.run.options import OPTIONS, Option

OF_A_CELL = {  # options that only the magic has
    "name": Option("the variable to which the Run is bound, too", "killed"),
    "main": Option("the class to start, where several have a main", "Killer"),
    "quiet": Option("does not show what the program prints", ""),
}
LINES = "\n".join(f"--{name:10} {option.about}" for name, option in {**OPTIONS, **OF_A_CELL}.items())
HELP = f"""Compile the Java source of this cell, run it in a child JVM, and return the Run.

    %%java [--jdk 8 17] [--gc Serial] [--log "safepoint gc"] [--deadline 5] [--args "1 2"] [-XX:...]

{LINES}

Several JDKs, compilers, collectors or repetitions make a table. Words that begin with - go to the JVM even without
--flags: -Xint, -XX:+UseSerialGC, -Dname=value.
"""


def install() -> None:
    """Register the magic in this session's shell, if it is one of IPython."""
    shell = ipython()
    if shell is not None:
        register(shell)


def register(shell: Any) -> None:
    """Make `%%java` and its completion known to a shell; once is enough."""
    if "java" in shell.magics_manager.magics["cell"]:
        return
    from IPython.core.completer import context_matcher

    def java(line: str, cell: str) -> Any:
        from safepointlab.widgets.java_magic import java_magic

        return java_magic(line, cell, shell.user_ns)

    def with_body(lines: list[str]) -> list[str]:
        """The cell, with an empty line below a magic that stands alone: IPython calls no magic without a body."""
        alone = lines and lines[0].split()[:1] == ["%%java"] and not "".join(lines[1:]).strip()
        return [*lines, "\n"] if alone else lines

    java.__doc__ = HELP
    shell.input_transformers_cleanup.append(with_body)
    shell.register_magic_function(java, "cell", "java")
    if getattr(shell, "Completer", None) is not None:
        shell.Completer.custom_matchers.append(context_matcher()(completions))


def completions(context: Any) -> dict[str, Any]:
    """IPython's matcher for the line of the magic: options, their values, and the JDK's own flags."""
    from IPython.core.completer import SimpleCompletion

    line = context.full_text.partition("\n")[0]
    if not line.startswith("%%java ") or context.cursor_line:
        return {"completions": []}
    from safepointlab.widgets import java_magic

    typed = line[: context.cursor_position].removeprefix("%%java ")
    given = len(typed.split(" ")[-1]) - len(context.token)  # IPython splits words at + and :, and replaces its piece
    words = [word[given:] for word in java_magic.complete(typed)]
    return {"completions": [SimpleCompletion(word) for word in words], "suppress": bool(words)}
