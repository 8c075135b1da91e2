"""A sweep's frame that a cell of `%%java` shows as `safepoint run` prints it; it has all columns, and is a DataFrame."""

from pandas import DataFrame

from safepointlab.run import printed


class Runs(DataFrame):
    """The rows of a sweep; what is made from them is an ordinary DataFrame."""

    def __repr__(self) -> str:
        return repr(printed.table(DataFrame(self)))

    def _repr_html_(self) -> str | None:
        shown: str | None = printed.table(DataFrame(self))._repr_html_()
        return shown
