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


def test_type_default_and_kind_of_a_flag_are_read_from_both_forms(old_and_new):
    old, new = old_and_new
    assert flags.known(old)["MaxHeapSize"] == flags.Flag("MaxHeapSize", "uintx", "6320816128", "product")
    assert flags.known(new)["UseEpsilonGC"] == flags.Flag("UseEpsilonGC", "bool", "false", "experimental")
    assert flags.known(new)["LoopStripMiningIter"].kind == "product"
    assert len(flags.known(old)) == 8 and len(flags.known(new)) == 9


def test_a_build_is_asked_for_its_flags_once_even_by_a_later_session(old_and_new):
    old, _ = old_and_new
    flags.known(old)
    flags.known.cache_clear()
    flags.known(old)
    assert len(calls(old)) == 1


def test_a_diagnostic_flag_is_unlocked_in_front_of_all_others(old_and_new):
    _, new = old_and_new
    asked = "-Xint -XX:GuaranteedSafepointInterval=0 -XX:+UseEpsilonGC"
    unlocks = ["-XX:+UnlockDiagnosticVMOptions", "-XX:+UnlockExperimentalVMOptions"]
    assert flags.check(asked, new) == [*unlocks, *asked.split()]


def test_an_unlock_that_is_there_already_moves_to_the_front_and_stays_single(old_and_new):
    _, new = old_and_new
    unlock = "-XX:+UnlockDiagnosticVMOptions"
    words = ["-XX:GuaranteedSafepointInterval=0", unlock, unlock]
    assert flags.check(words, new) == [unlock, "-XX:GuaranteedSafepointInterval=0"]


def test_flags_that_need_no_unlocking_pass_as_they_are_without_starting_a_jvm(old_and_new):
    _, new = old_and_new
    words = ["-Xint", "-Xmx64m", "-Xlog:safepoint", "-XX:-UseSerialGC", "-XX:LoopStripMiningIter=0", "-Dname=two words"]
    assert flags.check(words, new) == words
    assert len(calls(new)) == 1  # the one that lists the flags


def test_a_line_is_split_as_a_shell_would(old_and_new):
    _, new = old_and_new
    assert flags.check("-Xint '-Dname=two words'", new) == ["-Xint", "-Dname=two words"]


def test_a_removed_flag_says_where_it_exists_and_what_replaced_it(old_and_new):
    _, new = old_and_new
    message = refusal("-XX:+PrintGCApplicationStoppedTime", new)
    assert "JDK 17.0.1 does not know" in message and "It exists in JDK 8.0.1." in message
    assert "-Xlog:safepoint" in message


@pytest.mark.parametrize(
    ("flag", "advice"),
    [
        ("-XX:+UseBiasedLocking", "JEP 374"),
        ("-XX:+UseConcMarkSweepGC", "JEP 363"),
        ("-XX:+PrintSafepointStatistics", "-Xlog:safepoint+stats"),
        ("-XX:+KeepSafepointsInCountedLoops", "-XX:+UseCountedLoopSafepoints"),
        ("-XX:+CICompileOSR", "-XX:-UseOnStackReplacement"),
        ("-XX:CompilerCommand=print,Odd.count", "-XX:CompileCommand"),
        ("-XX:+ZGenerational", "JEP 490"),
        ("-XX:MaxPermSize=64m", "MaxMetaspaceSize"),
    ],
)
def test_a_flag_out_of_an_old_post_is_refused_with_its_history(old_and_new, flag, advice):
    assert advice in refusal(flag, old_and_new[1])


def test_a_misspelt_flag_is_answered_with_the_closest_ones(old_and_new):
    assert "-XX:+UseCountedLoopSafepoints" in refusal("-XX:+usecountedloopsafepoint", old_and_new[1])


def test_an_obsolete_flag_that_the_vm_only_warns_about_passes(old_and_new):
    assert flags.check("-XX:+Obsolete", old_and_new[1]) == ["-XX:+Obsolete"]


def test_unknown_flags_pass_when_the_vm_is_told_to_ignore_them(old_and_new):
    _, new = old_and_new
    new_java = new.home / "bin" / "flags"
    new_java.write_text(FLAGS_OF_17 + "     bool IgnoreUnrecognizedVMOptions   = false     {product} {default}\n")
    words = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+NoSuchFlag"]
    assert "does not know" in refusal(words[1:], new)
    assert flags.check(words, new) == words


