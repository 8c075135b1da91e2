"""The lines that HotSpot's collectors log, 8 to 28 -> one Form each; above each pattern a line that it matches."""

import re

from safepointlab.logs.lines.records import Form
from safepointlab.logs.lines.stamps import DAY

GROUPS = r"(?: \([^()\n]*+(?:\)|(?:\(\)[^()\n]*+)++\)))*+"  # "(Normal) (G1 Evacuation Pause)", "(System.gc())"
SIZE = r"(\d{1,12}+[BKMG])"
FROM, TO, OF = r"\d{1,12}+[BKMG]->", r"\d{1,12}+[BKMG]", r"\(\d{1,12}+[BKMG]\)"
MS = r"(\d{1,9}+[.,]\d{3})ms"
SECS = r"(\d{1,9}+[.,]\d{7}) secs\]"
# a last line without newline is whole once it has "secs]"
END_8 = r"(?: *+\[Times: [^\]\n]*+\])?+(?=[ \t]*+(?:\n|\0|\Z))"
HEAP = {"heap_use": "heap use"}  # 61M->34M(64M), what was in use before and after, and the size: one group costs less

# 9 and later, all collectors; ZGC's pauses and most of Shenandoah's lack the heap. The line that begins a pause is the
# same without numbers.
#   GC(7) Pause Young (Concurrent Start) (G1 Evacuation Pause) (Evacuation Failure: Allocation) 61M->61M(64M) 5.101ms
#   GC(20) y: Pause Mark Start 0.001ms
PAUSE = Form(
    marks=(") Pause ", ": Pause "),
    end="ms",
    begins=rf"GC\(\d+\) (?:[yYO]: )?Pause [A-Z]\w*+(?: [A-Z]\w*+)*+{GROUPS}",
    head=r"GC\(\d+\) (?:[yYO]: )?Pause (?:[A-Z]|$)",
    body=rf"GC\((\d{{1,9}})\) (?:([yYO]): )?Pause ([A-Z]\w*+(?: [A-Z]\w*+)*+{GROUPS})"
    rf"(?: ({FROM}{TO}{OF}))? {MS}",
    fields={"gc_id": "whole", "letter": "name", "what": "name"} | HEAP | {"length": "decimals"},
)

# ZGC: a cycle with its three pauses or more; no length until 21, where it is not generational
#   GC(20) Minor Collection (High Usage) 64M(100%)->64M(100%) 0.000s
#   GC(3) Garbage Collection (Allocation Stall) 64M(100%)->12M(19%)
# A generation's part of it is matched as well, and makes no row
#   GC(20) y: Young Generation 64M(100%)->64M(100%) 0.000s
CYCLE = Form(
    marks=("%)->",),
    head=r"GC\(\d+\) (?:Minor|Major|Garbage) Collection ",
    body=r"GC\((\d{1,9})\) (?:[yYO]: (?:Young|Old) Generation[^\n]*?|(Minor|Major|Garbage) Collection \(([^\n]*?)\)) "
    rf"{SIZE}\(\d{{1,3}}%\)->{SIZE}\(\d{{1,3}}%\)(?: (\d{{1,9}}[.,]\d{{3}})s)?(?=\s|\0|\Z)",
    fields={"gc_id": "whole", "what": "name", "cause": "name", "before": "size", "after": "size", "length": "decimals"},
)

# Shenandoah: a phase beside the program; some have the heap, as what they freed
#   GC(0) Concurrent marking (unload classes) 4.014ms
#   GC(0) Concurrent cleanup 23M->22M(64M) 0.009ms
#   GC(4) Concurrent GC 34M->17M(64M) 1.024ms
PHASE_OF_SHENANDOAH = r"Concurrent (?:[a-z]+(?: [a-z]+)*|Final Roots|Init Update Refs|GC)"
CONCURRENT = Form(
    marks=(") Concurrent ",),
    end="ms",
    begins=rf"GC\(\d+\) {PHASE_OF_SHENANDOAH}{GROUPS}",
    head=rf"GC\(\d+\) {PHASE_OF_SHENANDOAH}",
    body=rf"GC\((\d{{1,9}})\) ({PHASE_OF_SHENANDOAH}{GROUPS})(?: ({FROM}{TO}{OF}))? {MS}",
    fields={"gc_id": "whole", "what": "name"} | HEAP | {"length": "decimals"},
)

