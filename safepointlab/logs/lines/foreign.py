"""A text that is none of HotSpot's logs -> what it is and what to do instead, for the error that refuses it.

Looked at only where a reader found nothing: a program may print a thread dump between the lines of a log.
"""

import re

# A line of it -> a sentence on what it is, with the groups of the pattern, and what to do.
KNOWN = {
    r"<verbosegc\b|<(?:exclusive-start|gc-start|cycle-start|af-start) id=": (
        "It is a verbose GC log of OpenJ9. The lab reads HotSpot's logs; Eclipse OpenJ9's own tools read this one."
    ),
    r"^0SECTION +TITLE|^1TISIGINFO": (
        "It is a dump of OpenJ9 (javacore), which has no times of stops. The lab reads HotSpot's logs; Eclipse OpenJ9 "
        "has tools of its own for this one."
    ),
    r"\bGPGC\b|\bZing\b|Azul Platform Prime": (
        "It is a log of Azul's Zing (Platform Prime), whose collector and safepoints are its own. Azul's tools read it."
    ),
    r"GC\(\d+\) (?:Incremental|Full) GC \([^)]*\)* [\d.]+[KMG]->|GC \(Collect on allocation\)"
    r"|\[(?:Incremental|Full) GC \(\w+\):? \d+K->\d+K, [\d.]+ secs\]": (  # as it was until GraalVM 22
        "It is a GC log of a GraalVM native image, which is no HotSpot: it has no such log of its safepoints."
    ),
    r"\]\s*Using Epsilon\b": "The JVM used Epsilon, which never collects: there is no collection to show.",
    r"Safepoint sync time longer than (\d+) ?ms detected when executing (\w+)": (
        "It is the fatal-error file (hs_err) of a JVM that ended itself, since a safepoint for {1} was not reached "
        "within {0} ms (-XX:+AbortVMOnSafepointTimeout). Its section of threads shows who was still running."
    ),
    r"^# A fatal error has been detected by the Java Runtime Environment": (
        "It is the fatal-error file (hs_err) of a JVM that crashed, no log: it says why on its first lines."
    ),
    r"^\"[^\"]+\".*\bnid=\S+|^Full thread dump|^Found one Java-level deadlock|^ *\"threadDump\": \{"
    r"|^#\d+ \"[^\"\n]*\" (?:virtual |RUNNABLE|WAITING|TIMED_WAITING)": (
        "It is a thread dump (jstack, jcmd Thread.print), which has no times. Where a JVM is slow just now, ask it: "
        "safepoint late --pid N."
    ),
    r"\AFLR\0": (
        "It is a JFR recording. `safepoint report` shows its stops, and `safepoint parse jfr` prints all its events."
    ),
    r"^JAVA PROFILE 1\.": "It is a heap dump (hprof). Tools for the heap, such as Eclipse MAT or VisualVM, read it.",
    r"\A\x7fELF": "It is a program or a core dump (ELF). The JDK's jhsdb reads core dumps of a JVM.",
    r"^jdk\.\w+ \{$|^<recording |<event type=\"jdk\.": (
        "It is the output of `jfr print`. Give the recording (.jfr) itself, or the output of `jfr print --json`."
    ),
    r"^ Event Type +Count +Size \(bytes\)": "It is the output of `jfr summary`. Give the recording (.jfr) itself.",
    r"^ *(?:Timestamp +)?S0C +S1C |^ *(?:Timestamp +)?S0 +S1 +E +O ": (
        "It is the output of jstat, which counts collections and knows no stop. "
        "Let the JVM log them: -Xlog:gc*,safepoint:file=gc.log"
    ),
    r"\A\s*<!DOCTYPE html|\A\s*<html": (
        "It is a page (HTML). Give what it was made of: the log, the recording, or a flame graph's collapsed stacks."
    ),
    r"^(?:\S+: )?[\d.]+: \[(?:Pause (?:Init|Final) \w+|Concurrent (?:marking|evacuation|precleaning|reset|update))": (
        "It is a log of Shenandoah in JDK 8, a form that the lab does not read; it reads that of JDK 11 and later."
    ),
    r"(?:Minor|Major) Garbage Collection \(": (
        "It is a log of ZGC from a build before JDK 21, when it was not generational in any release. "
        "The lab reads those of JDK 15 to 20, and of 21 and later."
    ),
    r"\A\s*(?:\[\s*)?\{\s*\"": (
        "It is JSON, in which the lab finds no line of a log. Take the lines out of it, such as by: jq -r .log"
    ),
}


BINARY = re.compile(r"JAVA PROFILE 1\.|\x7fELF")  # how a file begins that is large, and of which no line is a log's


def described(text: str) -> str:
    """What the beginning of a text shows it to be; "" if it is nothing known.

    >>> described("jdk.SafepointBegin {\\n")
    'It is the output of `jfr print`. Give the recording (.jfr) itself, or the output of `jfr print --json`.'
    """
    for pattern, words in KNOWN.items():
        if found := re.search(pattern, text, re.MULTILINE):
            return words.format(*found.groups())
    return ""
