"""Flags: checked against what each JDK says of itself, unlocked where need be, and never refused without advice."""

import subprocess
from pathlib import Path

import pytest

from safepointlab import jdks
from safepointlab.errors import FlagRejected
from safepointlab.jdks import Jdk, flags
from safepointlab.run import profile

# Lines as the JDKs print them; the last column of 8's is missing, its changed values are marked with ":=".
FLAGS_OF_8 = """[Global flags]
     intx BiasedLockingStartupDelay                 = 4000                                {product}
ccstrlist CompileCommand                            =                                     {product}
     intx GuaranteedSafepointInterval               = 1000                                {diagnostic}
    uintx MaxHeapSize                              := 6320816128                          {product}
     bool PrintGCApplicationStoppedTime             = false                               {product}
     bool UseConcMarkSweepGC                        = false                               {product}
     bool UseCountedLoopSafepoints                  = false                               {C2 product}
     bool UseSerialGC                               = false                               {product}
"""
FLAGS_OF_17 = """[Global flags]
ccstrlist CompileCommand                           =                                           {product} {default}
   double CompileThresholdScaling                  = 1.000000                                  {product} {default}
     intx GuaranteedSafepointInterval              = 1000                                   {diagnostic} {default}
    uintx LoopStripMiningIter                      = 1000                                   {C2 product} {default}
   size_t MaxHeapSize                              = 6320816128                                {product} {ergonomic}
     bool UseCountedLoopSafepoints                 = true                                   {C2 product} {default}
     bool UseEpsilonGC                             = false                                {experimental} {default}
     bool UseSerialGC                              = false                                     {product} {default}
     bool UseZGC                                   = false                                     {product} {default}
"""
FAKE_JAVA = """#!/bin/sh
echo "$@" >> "$0.calls"
for word in "$@"; do case "$word" in
  -XX:+PrintFlagsFinal) cat "$(dirname "$0")/flags"; exit 0;;
  -XX:+Obsolete) echo "VM warning: Ignoring option Obsolete; support was removed in 9.0"; exit 0;;
  -XX:CompileCommand=*) printf 'CompileCommand: An error occurred during parsing\\nError: no\\nLine: x\\n'; exit 0;;
  -XX:+Unlock*|-version|-Xaccepted) ;;
  *) echo "Unrecognized VM option '${word#-XX:?}'"; echo "Error: Could not create the Java Virtual Machine."; exit 1;;
esac; done
"""


def fake_jdk(folder: Path, major: int, printed: str) -> Jdk:
    java = folder / f"jdk-{major}" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(FAKE_JAVA)
    java.chmod(0o755)
    (java.parent / "flags").write_text(printed)
    return Jdk(java.parent.parent, major, f"{major}.0.1", "Test", "lab")


@pytest.fixture
def old_and_new(tmp_path, monkeypatch) -> tuple[Jdk, Jdk]:
    monkeypatch.setenv("SAFEPOINTLAB_CACHE", str(tmp_path / "cache"))
    found = [fake_jdk(tmp_path, 8, FLAGS_OF_8), fake_jdk(tmp_path, 17, FLAGS_OF_17)]
    monkeypatch.setattr(jdks, "find", lambda: found)
    return found[0], found[1]


def refusal(words, jdk: Jdk) -> str:
    with pytest.raises(FlagRejected) as rejected:
        flags.check(words, jdk)
    return str(rejected.value)


def calls(jdk: Jdk) -> list[str]:
    return Path(f"{jdk.java}.calls").read_text().splitlines()


def test_type_default_and_kind_of_a_flag_are_read_from_both_forms_once(old_and_new):
    old, new = old_and_new
    assert flags.known(old)["MaxHeapSize"] == flags.Flag("MaxHeapSize", "uintx", "6320816128", "product")
    assert flags.known(new)["UseEpsilonGC"] == flags.Flag("UseEpsilonGC", "bool", "false", "experimental")
    assert flags.known(new)["LoopStripMiningIter"].kind == "product"
    assert len(flags.known(old)) == 8 and len(flags.known(new)) == 9
    flags.known.cache_clear()  # a later session
    flags.known(old)
    assert len(calls(old)) == 1


UNLOCK = "-XX:+UnlockDiagnosticVMOptions"


