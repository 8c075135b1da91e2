"""JDKs that are not there, and those that are; what async-profiler would have sampled."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.jdks import Jdk

NOON_S = 1_795_780_800.0  # of 27 November 2026, in UTC


@pytest.fixture
def jdk():
    """jdk(major): a JDK that nobody can start."""
    return lambda major: Jdk(Path(f"/jdk{major}"), major, str(major), "Test", "lab")


@pytest.fixture
def sampled(tmp_path):
    """sampled(thread, tid, method, line, at_s): its stacks of this thread of JVM 7, so many seconds after noon."""

    def write(thread, tid, method, line, at_s):
        owner, _, name = method.rpartition(".")
        declared = {"type": {"name": owner}, "name": name, "descriptor": "()V"}
        frame = {"method": declared, "lineNumber": line, "bytecodeIndex": 0, "type": "JIT compiled"}
        who = {"osName": thread, "osThreadId": tid, "javaName": thread, "javaThreadId": 1}
        times = [datetime.fromtimestamp(NOON_S + seconds, UTC).isoformat().replace("+00:00", "Z") for seconds in at_s]
        stack = {"truncated": False, "frames": [frame]}
        values = [{"startTime": time, "sampledThread": who, "stackTrace": stack} for time in times]
        events = [{"type": "jdk.ExecutionSample", "values": each} for each in values]
        (tmp_path / "ttsp-7.jdk.ExecutionSample.json").write_text(json.dumps({"recording": {"events": events}}))

    return write


def one_a_major() -> list[Jdk]:
    """Those with the longest way between them; the preferred build of each."""
    return list({one.major: one for one in reversed(jdks.find()) if one.major in (8, 17, 25)}.values())[::-1]
