"""Notebook 21's exercises: what solves them, and what comes near it and does not."""

import pandas as pd
import pytest

from safepointlab.course import lessons
from safepointlab.course.nb21_calltrace import experiments
from safepointlab.errors import BadInput

TEMPLATES = lessons.folder_of("21") / "templates"
FLAG = lessons.exercise("21-1")
LINE = lessons.exercise("21-3")
VISIBLE = lessons.exercise("21-2")

MINE = "System.arraycopy(from, 0, to, 0, from.length);"


@pytest.fixture
def edited(tmp_path):
    """edited(statements): the exercise's file with these statements in place of its own."""

    def write(statements):
        path = tmp_path / VISIBLE.template.name
        path.write_text((TEMPLATES / path.name).read_text().replace(MINE, statements))
        return path

    return write


@pytest.mark.live
@pytest.mark.parametrize(("flag", "solves"), [("-XX:-UseCRC32Intrinsics", True), ("-XX:+PrintCompilation", False)])
def test_without_the_intrinsic_the_checksum_is_seen(flag, solves):
    assert FLAG.judge(flag).holds is solves


@pytest.mark.live
@pytest.mark.parametrize(
    ("statements", "solves", "says"),
    [
        ("for (int i = 0; i < from.length; i++) { to[i] = from[i]; }", True, "Most samples show copy"),
        ("System.arraycopy(from.clone(), 0, to, 0, from.length);", False, "are lost"),
        ("for (int i = 0; i < 9_999; i++) { to[i] = from[i]; }", False, "differs from the original"),
    ],
)
def test_a_copy_is_seen_if_it_is_made_in_java_and_is_complete(edited, statements, solves, says):
    judged = VISIBLE.judge(edited(statements))
    assert judged.holds is solves and says in judged.does


def test_the_rest_of_the_program_stays_as_it_is(edited):
    path = edited("from.clone();")
    path.write_text(path.read_text().replace("1 << 16", "1 << 4"))
    with pytest.raises(BadInput, match="a part that is not yours"):
        VISIBLE.judge(path)


@pytest.mark.parametrize(("line", "solves"), [(35, True), (38, False), (2359, False)])
def test_the_line_is_the_one_with_most_samples_in_the_program_itself(monkeypatch, line, solves):
    rows = [("StubTime::main", 35)] * 9 + [("StubTime::main", 38)] * 4 + [("java.lang.String::hashCode", 2359)] * 20
    samples = pd.DataFrame(rows, columns=["method", "line"]).astype({"method": "string"})
    monkeypatch.setattr(experiments, "by_jfr", lambda *_: samples)
    if line > 1_000:
        with pytest.raises(BadInput):
            LINE.judge(line)
    else:
        assert LINE.judge(line).holds is solves
