"""What 8 prints between a collection's name and its heap -> the generations, and what the young one alone freed.

    0.135: [GC (Allocation Failure) [PSYoungGen: 16384K->2560K(18944K)] 16665K->16761K(62976K), 0.0703295 secs]

There may be millions of such texts, but they have few shapes: what is left if all numbers are taken as equal. Only the
shapes are parsed.
"""

from collections.abc import Sequence

import numpy as np

from safepointlab.logs.gc.forms import PART
from safepointlab.logs.lines.columns import Names, numbers, shapes
from safepointlab.logs.lines.records import Table

YOUNG = ("DefNew", "ParNew", "PSYoungGen")


class Generations:
    """Reads these texts; keeps the shapes seen."""

    def __init__(self, names: Names) -> None:
        self.names, self.shapes = names, Names()
        self.of_shapes = list[tuple[int, int, int, bool]]()

    def table(self, texts: Sequence[str]) -> Table:
        """For each text:

        detail: the code of the generations' names
        freed_mib: how much less the young generation holds, if it alone was collected; else NaN
        is_mixed: whether another collection begins in the text
        """
        together = "\n".join(texts)
        shape = self.shapes.codes(shapes(together).split("\n"))
        self.of_shapes += map(self._of_shape, self.shapes.texts[len(self.of_shapes) :])
        detail, count, young, is_mixed = np.array([*self.of_shapes, self._of_shape("")])[shape].T
        values, freed = numbers(together), np.full(len(texts), np.nan)
        before = (np.cumsum(count) - count + young)[young >= 0]
        freed[young >= 0] = (values[before] - values[before + 1]) / 1024
        return {"detail": detail, "freed_mib": freed, "is_mixed": is_mixed > 0}

    def _of_shape(self, shape: str) -> tuple[int, int, int, bool]:
        """The names' code, the count of numbers, at which of them the young generation's begin, and `is_mixed`.

        -1 instead of the third if the young generation was not collected alone.
        """
        parts = [*PART.finditer(shape)]
        names = [part[1] for part in parts]
        young = shape.count("0", 0, parts[0].start(2)) if len(parts) == 1 and names[0] in YOUNG else -1
        detail = int(self.names.codes([", ".join(names)])[0])
        return detail, shape.count("0"), young, "[GC (" in shape or "[Full GC" in shape
