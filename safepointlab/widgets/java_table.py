"""A sweep's frame -> the same with all its columns, which a cell of `%%java` shows as `safepoint run` prints it."""

from pandas import DataFrame

from safepointlab.run import printed


class Runs(DataFrame):
    """The rows of a sweep; what is made from them is an ordinary DataFrame."""

    def __repr__(self) -> str:
        return printed.table(DataFrame(self)).to_string(index=False)

    def _repr_html_(self) -> str:
        return printed.table(DataFrame(self)).to_html(index=False, border=0)