# ZGC: one thread that has to wait for memory, or for an object that is being relocated
#   Allocation Stall (main) 1.227ms
STALL = Form(
    marks=(" Stall (",),
    end="ms",
    head=r"(?:Allocation|Relocation) Stall \(",
    body=rf"(Allocation|Relocation) Stall \(([^\n]*)\) {MS}",
    fields={"what": "name", "thread": "name", "length": "decimals"},
)

# What 8 prints in the middle of a line: a concurrent thread's own lines, and -XX:+PrintTenuringDistribution
#   [GC (Allocation Failure) [ParNew: 19539K->19539K(19648K), 0.0000070 secs]2026-11-20T05:44:06.275+0000: 0.307:
#   [CMS2026-11-20T05:44:06.275+0000: 0.307: [CMS-concurrent-abortable-preclean: 0.000/0.001 secs] [Times: ...]
#    (concurrent mode failure): 28825K->16660K(43712K), 0.0017486 secs] 48364K->16660K(63360K), ...
#   0.635: [CMS-concurrent-sweep: 0.001/0.001 secs]0.635: [Full GC (Allocation Failure) 0.635: [CMS [Times: user=0...
#   : 31512K->32767K(32768K), 0.0118836 secs] 46294K->39164K(47552K), [Metaspace: ...
# and what these options add to each pause, up to a line that goes on with a stamp, a size, "[", ":" or ",":
#   -XX:+PrintAdaptiveSizePolicy    [GC pause (G1 Evacuation Pause) (young) 0.041: [G1Ergonomics (CSet Construction) ...
#                                   [GC (Allocation Failure) AdaptiveSizePolicy::update_averages:  survived: 1064976 ...
#   -XX:PrintFLSStatistics=1        [GC (Allocation Failure) Before GC:        and behind the sizes: After GC:
#   -XX:+G1SummarizeRSetStats       [GC pause (G1 Evacuation Pause) (young)Before GC RS summary
#   -XX:+VerifyBeforeGC             [GC (Allocation Failure) VerifyBeforeGC:[Verifying Threads Heap ... Oops ]
BETWEEN = re.compile(
    rf" ?(?:{DAY}: )?(?:\d+[.,]\d{{3}}: )?\[(?:GC concurrent-|CMS-concurrent-|G1Ergonomics )[^\]\n]*\]"
    r"(?: \[Times:[^\]\n]*\])? *(?:\n|\Z)"
    r"|\n(?:Desired survivor size |- age )[^\n]*(?:\n(?=[:,\[]| \())?"
    r"|(?:AdaptiveSize(?:Policy::update_averages|Start):|(?:Before|After) GC(?: RS summary|:)|CMS: Large block )"
    r"[^\n]*\n(?:(?![,:\d\[]| \d+[BKMG]->)[^\n]*\n)*"
    r"|(?<=\[CMS) \[Times:[^\]\n]*\] *\n(?=:| \()"
    r"| ?Verify(?:Before|During|After)GC:(?:\((?:before|after)\))?\[Verifying [^\]\n]*\] *(?:\n|\Z)"
)

BETWEENS_WORDS = re.compile(  # each match has one of these
    r"\[(?:GC concurrent-|CMS-concurrent-|CMS \[Times:|G1Ergonomics )|\n(?:Desired survivor size |- age )"
    r"|AdaptiveSize|Before GC|After GC|CMS: Large block |Verify(?:Before|During|After)GC:"
)
OF_STAMPS = "0123456789.,:+-T "  # what the stamps in front of these words consist of
BEYOND = len("\nDesired survivor size ")  # so far behind a line's end one sees whether the next line belongs to it


