"""One source, javac's class and Eclipse's: claims 003e-01 to -06, -16, -17 and -20, each run again on one JDK.

The verdicts are about the post's own program as the post ran it: default flags, main sleeps 5 s. Neither class hangs
today, since C2's last OSR version polls; what is left of the difference is in the first one, which has the inner loop.
"""

from collections.abc import Mapping
from functools import partial

import pandas as pd

from safepointlab import jdks
from safepointlab.claims.base import Change, Claim, Evidence, Judgement, decide, differs, holds, unclear
from safepointlab.course.nb02_hang import experiments as hang
from safepointlab.course.nb02_hang.claims import (
    EXITED_THEN,
    LISTED,
    POSTS_BUILD,
    TWO_CLASSES,
    WHY_IT_EXITS,
    as_the_post_ran_it,
    last_polls,
)
from safepointlab.course.nb02_hang.experiments import COMPILERS, ECJ, fate, in_short
from safepointlab.course.nb03_compilers import experiments as compilers
from safepointlab.course.nb03_compilers.experiments import hangs
from safepointlab.logs import bytecode
from safepointlab.run import build
from safepointlab.run.sweep import together

LAMBDA, STATIC, PARAMETER = hang.PLACES
STRIPS = Change(10, "JDK-8186027 (JDK 10), loop strip mining: G1's counted loops keep a poll around them")
BOTTOM = "bottom bottom"  # where both loops have their tests
POSTS_OWN = "one with the post's -client"
DIGITS = ("2 digits", "14 digits", "19 digits")
NO_LISTING = "C2 made no OSR version before main returned, or its code is listed only with the disassembler hsdis"
ELSEWHERE = {STATIC: "method of its own", PARAMETER: "method with the limit as a parameter"}
ALIKE = (
    "have the same tests and the same fate after main's sleep of 5 s, and C2's first OSR version of them polls in both "
    "or in neither"
)
TODAYS_8 = f"On JDK 8 it is today's build; the post names none. {LISTED}"
ECLIPSES = "The class is made by Eclipse's compiler 4.6.1."
WHERE_IT_IS_ENTERED = (
    "An OSR version is entered at the target of a jump back. In Eclipse's class that is the loop's body, with the "
    "test behind it: the shape of a counted loop, which loses its poll. In javac's it is the test; C2 would copy it "
    "to the loop's end, but not in the loop at which an OSR version is entered (`ciTypeFlow::clone_loop_heads`), so "
    "that loop is not counted."
)


def _only_eclipses(measured: Evidence) -> Judgement:
    eclipses, javacs = (measured[name] for name in COMPILERS)
    told = f"Eclipse's class {eclipses}, javac's {javacs}{last_polls(measured)}"
    if (eclipses, javacs) == ("hung", "exited"):
        return holds(told)
    if eclipses == javacs == "exited" and not measured.get(POSTS_BUILD):
        return unclear(f"not true here: {told}; these runs don't show whether it was true on an earlier JDK")
    return differs(told)


def _tests(jdk: int, by: Mapping[str, str] = COMPILERS) -> Evidence:
    def of(compiler: str) -> str:
        program = build.compile_with(compiler, hang.POST, jdks.get(jdk))
        return _tests_in(bytecode.read(program.javap().splitlines()), LAMBDA)

    return {whose: of(compiler) for whose, compiler in by.items()}


def _tests_in(code: pd.DataFrame, place: str) -> str:
    """Where the two loops of the post's program have their tests."""
    edges = bytecode.back_edges(code)
    own = {LAMBDA: r"::lambda\$", STATIC: "::countOdds$", PARAMETER: "::countOddsBelow$"}
    return " ".join(edges[edges["method"].str.contains(own[place])]["test"])


def _top_and_bottom(measured: Evidence) -> Judgement:
    told = ", ".join(f"{name}: {tests}" for name, tests in measured.items())
    if (measured["Eclipse's class"], measured["javac's class"]) == (BOTTOM, "top top"):
        return holds(f"tests of the two loops: {told}")
    return differs(f"tests of the two loops: {told}")


