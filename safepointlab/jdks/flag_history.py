"""A flag's name -> its fate and what to use today, for flags from old posts, the lab's own, and common misspellings.

Which JDK of this machine knows a flag is not written here: `flags.known` queries each JDK.
"""

UNIFIED = "went with the unified logging of 9 (JEP 158, JEP 271)"
BIASED = "biased locking is off by default since 15 (JEP 374) and gone in 18 (JDK-8256425); nothing replaces it"
OLD_STATISTICS = "deprecated in 11 in favour of -Xlog:safepoint+stats, gone since"
CMS = "the CMS collector was deprecated in 9 (JEP 291) and removed in 14 (JEP 363); use G1, Z or Shenandoah"
PERMANENT = "8 has no permanent generation any more (JEP 122); use -XX:MaxMetaspaceSize"

HISTORY: dict[str, str] = {
    # safepoints
    "PrintGCApplicationStoppedTime": f'{UNIFIED}; use -Xlog:safepoint, or log="safepoint"',
    "PrintGCApplicationConcurrentTime": f'{UNIFIED}; use -Xlog:safepoint, or log="safepoint"',
    "PrintApplicationStoppedTime": "is called -XX:+PrintGCApplicationStoppedTime on 8, -Xlog:safepoint from 9 on",
    "PrintSafepointStatistics": f'{OLD_STATISTICS}; or log="safepoint"',
    "PrintSafepointStatisticsCount": f'{OLD_STATISTICS}; or log="safepoint"',
    "PrintSafepointStatisticsTimeout": f"{OLD_STATISTICS}; -XX:+SafepointTimeout names late threads on every JDK",
    "TraceSafepoint": "exists in debug builds of 8 only; use -Xlog:safepoint=trace from 9 on",
    "KeepSafepointsInCountedLoops": "is Zing's name; HotSpot calls it -XX:+UseCountedLoopSafepoints (JDK-6869327)",
    "UseCountedLoopSafepoints": "came with 8u92 and 9 (JDK-6869327); on by default under G1 since 10 (JDK-8186027)",
    "LoopStripMiningIter": "came with strip-mined loops in 10 (JDK-8186027); before, -XX:+UseCountedLoopSafepoints",
    "ShortRunningLongLoop": "came after 25; earlier JDKs make a nest of every long counted loop (JDK-8223051, 16)",
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
    "AggressiveOpts": "deprecated in 11, gone since; nothing replaces it",
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
    "PrintGCDetails": 'use -Xlog:gc* from 9 on, or log="gc"',
    "PrintGCCause": f"{UNIFIED}; -Xlog:gc always shows the cause",
    "PrintHeapAtGC": f"{UNIFIED}; use -Xlog:gc+heap=debug",
    "PrintTenuringDistribution": f"{UNIFIED}; use -Xlog:gc+age=trace",
    "PrintAdaptiveSizePolicy": f"{UNIFIED}; use -Xlog:gc+ergo*=trace",
    "PrintReferenceGC": f"{UNIFIED}; use -Xlog:gc+ref=debug",
    "UseGCLogFileRotation": f"{UNIFIED}; use -Xlog:gc:file=gc.log::filecount=5,filesize=20m",
    "TraceClassLoading": f"{UNIFIED}; use -Xlog:class+load",
    # memory
    "MaxPermSize": PERMANENT,
    "PermSize": PERMANENT,
    "UseCGroupMemoryLimitForHeap": "replaced by -XX:+UseContainerSupport, which is on by default (JDK-8146115, 10)",
    "UseCompactObjectHeaders": "came with 24 as an experiment (JEP 450), for production since 25 (JEP 519)",
}
