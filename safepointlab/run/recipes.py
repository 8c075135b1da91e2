"""A request that nobody recorded -> the command line that records it, to paste into a terminal."""

import shlex
from collections.abc import Mapping

from safepointlab.run.request import Request


def of_run(request: Request, deadline: float) -> str:
    """`safepoint run ...`, or Python where that command has no word for what is asked.

    >>> of_run(Request("hang/KillerTask", jdk="17", compiler="javac", gc="Serial", args=("600",)), 5)
    'safepoint run hang/KillerTask --jdk 17 --gc Serial --args 600 --deadline 5'
    """
    if request.jars or request.cores or request.repeat:
        line = {"compiler": request.compiler, "args": shlex.join(request.args), "jars": list(request.jars)}
        return _in_python("java", request.sample, request, {**line, "repeat": request.repeat, "deadline": deadline})
    compiler = [] if request.compiler == "javac" else ["--compiler", request.compiler]
    words = ["run", request.sample, *_jdk(request), *compiler, *_line("--flags", request.flags)]
    words += [*_line("--args", request.args), *_line("--log", tuple(map(str, request.log)))]
    return shlex.join(["safepoint", *words, "--deadline", f"{deadline:g}"])


def of_benchmark(request: Request, deadline: float) -> str:
    """`safepoint bench ...`, or Python where the forks' logs or the cores are asked for, too."""
    pattern = f"^{request.sample}$"
    if request.log or request.cores or request.repeat:
        line = {"options": shlex.join(request.args), "repeat": request.repeat + 1, "deadline": deadline}
        return _in_python("jmh", pattern, request, line)
    words = ["bench", pattern, *_jdk(request), *_line("--flags", request.flags), *_line("--options", request.args)]
    return shlex.join(["safepoint", *words, "--deadline", f"{deadline:g}"])


def _jdk(request: Request) -> list[str]:
    return ["--jdk", request.jdk, *(["--gc", request.gc] if request.gc else [])]


def _line(option: str, words: tuple[str, ...]) -> list[str]:
    return [option, shlex.join(words)] if words else []


def _in_python(function: str, what: str, request: Request, extra: Mapping[str, object]) -> str:
    axes = {"jdk": request.jdk, "gc": request.gc, "flags": shlex.join(request.flags), "cores": request.cores}
    settings: dict[str, object] = {**axes, "log": " ".join(map(str, request.log)), **extra}
    given = "".join(f", {name}={value!r}" for name, value in settings.items() if value)
    return shlex.join(["python", "-c", f"import safepointlab as lab; lab.{function}({what!r}{given})"])