def _constructors(jdk: int, by: Mapping[str, str] = COMPILERS) -> Evidence:
    def called(compiler: str) -> str:
        program = build.compile_with(compiler, "compilers/ConcatBytes", jdks.get(jdk))
        code = bytecode.read(program.javap().splitlines())
        operand = code.query("method == 'ConcatBytes::withLong' and opcode == 'invokespecial'")["operand"].iloc[0]
        return f"StringBuilder({'String' if '(Ljava/lang/String;)' in operand else ''})"

    return {whose: called(compiler) for whose, compiler in by.items()}


def _two_constructors(measured: Evidence) -> Judgement:
    eclipses, javacs = (measured[name] for name in COMPILERS)
    told = f"Eclipse's class begins with {eclipses}, javac's with {javacs}"
    return differs(told) if eclipses == javacs else holds(told)


def _only_javacs(measured: Evidence) -> Judgement:
    """The first version holds the inner loop alone: one in which two loops poll is a later one."""
    eclipses, javacs = (measured[f"polled loops by OSR version, {name}"] for name in COMPILERS)
    if not eclipses or not javacs:
        return unclear(NO_LISTING)
    told = f"loops that poll in C2's first OSR version: {eclipses[0]} of Eclipse's class, {javacs[0]} of javac's"
    told += f"{last_polls(measured)}; fates: {' and '.join(measured[name] for name in COMPILERS)}"
    return decide(
        (max(eclipses[0], javacs[0]) > 1, unclear(f"{told}; one with two such loops is not the first")),
        (eclipses[0] == 0 < javacs[0], holds(told)),
        (eclipses[0] > 0 and javacs[0] > 0, differs(told, STRIPS)),
        otherwise=differs(told),
    )


def _moved(jdk: int, gc: str | None, place: str, by: str = ECJ) -> Evidence:
    """The loop in the lambda of Eclipse's class, and at another place: fates, polled loops, and where the tests are."""
    makes = {LAMBDA: partial(hang.as_posted, jdk, ECJ, LAMBDA, gc), place: partial(hang.as_posted, jdk, by, place, gc)}
    found = hang.fates_and_polls(makes)
    return {**found, **{f"tests, {name}": _tests_in(make().bytecode, name) for name, make in makes.items()}}


def _same_behaviour(measured: Evidence, place: str) -> Judgement:
    names = (LAMBDA, place)
    versions = [measured[f"polled loops by OSR version, {name}"] for name in names]
    if not all(versions):
        return unclear(NO_LISTING)
    inside, moved = (by_version[0] for by_version in versions)
    tests = [measured[f"tests, {name}"] for name in names]
    fates = [measured[name] for name in names]
    told = (
        f"lambda and {ELSEWHERE[place]}: {' and '.join(fates)}; loops that poll in C2's first OSR version: {inside} "
        f"and {moved}; tests: {' and '.join(tests)}"
    )
    alike = tests[0] == tests[1] and fates[0] == fates[1] and (inside == 0) == (moved == 0)
    return holds(told) if alike else differs(told)


def _interpreted_bytes(jdk: int, by: Mapping[str, str] = COMPILERS) -> Evidence:
    sizes = {name: compilers.concat_bytes(jdk, compiler, compilers.INTERPRETED) for name, compiler in by.items()}
    keys = {digits: f"long_{digits.replace(' ', '_')}" for digits in DIGITS}
    return {f"{name}, {digits}, bytes": size[key] for digits, key in keys.items() for name, size in sizes.items()}


def _larger(measured: Evidence) -> Judgement:
    sizes = {digits: [measured[f"{name}, {digits}, bytes"] for name in COMPILERS] for digits in DIGITS}
    told = "; ".join(
        f"with {digits} {eclipses:.0f} bytes by Eclipse's class, {javacs:.0f} by javac's"
        for digits, (eclipses, javacs) in sizes.items()
    )
    eclipses, javacs = sizes["2 digits"]
    return holds(told) if eclipses > javacs else differs(told)


