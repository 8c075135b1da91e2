"""A flag's name -> its fate and what to use today; the output of a JVM that did not start -> one sentence on why.

The flags are those of old posts, the lab's own, and common misspellings. Which JDK of this machine knows a flag is not
written here: `flags.known` queries each JDK.
"""

import re

UNIFIED = "replaced by unified logging in JDK 9 (JEP 158, JEP 271)"
BIASED = "biased locking was off by default in JDK 15 (JEP 374) and removed in 18 (JDK-8256425); nothing replaces it"
OLD_STATISTICS = "deprecated in JDK 11 and removed later"
CMS = "the CMS collector was deprecated in 9 (JEP 291) and removed in 14 (JEP 363); use G1, Z or Shenandoah"
PERMANENT = "8 has no permanent generation any more (JEP 122); use -XX:MaxMetaspaceSize"

HISTORY: dict[str, str] = {
    # safepoints
    "PrintGCApplicationStoppedTime": f'{UNIFIED}; use -Xlog:safepoint, or log="safepoint" in the lab',
    "PrintGCApplicationConcurrentTime": f'{UNIFIED}; use -Xlog:safepoint, or log="safepoint" in the lab',
    "PrintApplicationStoppedTime": "is -XX:+PrintGCApplicationStoppedTime on JDK 8; on later JDKs use -Xlog:safepoint",
    "PrintSafepointStatistics": f'{OLD_STATISTICS}; use -Xlog:safepoint+stats, or log="safepoint" in the lab',
    "PrintSafepointStatisticsCount": f'{OLD_STATISTICS}; use -Xlog:safepoint+stats, or log="safepoint" in the lab',
    "PrintSafepointStatisticsTimeout": f"{OLD_STATISTICS}; -XX:+SafepointTimeout names late threads on every JDK",
    "TraceSafepoint": "exists in debug builds of JDK 8 only; use -Xlog:safepoint=trace on later JDKs",
    "KeepSafepointsInCountedLoops": "is Zing's name; HotSpot calls it -XX:+UseCountedLoopSafepoints (JDK-6869327)",
    "UseCountedLoopSafepoints": "came with 8u92 and 9 (JDK-6869327); on by default under G1 since 10 (JDK-8186027)",
    "LoopStripMiningIter": "came with strip-mined loops in 10 (JDK-8186027); before, -XX:+UseCountedLoopSafepoints",
    "ShortRunningLongLoop": "came with 26 (JDK-8342692); before, every long counted loop was a nest (JDK-8223051, 16)",
    # locks
    "UseBiasedLocking": BIASED,
    "BiasedLockingStartupDelay": BIASED,
    "BiasedLockingBulkRebiasThreshold": BIASED,
    "BiasedLockingBulkRevokeThreshold": BIASED,
    "UseOptoBiasInlining": BIASED,
    # compilers
    "CICompileOSR": "exists in debug builds of the VM only; use -XX:-UseOnStackReplacement to switch OSR off",
    "UseOSR": "is called -XX:+UseOnStackReplacement",
    "CompilerCommand": "is called -XX:CompileCommand",
    "CompileCommands": "is called -XX:CompileCommand, once for each command",
    "AggressiveOpts": "deprecated in JDK 11 and later removed; nothing replaces it",
    "AOTCache": "came with 24 (JEP 483); it holds profiles since 25 (JEP 515)",
    "AOTCacheOutput": "came with 25 (JEP 514), and so did profiles in the cache (JEP 515); 24 has AOTMode=create",
    "AOTReplayTraining": "came with 25 (JEP 515); without it, the profiles in a cache are not used",
    # collectors
    "UseConcMarkSweepGC": CMS,
    "UseParNewGC": CMS,
    "CMSInitiatingOccupancyFraction": CMS,
    "UseCMSInitiatingOccupancyOnly": CMS,
    "UseParallelOldGC": "-XX:+UseParallelGC collects the old generation in parallel, too; gone after JEP 366 (14)",
    "UseZGC": "came with 11 as an experiment (JEP 333), for production since 15 (JEP 377)",
    "ZGenerational": "came in 21 (JEP 439), default since 23 (JEP 474), alone since 24 (JEP 490): use -XX:+UseZGC",
    "UseShenandoahGC": "came with 12 (JEP 189), later into many builds of 11; Oracle's leave it out",
    "ShenandoahGCMode": "its value `generational` came with 24 (JEP 404), for production with 25 (JEP 521)",
    "UseEpsilonGC": "came with 11 (JEP 318)",
    # collections in the log
    "PrintGCDateStamps": f"{UNIFIED}; use -Xlog:gc:file=gc.log:time",
    "PrintGCTimeStamps": f"{UNIFIED}; use -Xlog:gc:file=gc.log:uptime",
    "PrintGCDetails": 'use -Xlog:gc* on JDK 9 and later, or log="gc"',
    "PrintGCCause": f"{UNIFIED}; -Xlog:gc always shows the cause",
    "PrintHeapAtGC": f"{UNIFIED}; use -Xlog:gc+heap=debug",
    "PrintTenuringDistribution": f"{UNIFIED}; use -Xlog:gc+age=trace",
    "PrintAdaptiveSizePolicy": f"{UNIFIED}; use -Xlog:gc+ergo*=trace",
    "PrintReferenceGC": f"{UNIFIED}; use -Xlog:gc+ref=debug",
    "UseGCLogFileRotation": f"{UNIFIED}; use -Xlog:gc:file=gc.log::filecount=5,filesize=20m",
    "TraceClassLoading": f"{UNIFIED}; use -Xlog:class+load",
    "AsyncLogBufferSize": "came with -Xlog:async in 17 (JDK-8229517)",
    # memory
    "MaxPermSize": PERMANENT,
    "PermSize": PERMANENT,
    "UseCGroupMemoryLimitForHeap": "replaced by -XX:+UseContainerSupport, which is on by default (JDK-8146115, 10)",
    "UseCompactObjectHeaders": "came with 24 (JEP 450), for production since 25 (JEP 519), on since 27 (JEP 534)",
}

