"""A JVM's counters in shared memory: how often it stopped and how long it waited, while we look."""

import struct

from safepointlab.culprit.counters import NAMES, Counters, _values


def perfdata(stops: int, waited: int, frequency: int = 1_000_000) -> bytes:
    """The file as HotSpot lays it out: a head of 32 bytes, then entries of their head, their name and a long."""
    entries = b""
    for name, value in zip(NAMES.values(), (stops, waited, frequency), strict=True):
        text = name.encode() + b"\0"
        data_at = 20 + len(text) + (-(20 + len(text)) % 8)
        head = struct.pack("<iii4Bi", data_at + 8, 20, 0, ord("J"), 0, 1, 1, data_at)
        entries += (head + text).ljust(data_at, b"\0") + struct.pack("<q", value)
    return b"\xca\xfe\xc0\xc0\x01\x02\x00\x01" + struct.pack("<iiqii", 0, 0, 0, 32, 3) + entries


def test_counters_grow_from_the_first_look_on(tmp_path):
    file = tmp_path / "4711"
    seen = Counters(file)
    for stops, waited in ((10, 5_000), (11, 45_000), (13, 55_000)):
        file.write_bytes(perfdata(stops, waited))
        seen.look()
    assert (seen.stops, seen.waited_ms, seen.longest_ms) == (3, 50.0, 40.0)
    assert str(seen) == "3 stops: the JVM waited 50.0 ms for its threads in all, 40.0 ms of it at once."


def test_a_jvm_that_did_not_stop_says_so(tmp_path):
    (tmp_path / "4711").write_bytes(perfdata(10, 5_000))
    seen = Counters(tmp_path / "4711")
    seen.look()
    assert "did not stop its threads" in str(seen)


def test_without_counters_nothing_is_known(tmp_path):
    seen = Counters(tmp_path / "none")
    seen.look()
    assert "cannot be read" in str(seen)


def test_a_file_of_another_kind_or_cut_off_has_no_counters(tmp_path):
    (tmp_path / "odd").write_bytes(b"not at all")
    (tmp_path / "cut").write_bytes(perfdata(1, 2)[:60])
    assert _values(tmp_path / "odd") == {} and _values(tmp_path / "cut") == {}
