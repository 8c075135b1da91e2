"""What the tests of provision/ share: a lab of their own, and a web server on this machine that can break off."""

import http.server
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from safepointlab.jdks.provision import fetch


@dataclass
class Site:
    """A folder served on localhost. `breaks` is how many answers still break off after `break_after` bytes."""

    folder: Path
    url: str = ""
    breaks: int = 0
    break_after: int = 1000
    ranges: bool = True
    asked: list[tuple[str, str]] = field(default_factory=list)  # (path, Range header)


def handler(site: Site) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            begin = self.headers.get("Range", "") if site.ranges else ""
            site.asked.append((self.path, begin))
            file = site.folder / urllib.parse.unquote(self.path).strip("/")
            if not file.is_file():
                return self.send_error(404)
            content = file.read_bytes()
            rest = content[int(begin.removeprefix("bytes=").rstrip("-") or 0) :]
            self.send_response(206 if begin else 200)
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            if site.breaks:
                site.breaks -= 1
                rest, self.close_connection = rest[: site.break_after], True
            if self.command != "HEAD":
                self.wfile.write(rest)

        do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            pass

    return Handler


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    served = Site(tmp_path / "site")
    served.folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler(served))
    served.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield served
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def empty_lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """The lab's cache, with nothing in it (a live test keeps the machine's); no proxy before localhost, no pauses."""
    monkeypatch.setattr(fetch, "PAUSE_S", 0.01)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    if request.node.get_closest_marker("live") is None:
        monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "lab"))
    return tmp_path / "lab"


@pytest.fixture
def progress() -> list[str]:
    """Lines of progress; pass `progress.append` as `say`."""
    return []