@pytest.mark.parametrize(
    ("flag", "advice"),
    [
        ("-XX:UseSerialGC", "-XX:+UseSerialGC or -XX:-UseSerialGC"),
        ("-XX:+UseSerialGC=5", "is a switch"),
        ("-XX:UseSerialGC=true", "is a switch"),
        ("-XX:+LoopStripMiningIter", "takes a value (uintx, here 1000 by default)"),
        ("-XX:LoopStripMiningIter", "the value is missing"),
        ("-XX:LoopStripMiningIter=many", "'many' is no value for it"),
        ("-XX:LoopStripMiningIter=-1", "'-1' is no value for it"),
        ("-XX:CompileThresholdScaling=half", "double"),
        ("-XX+UseSerialGC", "-XX:+Name"),
        ("-XX:+", "-XX:+Name"),
        ("-Xmx=1g", "-Xmx512m"),
        ("UseSerialGC", "flags begin with a plain -"),
        ("\N{EN DASH}XX:+UseSerialGC", "rite -XX:+UseSerialGC"),
        ("-Xnosuch", "does not take -Xnosuch"),
    ],
)
def test_a_malformed_flag_says_how_to_write_it(old_and_new, flag, advice):
    assert advice in refusal([flag], old_and_new[1])


def test_unified_logging_on_8_names_the_flags_of_8(old_and_new):
    message = refusal("-Xlog:safepoint", old_and_new[0])
    assert "came with 9 (JEP 158)" in message and "-XX:+PrintGCApplicationStoppedTime" in message


def test_an_unfamiliar_x_option_is_left_to_the_vm(old_and_new):
    assert flags.check("-Xaccepted", old_and_new[1]) == ["-Xaccepted"]


def test_the_word_after_a_class_path_option_is_no_flag(old_and_new):
    words = ["-cp", "classes:jars", "--add-opens", "java.base/java.lang=ALL-UNNAMED"]
    assert flags.check(words, old_and_new[1]) == words


def test_a_compile_command_that_the_vm_would_silently_ignore_is_refused(old_and_new):
    message = refusal("-XX:CompileCommand=print,java.lang.String.hashCode", old_and_new[1])
    assert "An error occurred during parsing" in message and "print,package.Class::method" in message


def test_a_plain_compile_command_costs_no_jvm(old_and_new):
    _, new = old_and_new
    flags.check("-XX:CompileCommand=dontinline,KillerTask.countOdds -XX:CompileCommand=quiet", new)
    flags.check("-XX:CompileCommand=exclude,java.lang.String::hashCode", new)
    assert len(calls(new)) == 1


@pytest.mark.parametrize("name", ["Serial", "serial", "UseSerialGC", "-XX:+UseSerialGC", "SerialGC"])
def test_a_collector_goes_by_any_of_its_names(old_and_new, name):
    assert flags.gc_flag(name, old_and_new[0]) == ["-XX:+UseSerialGC"]


def test_a_collector_that_is_still_an_experiment_is_unlocked(old_and_new):
    assert flags.gc_flag("Epsilon", old_and_new[1]) == ["-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"]


@pytest.mark.parametrize(
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


@pytest.mark.each(
    ("printed", "sentence"),
    [
        ("Unrecognized VM option 'UseBiasedLocking'\n", "JEP 374"),
        ("Error: VM option 'CICompileOSR' is develop and is available only in debug version of VM.\n", "debug builds"),
        (
            "Error: VM option 'UseZGC' is experimental and must be enabled via -XX:+Unlock.\n",
            "put -XX:+Unlock in front",
        ),
        ("Conflicting collector combinations in option list; please refer to ...\n", "two collectors"),
        ("Invalid maximum heap size: -Xmx5x\n", "Invalid maximum heap size: -Xmx5x"),
        ("[0.000s][error][logging] Invalid tag 'x' in log selection.\nInvalid -Xlog\n", "-Xlog: Invalid tag 'x'"),
        ("CompileThreshold (-5) must be between 0 and 9\n", "CompileThreshold (-5) must be between 0 and 9"),
        ("\nThe Java thread stack size specified is too small. Specify at least 136k\n", "Specify at least 136k"),
    ],
)
def test_a_refusal_to_start_becomes_one_sentence(printed, sentence):
    assert sentence in (flags.explain(printed + "Error: Could not create the Java Virtual Machine.\n") or "")


def test_the_vms_own_reason_is_kept_when_it_fails_to_initialise():
    printed = "Error occurred during initialization of VM\nInitial heap size set to a larger value than the maximum\n"
    assert "larger value than the maximum" in (flags.explain(printed) or "")


def test_a_program_that_fails_by_itself_was_not_refused():
    assert flags.explain('Exception in thread "main" java.lang.IllegalStateException\n') is None


def a_jdk(major: int) -> Jdk:
    return next(jdk for jdk in jdks.find() if jdk.major == major)


def accepts(word: str, jdk: Jdk) -> bool:
    try:
        return bool(flags.check([word], jdk))
    except FlagRejected:
        return False


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
        assert accepts(word, jdk) == starts, f"{jdk.label} {word}"


@pytest.mark.gate
@pytest.mark.live
@pytest.mark.parametrize("major", profile.versions(quick=(8, 17, 25)))
def test_every_real_refusal_is_explained(major, tmp_path):
    jdk = a_jdk(major)
    for words in (
        "-Xmx1g -Xms2g",
        "-Xss1k",
        "-XX:+UseSerialGC -XX:+UseG1GC",
        "-XX:CompileThreshold=x",
        "-Xmx5x",
        "-Xno",
    ):
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
