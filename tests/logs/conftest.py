"""What the readers' tests share: the recorded logs, and what was counted in them by other means."""

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def write(tmp_path) -> Callable[[str | bytes], Path]:
    """Put a text or bytes into a file of its own, `bad.log`."""

    def written(content: str | bytes) -> Path:
        path = tmp_path / "bad.log"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a table beside the logs."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter, quoting=csv.QUOTE_NONE))


def counted(path: Path) -> dict[str, float]:
    """The counts that count-lines, with grep and awk alone, made of a log."""
    rows = table(path.parent / "counts.csv")
    return {row["fact"]: float(row["count"]) for row in rows if row["log"] == path.name}