def _compiled_bytes(jdk: int, eclipses: str = compilers.BATCH) -> Evidence:
    """What a concatenation allocates by C2's code, optimised or not; by default both classes run with one flag."""
    plain = f"{compilers.BATCH} -XX:-OptimizeStringConcat"
    usual = {"Eclipse's class": eclipses, "javac's class": compilers.BATCH}
    sizes = {
        f"{name}, {{}}, {how}, bytes": compilers.concat_bytes(jdk, compiler, flag)
        for name, compiler in COMPILERS.items()
        for how, flag in (("optimised", usual[name]), ("not optimised", plain))
    }
    return {name.format(kind): size[f"{kind}_2_digits"] for kind in ("int", "long") for name, size in sizes.items()}


def _missed(measured: Evidence) -> Judgement:
    def saved(name: str, kind: str) -> float:
        optimised, plain = (measured[f"{name}, {kind}, {how}, bytes"] for how in ("optimised", "not optimised"))
        return float(plain - optimised)

    told = "; ".join(
        f"with {'an' if kind == 'int' else 'a'} {kind} OptimizeStringConcat saves "
        f"{' and '.join(f'{saved(name, kind):.0f} bytes in {name}' for name in COMPILERS)}"
        for kind in ("int", "long")
    )
    missed = [kind for kind in ("int", "long") if saved("javac's class", kind) > 0 >= saved("Eclipse's class", kind)]
    optimised = [kind for kind in ("int", "long") if saved("javac's class", kind) > 0]
    return decide(
        (not optimised, unclear(f"nothing to miss: {told}")), (bool(missed), holds(told)), otherwise=differs(told)
    )


def _compiled_first(jdk: int, flags: str = f"{hang.C1_ONLY} -Xcomp") -> Evidence:
    """The post's three variants by either compiler, and one with the post's own flags."""
    points = [(place, compiler) for place in hang.PLACES for compiler in COMPILERS.values()]
    make = partial(hang.compiled_first, jdk, patience_s=hang.CURED_S, gc=hang.NO_POLLS)
    runs = together([partial(in_short, partial(make, compiler, place, flags)) for place, compiler in points], hang.JOBS)
    posts = in_short(partial(hang.compiled_first, jdk, ECJ, flags=f"-client {hang.TOP}", gc=hang.NO_POLLS))
    hung = [fate(run) for run in runs].count("hung")
    return {"variants": len(runs), "of them hung": hung, POSTS_OWN: fate(posts)}


def _all_hang(measured: Evidence) -> Judgement:
    variants, hung = measured["variants"], measured["of them hung"]
    told = f"compiled by C1 alone before their first call {hung} of {variants} hung; with the post's own flags, "
    told += f"-client among them, Eclipse's lambda {measured[POSTS_OWN]}"
    return holds(told) if hung == variants else differs(told)


