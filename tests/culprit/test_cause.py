"""A stack -> where the thread was, why that kept it, and what helps."""

import pytest

from safepointlab.culprit import cause as causes
from safepointlab.culprit.advice import advice
from safepointlab.culprit.cause import Place, cause
from safepointlab.culprit.evidence import is_profilers, place
from safepointlab.logs import bytecode


@pytest.mark.parametrize(
    ("stack", "method", "within"),
    [
        ("Odd::main;java.util.zip.CRC32::update;::updateBytes", "java.util.zip.CRC32::update", "updateBytes"),
        ("Odd::main;a.B$$Lambda$1+0x7f/123::run", "a.B$$Lambda$1+0x7f/123::run", None),
        ("Odd::main;libc.so.6::__restore_rt;libasyncProfiler.so::Profiler::crashHandler", "Odd::main", None),
        ("Odd::main;::updateBytesCRC32;libasyncProfiler.so::a;libc.so.6::memcpy", "Odd::main", "updateBytesCRC32"),
        ("libjvm.so::Thing::run;libasyncProfiler.so::Profiler::a", "libjvm.so::Thing::run", "Thing::run"),
    ],
)
def test_a_place_is_the_java_line_and_what_it_calls_without_the_profilers_own_frames(stack, method, within):
    row = place(stack, ";".join("7" for _ in stack.split(";")), 3, "C++")
    assert (row["method"], row["line"], row["within"]) == (method, 7, within) and "Profiler" not in row["stack"]
    assert row["bci"] == (3 if stack.endswith(method) else None)


def test_a_stack_of_the_profiler_alone_is_nobodys():
    assert is_profilers("libc.so.6::__restore_rt;libasyncProfiler.so::AllocTracer::trapHandler")
    assert not is_profilers("Odd::main;libc.so.6::__restore_rt") and not is_profilers("")


@pytest.mark.each(
    ("place", "why"),
    [
        (Place("Odd::count", kind="JIT compiled", counter="int"), "counted loop"),
        (Place("Odd::count", kind="Interpreted", counter="int"), "java"),
        (Place("Odd::copy", within="acl_CopyRight"), "stub"),
        (Place("Odd::make", within="MemAllocator::allocate"), "vm"),
        (Place("java.util.zip.CRC32::updateBytes", kind="JIT compiled"), "stub"),
        (Place("Odd::count", counter="int", doing="takes page faults: 9000 in 40 ms, 0 from a disk"), "pages"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time"), "cpu"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time", busy=True), "counted loop"),
        (Place("java.io.File::list", stack="jdk.jfr.internal.A::b;java.io.File::list"), "witness"),
    ],
)
def test_the_cause_is_what_keeps_the_thread(place, why):
    assert cause(place) == why


@pytest.mark.parametrize(
    ("major", "gc", "first"),
    [
        (8, "Parallel", "-XX:+UseCountedLoopSafepoints keeps a poll in each iteration"),
        (17, "Serial", "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000 keeps a poll for each 1,000"),
        (17, "G1", "G1 keeps a poll for each 1,000 iterations of the loop as C2 unrolled it"),
    ],
)
def test_the_cure_of_a_counted_loop_depends_on_jdk_and_collector(jdk, major, gc, first):
    assert advice("counted loop", jdk(major), gc)[0].startswith(first)


def test_each_cause_has_a_cure_of_its_own(jdk):
    names = ("counted loop", "stub", "vm", "pages", "cpu", "java", "witness")
    steps = [tuple(advice(why, jdk(17), "Serial")) for why in names]
    assert all(steps) and len(set(steps)) == len(names)


LOOPS = """class Odd {
  static int count(int);
    Code:
       0: iconst_0
       2: iload_1
       4: if_icmpge     20
       7: iconst_0
       9: iload_2
      11: if_icmpge     17
      12: iinc          2, 1
      14: goto          9
      17: iinc          1, 1
      18: goto          2
      20: iload_1
    LineNumberTable:
      line 5: 0
      line 6: 7
      line 7: 12
      line 9: 20
}
"""


@pytest.mark.parametrize(
    ("bci", "line", "text"),
    [
        (12, None, "counted by an int, lines 6 to 7, innermost of 2"),
        (None, 7, "counted by an int, lines 5 to 7"),
        (20, None, "None"),
    ],
)
def test_the_loop_around_a_place_is_told_by_its_lines(jdk, monkeypatch, bci, line, text):
    monkeypatch.setattr(causes, "_bytecode", lambda *_: bytecode.read(LOOPS.splitlines()))
    assert str(causes.loop_around(jdk(17), [], "Odd::count", bci, line)) == text


def test_the_compile_log_tells_versions_of_the_method_or_of_the_caller_that_swallowed_it(tmp_path):
    lines = ["[1s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)"]
    lines += ["[2s][debug][jit,compilation]   74 %     4       Odd::count @ 4 (44 bytes)   made not entrant: OSR"]
    lines += ["[3s][debug][jit,compilation]   75    b  3       Odd::main (9 bytes)"]
    (tmp_path / "compiled-7.log").write_text("\n".join(lines) + "\n")
    assert causes.versions(tmp_path, 7, ["Odd::count"]) == "C2 OSR at bci 4"
    assert causes.versions(tmp_path, 7, ["Odd::small", "Odd::main"]) == "C1 (Odd::main)"