@pytest.mark.each(
    ("asked", "taken"),
    [
        ("-XX:GuaranteedSafepointInterval=0 -XX:+UseEpsilonGC",
         [UNLOCK, "-XX:+UnlockExperimentalVMOptions", "-XX:GuaranteedSafepointInterval=0", "-XX:+UseEpsilonGC"]),
        ("-Xint '-Dname=two words'", ["-Xint", "-Dname=two words"]),
        ("-Xmx64m -Xlog:safepoint -XX:-UseSerialGC -XX:LoopStripMiningIter=0", None),
        ("-cp classes:jars --add-opens java.base/java.lang=ALL-UNNAMED", None),  # the words behind are not flags
        ("-XX:CompileCommand=dontinline,KillerTask.countOdds -XX:CompileCommand=quiet", None),
        ("-XX:CompileCommand=exclude,java.lang.String::hashCode", None),
    ],
)  # fmt: skip
def test_flags_pass_with_what_unlocks_them_in_front_and_without_starting_a_jvm(asked, taken, old_and_new):
    _, new = old_and_new
    assert flags.check(asked, new) == (taken or asked.split())
    assert len(calls(new)) == 1  # the one that lists the flags


def test_what_the_vm_accepts_though_it_does_not_list_it_passes(old_and_new):
    _, new = old_and_new
    for word in ("-XX:+Obsolete", "-Xaccepted"):  # obsolete: the VM only warns
        assert flags.check(word, new) == [word]
    diagnostic = "-XX:GuaranteedSafepointInterval=0"
    assert flags.check([diagnostic, UNLOCK, UNLOCK], new) == [UNLOCK, diagnostic]
    listed = new.home / "bin" / "flags"
    listed.write_text(FLAGS_OF_17 + "     bool IgnoreUnrecognizedVMOptions   = false     {product} {default}\n")
    words = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+NoSuchFlag"]
    assert "does not know" in refusal(words[1:], new) and flags.check(words, new) == words


@pytest.mark.each(
    ("flag", "advice"),
    [
        ("-XX:+PrintGCApplicationStoppedTime", "-Xlog:safepoint"),
        (
            "-XX:+PrintGCApplicationStoppedTime",
            "JDK 17.0.1 does not know -XX:+PrintGCApplicationStoppedTime. It exists in JDK 8.0.1",
        ),
        ("-XX:+UseBiasedLocking", "JEP 374"),
        ("-XX:+UseConcMarkSweepGC", "JEP 363"),
        ("-XX:+PrintSafepointStatistics", "-Xlog:safepoint+stats"),
        ("-XX:+KeepSafepointsInCountedLoops", "-XX:+UseCountedLoopSafepoints"),
        ("-XX:+CICompileOSR", "-XX:-UseOnStackReplacement"),
        ("-XX:CompilerCommand=print,Odd.count", "-XX:CompileCommand"),
        ("-XX:+ZGenerational", "JEP 490"),
        ("-XX:MaxPermSize=64m", "MaxMetaspaceSize"),
        ("-XX:+usecountedloopsafepoint", "-XX:+UseCountedLoopSafepoints"),  # misspelt: the closest ones
        ("-XX:+CountedLoopSafepoints", "-XX:+UseCountedLoopSafepoints"),  # a part of a name
        ("-XX:UseSerialGC", "-XX:+UseSerialGC or -XX:-UseSerialGC"),
        ("-XX:+UseSerialGC=5", "is a switch"),
        ("-XX:UseSerialGC=true", "is a switch"),
        ("-XX:+LoopStripMiningIter", "takes a value (uintx, here 1000 by default)"),
        ("-XX:LoopStripMiningIter", "the value is missing"),
        ("-XX:LoopStripMiningIter=many", "'many' is not a value for it"),
        ("-XX:LoopStripMiningIter=-1", "'-1' is not a value for it"),
        ("-XX:CompileThresholdScaling=half", "double"),
        ("-XX+UseSerialGC", "-XX:+Name"),
        ("-XX:+", "-XX:+Name"),
        ("-Xmx=1g", "-Xmx512m"),
        ("UseSerialGC", "flags begin with a plain -"),
        ("\N{EN DASH}XX:+UseSerialGC", "rite -XX:+UseSerialGC"),
        ("-Xnosuch", "does not take -Xnosuch"),
        # the VM would ignore it silently
        (
            "-XX:CompileCommand=print,java.lang.String.hashCode",
            "write print,package.Class::method. JDK 17.0.1 cannot parse",
        ),
    ],
)
def test_a_flag_that_does_not_work_is_refused_with_advice(old_and_new, flag, advice):
    assert advice in refusal([flag], old_and_new[1])


def test_unified_logging_on_8_names_the_flags_of_8(old_and_new):
    message = refusal("-Xlog:safepoint", old_and_new[0])
    assert "came with 9 (JEP 158)" in message and "-XX:+PrintGCApplicationStoppedTime" in message


def test_a_collector_goes_by_any_of_its_names_and_an_experiment_is_unlocked(old_and_new):
    old, new = old_and_new
    for name in ("Serial", "serial", "UseSerialGC", "-XX:+UseSerialGC", "SerialGC"):
        assert flags.gc_flag(name, old) == ["-XX:+UseSerialGC"]
    assert flags.gc_flag("Epsilon", new) == ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]


