"""`lab.pool(folder)` -> one table of what a class measured, its predictions beside it, and which files were refused.

pool = lab.pool("~/class")
pool                                       one row per laptop, claim and JDK; below it what was refused, and why
pool.predictions                           one row per laptop, question and outcome
lab.plot.laptops(pool, "000-12")           each laptop's verdict on each JDK
lab.plot.guesses(pool.predictions, "02-killer")    how many chose which outcome, before the result is shown
"""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd

from safepointlab.claims.base import shown
from safepointlab.course import lessons
from safepointlab.errors import BadInput
from safepointlab.phrases import counted
from safepointlab.process import home
from safepointlab.teaching.pooling import check
from safepointlab.teaching.pooling.check import Share

MOST_FILES = 2000
MOST_TOLD = 20
VERDICTS = (
    "laptop", "cores", "system", "profile", "id", "statement", "jdk", "build", "verdict", "measured", "why", "evidence",
)  # fmt: skip
PREDICTIONS = ("laptop", "question", "asked", "outcome", "chosen", "seen")


class Pooled(pd.DataFrame):
    """The verdicts of a class, one row per laptop, claim and JDK; below itself it shows what was read and refused."""

    @property
    def _constructor(self) -> type["Pooled"]:
        return Pooled

    @property
    def laptops(self) -> int:
        return int(self.attrs.get("laptops", 0))

    @property
    def predictions(self) -> pd.DataFrame:
        """One row per laptop, question and outcome on offer: laptop, question, asked, outcome, chosen, seen.

        `asked` and `outcome` are in words; `chosen` says whether that student chose it, `seen` whether they had been
        shown the result when they shared. No column has the result.
        """
        return pd.DataFrame(self.attrs.get("predictions", []), columns=list(PREDICTIONS))

    @property
    def refused(self) -> pd.DataFrame:
        """One row per refused file: file, reason."""
        return pd.DataFrame(self.attrs.get("refused", []), columns=["file", "reason"])

    def summary(self) -> str:
        """What was read, in one line, and a line for each of the first refused files."""
        answers = self.predictions.drop_duplicates(["laptop", "question"])
        verdicts = f"{counted(len(self), 'verdict')} on {counted(self['id'].nunique(), 'claim')}"
        said = f"{counted(len(answers), 'prediction')} on {counted(answers['question'].nunique(), 'question')}"
        refused = [f"Refused: {each.file}: {each.reason}" for each in self.refused.itertuples()]
        more = [f"{len(refused) - MOST_TOLD} more were refused: see `refused`."] if len(refused) > MOST_TOLD else []
        return "\n".join([f"{counted(self.laptops, 'laptop')}: {verdicts}, {said}.", *refused[:MOST_TOLD], *more])

    def __repr__(self) -> str:
        table = repr(pd.DataFrame(self).drop(columns="evidence", errors="ignore"))
        return f"{table}\n{self.summary()}" if "id" in self.columns else table

    def _repr_html_(self) -> str:
        table = str(pd.DataFrame(self).drop(columns="evidence", errors="ignore")._repr_html_())  # type: ignore[operator]
        lines = self.summary().splitlines() if "id" in self.columns else []
        return table + "".join(f"<div><small>{escape(line)}</small></div>" for line in lines)


def pool(folder: str | Path) -> Pooled:
    """Read what the students of a class have shared with `lab.share(folder)`.

    A file that is damaged, forged, a link, too large or of another version of the lab is refused with the reason, and
    the others are read. Of two shares of one student the newer counts.

    Returns:
        One row per laptop, claim and JDK: laptop (a number that says nothing of who it is, and may be another next
        time), cores, system, profile, id, statement, jdk, build, verdict, measured (in words),
        why, evidence (the numbers by name). `predictions` and `refused` are further tables of it.

    Raises:
        BadInput: there is no such folder, or it cannot be read.
    """
    place = Path(folder).expanduser() if isinstance(folder, str | Path) and str(folder).strip() else None
    if not place or not place.is_dir():
        raise BadInput(f"no folder {folder!r}. Give the folder that the class writes its shares into, as text.")
    try:
        files = sorted(file for file in place.iterdir() if not file.name.startswith("."))  # hidden: half written
    except OSError as cause:
        raise BadInput(f"the folder {home.shown(place)} cannot be read: {cause.strerror}.") from cause
    shares, refused = _read(files)
    verdicts = [row for number, share in enumerate(shares, 1) for row in _verdicts(number, share)]
    table = Pooled(verdicts, columns=list(VERDICTS)).astype(dict.fromkeys(("laptop", "cores", "jdk"), "int64"))
    table.attrs["laptops"] = len(shares)
    table.attrs["predictions"] = [row for number, share in enumerate(shares, 1) for row in _predictions(number, share)]
    table.attrs["refused"] = [{"file": name, "reason": reason} for name, reason in refused.items()]
    return table


def _read(files: list[Path]) -> tuple[list[Share], dict[str, str]]:
    """The newest share of each student in the order of their tokens, and the reason why each other file is refused."""
    newest: dict[str, tuple[Share, str]] = {}
    refused: dict[str, str] = {}
    for number, file in enumerate(files):
        # a share's own name, 32 digits, is left as it is
        name = file.name if check.PLAIN.fullmatch(file.name) else check.quoted(file.name)
        try:
            if number >= MOST_FILES:
                raise BadInput(f"more than {MOST_FILES} files are in the folder.")
            if file.suffix != ".json":
                raise BadInput("its name does not end in .json.")
            share = check.read(file)
        except BadInput as reason:
            refused[name] = str(reason)
            continue
        known = [newest[share.student]] if share.student in newest else []
        *older, newest[share.student] = sorted([*known, (share, name)], key=lambda each: each[0].made)
        refused |= {each: "an older share of the same student." for _, each in older}
    return [share for _, (share, _) in sorted(newest.items())], refused


def _verdicts(laptop: int, share: Share) -> Iterator[dict[str, Any]]:
    for verdict in share.verdicts:
        yield {
            "laptop": laptop, "cores": share.cores, "system": share.system, "profile": share.profile,
            "id": verdict.claim.id, "statement": verdict.claim.statement, "jdk": verdict.jdk, "build": verdict.build,
            "verdict": verdict.state, "measured": shown(verdict.measured), "why": verdict.why,
            "evidence": dict(verdict.measured),
        }  # fmt: skip


def _predictions(laptop: int, share: Share) -> Iterator[dict[str, Any]]:
    """Each outcome on offer, in the order in which the page shows them."""
    for said in share.predictions:
        question = lessons.prediction(said.question)
        about = {"laptop": laptop, "question": question.name, "asked": question.question, "seen": said.seen}
        for key in question.offered():
            yield {**about, "outcome": question.outcomes[key].text, "chosen": key in said.chosen}
