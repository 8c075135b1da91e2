"""Markdown -> one HTML page that needs nothing else, and can be printed."""

import re
from html import escape

LOOK = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 52rem; margin: 2rem auto; padding: 0 1rem }
h1 { line-height: 1.2 } h2 { border-top: 2px solid #1b3a57; padding-top: .6rem; margin-top: 2.5rem } a { color: #1257a5 }
table { border-collapse: collapse; margin: 1rem 0 } th, td { border-bottom: 1px solid #bbb; padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top }
pre { background: #f3f3f3; padding: .6rem .8rem; overflow-x: auto; white-space: pre-wrap } code { font: .9em ui-monospace, monospace }
@media print { body { font-size: 10pt; max-width: none; margin: 0 } h2 { break-before: page } pre, tr { break-inside: avoid } }
"""  # noqa: E501
HEADING = re.compile(r"<h([23])>(.*?)</h\1>")


def page(title: str, markdown: str) -> str:
    """The whole page; each heading can be linked to."""
    import mistune

    body = str(mistune.create_markdown(escape=False, plugins=["table"])(markdown))
    body = HEADING.sub(lambda found: f'<h{found[1]} id="{slug(found[2])}">{found[2]}</h{found[1]}>', body)
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
    return f'<!doctype html>\n<html lang="en"><head>{head}<style>{LOOK}</style></head>\n<body>{body}</body></html>\n'


def slug(heading: str) -> str:
    """A heading as a link names it.

    >>> slug("02 When will this program exit?")
    '02-when-will-this-program-exit'
    """
    return "-".join(re.findall(r"[a-z0-9]+", re.sub(r"<[^>]*>|&\\w+;", "", heading).lower()))