def without_interruption(text: str) -> str:
    """A line and those below it -> the line as the collector meant it.

    >>> line = "0.130: [GC pause (G1 Evacuation Pause) (young)0.131: [GC concurrent-mark-end, 0.0000080 secs]"
    >>> without_interruption(line + "\\n (to-space exhausted), 0.0123456 secs]\\n   [Parallel Time: 3.8 ms]")
    '0.130: [GC pause (G1 Evacuation Pause) (young) (to-space exhausted), 0.0123456 secs]'
    """
    kept, at = "", 0
    while True:
        newline = text.find("\n", at)
        end = newline if newline >= 0 else len(text)
        words = BETWEENS_WORDS.search(text, at, end + BEYOND)  # all of the text would take long
        stamps = at + len(text[at : words.start()].rstrip(OF_STAMPS)) if words else end
        match = BETWEEN.match(text, stamps) if words and stamps <= end else None
        if words and not match:  # what precedes the words looks like a stamp
            found = BETWEEN.search(text, stamps, end + BEYOND)
            match = BETWEEN.match(text, found.start()) if found and found.start() <= end else None
        if not match:
            return kept + text[at:end]
        kept, at = kept + text[at : match.start()], match.end()


# 9 and later, of the collectors that log the old generation's size: Serial, Parallel and CMS; G1 counts regions
#   GC(1) Tenured: 450K(174784K)->61670K(174784K)        the size in front from 13 on
#   GC(1) Old regions: 2->13
OLD_GENERATION = {"Serial": "Tenured: ", "Parallel": "ParOldGen: ", "CMS": "CMS: ", "G1": "Old regions: "}


def old_generation(collector: str) -> Form:
    """The form of the old generation's line in the log of this collector; of all collectors if it is unknown."""
    names = [name for known, name in OLD_GENERATION.items() if collector in (known, "")]
    return Form(
        marks=tuple(f" {name}" for name in names),
        head=rf"GC\(\d+\) (?:{'|'.join(names)})",
        body=rf"GC\((\d{{1,9}})\) (?:{'|'.join(names)})"
        r"(\d{1,12})(K)?(?:\(\d{1,12}K\))?->(\d{1,12})(?:K\(\d{1,12}K\))?",
        fields={"gc_id": "whole", "before": "whole", "unit": "name", "after": "whole"},
        stamped=False,
    )


# A generation in a collection's line of 8, with any failure there; the sizes in KiB, of which a shape has zeros
#   [ParNew: 19596K->19596K(19648K), 0.0000073 secs] [CMS (concurrent mode failure): 4K->1K(9K), 0.0017486 secs]
PART = re.compile(r"\[([A-Z]\w+(?: \([a-z -]+\))*)[:\s]*(0)K->0K")


# 8 without G1. The heap is the last a->b(c) before the class metadata; CMS' own two pauses only have what is in use.
#   0.925: [Full GC (System.gc()) [PSYoungGen: 400K->0K(18944K)] [ParOldGen: 0K->335K(44032K)] 400K->335K(62976K),
#          [Metaspace: 2839K->2839K(1056768K)], 0.0052616 secs] [Times: user=0.01 sys=0.00, real=0.00 secs]
#   0.496: [GC (System.gc())  3891K->320K(371200K), 0.0040191 secs]
#   0.208: [GC (CMS Initial Mark) [1 CMS-initial-mark: 43167K(43712K)] 62763K(63360K), 0.0002323 secs]
COLLECTION_8 = Form(
    marks=("[GC (", "[Full GC", "[GC--"),
    head=r"(?:#\d+: )?\[(?:Full GC|GC(?:--)?) \(",
    body=rf"(?:#(\d{{1,9}}): )?\[((?:Full GC|GC(?:--)?){GROUPS})((?:[^\]\n]*+\])*?)[ -]*+"
    rf"((?:{FROM})?{TO}{OF})(?:, \[(?:Metaspace|[\w ]*Perm)[^\]\n]*\])?(?: icms_dc=\d{{1,3}} )?, {SECS}{END_8}",
    fields={"gc_id": "whole", "what": "name", "inner": "text"} | HEAP | {"length": "decimals"},
    repair=without_interruption,
    interruption="concurrent-",
)

