"""A JDK, a compiler and a sleep -> runs of the post's own program as the post ran it: default flags, main sleeps 5 s.

Its loop stands in a lambda, in a static method, or there with its limit as a parameter. We wait so long that a stall
which ends is told from a hang. Equal runs of one session are shared.
"""

import re
from collections.abc import Iterable
from functools import partial

from safepointlab import jdks
from safepointlab.course.nb02_hang.experiments import JOBS, POST, WARMED_LOG, fate
from safepointlab.jdks import Jdk
from safepointlab.run import launch
from safepointlab.run.run import Run
from safepointlab.run.sweep import together

ECJ = "ecj-4.6.1"  # the posts' compiler; the newest makes the same loops
COMPILERS = {"Eclipse's class": ECJ, "javac's class": "javac"}
ORIGINAL, PLACES = "lambda", ("lambda", "static", "parameter")  # where the loop stands, in the post's order

SLEEP_S, LONGER_S = 5, (10, 15, 20)  # the post's sleep, and those of its comment
STALL_S = 15  # a first pass of the inner loop takes one to two seconds, on a busy machine several times as long
POSTS_UPDATE = 92  # 8u60 was that of the post of 2015; its last comment speaks of 8u92


def as_posted(jdk: int | str, compiler: str, place: str = ORIGINAL, sleep_s: int = SLEEP_S) -> Run:
    """The post's program with the JDK's own collector and no flag but those of the safepoint and the compile log."""
    args, deadline = [place, sleep_s * 1000], sleep_s + STALL_S
    return launch.java(POST, jdk, compiler=compiler, args=args, log=WARMED_LOG, deadline=deadline, reuse=True)


def fates(jdk: int | str, place: str = ORIGINAL) -> dict[str, str]:
    """ "exited" or "hung" of either compiler's class; they run side by side."""
    runs = together([partial(as_posted, jdk, compiler, place) for compiler in COMPILERS.values()], JOBS)
    return dict(zip(COMPILERS, map(fate, runs), strict=True))


def hung_after(jdk: int, sleeps_s: Iterable[int]) -> int:
    """How many of the runs with these sleeps hang, by either compiler's class."""
    makes = [
        partial(as_posted, jdk, compiler, sleep_s=sleep_s) for sleep_s in sleeps_s for compiler in COMPILERS.values()
    ]
    return sum(fate(run) == "hung" for run in together(makes, JOBS))


def osr_versions(run: Run) -> int:
    """How many versions of the program's own methods C2 made to be entered in mid-loop."""
    log = run.compilations
    own = log["method"].str.startswith(f"{run.name}::", na=False) & (log["event"] == "compiled")
    return int((own & log["osr"].fillna(False).astype(bool) & (log["tier"] == 4)).sum())


def old_build() -> Jdk | None:
    """A build of JDK 8 from the years of the posts, up to 8u92, if there is one on this machine."""
    old = [jdk for jdk in jdks.find() if jdk.major == 8 and _update(jdk) <= POSTS_UPDATE]
    return max(old, key=_update, default=None)


def _update(jdk: Jdk) -> int:
    """60 of "8u60"."""
    numbers = re.findall(r"\d+", jdk.version)
    return int(numbers[1]) if len(numbers) > 1 else 0


def fates_of_old(jdk: int, place: str = ORIGINAL) -> dict[str, str]:
    """`fates` of the old build, named by it, beside those of another JDK 8; {} where there is no such build."""
    old = old_build() if jdk == 8 else None
    return {f"8u{_update(old)}, {name}": said for name, said in fates(str(old.home), place).items()} if old else {}
