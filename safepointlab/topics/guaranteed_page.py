"""Notebook 14 -> what it asks before each run, and which of the outcomes came, by the run's result.

The page says `lab.predict("14-once")`, then `lab.predicted("14-once", once)`; exercises: guaranteed_exercises.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from safepointlab.session.predictions import Came, Outcome, Prediction, one
from safepointlab.topics import guaranteed, guaranteed_when

if TYPE_CHECKING:
    from pandas import DataFrame

    from safepointlab.run.run import Run

WITHOUT_WORK, OWN_THREAD = 23, 15  # the JDKs of JDK-8322630 and of JDK-8153224
MORE, LEAST_MIB = 1.5, 10  # times as much memory, and not by chance

ONCE = Prediction(
    "14-once",
    "A program mostly sleeps for five seconds. In one run it does nothing else, in the other it changes ten call sites "
    "a second. It never asks the JVM for anything. When is it stopped?",
    {
        "clock": Outcome(
            "Each second in both runs, on each JDK: the JVM does so by the clock",
            "The stop comes by the clock, whatever the program does.",
            "The clock only says when the VM thread looks. It makes a stop if it finds something to tidy up.",
        ),
        "change": Outcome(
            "Each second while call sites change, on each JDK; hardly ever at rest",
            "The VM thread looks once a second, and makes a stop if call sites have changed.",
            "Right for JDKs up to 22. Since 23 a call site is changed in a way that leaves nothing to tidy up.",
        ),
        "old": Outcome(
            "Each second while call sites change, on the older JDKs; newer ones make no such stop",
            "The VM thread looks once a second, and makes a stop if call sites have changed. Since 23 a change "
            "leaves nothing to tidy up (JDK-8322630), and nobody looks (JDK-8329488).",
            "It needs a JDK of each kind, and a newer one that leaves nothing to tidy up.",
        ),
        "gc": Outcome(
            "When its garbage is collected, and only then",
            "There were collections: something allocated.",
            "The program allocates next to nothing, so that there is no collection to stop for.",
        ),
        "never": Outcome(
            "Never: a JVM does not stop a program that asks for nothing",
            "No JDK of yours made such a stop.",
            "The VM has errands of its own. Up to 22 it looks once a second whether there are any.",
        ),
    },
    lambda once: _once(once),
    "the table of `guaranteed_when.each_case(versions)`",
)

PHASE = Prediction(
    "14-phase",
    "In the post each stop came about 205 ms past the full second. Three runs on JDK 17 ask for one garbage "
    "collection each: after 2.25, 2.5 and 2.75 s. Which of the stops that nobody asked for move?",
    {
        "none": Outcome(
            "None: they keep to the clock on the wall",
            "The stops stay where they were, whatever else happens.",
            "The VM thread has no such clock. It waits for a request, for a second at most.",
        ),
        "after": Outcome(
            "Those after the collection: each comes whole seconds after it",
            "The VM thread waits for a request, for a second at most. A request ends that wait, and the next wait "
            "begins when it has been served.",
            "They would have to be whole seconds away from the collection, and they are not.",
        ),
        "skipped": Outcome(
            "The next one is left out, since the collection tidied up; the later ones come at the old place",
            "One was left out, and the later ones are where they were.",
            "The collection does tidy up. But the VM thread counts from its last operation, so the place moves, too.",
        ),
        "spread": Outcome(
            "All of them: no two stops are at the same place in the second",
            "The stops are at any place in the second.",
            "Before the collection they are at one place: each wait is a second, and a stop itself is short.",
        ),
    },
    lambda moved: _phase(moved),
    "the runs of `guaranteed.collecting(17)`",
)

GROWN = Prediction(
    "14-grown",
    "The program leaves 300,000 monitors a second behind. On which JDKs does the process grow by much more memory in "
    "three seconds if the stops are forbidden?",
    {
        "none": Outcome(
            "On none: a collection frees what nobody needs",
            "The monitors are taken back without these stops, or there are none.",
            "A collection would do, but there is none: the heap is large enough. Up to 14 nothing else than a stop "
            "takes monitors back.",
        ),
        "old": Outcome(
            "On 8 and 11; on 17 and later it makes little difference",
            "Up to 14 idle monitors are taken back at a stop, and only there. Since 15 a thread of the VM does it "
            "beside the program (JDK-8153224); since 23 a locked object gets its hash code without a monitor "
            "(JDK-8319251).",
            "It would take a JDK up to 14 to show it, and a newer one that does not.",
        ),
        "all": Outcome(
            "On each JDK that makes such stops: 8, 11, 17 and 21",
            "On each of these JDKs the stops take the monitors back.",
            "Right for those up to 14. Since 15 a thread of the VM takes monitors back, and needs no stop for it.",
        ),
        "new": Outcome(
            "On 17 and 21 only, where monitors are larger",
            "Only the newer ones need the stops for it.",
            "It is the other way round. Since 15 a thread of the VM takes monitors back.",
        ),
    },
    lambda grown: _grown(grown),
    "the table of `guaranteed.grown(versions)`",
)

PREDICTIONS = (ONCE, PHASE, GROWN)


def _once(once: "DataFrame") -> Came:
    if once["collections"].any():
        return one("gc", f"There were {once['collections'].sum()} collections.")
    often, changing = once["stops"] >= guaranteed_when.OFTEN, once["case"] == guaranteed_when.CASES[guaranteed.CHANGING]
    rules = {
        "never": ~changing & changing,
        "clock": changing | ~changing,
        "change": changing,
        "old": changing & (once["jdk"] < WITHOUT_WORK),
    }
    keys = [key for key, rule in rules.items() if (often == rule).all()]  # without a new JDK two rules are one
    return Came(frozenset(keys[:1]), _counts(once))


def _counts(once: "DataFrame") -> str:
    """How many stops there were: "at rest: 1 on 8, 0 on 25"."""
    rows = {
        str(case): ", ".join(f"{row['stops']} on {row['jdk']}" for row in some.to_dict("records"))
        for case, some in once.groupby("case", sort=False)
    }
    return f"Stops by the clock in five seconds: {'; '.join(f'{case}: {stops}' for case, stops in rows.items())}."


def _phase(moved: "Mapping[str, Run]") -> Came:
    places = guaranteed_when.places(moved)
    if places.isna().any(axis=None):
        return Came(frozenset(), "In one of the runs a stop or the collection is missing.")
    steady = (places["spread_ms"] < guaranteed_when.NEAR_MS).all()
    stayed = guaranteed_when.apart(places["after_ms"] - places["before_ms"]) < guaranteed_when.NEAR_MS
    followed = guaranteed_when.apart(places["after_ms"] - places["request_ms"]) < guaranteed_when.NEAR_MS
    shift = ", ".join(f"{name}: {row['before_ms']:.0f}, {row['after_ms']:.0f}" for name, row in places.iterrows())
    facts = f"Milliseconds past the full second, before and after the collection: {shift}."
    if not steady:
        return one("spread", facts)
    if stayed.all():
        return one("skipped" if places["skipped"].any() else "none", facts)
    return one("after", facts) if followed.all() else Came(frozenset(), facts)


def _grown(grown: "DataFrame") -> Came:
    mib = grown.pivot(index="jdk", columns="interval", values="grown_mib")
    more, jdk = mib[0] > MORE * mib[1000] + LEAST_MIB, mib.index
    rules = {
        "none": jdk < 0,
        "old": jdk < OWN_THREAD,
        "all": jdk < WITHOUT_WORK,
        "new": (jdk >= OWN_THREAD) & (jdk < WITHOUT_WORK),
    }
    keys = [key for key, rule in rules.items() if (more == rule).all()]
    rows = (f"{jdk}: {row[0]:.0f} and {row[1000]:.0f}" for jdk, row in mib.iterrows())
    return Came(frozenset(keys[:1]), f"MiB without the stops and with them, by JDK: {', '.join(rows)}.")