CLAIMS = [
    Claim(
        "003e-01",
        "The post's program, with main's sleep of 5 s: compiled by Eclipse it never exits, compiled by javac it does",
        as_published="Eclipse's class hung every time, javac's did not (default flags; no build is named)",
        measure=as_the_post_ran_it,
        judge=_only_eclipses,
        rule=f"{hang.STALL_S} s after main's sleep Eclipse's class is still waiting for a safepoint, and javac's has "
        "exited",
        mechanism=f"{WHERE_IT_IS_ENTERED} {WHY_IT_EXITS} Why that next version polls is in 000-11. In another shape "
        "of the loop, EclipseHangs, Eclipse's class still hangs with Serial, and javac's exits.",
        setup=f"{TWO_CLASSES} The post names no build. On JDK 8 it is run with 8u60, with which the author ran the "
        "program in an earlier post, where that is installed (`safepoint jdks install 8u60`): a newer build of 8 is "
        f"another HotSpot. What today's build of 8 does is in 003e-04. {LISTED}",
        collectors=True,
        supported_by=lambda jdk: hang.fates_and_polls(  # of EclipseHangs, the shape that hangs
            {name: partial(hangs, jdk, compiler) for name, compiler in COMPILERS.items()}
        ),
        refuted_by=EXITED_THEN,
        version=2,
    ),
    Claim(
        "003e-02",
        "Eclipse's compiler puts a loop's test at the bottom, javac at the top",
        as_published="conditions checked at the end of the loop; upfront, with the backedge at the end",
        measure=_tests,
        judge=_top_and_bottom,
        rule="in the lambda of the post's program both loops of Eclipse's class jump back by a test at the bottom, "
        "and both of javac's jump back to one at the top",
        mechanism="The language does not say where a loop's test is; each compiler has its own pattern, whatever the "
        "JDK (read with javap).",
        setup="Eclipse's compiler is 4.6.1, javac that of each JDK, held to Java 8; no program runs.",
        refuted_by=partial(_tests, by={"Eclipse's class": "javac", "javac's class": "javac"}),
        version=2,
    ),
    Claim(
        "003e-04",
        "C2's first OSR version of Eclipse's loop has no poll, that of javac's has one",
        as_published="{poll_return} and no {poll}; javac's has that poll",
        measure=lambda jdk, gc: hang.posted(jdk, gc=gc),
        judge=_only_javacs,
        rule="C2's first OSR version of the post's loops, which has the inner one alone, has no poll in Eclipse's "
        "class and one in javac's; nothing follows where two loops poll in the first version listed, which is a later "
        "one then",
        mechanism=f"{WHERE_IT_IS_ENTERED} Which code the post lists is not known: it has a {{poll_return}}, and on 17 "
        "neither of C2's OSR versions has one, since both end in a trap. The second one, made when the inner loop has "
        "ended once, holds both loops, and polls in either class: for it the statement is false.",
        setup=f"{TWO_CLASSES} {TODAYS_8}",
        collectors=True,
        version=2,
    ),
    Claim(
        "003e-05",
        "Moved from the lambda to a method of its own, Eclipse's loop behaves as before",
        as_published="similar bytecode, same behaviour: it hangs",
        measure=partial(_moved, place=STATIC),
        judge=partial(_same_behaviour, place=STATIC),
        rule=f"both places {ALIKE}",
        mechanism=f"{WHERE_IT_IS_ENTERED} Neither place hangs today: 003e-01.",
        setup=f"{ECLIPSES} {TODAYS_8} That both places hang can't be tried where they exit.",
        collectors=True,
        refuted_by=lambda jdk: _moved(jdk, "Serial", STATIC, "javac"),
        version=2,
    ),
    Claim(
        "003e-06",
        "With the limit as a parameter Eclipse's loop has the same structure, and behaves like the one in the lambda",
        as_published="“this time it behaved like the javac version, but had the same funky loop structure”",
        measure=partial(_moved, place=PARAMETER),
        judge=partial(_same_behaviour, place=PARAMETER),
        rule=f"the loop in the lambda and the one with a parameter {ALIKE}",
        mechanism=f"{WHERE_IT_IS_ENTERED} A parameter as limit changes nothing of that. All of them exit today: when "
        "the inner loop first ends, the thread falls into a trap and goes on in the interpreter, which polls, and then "
        "in the next OSR version, which polls as well. If main returns before that, the JVM waits for it, and there is "
        "no second version.",
        setup=f"{ECLIPSES} {TODAYS_8} The post's contrast is that the lambda hangs, and the loop with a parameter does "
        "not, like javac's. Where the lambda exits as well, that can't be tried.",
        collectors=True,
        refuted_by=lambda jdk: _moved(jdk, "Serial", PARAMETER, "javac"),
        ours=True,
        times=True,
        version=3,
    ),
    Claim(
        "003e-20",
        "C1's code of the loop, made before its first call, has no poll either: all three variants of the program hang",
        as_published="“C1/C2 non-OSR compilations of the loop treat it as a counted loop”; “-server/client” with "
        "-XX:-TieredCompilation -Xcomp: all 3 variations hang",
        measure=_compiled_first,
        judge=_all_hang,
        rule="the lambda, the method and the one with a parameter all hang, by either compiler, if C1 alone compiles "
        "them before their first call",
        mechanism="C1 polls at every jump back and knows no counted loops, whatever the collector. -client is ignored "
        "by a 64-bit JDK, which has one VM with both compilers (jvm.cfg), so that the post's flags leave the loop to "
        "C2 either way, which hangs with Serial: 003e-09. So what the post saw with -client was C2's code, if its "
        "JDK was a 64-bit one, which it doesn't say.",
        setup="C1 is chosen by -XX:TieredStopAtLevel=1, and the JDK's own methods are left to the interpreter; main "
        "sleeps for 0.6 s. The run with the post's own flags is of Eclipse's lambda. All runs are with Serial, whose "
        "counted loops have no poll in C2's code.",
        supported_by=lambda jdk: _compiled_first(jdk, hang.TOP),
        version=2,
    ),
    Claim(
        "003e-03",
        "The two compilers begin a concatenation of strings with different constructors",
        as_published="StringBuilder(String); StringBuilder(), then append",
        measure=_constructors,
        judge=_two_constructors,
        rule='the line "How odd: " + number calls another constructor of StringBuilder in Eclipse\'s class than in '
        "javac's",
        setup="Eclipse's compiler is 4.6.1, javac that of each JDK, held to Java 8: for Java 9 and later javac makes "
        "one invokedynamic instead (JEP 280).",
        mechanism="The language says what the result is, not how to make it.",
        refuted_by=partial(_constructors, by={"Eclipse's class": "javac", "javac's class": "javac"}),
        version=2,
    ),
    Claim(
        "003e-16",
        "Eclipse's StringBuilder(String) allocates a larger array than javac's StringBuilder()",
        as_published="said, not measured: 'a larger char[]'",
        measure=_interpreted_bytes,
        judge=_larger,
        rule='with 2 digits behind "How odd: ", where neither array has to grow, one interpreted concatenation '
        "allocates more bytes in Eclipse's class than in javac's",
        mechanism="StringBuilder(String) makes room for the text, here 9 characters, and 16 more, StringBuilder() for "
        "16. With 8 to 16 digits javac's array alone has to grow, and javac's class allocates more. Since 9 an array "
        "of such characters has one byte for each (JEP 254).",
        setup="The line of the post's program, interpreted, so that nothing is optimised away; the bytes are those "
        "that the VM counts for the thread, the least of ten batches of 1,000 calls. javac is held to Java 8.",
        refuted_by=partial(_interpreted_bytes, by={"Eclipse's class": "javac", "javac's class": "javac"}),
        version=2,
    ),
    Claim(
        "003e-17",
        "Eclipse's pattern misses the optimisation of string concatenation that javac's gets",
        as_published="'it may also be', not measured",
        measure=_compiled_bytes,
        judge=_missed,
        rule="with an int or a long behind the text, OptimizeStringConcat saves bytes in javac's class and none in "
        "Eclipse's",
        mechanism="C2 knows both constructors, and append of a String, a char and an int, but not that of a long "
        "(`stringopts.cpp`), so that it leaves the post's line as it is, whichever compiler made it.",
        setup="2 digits, compiled in the foreground (-Xbatch); the bytes are those that the VM counts for the thread, "
        "the least of ten batches of 1,000 calls. javac is held to Java 8: for Java 9 and later it makes one "
        "invokedynamic instead (JEP 280).",
        supported_by=partial(_compiled_bytes, eclipses=f"{compilers.BATCH} -XX:-OptimizeStringConcat"),
        version=2,
    ),
]
