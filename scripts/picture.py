"""The killer task under five sets of flags on each JDK of the lab -> docs/hang.png, which opens the README."""

import pandas as pd

import safepointlab as lab
from safepointlab.process import home
from safepointlab.run import profile

WAYS = [  # what the column says, the collector, the flags
    ("Serial", "Serial", ""),
    ("Serial,\ninterpreted", "Serial", "-Xint"),
    ("Serial,\nC1 only", "Serial", "-XX:TieredStopAtLevel=1"),
    ("Serial, polls\nkept in loops", "Serial", "-XX:+UseCountedLoopSafepoints"),
    ("G1", "G1", ""),
]


def main() -> None:
    frames = [swept(gc, flags).assign(way=way) for way, gc, flags in WAYS]
    table = pd.concat(frames)
    ax = lab.plot.outcomes(table, rows="jdk", columns="way", title=title(table))
    ax.figure.savefig(home.PROJECT / "docs" / "hang.png", dpi=110, bbox_inches="tight")


def swept(gc: str, flags: str) -> pd.DataFrame:
    """One column of the picture; main sleeps 0.6 s, so that a program still there after 3 s does not end."""
    return lab.sweep("hang/KillerTask", jdk=profile.LAB_SET, gc=gc, flags=flags, args="600", deadline=3)


def title(table: pd.DataFrame) -> str:
    """The finding, as long as it is one."""
    plain = table[(table["way"] == "Serial") & (table["outcome"] == "hung")]
    assert len(plain) == len(profile.LAB_SET), table[["jdk", "way", "outcome"]]
    return "One loop without a poll: with Serial\nno JDK from 8 to 25 exits"


if __name__ == "__main__":
    main()
