"""A stack -> where the thread was, why that kept it, and what helps."""

from pathlib import Path

import pytest

from safepointlab.culprit import cause as causes
from safepointlab.culprit import loops
from safepointlab.culprit.advice import advice
from safepointlab.culprit.cause import CAUSES, NOT_KNOWN, PROBABLY, Place, cause
from safepointlab.culprit.evidence import is_profilers, place
from safepointlab.logs import bytecode


@pytest.mark.parametrize(
    ("stack", "method", "within"),
    [
        ("Odd::main;java.util.zip.CRC32::update;::updateBytes", "java.util.zip.CRC32::update", "updateBytes"),
        ("Odd::main;vdso::__vdso_clock_gettime", "Odd::main", "__vdso_clock_gettime"),
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


SHAPES = Path(__file__).parents[1] / "data" / "bytecode" / "jdk17-javac.log"
PAGES = "takes page faults: 9000 in 40 ms, 0 of them read from a disk"
LINKER = "java.lang.invoke.LambdaForm$MH.0x000000001404ac00::invoke"


@pytest.mark.each(
    ("place", "why"),
    [
        (Place("Odd::count", kind="JIT compiled", counter="int"), "counted loop"),
        (Place("Odd::count", kind="JIT compiled", counter="int", compiled="C1"), "not known"),  # C1 keeps all polls
        (Place("Odd::count", kind="Interpreted", counter="int"), "not known"),
        (Place("Odd::count", kind="JIT compiled", counter="int", exact=False, busy=True), "probably a counted loop"),
        (Place("Odd::count", kind="JIT compiled", counter="int", exact=False), "not known"),
        (Place("Odd::count", kind="JIT compiled", counter="perhaps", busy=True), "counted loop"),
        (Place("Odd::count", kind="JIT compiled", counter="perhaps"), "not known"),
        (Place("Odd::count", kind="JIT compiled"), "not known"),
        (Place("Odd::copy", within="acl_CopyRight"), "stub"),
        (Place("Odd::sort", "void avx512_qsort", "libsimdsort.so", kind="C++"), "stub"),
        (Place("sun.security.provider.SHA2::implCompress0", "sha256_implCompressMB"), "stub"),
        (Place("java.util.zip.CRC32::updateBytes", kind="JIT compiled"), "stub"),
        (Place("java.util.zip.CRC32::updateBytes", kind="JIT compiled", counter="int"), "stub"),  # a caller's loop
        (
            Place("java.math.BigInteger::multiplyToLen", kind="JIT compiled", counter="int", in_own_loop=True),
            "counted loop",
        ),
        (Place("Odd::make", "MemAllocator::allocate", "libjvm.so"), "vm"),
        (Place("Odd::make", "__memset_avx512_unaligned_erms", "libc.so.6", allocates=True, doing=PAGES), "new array"),
        (Place("java.lang.Object::clone", "acl_CopyRight", allocates=True), "stub"),
        (Place("Odd::make", "libc.so.6", allocates=True), "new array"),  # a library without symbols
        (Place("jdk.internal.misc.Unsafe::setMemory0", "Copy::fill", "libjvm.so", doing=PAGES), "native memory"),
        (Place("Odd::find", "__memchr_evex", "libc.so.6", stack=f"Odd::find;{LINKER}"), "critical call"),
        (Place("Odd::encode", asleep_in_java=True), "critical call"),
        (Place("Odd::count", counter="int", doing=PAGES), "counted loop"),  # with polls each page would be short
        (Place("Odd::count", counter="int", strips=True, doing=PAGES), "pages"),
        (Place("Odd::count", kind="JIT compiled", counter="int", strips=True), "not known"),  # a strip is short
        (Place("Odd::count", kind="JIT compiled", counter="int", strips=True, busy=True), "counted loop"),
        (Place("Odd::read", doing=PAGES), "pages"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time"), "cpu"),
        (Place("Odd::count", counter="int", starved=True), "cpu"),
        (Place("Odd::count", counter="int", doing="waits for a CPU, 80 % of the time", busy=True), "counted loop"),
        (Place("Odd::count", counter="int", starved=True, busy=True), "counted loop"),
        (Place("Odd::poll", kind="JIT compiled", starved=True, throttled=True), "quota"),
        (Place("Odd::poll", within="__vdso_clock_gettime", library="vdso"), "not known"),
        (Place("Odd::poll", within="__vdso_clock_gettime", library="vdso", throttled=True), "quota"),
        (Place("Odd::count", counter="int", throttled=True, busy=True), "counted loop"),
        (Place("Odd::poll", kind="JIT compiled", starved=True, busy=True), "cpu"),  # the VM thread could not ask it
        (Place("java.io.File::list", stack="jdk.jfr.internal.A::b;java.io.File::list"), "witness"),
        (Place("Odd::count", "SR_handler", "libjvm.so", counter="int"), "witness"),
    ],
)
def test_the_cause_is_what_keeps_the_thread(place, why):
    assert cause(place) == why


@pytest.mark.parametrize(
    ("major", "gc", "first"),
    [
        (8, "Parallel", "-XX:+UseCountedLoopSafepoints keeps a poll in each iteration"),
        (17, "Serial", "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000 keeps a poll for each 1,000"),
        (17, "G1", "G1 keeps a poll for each 1,000 iterations of the unrolled loop"),
    ],
)
def test_the_cure_of_a_counted_loop_depends_on_jdk_and_collector(jdk, major, gc, first):
    assert advice("counted loop", jdk(major), gc)[0].startswith(first)


def test_only_a_loop_that_calls_a_method_is_told_not_to_inline_it(jdk):
    with_call, without = (advice("counted loop", jdk(17), "Serial", calls=calls) for calls in (True, False))
    assert "dontinline" in with_call[-1] and without == with_call[:-1]


def test_each_cause_that_can_be_mended_has_a_cure_of_its_own_and_no_other_has_one(jdk):
    steps = {why: tuple(advice(why, jdk(17), "Serial")) for why in (*CAUSES, NOT_KNOWN)}
    assert [why for why, given in steps.items() if not given] == ["vm", "pages", "not known"]
    assert steps[PROBABLY] == steps["counted loop"] and len(set(steps.values())) == len(steps) - 3
    assert advice("stub", jdk(25), "G1", "java.util.DualPivotQuicksort::sort") != list(steps["stub"])


@pytest.mark.parametrize(
    ("bci", "line", "text"),
    [
        (16, None, "counted by an int, lines 11 to 12, innermost of 2"),
        (None, 12, "counted by an int, lines 11 to 12, innermost of 2"),
        (None, 10, "counted by an int, lines 10 to 12"),
        (39, None, "None"),
    ],
)
def test_the_loop_around_a_place_is_told_by_its_lines(jdk, monkeypatch, bci, line, text):
    monkeypatch.setattr(loops, "class_code", lambda *_: bytecode.read(SHAPES))
    assert str(loops.loop_around(jdk(17), [], "Shapes::counted", bci, line)) == text


def test_where_no_line_is_exact_each_counted_loop_of_the_method_is_told_unless_another_is_in_it(jdk, monkeypatch):
    monkeypatch.setattr(loops, "class_code", lambda *_: bytecode.read(SHAPES))
    found = loops.counted_loops(jdk(17), [], "Shapes::counted")
    assert [str(loop) for loop in found] == ["counted by an int, lines 11 to 12, innermost of 2"] and not found[0].calls


def test_a_loop_is_found_though_its_whole_method_is_in_one_line(jdk, monkeypatch):
    """The place in the line is known of the innermost frame alone, not of the callers that it is inlined into."""
    code = bytecode.read(SHAPES)
    monkeypatch.setattr(loops, "class_code", lambda *_: code.assign(line=code["line"].where(code["line"].isna(), 3)))
    assert str(loops.loop_around(jdk(17), [], "Shapes::counted", None, 3)).startswith("counted by an int, line 3")


def test_the_compile_log_tells_versions_of_the_method_or_of_the_caller_that_swallowed_it(tmp_path):
    lines = ["[1s][debug][jit,compilation]   73 %     4       Odd::count @ 4 (44 bytes)"]
    lines += ["[2s][debug][jit,compilation]   74 %     4       Odd::count @ 4 (44 bytes)   made not entrant: OSR"]
    lines += ["[3s][debug][jit,compilation]   75    b  3       Odd::main (9 bytes)"]
    (tmp_path / "compiled-7.log").write_text("\n".join(lines) + "\n")
    assert causes.versions(tmp_path, 7, ["Odd::count"]) == "C2 OSR at bci 4"
    assert causes.versions(tmp_path, 7, ["Odd::small", "Odd::main"]) == "C1 (Odd::main)"
