"""Sphinx's settings -> a book that executes nothing, and fetches nothing when it is opened."""

from pathlib import Path

HERE = Path(__file__).parent

project = "Safepoint Lab"
html_title = project
copyright = "the authors of Safepoint Lab, Apache-2.0"
language = "en"
extensions = ["myst_nb", "safepointlab.site.folds"]
exclude_patterns = ["_extra"]
suppress_warnings = ["mystnb.mime_priority", "mystnb.unknown_mime_type"]

nb_execution_mode = "off"
nb_merge_streams = True
nb_ipywidgets_js: dict[
    str, dict[str, str]
] = {}  # the pages hold no widgets; MyST-NB would load their scripts from a CDN
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
mathjax_path = "no-maths.js"  # a page with a formula fails the tests: no maths is fetched from elsewhere

html_theme = "pydata_sphinx_theme"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css", "reference.css"]
html_js_files = [("site.js", {"defer": "defer"}), ("reference.js", {"defer": "defer"})]
html_context = {"default_mode": "auto"}  # the reader's own system says light or dark, until they choose
html_favicon = str(HERE / "static" / "favicon.svg")
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_show_sphinx = False
WIDE = ["reference/then-and-now", "reference/flags", "reference/glossary"]  # a table or a list, with no pages beside it
html_sidebars: dict[str, list[str]] = {name: [] for name in ["index", *WIDE]}
html_theme_options = {
    "logo": {"text": project},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "navigation_with_keys": True,
    "show_prev_next": True,
    "show_nav_level": 2,
    "secondary_sidebar_items": {"**": ["page-toc"], **{name: [] for name in WIDE}},
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": True,
}