@pytest.mark.each(
    ("collector", "at", "why"),
    [
        ("Z", 0, "JEP 333"),
        ("CMS", 1, "JEP 363"),
        ("ZGenerational", 1, "JEP 439"),
        ("ShenandoahGenerational", 1, "JEP 404"),
        ("Train", 1, "Known: CMS, Epsilon, G1"),
    ],
)
def test_a_collector_that_the_jdk_lacks_is_refused_with_the_reason(old_and_new, collector, at, why):
    with pytest.raises(FlagRejected, match=why):
        flags.gc_flag(collector, old_and_new[at])


NOT_CREATED = "Error: Could not create the Java Virtual Machine.\n"
NOT_INITIALIZED = "Error occurred during initialization of VM\n"


@pytest.mark.each(
    ("printed", "sentence"),
    [
        (f"Unrecognized VM option 'UseBiasedLocking'\n{NOT_CREATED}", "JEP 374"),
        (f"Error: VM option 'CICompileOSR' is develop and is available only in debug version of VM.\n{NOT_CREATED}",
         "debug builds"),
        (f"Error: VM option 'UseZGC' is experimental and must be enabled via -XX:+Unlock.\n{NOT_CREATED}",
         "put -XX:+Unlock in front"),
        (f"Conflicting collector combinations in option list; please refer to ...\n{NOT_CREATED}", "two collectors"),
        (f"Invalid maximum heap size: -Xmx5x\n{NOT_CREATED}", "Invalid maximum heap size: -Xmx5x"),
        (f"[0.000s][error][logging] Invalid tag 'x' in log selection.\nInvalid -Xlog\n{NOT_CREATED}",
         "-Xlog: Invalid tag 'x'"),
        (f"CompileThreshold (-5) must be between 0 and 9\n{NOT_CREATED}", "CompileThreshold (-5) must be between 0"),
        (f"\nThe Java thread stack size specified is too small. Specify at least 136k\n{NOT_CREATED}", "at least 136k"),
        (f"{NOT_INITIALIZED}Initial heap size set to a larger value than the maximum\n", "a larger value than"),
        ('Exception in thread "main" java.lang.IllegalStateException\n', ""),  # a program that failed by itself
    ],
)  # fmt: skip
def test_a_refusal_to_start_becomes_one_sentence(printed, sentence):
    told = flags.explain(printed)
    assert sentence in told if sentence else told is None


def a_jdk(major: int) -> Jdk:
    return next(jdk for jdk in jdks.find() if jdk.major == major)


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("major", profile.versions(quick=(8, 11, 17, 21, 25)))
def test_check_agrees_with_the_jvm_itself(major, tmp_path):
    jdk = a_jdk(major)
    for word in (
        "-XX:+UseBiasedLocking", "-XX:+PrintGCApplicationStoppedTime", "-XX:GuaranteedSafepointInterval=0", "-Xlog:gc",
        "-XX:MaxPermSize=64m", "-XX:LoopStripMiningIter=5", "-XX:SafepointTimeoutDelay=0x10", "-XX:UseSerialGC",
        "-XX:+ZGenerational", "-XX:SafepointTimeoutDelay=1k", "-Xincgc",
    ):  # fmt: skip
        command = [jdk.java, *flags.UNLOCKS.values(), word, "-version"]
        starts = subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 0
        try:
            accepted = bool(flags.check([word], jdk))
        except FlagRejected:
            accepted = False
        assert accepted == starts, f"{jdk.label} {word}"


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("major", profile.versions(quick=(8, 17, 25)))
def test_every_real_refusal_is_explained(major, tmp_path):
    jdk = a_jdk(major)
    two = "-XX:+UseSerialGC -XX:+UseG1GC"
    for words in ("-Xmx1g -Xms2g", "-Xss1k", two, "-XX:CompileThreshold=x", "-Xmx5x", "-Xno"):
        done = subprocess.run([jdk.java, *words.split(), "-version"], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode != 0
        assert flags.explain(done.stderr + done.stdout), f"{jdk.label} {words}: {done.stderr}{done.stdout}"


@pytest.mark.live
def test_a_real_jdk_lists_hundreds_of_flags_of_each_kind():
    found = flags.known(jdks.find()[-1])
    kinds = {kind: sum(flag.kind == kind for flag in found.values()) for kind in flags.KINDS}
    assert (
        kinds["product"] > 300 and kinds["diagnostic"] > 50 and kinds["experimental"] > 20 and kinds["manageable"] > 5
    )
    assert found["UseSerialGC"].is_switch and not found["SafepointTimeoutDelay"].is_switch
