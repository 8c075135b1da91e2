"""Notebook 20: which outcome of a prediction a result shows, and whether an answer to an exercise is right."""

import re
from typing import Any

import pandas as pd

from safepointlab.course import exercises, lessons
from safepointlab.course.exercises import Judged
from safepointlab.course.nb20_blame import experiments, output
from safepointlab.course.predictions import Finding, nothing, one
from safepointlab.errors import BadInput
from safepointlab.phrases import listed
from safepointlab.run import build, launch
from safepointlab.run.run import Run

NEAREST = {name: name for name in output.CASES[:4]}  # the method that calls the hot loop, case by case
AT_THE_END = {"innocentSetter": "setResult", "farAway": "level9"}
MOST = 0.5  # of the dumps
UNSTRIPPED = {"Serial", "Parallel"}  # collectors that never ask for strip mining


def _most(results: tuple[Any, ...]) -> pd.DataFrame:
    """The place that each run blames most in each case.

    Raises:
        BadInput: no run has a sample.
    """
    blamed = experiments.blamed(*results)
    if blamed.empty:
        raise BadInput("no run of KnownAnswer with a sample")
    return output.most(blamed)


def _dumps(*results: Any) -> Finding:
    most = _most(results)
    if most["case"].duplicated().any() or not set(NEAREST) <= set(most["case"]):  # the reader chose other cases or runs
        return nothing(f"{int(most['right'].sum())} of {len(most)} times the hot loop is blamed.")
    most = most.set_index("case")
    blamed = {str(case): str(method) for case, method in most["method"].items()}
    many = "Most" if (most["share"] < 1).any() else "All"
    facts = f"{many} samples blame {', '.join(f'`{blamed[case]}` in `{case}`' for case in NEAREST)}."
    if (most["share"] < MOST).any():
        return one("spread", facts)
    if most["right"].all():
        return one("loop", facts)
    if blamed == NEAREST:
        return one("caller", facts)
    ends = all(blamed[case] == method for case, method in AT_THE_END.items())
    return one("elsewhere", facts) if ends and not most["right"].any() else nothing(facts)


def _collectors(*results: Any) -> Finding:
    far = _most(results).query("case == 'farAway'")
    right, new = far["right"].fillna(False).astype(bool), far["jdk"] > 8
    names = {"default": "the JDK's own collector"}
    by_gc = far[right].groupby("gc", sort=False)["jdk"]
    found = "; ".join(f"{names.get(str(gc), gc)} on JDK {listed(jdks.unique())}" for gc, jdks in by_gc)
    facts = f"The loop is found with {found or 'no collector on any JDK'}."
    asked = set(far["gc"])
    if not asked & UNSTRIPPED or asked <= UNSTRIPPED or not new.any():  # there is nothing to compare
        return nothing(facts)
    if not right.any():
        return one("none", facts)
    finders = set(far.loc[right, "gc"])
    some = far["gc"].isin(finders)
    alone = len(finders) == 1 and not finders & UNSTRIPPED
    rules = {"newer": new} if some.all() else {"g1": some & new, "always": some} if alone else {}
    keys = [key for key, rule in rules.items() if (right == rule).all()]
    return Finding(frozenset(keys[:1]), facts)


def _between(*results: Any) -> Finding:
    far = _most(results).query("case == 'farAway'")
    right, some = (far.groupby("profiler")["right"].agg(each) for each in ("all", "any"))
    facts = f"{_found(far) or 'None of them found it'}."
    names = ["JFR", "JFR +lines", experiments.ASYNC]
    if not set(names) <= set(right.index) or (right != some)[names].any():  # one was not asked, or JDKs disagree
        return nothing(facts)
    jfr, lines, signals = (bool(right[name]) for name in names)
    if signals and not jfr:
        return one("async", facts) if lines else nothing(facts)
    return one("both" if signals else "jfr" if jfr else "neither", facts)


