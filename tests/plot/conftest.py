"""What the tests of pictures share: no window, no figure that stays open, and what is written in a picture."""

from collections.abc import Callable, Iterator

import matplotlib
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

matplotlib.use("agg")

import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """Close each test's figures."""
    yield
    plt.close("all")


@pytest.fixture
def title() -> Callable[[Axes], str]:
    """title(ax): the finding, on one line and with plain blanks."""
    return lambda ax: " ".join(ax.get_title(loc="left").split())


@pytest.fixture
def words() -> Callable[[Axes], str]:
    """words(ax): all that is written in the picture."""
    return lambda ax: " ".join(text.get_text() for text in ax.findobj(Text))
