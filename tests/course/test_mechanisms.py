"""What the drawing of a queue is made of: the formula of a run."""

from types import SimpleNamespace

from safepointlab.course.nb22_omission import experiments as omission
from safepointlab.course.nb22_omission import queueing


def test_a_runs_setting_is_that_of_its_arguments_and_a_write_takes_two_reads(monkeypatch):
    monkeypatch.setattr(omission, "times", lambda *_: {"p50": 0.2, "p90": 511.0, "p99": 768.0, "p99_9": 795.0})
    args = ["fixed", "400", "2", "8", "800", "4000", "1000", "0"]
    table = omission.by_formula(SimpleNamespace(request=SimpleNamespace(args=args)))
    wanted = queueing.stalled(rate=400, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
    assert table.drop(columns="measured_ms").equals(wanted.astype(table.dtypes.drop("measured_ms")))
    assert table["measured_ms"].tolist() == [0.2, 511.0, 768.0, 795.0]
    closed = omission.by_formula(SimpleNamespace(request=SimpleNamespace(args=["closed", *args[1:]])))
    assert closed["measured_ms"].isna().all()


def test_more_than_can_be_done_has_a_load_and_no_percentiles():
    table = queueing.stalled(rate=2000, stall_ms=800, service_ms=1.25, servers=2, period_s=4)
    assert table["load"].iloc[0] == 1.25 and table["wait_ms"].isna().all()
