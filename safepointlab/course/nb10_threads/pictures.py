"""The pictures that only page 10 needs: what a pause costs each thread, and how threads are resumed, step by step."""

from html import escape
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from safepointlab.course.nb10_threads import experiments, leaving_model
from safepointlab.course.nb10_threads.leaving_model import PLACES, Step
from safepointlab.errors import BadInput
from safepointlab.plot import style
from safepointlab.plot._picture import picture
from safepointlab.plot.by_jdk import by_jdk
from safepointlab.plot.interactive import Alive

STOP = "the pause in the log"
SPECIAL = {leaving_model.VM: style.PHASES["operation_ms"].color, leaving_model.MAIN: style.PHASES["ttsp_ms"].color}
THREAD = style.PHASES["leaving_ms"].color
LEFT, ACROSS, WIDE, HIGH, LANE = 120, 62, 52, 36, 64  # pixels: the places' names, from box to box, a box, a lane


@picture("lab.jmh for threads.BesideGc, with the safepoint log", "run", "metric", "median", "groups", "repeat")
def losses(frame: pd.DataFrame) -> Axes:
    """Draw what a collection costs each thread, with a ring for each pair of JVMs, their median, and the median pause.

    A loss below 0 is a pair in which the JVM with collections was the faster one: JVMs differ in other ways as well.
    """
    table = experiments.losses(frame) if len(frame) else frame
    if table.empty:
        return style.empty(style.canvas(None, height=4.6), "No pair of JVMs was measured")
    newest = table[table["jdk"] == table["jdk"].max()]
    lost = newest.groupby("thread")["lost_ms"].median()
    costs = ", ".join(f"{name} {lost[who]:z.1f} ms" for who, name in experiments.METHOD_OF.items())
    median_stop = f"{newest['stopped_ms'].median():.1f} ms"
    finding = f"On JDK {newest['jdk'].iloc[0]}, a pause of {median_stop} costs\n{costs}"
    table = table.assign(thread=table["thread"].replace(experiments.METHOD_OF))
    if table["gc"].nunique() > 1:
        table = table.assign(thread=table["thread"] + ", " + table["gc"])
    stop = table.drop_duplicates(["jdk", "gc"]).assign(thread=STOP, lost_ms=lambda rows: rows["stopped_ms"])
    look: dict[str, Any] = {"log_scale": False, "runs": True, "each": "pair of JVMs"}
    return by_jdk(
        pd.concat([table, stop]), y="lost_ms", by="thread", what="time lost per collection", title=finding, **look
    )


def way_out(threads: int = 6, cores: int = 2) -> Alive:
    """Draw who has a core in each step while the threads are resumed, by lock and by barrier; a model, not a run.

    Args:
        threads, cores: how many threads the VM thread lets go, and how many cores there are for all of them.

    Raises:
        BadInput: one of them is no positive whole number.
    """
    for name, count in (("threads", threads), ("cores", cores)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise BadInput(f"{name} must be a positive whole number, got {count!r}")
    ways = leaving_model.play(threads, cores)
    answered = []
    for way, steps in ways.items():  # "a lock, up to JDK 12" is a way and its JDKs; steps are shown from 1 on
        name, _, jdks = way.partition(", ")
        last = max(number for number, step in enumerate(steps) if leaving_model.MAIN in step.who[leaving_model.WAITING])
        answered.append(f"in step {last + 2} with {name} ({jdks})")
    finding = f"Main gets its answer {', '.join(answered)}"
    most = max(len(names) for steps in ways.values() for step in steps for names in step.who.values())
    drawn = {
        way: [{"title": f"{step.event}.", "html": _svg(step, most)} for step in steps] for way, steps in ways.items()
    }
    still = f"<p><b>{escape(finding)}</b></p>"
    for way, steps in ways.items():  # in words, for those who read the page without the script
        lines = [
            {"what happens": step.event, **{place: ", ".join(filter(None, step.who[place])) for place in PLACES}}
            for step in steps
        ]
        numbers = pd.RangeIndex(1, len(lines) + 1)  # as the drawing counts them
        still += f"<p>{escape(way)}</p>" + pd.DataFrame(lines, index=numbers).to_html(border=0)
    note = "A model, not a run. It assumes that the VM thread loses its core when it opens the barrier."
    return Alive("steps", {"choose": "The threads are resumed by", "of": drawn, "note": note}, still, finding)


def _svg(step: Step, most: int) -> str:
    """One lane per place, with a box for each thread."""
    width, height = LEFT + ACROSS * most, LANE * len(PLACES) + 4
    view = f"viewBox='0 0 {width} {height}' style='width:100%;max-width:{width}px;height:auto;display:block'"
    lanes = boxes = ""
    for row, place in enumerate(PLACES):
        lane = f"x='1' y='{row * LANE + 2}' width='{width - 2}' height='{LANE - 6}' rx='6'"
        lanes += f"<rect {lane} style='fill:none;stroke:var(--sl-line)'/>"
        lanes += f"<text x='10' y='{row * LANE + 36}' font-size='14'>{place}</text>"
        for at, who in enumerate(step.who[place]):
            boxes += _box(LEFT + ACROSS * at, LANE * row + 12, who) if who else ""
    label = escape(f"{step.event}.", quote=True)
    return f"<svg {view} role='img' aria-label='{label}'>{lanes}{boxes}</svg>"


def _box(x: int, y: int, who: str) -> str:
    color = SPECIAL.get(who, THREAD)
    box = f"x='{x}' y='{y}' width='{WIDE}' height='{HIGH}' rx='5' style='fill:{color};stroke:var(--sl-ink)'"
    look = f"text-anchor='middle' font-size='15' style='fill:{style.ink_on(color)};font-weight:bold'"
    return f"<rect {box}/><text x='{x + WIDE / 2}' y='{y + 24}' {look}>{escape(who)}</text>"
