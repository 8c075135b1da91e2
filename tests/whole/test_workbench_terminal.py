"""`safepoint workbench` in a terminal: what it says while a kernel runs, and that Ctrl-C ends it."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.request

import pytest
from ipykernel.kernelspec import write_kernel_spec


@pytest.mark.live
def test_a_kernel_starts_without_a_warning_and_ctrl_c_ends_the_server_without_a_question(tmp_path):
    write_kernel_spec(tmp_path / "kernels" / "python3")  # ipykernel's own: `safepoint kernels` writes a mute one
    env = {**os.environ, "JUPYTER_PATH": str(tmp_path), "SAFEPOINTLAB_CACHE": str(tmp_path / "cache")}
    words = [sys.executable, "-m", "safepointlab", "workbench", "--no-browser", "--port=0"]
    ours, theirs = pty.openpty()
    said = ""

    def hears(seconds: float, pattern: str = "") -> re.Match[str] | None:
        nonlocal said
        end = time.monotonic() + seconds
        while time.monotonic() < end and server.poll() is None and not (pattern and re.search(pattern, said)):
            if select.select([ours], [], [], 0.2)[0]:
                said += os.read(ours, 65_536).decode("utf-8", "replace")
        return re.search(pattern, said)

    with subprocess.Popen(words, env=env, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True) as server:
        try:
            assert (found := hears(60, r"(http://[^/]+)/\S+(\?token=\w+)")), said
            address = f"{found[1]}/api/kernels{found[2]}"
            asked = urllib.request.Request(address, json.dumps({"name": "python3"}).encode(), method="POST")
            with urllib.request.urlopen(asked, timeout=60):
                hears(15, "WARNING")
            assert "WARNING" not in said, said
            server.send_signal(signal.SIGINT)  # what Ctrl-C in the terminal sends
            hears(5)
            assert "(y/[n])" not in said, said
            assert server.wait(30) == 0
        finally:
            server.kill()
