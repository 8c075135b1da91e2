"""A figure -> the output of a page that shows it: an image with the figure in words beside it, its text alternative.

JupyterLab shows an output of kind image/png without any `alt`, whatever its metadata say. So the picture goes out as
HTML, an img that holds its data, as matplotlib's own colour maps do: untrusted notebooks and static pages keep both.
"""

from base64 import b64decode, b64encode
from functools import partial
from html import escape
from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image  # matplotlib brings it

from safepointlab.plot import _alternative

# In JupyterLab and in VS Code: light changes places with dark, hues stay, and black lets the page through. The book has
# the same rule for all its pictures (site/static/site.css).
IN_THE_DARK = (
    "body:is([data-jp-theme-light='false'],.vscode-dark) img.sl-picture"
    "{filter:invert(1) hue-rotate(180deg);mix-blend-mode:screen}"
)


def speak(drawn: object) -> None:
    """Let the figure of these Axes show itself with its words, wherever IPython displays it."""
    figure = drawn.get_figure(root=True) if isinstance(drawn, Axes) else None
    if isinstance(figure, Figure):
        figure.__dict__["_ipython_display_"] = partial(show, figure)  # IPython asks the object before its formatters


def show(figure: Figure) -> None:
    """Display the figure as it is now; its words are plain text where no HTML is shown."""
    from IPython.display import display

    display(bundle(figure), raw=True)


def bundle(figure: Figure) -> dict[str, str]:
    """The output by kind: the image with its `alt`, and the words."""
    words, image = _alternative.of(figure), _png(figure)
    return {"text/plain": words} | ({"text/html": html(image, words)} if image else {})


def html(png: str, words: str) -> str:
    """An image element that follows the page's theme; `png` is base64."""
    style = "max-width:100%;height:auto"
    image = f"<img src='data:image/png;base64,{png.strip()}' alt='{escape(words)}' style='{style}' class='sl-picture'>"
    return f"{image}<style>{IN_THE_DARK}</style>"


def _png(figure: Figure) -> str:
    """The image as the page's settings draw it (%config InlineBackend), in base64; "" if nothing is drawn."""
    from IPython import get_ipython
    from IPython.core.pylabtools import print_figure

    shell: Any = get_ipython()
    made = shell.display_formatter.formatters["image/png"](figure) if shell else None
    image = made[0] if isinstance(made, tuple) else made  # sharper ones come with their size
    png = str(image or print_figure(figure, base64=True) or "")
    packed = BytesIO()
    if png:  # in fewer bytes, since it stays in the page
        Image.open(BytesIO(b64decode(png))).save(packed, "png", optimize=True)
    return b64encode(packed.getvalue()).decode("ascii")
