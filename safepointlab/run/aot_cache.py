"""A request that names a training run -> that run is made, and leaves an AOT cache (JEP 483, 514) for the run itself.

The cache is made anew for each run, because two training runs with the same arguments need not leave the same profiles.
It has such profiles from JDK 25 on (JEP 515). The JVM archives classes from jars only, so the program gets one.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from zipfile import ZipFile

from safepointlab.errors import RunFailed
from safepointlab.jdks import Jdk
from safepointlab.jdks import flags as vm_flags
from safepointlab.process import home, recording, shell
from safepointlab.process.shell import Plan
from safepointlab.run import build
from safepointlab.run.build import Program
from safepointlab.run.request import Request

TRAINING_S = 60.0
NAMED = re.compile(r"-XX:AOTCache=(\S+)")


@dataclass(frozen=True)
class AotCache:
    """What a training run left in the folder of the run to come: the program's jar, and the cache."""

    jar: Path
    file: Path
    training: tuple[str, ...]  # the training run's command line

    @property
    def flags(self) -> list[str]:
        """With them, a JVM that can't use the cache says why and ends, rather than run without it."""
        return ["-XX:AOTMode=on", f"-XX:AOTCache={self.file}"]

    def used_by(self, plan: Plan) -> Plan:
        """The plan of a run in this folder. The cache, 10 MB, is deleted when the run is over."""
        cleanup = ExitStack()
        cleanup.callback(self.file.unlink, missing_ok=True)
        told = plan.about
        about = lambda: {**told(), "training": self.training}  # noqa: E731
        return replace(plan, folder=self.jar.parent, about=about, around=cleanup)


def named_in(flags: str) -> str:
    """The AOT cache that a JVM's flags name; "" without one, or where they switch it off.

    >>> named_in("-Xmx1g -XX:AOTCache=app.aot"), named_in("-XX:AOTCache=app.aot -XX:AOTMode=off")
    ('app.aot', '')
    """
    return "" if "-XX:AOTMode=off" in flags else ["", *NAMED.findall(flags)][-1]


def train(request: Request, jdk: Jdk, program: Program, libraries: Sequence[Path]) -> AotCache:
    """Make the training run of a request, with the collector of the run itself but none of its flags and logs.

    Raises:
        FlagRejected: this JDK makes no such cache, or doesn't know one of the training run's flags.
        RunFailed: the training run failed, or left no cache.
    """
    folder = recording.new_folder(request.key)
    jar, file = folder / f"{Path(request.sample).stem}.jar", folder / "training.aot"
    own_flags = list(takewhile(lambda word: word.startswith("-"), request.aot))
    collector = vm_flags.gc_flag(request.gc, jdk) if request.gc else []
    output = "-XX:AOTCacheOutput="
    vm_flags.check([f"{output}{file.name}"], jdk)  # by a name that is the same for each run
    flags = [*vm_flags.check([*collector, *own_flags], jdk), f"{output}{file}"]
    main = ["-cp", build.class_path([jar, *libraries]), program.main_class]
    training = [str(jdk.java), *flags, *main, *request.aot[len(own_flags) :]]
    if not recording.replaying():  # a replay only asks whether this JDK takes the flags
        home.ready(folder)
        with ZipFile(jar, "w") as archive:
            for each in sorted(filter(Path.is_file, program.classes.rglob("*"))):
                archive.write(each, each.relative_to(program.classes))
        said = shell.output_of(training, TRAINING_S)
        if not file.exists():
            raise RunFailed(f"the training run left no AOT cache: {' '.join(training)}\n{said[-2000:]}")
    return AotCache(jar, file, tuple(training))
