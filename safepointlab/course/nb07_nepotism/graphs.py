"""A JDK -> runs about nepotism beyond the lab's own queue: libraries' size() in a race, trees, and the reverse."""

from safepointlab.course.nb07_nepotism.experiments import HEAP, JCTOOLS, MPSC
from safepointlab.run import launch
from safepointlab.run.run import Run

SIZES, PARENTS, REVERSE = "nepotism/RealSizes", "nepotism/DeadParents", "nepotism/YoungKeepsOld"
SIZED = {  # a library's queue, and its coordinate
    "JCTools": (MPSC, f"{JCTOOLS}:4.0.5"),
    "Agrona": ("org.agrona.concurrent.ManyToOneConcurrentLinkedQueue", "org.agrona:agrona:1.22.0"),
}
FORKS = 5  # of two libraries: that all of one lie below all of the other is chance in 1 of 252
RACE = "1000 250"  # elements in the queue, ms to go on asking
TREES = ("keep", "part", "bridge")  # what DeadParents' trees do when they are given up
OLD_ONLY = (  # CMS begins an old collection by itself whenever the old generation is more than 5 % full
    "-Xms256m -Xmx256m -Xmn32m -XX:CMSInitiatingOccupancyFraction=5 -XX:+UseCMSInitiatingOccupancyOnly "
    "-XX:CMSWaitDuration=100 -XX:CMSMaxAbortablePrecleanTime=10"
)


def real_size(jdk: int, library: str, repeat: int = 0) -> Run:
    """size() of a library's queue of 1,000 elements, over and over, while another thread offers and polls.

    Args:
        library: a key of SIZED.

    Returns:
        A run with the values asked, too_low, below_half, too_high (how many answers), lowest, median, highest.
    """
    name, jar = SIZED[library]
    return launch.java(SIZES, jdk, HEAP, args=f"{name} {RACE}", jars=[jar], repeat=repeat, reuse=True)


def too_low_percent(jdk: int, library: str) -> list[float]:
    """How many of the library's answers were too low, in percent of all: one number a run."""
    runs = [real_size(jdk, library, repeat).values for repeat in range(FORKS)]
    return [100 * float(values["too_low"]) / float(values["asked"]) for values in runs]


def parents(jdk: int, what: str) -> Run:
    """Trees whose roots are old and dead, with the gc log; `what` is one of TREES."""
    return launch.java(PARENTS, jdk, HEAP, gc="Serial", args=[what], log="gc", reuse=True)


def old_alone(jdk: int, what: str = "hold") -> Run:
    """Collections of the old generation alone, while a dead young object points at a dead old one, or nobody does.

    Args:
        what: "hold" or "free".

    Returns:
        A run with the values old_before_mib, old_after_mib (after old collections), old_end_mib (and young ones).

    Raises:
        FlagRejected: this JDK has no CMS, the only collector that does this.
    """
    return launch.java(REVERSE, jdk, OLD_ONLY, gc="ConcMarkSweep", args=[what], reuse=True)
