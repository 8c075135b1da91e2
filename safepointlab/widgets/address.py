"""A running Jupyter server -> one line with its address: an extension that jupyter_config.py switches on."""

import logging
from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "safepointlab.widgets.address"}]


def _load_jupyter_server_extension(server: Any) -> None:
    """Called while the server starts: its own five lines about the address become one, and two warnings go.

    Nobody has run a page that was just made, and JupyterLab shows whether it is trusted. Tornado shortens the time that
    Jupyter gives a browser to answer, and says so.
    """
    for log in (server.log, logging.getLogger("tornado.general")):
        log.addFilter(_says_more)
    server.io_loop.call_later(0, lambda: print(f"Safepoint Lab is at {server.local_url}", flush=True))


def _says_more(record: logging.LogRecord) -> bool:
    said = record.getMessage()
    return not any(words in said for words in ("To access the server", "is not trusted", "The websocket_ping_timeout"))