FATAL = re.compile(
    r"^Error: Could not create the Java Virtual Machine\.|^Error occurred during initialization of VM", re.MULTILINE
)
INSUFFICIENT = "There is insufficient memory for the Java Runtime Environment"

# A pattern of a message that at least one of 8, 11, 17, 21, 25, 28 prints -> the sentence. The first match counts.
REASONS: list[tuple[str, str]] = [
    # Unrecognized VM option 'NoSuch'
    (r"Unrecognized VM option '[+-]?(?P<flag>\w+)[^'\n]*'", "the VM does not know the flag {flag}."),
    # Error: VM option 'CICompileOSR' is develop and is available only in debug version of VM.
    (r"VM option '(?P<flag>\w+)' is (?:develop|notproduct)", "{flag} exists in debug builds of the VM only."),
    # Error: VM option 'UseZGC' is experimental and must be enabled via -XX:+UnlockExperimentalVMOptions.
    (
        r"VM option '(?P<flag>\w+)' is (?P<kind>\w+) and must be enabled via (?P<unlock>\S+)\.",
        "{flag} is {kind}: put {unlock} in front of it.",
    ),
    # intx TieredStopAtLevel=9 is outside the allowed range [ 0 ... 4 ]
    (
        r"^\w+ (?P<flag>\w+)=(?P<value>\S+) is outside the allowed range \[ (?P<low>\S+) \.\.\. (?P<high>\S+) \]",
        "{flag}={value} is out of range: {low} to {high} is allowed.",
    ),
    # Missing +/- setting for VM option 'UseSerialGC'
    (r"Missing \+/- setting for VM option '(?P<flag>\w+)", "{flag} is a switch: write -XX:+{flag} or -XX:-{flag}."),
    # Unexpected +/- setting in VM option 'SafepointTimeoutDelay'
    (r"Unexpected \+/- setting in VM option '(?P<flag>\w+)", "{flag} takes a value: write -XX:{flag}=value."),
    # Conflicting collector combinations in option list; ... (8), Multiple garbage collectors selected (later)
    (
        r"Conflicting collector combinations in option list|Multiple garbage collectors selected",
        "two collectors were chosen at once: keep one of the -XX:+Use...GC flags, or gc=.",
    ),
    # Option -XX:+UseZGC not supported
    (r"Option -XX:\+(?P<flag>\w+) not supported", "this build of the VM comes without {flag}."),
    # [0.000s][error][logging] Error opening log file '/no/x.log': No such file or directory
    (r"\[error\]\[logging\] (?P<why>(?:Error opening|Invalid)[^\n]*)", "-Xlog: {why}"),
    # [0.002s][warning][aot] Unable to use AOT cache.\n[    ] The saved state of UseCompressedOops ... is different
    (
        r"\[aot\] (?:Unable to use AOT cache\.\n\[ *\] )?(?P<why>(?!Unable|An error|Loading|unrecov|shared)[^\n]+)"
        r"(?s:.*)^Unable to use AOT cache\.$",
        "the VM refuses the AOT cache: {why}",
    ),
    # Error occurred during initialization of VM\nInitial heap size set to a larger value than the maximum heap size
    (r"^Error occurred during initialization of VM\n(?P<why>[^\n]+)", "the VM could not start: {why}."),
    # Invalid maximum heap size: -Xmx5x
    (r"^(?P<why>Invalid [^\n]*: -X\S+)", "{why}"),
    # The Java thread stack size specified is too small. Specify at least 136k
    (r"^(?P<why>The (?:Java thread )?stack size specified is too small[^\n]*)", "{why}"),
    # Unrecognized option: -Xfoo
    (r"^Unrecognized option: (?P<flag>\S+)", "java does not know the option {flag}."),
    # Unrecognized verification option: -Xverify:none
    (r"^(?P<why>Unrecognized \w+ option: \S+)", "{why}"),
    # CompileCommand: An error occurred during parsing\nError: Could not parse method pattern\nLine: 'print,A/b'
    (
        r"^CompileCommand: An error occurred during parsing\n(?:Error: (?P<why>[^\n]+)\n)?Line: '?(?P<line>[^'\n]+)",
        "CompileCommand {line} cannot be parsed: {why}. Write print,package.Class::method.",
    ),
    # Could not open settings file nofile
    (r"^(?P<why>Could not open settings file [^\n]+)", "{why}"),
    # There is insufficient memory for the Java Runtime Environment to continue.
    (INSUFFICIENT, "this machine has not enough free memory for it."),
    # Improperly specified VM option 'SafepointTimeoutDelay=abc'
    (r"Improperly specified VM option '(?P<what>[^'\n]+)'", "the VM cannot read {what}: wrong form or wrong value."),
    # CompileThreshold (-5) must be between 0 and 1073741823\nError: Could not create the Java Virtual Machine.
    (r"^(?P<why>[^\n]+)\nError: Could not create the Java Virtual Machine\.", "{why}"),
]


def explain(text: str) -> str | None:
    """One clear sentence for a VM's refusal to start, from its stderr, its stdout or vm.log; None if it started.

    >>> explain("intx TieredStopAtLevel=9 is outside the allowed range [ 0 ... 4 ]\\n"
    ...         "Error: Could not create the Java Virtual Machine.")
    'TieredStopAtLevel=9 is out of range: 0 to 4 is allowed.'
    >>> explain("Exception in thread main") is None
    True
    """
    if not (FATAL.search(text) or INSUFFICIENT in text):
        return None
    for pattern, sentence in REASONS:
        if match := re.search(pattern, text, re.MULTILINE):
            facts = {name: value or "" for name, value in match.groupdict().items()}
            past = HISTORY.get(facts.get("flag", ""))
            return sentence.format(**facts) + (f" {facts['flag']}: {past}." if past else "")
    return None