def _found(far: pd.DataFrame) -> str:
    """Who found the loop on each JDK, and who on some: "X and Y found it on each JDK, Z on JDK 25"."""
    right = far.groupby(["profiler", "jdk"], sort=False)["right"].all()
    good = right[right].reset_index()
    jdks = {str(name): list(rows["jdk"]) for name, rows in good.groupby("profiler", sort=False)}
    everywhere = [name for name, found in jdks.items() if len(found) == far["jdk"].nunique()]
    words = [f"{listed(everywhere)} found it on each JDK"] if everywhere else []
    for name in [name for name in jdks if name not in everywhere]:
        alone = len(jdks[name]) == 1 and jdks[name] == list(far.loc[far["profiler"] == name, "jdk"].unique())
        only = ", the only one of these JDKs that has this profiler" if alone else ""
        words.append(f"{name} on JDK {listed(jdks[name])}{only}")
    return ", ".join(words)


LITTLE = 0.1  # of the time: what innocent() may take
AS_WITH_SERIAL = "level9"  # whom the dumps of farAway blame where the loop has no poll
KEPT = r"// The hot loop.*"  # what the reader leaves as it is
BLAMED = re.compile(r"^blamed ([\w$<>]+) (\d+)$", re.MULTILINE)


def _flag(answer: Any) -> Judged:
    """Do the dumps of `farAway` miss the loop, on 17 with G1 and this flag, as they do with Serial?"""
    flag = exercises.flag(answer, lessons.exercise("20-1").answer, gc="G1")
    most = output.most(experiments.dumps(17, "G1", flag)).set_index("case")
    if "farAway" not in most.index:
        return Judged(False, f"With {flag} no dump shows farAway.")
    whom = str(most["method"]["farAway"])
    return Judged(whom == AS_WITH_SERIAL, f"With {flag} most dumps of farAway blame {whom}().")


def _scapegoat(answer: Any) -> Judged:
    """Do most dumps blame innocent(), which takes little time, on JDK 8, JDK 17 and the newest one?"""
    source = str(exercises.java_file(answer, lessons.exercise("20-2"), KEPT))
    for jdk in sorted({8, 17, exercises.newest_jdk()}):
        run = launch.java(source, jdk, gc=experiments.GC, deadline=experiments.DEADLINE_S, reuse=True)
        if complaint := complaint_about(run):
            return Judged(False, f"On JDK {jdk} {complaint}")
    return Judged(True, "Most dumps blame innocent() on each JDK tried.")


def complaint_about(run: Run) -> str:
    """What is wrong with the scapegoat in this run; "" if most dumps blame it, and without reason."""
    dumps = {method: int(times) for method, times in BLAMED.findall(run.output)}
    share, total = run.values.get("innocent_share"), sum(dumps.values())
    if not isinstance(share, float) or total < experiments.FEW_SAMPLES:
        return "the program ended before enough dumps had been taken."
    if not share <= LITTLE:
        return f"innocent() takes {share:.0%} of the time, so it isn't innocent."
    named, first = dumps.get("innocent", 0), max(dumps, key=lambda method: dumps[method])
    return "" if named > MOST * total else f"{dumps[first]} of {total} dumps blame {first}()."


def _whom(answer: Any) -> Judged:
    """Is this the method that plain JFR blames on 17 for the loop of `farAway`, where all is inlined?"""
    name = exercises.word(answer, "the name of a method as text").rpartition(".")[2].removesuffix("()")
    source = build.find_sample(experiments.SAMPLE).read_text("utf-8")
    if not re.search(rf"static \S+ {re.escape(name)}\(", source):
        raise BadInput(f"KnownAnswer has no method {name[:60]!r}. Give the name of one of its methods.")
    samples = experiments.all_inlined(17).jfr(experiments.EVENTS["JFR"])
    whole = output.most(output.of_jfr(samples)).set_index("case")
    return Judged(name == whole["method"]["farAway"], f"You say {name}().")


CLASSIFIERS = {"20-dumps": _dumps, "20-collectors": _collectors, "20-between": _between}
JUDGES = {"20-1": _flag, "20-2": _scapegoat, "20-3": _whom}
