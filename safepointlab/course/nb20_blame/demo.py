"""Demo: a profiler by thread dumps blames a setter that does nothing; one by signals names the hot loop."""

from typing import TYPE_CHECKING

from safepointlab import jdks
from safepointlab.course import demo_code
from safepointlab.course.demo_script import Demo, Facts, Measured, Page, Step, still
from safepointlab.course.nb20_blame import experiments, output

if TYPE_CHECKING:
    from pandas import DataFrame

JDK = 17
CASE = "innocentSetter"


def _blamed(places: "DataFrame") -> Facts:
    first = output.most(places)
    rows = first[["case", "method", "share", "right"]].astype({"share": float, "right": bool}).round(2)
    return {"jdk": jdks.get(JDK).version, "rows": rows.to_dict("records"), "right": int(first["right"].sum())}


def _table(facts: Facts) -> tuple[str, ...]:
    marks = {True: "right", False: "WRONG"}
    rows = facts["rows"]
    return tuple(f"{row['case']:15} {row['method']:12} {row['share']:4.0%}   {marks[row['right']]}" for row in rows)


def _score(facts: Facts) -> str:
    return f"{facts['right']} OF {len(facts['rows'])} RIGHT"


def _both(measured: Measured) -> Page:
    dumps, signals = measured["dumps"], measured["signals"]
    lines = (f"thread dumps: {_score(dumps).lower()}", f"async-profiler: {_score(signals).lower()}")
    return Page(_score(signals), (*_table(signals), "", *lines))


DEMO = Demo(
    "line",
    "Which profiler blames the right method?",
    "20-safepoint-bias",
    (
        Step(
            "question",
            (
                "All of the time goes into one loop, and we know which.",
                "Four ways to call it. Which method does a profiler name?",
            ),
            still("WHICH METHOD?", "One hot loop, called in four ways.", "We know the answer. Does the profiler?"),
        ),
        Step(
            "code",
            ("The hot loop, and one of its four callers.", "setResult walks a list of three listeners: nanoseconds."),
            lambda _: Page(
                "THE HOT LOOP",
                code=(
                    *demo_code.lines(experiments.SAMPLE, r"static int sum\("),
                    "",
                    *demo_code.lines(experiments.SAMPLE, f"static void {CASE}"),
                ),
            ),
        ),
        Step(
            "dumps",
            ("A profiler in ten lines: a thread dump every 10 ms,", "and a count of the topmost method."),
            lambda measured: Page(_score(measured["dumps"]), _table(measured["dumps"])),
            lambda: _blamed(experiments.dumps(JDK)),
            16,
            "java KnownAnswer 250 dumps",
        ),
        Step(
            "signals",
            ("async-profiler takes its samples by a signal,", "wherever the thread is, not where its polls are."),
            _both,
            lambda: _blamed(experiments.by_async(JDK)),
            16,
            "java -agentpath:libasyncProfiler.so=... KnownAnswer",
        ),
        Step(
            "why",
            ("The lines aren't slightly off. They show where the polls are.", "Ask your profiler how it looks."),
            still(
                "POLLS",
                "A thread dump stops all threads at a safepoint.",
                "The hot loop has no poll: its thread is seen at the next one, in another method.",
                "JFR on JDK 25 and later (JEP 518) looks first, walks later.",
            ),
        ),
    ),
)
