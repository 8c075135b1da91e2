"""A command that ended at once -> why its JVM did not start, in the JVM's own words, kept beside the run.

`safepoint late` leaves stderr to the user, and up to 16 our flags lead the VM's own output into its log. So the words
are looked for in that log, else in what the command printed, else the launcher is asked again, by `--dry-run` (9 and
later) or `-version` (8), with which no line of the program runs.
"""

import html
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from safepointlab.culprit.command_line import LAUNCHERS, Target
from safepointlab.errors import LabError
from safepointlab.process import shell
from safepointlab.process.files import bounded_text, write_whole

FILE = "refused.txt"
DRY_RUN_S = 20
SHOWN_LINES, SHOWN = 2, 300
KILLED = 128  # a shell's status of a program that a signal ended is above
# A compile or a stop: the VM got as far as running Java code
BEGUN = re.compile(
    r"^ *[\d.]+:? .*(?:::|\[ *\d+ +\d+ +\d+ *\])|^\[.*\] +\d+ .*::|Reaching safepoint|Stopping threads", re.MULTILINE
)
# Lines that only say that something is wrong, and what the VM merely notes
EMPTY = re.compile(
    r"Error: (?:Could not create the Java|A fatal exception|A JNI error)|(?:NOTE: )?Picked up |.* warning: |\s*$"
)
NO_JVM = re.compile(r"Could not create the Java Virtual Machine|Error occurred during initialization of VM")
DECORATIONS = re.compile(r"^(?:\[[^\]]*\])+ *")
TAG = re.compile(r"^<[^>\n]*>\n?", re.MULTILINE)
NO_CLASS = "Error: Could not find or load main class"
TELLING = ("-version", "--version", "-fullversion", "--full-version", "-help", "--help", "-h", "-?", "-X")
TAKE_A_WORD = re.compile(r"-cp|-classpath|--class-path|-p|--module-path|--add-\w+")


def keep(target: Target, flags: Sequence[str], status: int, folder: Path, here: Path) -> None:
    """Write down why the command's JVM did not start, if it did not; `here` is where the command ran."""
    if not 0 < status < KILLED:
        return
    printed = bounded_text(folder / "stderr.txt") + bounded_text(folder / "stdout.txt")
    if any(BEGUN.search(bounded_text(file)) for file in folder.glob("*.log")):
        asks = status == 1 and target.jdk.major >= 9 and not printed
        said = gist(_asked_again(target, flags, folder, here) if asks else printed)
        if said.startswith(NO_CLASS):  # the launcher itself is Java code, too
            write_whole(folder / FILE, said)
        return
    printed = printed if NO_JVM.search(printed) else ""
    # what each VM itself printed on its `tty`, which our flags lead into its log
    logs = (bounded_text(file).partition("<tty>")[2] for file in sorted(folder.glob("vm-*.log")))
    words = next(filter(None, map(gist, [*(TAG.sub("", html.unescape(log)) for log in logs), printed])), "")
    words = words or gist(_asked_again(target, flags, folder, here))
    if target.kind == "script" and any(folder.glob("compiled-*.log")):  # empty: a JVM that runs Java compiles some
        words = words or "its own words are above, on stderr"
    if words:
        write_whole(folder / FILE, words)


def kept(folder: Path) -> str:
    """Why the JVM did not start; "" if it did, or if nobody knows."""
    return bounded_text(folder / FILE)


def gist(text: str) -> str:
    """What a launcher or a VM says is wrong.

    >>> gist("[0.001s][error][logging] Invalid decorator 'x'.\\nError: Could not create the Java Virtual Machine.\\n")
    "Invalid decorator 'x'."
    """
    text = text.replace("? Error: Could not", "?\nError: Could not")  # behind "Did you mean" it breaks no line
    lines = [DECORATIONS.sub("", line).strip() for line in text.splitlines() if not EMPTY.match(line)]
    return " ".join(filter(None, lines[:SHOWN_LINES]))[:SHOWN]


def _asked_again(target: Target, flags: Sequence[str], folder: Path, here: Path) -> str:
    """What the launcher prints of the same words if it may not run the program; "" if it has nothing against them."""
    if target.kind != "java":
        return ""
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as other:  # its logs are not the command's
        words, at = target.command([flag.replace(str(folder), other) for flag in flags]), target.at + 1
        if target.jdk.major >= 9:
            words.insert(at, "--dry-run")
        else:
            words = [*words[:at], *_options_before(words[at:]), "-version"]
        try:
            shell.output_of(["env", "-C", str(here), *words], DRY_RUN_S)
        except LabError as refusal:
            return str(refusal).partition("Its words:\n")[2]
    return ""


def no_program(words: Sequence[str]) -> str:
    """Why a java command starts no program, as the end of a sentence; "" if it may start one.

    >>> no_program(["taskset", "-c", "0", "java", "-cp", "a.jar", "-version"])
    '-version only makes java tell of itself'
    >>> no_program(["java", "-Xmx1g"])
    'the command names neither a class nor a jar'
    >>> no_program(["java", "-jar", "a.jar", "-version"]), no_program(["java", "-showversion", "Main"])
    ('', '')
    """
    launchers = [place for place, word in enumerate(words) if Path(word).name in LAUNCHERS]
    rest = words[launchers[0] + 1 if launchers else 1 :]
    options = list(_options_before(rest))
    if telling := [option for option in options if option in TELLING]:
        return f"{telling[0]} only makes java tell of itself"
    named = len(options) < len(rest) or any(option.startswith("--module=") for option in options)
    return "" if named else "the command names neither a class nor a jar"


def _options_before(words: Sequence[str]) -> Iterator[str]:
    """The words in front of the main class or of -jar."""
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-jar":
            return
        yield word
        if TAKE_A_WORD.fullmatch(word):
            yield next(rest, "")
