"""How the two compilers concatenate strings, and what it costs: claims 003e-03, -16 and -17, each run on one JDK."""

from safepointlab.claims.base import Claim, Evidence, Judgement, fails, holds, unclear
from safepointlab.course.nb02_hang.post import COMPILERS
from safepointlab.course.nb03_compilers import experiments as compilers


def _constructors(jdk: int) -> Evidence:
    texts = {name: compilers.concatenating(jdk, compiler).javap() for name, compiler in COMPILERS.items()}
    return {f"{name}, calls of it": text.count(compilers.STRING_CONSTRUCTOR) for name, text in texts.items()}


def _two_constructors(measured: Evidence, jdk: int) -> Judgement:
    if measured["Eclipse's class, calls of it"] and not measured["javac's class, calls of it"]:
        return holds("Eclipse's class calls new StringBuilder(first part), javac's new StringBuilder(), then append")
    return fails("both compilers begin a concatenation alike")


def _interpreted_bytes(jdk: int) -> Evidence:
    sizes = {name: compilers.concat_bytes(jdk, by, compilers.INTERPRETED) for name, by in COMPILERS.items()}
    digits = {"2 digits": "long_2_digits", "14 digits": "long_14_digits", "19 digits": "long_19_digits"}
    return {f"{name}, {said}, bytes": size[key] for said, key in digits.items() for name, size in sizes.items()}


def _larger(measured: Evidence, jdk: int) -> Judgement:
    more = [said for said in ("2 digits", "14 digits", "19 digits") if _difference(measured, said) > 0]
    less = [said for said in ("14 digits", "19 digits") if _difference(measured, said) < 0]
    if "2 digits" not in more:
        return fails("where neither array has to grow, Eclipse's class allocates no more")
    but = f"; with {' and '.join(less)} it is javac's array that grows, and allocates more" if less else ""
    return holds(f"the array that Eclipse's class begins with is larger, as the numbers with 2 digits show{but}")


def _difference(measured: Evidence, said: str) -> float:
    return float(measured[f"Eclipse's class, {said}, bytes"] - measured[f"javac's class, {said}, bytes"])


def _compiled_bytes(jdk: int) -> Evidence:
    flags = {"optimised": compilers.BATCH, "not optimised": compilers.NO_CONCAT}
    sizes = {
        (name, how): compilers.concat_bytes(jdk, compiler, flag)
        for name, compiler in COMPILERS.items()
        for how, flag in flags.items()
    }
    kinds = {"int": "int_2_digits", "long": "long_2_digits"}
    return {f"{name}, {kind}, {how}, bytes": size[kinds[kind]] for kind in kinds for (name, how), size in sizes.items()}


def _missed(measured: Evidence, jdk: int) -> Judgement:
    if not _saved(measured, "javac's class", "int"):
        return unclear("C2 does not optimise javac's concatenation either, so there is nothing to miss")
    if not _saved(measured, "Eclipse's class", "int"):
        return holds("OptimizeStringConcat spares javac's class the builder, and not Eclipse's")
    spared = [name for name in COMPILERS if _saved(measured, name, "long")]
    rest = f"with a long, as in the post's line, {' and '.join(spared) or 'neither'}"
    return fails(f"with an int OptimizeStringConcat spares both classes the builder; {rest}")


def _saved(measured: Evidence, name: str, kind: str) -> bool:
    optimised, plain = (measured[f"{name}, {kind}, {how}, bytes"] for how in ("optimised", "not optimised"))
    return bool(optimised < plain)


CLAIMS = [
    Claim(
        "003e-03",
        "The two compilers concatenate strings with different calls",
        as_published="StringBuilder(String); StringBuilder(), then append",
        measure=_constructors,
        judge=_two_constructors,
        refuted_by=({"Eclipse's class, calls of it": 0, "javac's class, calls of it": 0}, 8),
    ),
    Claim(
        "003e-16",
        "Eclipse's StringBuilder(String) allocates a larger array than javac's StringBuilder()",
        as_published="said, not measured: 'a larger char[]'",
        measure=_interpreted_bytes,
        judge=_larger,
        refuted_by=(
            {
                "Eclipse's class, 2 digits, bytes": 136.0,
                "javac's class, 2 digits, bytes": 136.0,
                "Eclipse's class, 14 digits, bytes": 184.0,
                "javac's class, 14 digits, bytes": 248.0,
                "Eclipse's class, 19 digits, bytes": 312.0,
                "javac's class, 19 digits, bytes": 256.0,
            },
            8,
        ),
    ),
    Claim(
        "003e-17",
        "Eclipse's pattern misses the optimisation of string concatenation that javac's gets",
        as_published="'it may also be', not measured",
        measure=_compiled_bytes,
        judge=_missed,
        refuted_by=(
            {
                "Eclipse's class, int, optimised, bytes": 56.0,
                "Eclipse's class, int, not optimised, bytes": 128.0,
                "javac's class, int, optimised, bytes": 56.0,
                "javac's class, int, not optimised, bytes": 112.0,
                "Eclipse's class, long, optimised, bytes": 128.0,
                "Eclipse's class, long, not optimised, bytes": 128.0,
                "javac's class, long, optimised, bytes": 112.0,
                "javac's class, long, not optimised, bytes": 112.0,
            },
            17,
        ),
    ),
]
