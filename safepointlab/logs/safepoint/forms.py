"""The lines that HotSpot 8 to 28 logs on a safepoint -> one Form each; above each pattern a line that it matches."""

from safepointlab.logs.lines.records import Form

SECONDS = r"(\d{1,9}[.,]\d{7})"
NS = r"(\d{1,18}) ns"

# 13 and later; Cleanup until 21 (13 to 16: none either), Leaving from 21, Threads from 25 on
#   Safepoint "G1CollectFull", Time since last: 435972622 ns, Reaching safepoint: 6379 ns, Cleanup: 93990 ns,
#   At safepoint: 15961915 ns, Leaving safepoint: 3045 ns, Total: 16062284 ns, Threads: 1 runnable, 10 total
SAFEPOINT = Form(
    marks=('Safepoint "',),
    head=r'Safepoint "[^"\n]*", T',
    body=rf'Safepoint "([^"\n]*)", Time since last: {NS}, Reaching safepoint: {NS}, (?:Cleanup: {NS}, )?'
    rf"At safepoint: {NS}, (?:Leaving safepoint: {NS}, )?Total: {NS}"
    r"(?:, Threads: (\d{1,9}) runnable, (\d{1,9}) total)?(?!,)",
    fields={"operation": "name"}
    | dict.fromkeys(("since", "ttsp", "cleanup", "at_safepoint", "leaving", "total", "running", "threads"), "whole"),
    tail="Reaching safepoint: ",
)

# 13 and later, with the tag safepoint+stats; the cleanup column until 21
#   VM Operation [ threads: total initial_running ][ time:       sync    cleanup       vmop      total ] page_trap_count
#   G1CollectFull [            11               0 ][             6379      93990   15961915   16062284 ]               0
STATISTICS = Form(
    marks=(" ][  ",),  # two blanks: the header has one
    head=r"\w+ +\[ +\d+ +\d+ \]\[ +\d",
    body=r"(\w+) +\[ +(\d{1,9}) +(\d{1,9}) +\]"
    r"\[ +(\d{1,18})(?: +(\d{1,18}))? +(\d{1,18}) +(\d{1,18}) +\] +(\d{1,9})(?=\s|\Z)",
    fields={"operation": "name"}
    | dict.fromkeys(("threads", "running", "ttsp", "cleanup", "vmop", "total", "traps"), "whole"),
)

# 8, times in whole ms; 11 prints the same with other gaps. The stamp is the safepoint's begin.
#          vmop            [threads: total initially_running wait_to_block]    [time: spin block sync cleanup vmop] ...
#   4.298: EnableBiasedLocking  [       7          0              0    ]      [     0     0     0     0     0    ]  0
TABLE = Form(
    marks=("]      [",),
    retry_unmatched=True,  # 11's rows have the statistics' mark
    fallback_marks=(" ] [ ",),  # a table whose blanks were squeezed on its way through a web page
    head=r" *\d{1,12}[.,]\d{3}: [\w ]+ \[ *\d",
    body=r"(?:^ *(\d{1,12}[.,]\d{3})|\d[.,]\d{3}): (no vm operation|\w+) +\[ *(\d{1,9}) +(\d{1,9}) +(\d{1,9}) *\] *"
    r"\[ *(\d{1,12}) +(\d{1,12}) +(\d{1,12}) +(\d{1,12}) +(\d{1,12}) *\] +(?:\d{1,9} +)?(\d{1,9})(?=\s|\Z)",
    fields={"stamp": "decimals", "operation": "name"}
    | dict.fromkeys(("threads", "running", "waiting", "spin", "block", "ttsp", "cleanup", "vmop", "traps"), "whole"),
    stamped=False,
)

# 8 with PrintGCApplicationStoppedTime, 9 to 12 with -Xlog:safepoint; early builds of 8 end at the first "seconds"
#   Total time for which application threads were stopped: 0.0144552 seconds, Stopping threads took: 0.0000217 seconds
STOPPED = Form(
    marks=("application threads were stopped",),
    head=r"Total time for which application threads were stopped",
    body=rf"Total time for which application threads were stopped: {SECONDS} seconds"
    rf"(?:, Stopping threads took: {SECONDS} seconds)?(?!,)",
    fields={"total": "decimals", "ttsp": "decimals"},
    tail="Stopping threads took: ",
)

# 9 to 12; "Total time" follows when the safepoint is over
#   Entering safepoint region: G1CollectFull
ENTERING = Form(
    marks=("Entering safepoint region",),
    head=r"Entering safepoint region",
    body=r"Entering safepoint region: (\w[\w ]*?)(?=[ \t]*(?:\n|\Z))",
    fields={"operation": "name"},
)

# 9 to 21, with the tag safepoint+cleanup; on 11 the only line with the cleanup's time
#   safepoint cleanup tasks, 0.0012944 secs
CLEANUP = Form(
    marks=("safepoint cleanup tasks",),
    head=r"safepoint cleanup tasks, ",
    body=rf"safepoint cleanup tasks, {SECONDS} secs",
    fields={"cleanup": "decimals"},
    stamped=False,
)

# 8 with PrintGCApplicationConcurrentTime, 9 to 12 with -Xlog:safepoint: how long the program ran before this safepoint
#   Application time: 0.4137875 seconds
APPLICATION = Form(
    marks=("Application time: ",),
    head=r"Application time: ",
    body=rf"Application time: {SECONDS} seconds",
    fields={"since": "decimals"},
    stamped=False,
)

# Tag handshake. 11 counts the threads that did it themselves, later JDKs those for which the requester (the VM thread,
# or a Java thread) did it.
#   Handshake "ZRendezvous", Targeted threads: 14, Executed by targeted threads: 2, Total completion time: 12345 ns
#   Handshake "GetStackTraceClosure", Targeted threads: 1, Executed by requesting thread: 0,
#   Total completion time: 85207 ns
HANDSHAKE = Form(
    marks=('Handshake "',),
    head=r'Handshake "[^"\n]*", T',
    body=rf'Handshake "([^"\n]*)", Targeted threads: (\d{{1,9}}), '
    r"Executed by (?:requesting thread: (\d{1,9})|targeted threads: (\d{1,9})), "
    rf"Total completion time: {NS}",
    fields={"operation": "name"} | dict.fromkeys(("targeted", "by_requester", "by_targeted", "total"), "whole"),
    tail="Total completion time: ",
)

# debug level: 11, 17 to 25, 28
#   Safepoint synchronization initiated. (8 threads)
#   Safepoint synchronization initiated using futex wait barrier. (12 threads)
#   Safepoint synchronization initiated
INITIATED = Form(
    marks=("synchronization initiated",),
    head=r"Safepoint synchronization initiated",
    body=r"Safepoint synchronization initiated(?: using futex wait barrier)?\.?(?: \((\d{1,9}) threads\))?",
    fields={"threads": "whole"},
)

# SafepointTimeout: on stdout, or with level and tags from 17 on
#   # SafepointSynchronize::begin: Timeout detected:
TIMEOUT = Form(
    marks=("SafepointSynchronize::begin: Timeout detected",),
    head=r"# SafepointSynchronize::begin: Timeout detected",
    body=r"# SafepointSynchronize::begin: Timeout detected:",
)

# Lines that prove that a safepoint was reached even if it has none of its own: the one in which the VM exits
#   Safepoint synchronization complete          (28, debug)
#   Maximum sync time  0 ns                     (13 and later, safepoint+stats, at exit)
REACHED = ("Safepoint synchronization complete", "Maximum sync time")