# 8, CMS with -XX:+CMSScavengeBeforeRemark: the remark's line ends with the young collection in it, and this follows.
# Its length is the whole remark's, with the young collection's.
#   0.100: [GC (CMS Final Remark) [YG occupancy: 1541 K (19648 K)]0.100: [GC (CMS Final Remark) 0.100: [ParNew: ...
#   0.101: [Rescan (parallel) , 0.0000789 secs]...[1 CMS-remark: 22814K(43712K)] 24297K(63360K), 0.0012808 secs] ...
REMARK_8 = Form(
    marks=("[Rescan (",),
    without="[GC (",
    head=r"\[Rescan \(",
    body=rf"\[(Rescan \()[^\n]*\[1 CMS-remark: [^\]\n]*\] ({TO}{OF}), {SECS}{END_8}",
    fields={"what": "name"} | HEAP | {"length": "decimals"},
)

# 8, G1's pauses that move nothing
#   0.241: [GC remark 0.241: [Finalize Marking, 0.0003766 secs] 0.241: [Unloading, 0.0007024 secs], 0.0012911 secs]
#   0.245: [GC cleanup 35M->35M(64M), 0.0003120 secs]
PHASE_8 = Form(
    marks=("[GC remark", "[GC cleanup"),
    head=r"(?:#\d+: )?\[GC (?:remark|cleanup)",
    body=rf"(?:#(\d{{1,9}}): )?\[(GC remark|GC cleanup)[^\n]*?(?: ({FROM}{TO}{OF}))?, {SECS}"
    rf"{END_8}",
    fields={"gc_id": "whole", "what": "name"} | HEAP | {"length": "decimals"},
    repair=without_interruption,
    interruption="concurrent-",
)

# 8 with G1; the numbers of the heap stand here without PrintGCDetails only
#   0.134: [GC pause (G1 Evacuation Pause) (young) (initial-mark), 0.0045556 secs]
#   0.134: [GC pause (G1 Evacuation Pause) (young) 7168K->6928K(64M), 0.0045556 secs]
PAUSE_8 = Form(
    marks=("[GC pause (",),
    head=r"(?:#\d+: )?\[GC pause \(",
    body=rf"(?:#(\d{{1,9}}): )?\[(GC pause{GROUPS}) *({FROM}{TO}{OF})?, {SECS}",
    fields={"gc_id": "whole", "what": "name"} | HEAP | {"length": "decimals"},
    repair=without_interruption,
    interruption="concurrent-",
)

# 8 with G1 and PrintGCDetails, some 30 lines below the pause; numbers with one place
#      [Eden: 7168.0K(7168.0K)->0.0B(4096.0K) Survivors: 0.0B->1024.0K Heap: 7168.0K(65536.0K)->6928.5K(65536.0K)]
TENTHS = r"(\d{1,12}\.\d[BKMG])"
HEAP_8 = Form(
    marks=(" Heap: ",),
    head=r" *\[Eden: ",
    body=rf" *\[Eden: {TENTHS}\([^)\n]*\)->{TENTHS}\([^)\n]*\) Survivors: {TENTHS}->{TENTHS} "
    rf"Heap: {TENTHS}\([^)\n]*\)->{TENTHS}\({TENTHS}\)\](?:, \[Metaspace[^\]\n]*\])?",
    fields=dict.fromkeys(("eden", "eden_after", "survivors", "survivors_after", "before", "after", "heap"), "size"),
    stamped=False,
)
