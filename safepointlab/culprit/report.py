"""The evidence of one run -> Late: which stops had to wait, for whom, where those threads were, and what to do.

late.verdict    the answer in some sentences: who was late and where, or what made it slow although no thread was late
late.stops      one row per stop that waited `after` or longer: at_s, time (UTC, of its begin), operation, waited_ms,
                thread, where, witnesses
late.culprits   one row per thread and place: stops, worst_ms, samples, cause, loop, compiled, doing, witnesses
late.witnesses  one row per witness: what it reported, or why it could not
late.advice     what to do against each cause, or to learn the cause
str(late)       all of that for a terminal, some 20 to 40 lines
"""

import html
import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from safepointlab.culprit import refusal
from safepointlab.culprit.advice import advice
from safepointlab.culprit.cause import (
    BEFORE,
    BUSY_SAMPLES,
    NO_CPU,
    NOT_KNOWN,
    PROBABLY,
    compiled_methods,
    culprits,
    late_stops,
)
from safepointlab.culprit.command import Plan
from safepointlab.culprit.evidence import Evidence
from safepointlab.culprit.hang import SPINNING, Shown
from safepointlab.culprit.slow import (
    ATTACHED,
    DEADLINE,
    HEADLINE,
    dumps_are_long,
    dumps_show,
    hang,
    long_stops,
    own_effect,
    quota,
    starvation,
    vm_thread_waits,
)
from safepointlab.culprit.witness import DEBUG_INFO, DISTURBING, INTERVAL_MS, NAMING, WITNESSES, stop_logs
from safepointlab.html import table
from safepointlab.jdks import Jdk
from safepointlab.phrases import counted, some
from safepointlab.process import home
from safepointlab.process.files import bounded_text
from safepointlab.run import aot_cache
from safepointlab.run.excerpt import pattern

LINES_NOTE = (
    "Code that was compiled before we attached has exact lines at polls and calls only, and its versions are not "
    "known. Start the program with `safepoint late -- java ...` to know both."
)
WIDTH = 110
WORST = 5
SEEN = {"called_from": "called from", "compiled": "compiled", "doing": "kernel"}  # columns of culprits
ALIKE = ["thread", "method", "within", "cause"]  # the text tells of one thread of a pool
FEW = 0.1  # of the samples of the worst place: no cause to advise against
BESIDE_AGENT = {  # asked where the agent is
    "native": "gdb, if there is one: what the thread does in native code",
    "dump": "a thread dump: where a late thread that sleeps comes from",
}
LINES = re.compile(r"lines? \d+(?: to \d+)?")
UNSEEN = "cause not known: the late thread"
ELSEWHERE = (
    "no stop explains a longer delay: look at locks, I/O and CPU, for instance in thread dumps a second apart "
    "(jcmd PID Thread.print -l)"
)
WHILE_SLOW = ", or by `safepoint late --pid PID` while it is slow, which names a lock's holder"
STUCK = "Until it comes, no other thread runs Java code, and only kill -9 ends such a JVM."
LITTLE = 0.05  # of the time until the last stop
TO_NEXT_POLL = "from an interrupt by JFR's sampler to its next poll"
AT_START = "start the program with `safepoint late -- java ...`: only then can the JVM be told to name late threads"
OFTEN_MS = 100.0  # of CPU time, in which a thread with polls executes one for sure: some time slices of the kernel
EXITED = re.compile(r"exit status \d+ after [\d.]+ s$")  # the command ended, and nobody ended it


class Late:
    """The threads that were late in one run of a command, and where. `fate` is how the command ended."""

    def __init__(self, folder: Path, plan: Plan) -> None:
        self.folder, self.plan, self.fate = folder, plan, plan.fate
        self.evidence = Evidence(folder, plan.after_ms, plan.sample_ms, plan.later, plan.witnesses)
        self.evidence.exact_lines = plan.kind != "running" or DEBUG_INFO[-1] in plan.words
        if plan.counted:
            self.evidence.pids, self.evidence.unlogged = [plan.pid], True

    @cached_property
    def _started(self) -> dict[str, Any]:
        """How the JVM that waited longest was started; a script may start several, of several JDKs."""
        pids = self.evidence.stops.sort_values("waited_ms")["pid"].tolist() or self.evidence.pids
        return self.evidence.started(pids[-1]) if pids else {}

    @property
    def jdk(self) -> Jdk:
        """The JDK that ran; of a script it was only the likeliest when it was started."""
        own, plan = self._started, self.plan
        if own.get("home"):
            return Jdk(Path(own["home"]), own["major"], own["version"], "", "")
        return Jdk(Path(plan.jdk_home), plan.jdk_major, plan.jdk_version, "", "")

    @property
    def gc(self) -> str:
        """The collector that ran."""
        return self._started.get("collector") or self.plan.gc

    @property
    def _aot_cache(self) -> str:
        """That it ran with yesterday's profiles; "" without an AOT cache."""
        name = self._started.get("aot_cache") or aot_cache.named_in(" ".join(self.plan.words))
        if not self._started.get("aot_cache_used", True):
            return name and f"without its AOT cache {home.shown(name)}, which it did not take"
        return name and f"with the AOT cache {home.shown(name)}"

    @property
    def output(self) -> str:
        """What the program printed, if `lab.late` ran it; with the command it goes to the terminal."""
        return bounded_text(self.folder / "stdout.txt")

    def raw(self, around: str, lines: int = 3) -> str:
        """Some lines of the JVMs' own logs of stops, from the first that matches `around` (a regular expression)."""
        files = [file for pid in self.evidence.pids for file in stop_logs(self.folder, pid)]
        all_lines = "".join(html.unescape(bounded_text(file, 50_000_000)) for file in files).splitlines()
        regex = pattern(around, "around")
        first = next((number for number, line in enumerate(all_lines) if regex.search(line)), len(all_lines))
        return "\n".join(all_lines[first : first + lines])

    @cached_property
    def all_stops(self) -> pd.DataFrame:
        """Every stop of the run: pid, stop, at_s, operation, waited_ms, operation_ms, leaving_ms, total_ms, over."""
        return self.evidence.stops.drop(columns="time")

    @cached_property
    def _all_late(self) -> pd.DataFrame:
        return late_stops(self.evidence)

    @cached_property
    def stops(self) -> pd.DataFrame:
        """The stops that waited `after` or longer, the longest wait first, without those of our own doing."""
        return self._all_late[~self._own_doing.to_numpy()].reset_index(drop=True)

    @cached_property
    def _own_doing(self) -> pd.Series:
        return own_effect(self.evidence.stops, self._all_late)

    @property
    def own_stops(self) -> pd.DataFrame:
        """The stops that waited so long only because our witnesses were on."""
        return self._all_late[self._own_doing.to_numpy()]

    @property
    def _classpath(self) -> Sequence[str]:
        return self.evidence.classpath or self.plan.classpath

    @cached_property
    def culprits(self) -> pd.DataFrame:
        """Each thread and method that a witness saw late, the worst first."""
        classpath = [*self.evidence.source_classes(self.jdk), *self._classpath]
        found = culprits(self.evidence, self.jdk, classpath, self.gc)
        only_own = {(row["pid"], row["tid"]) for row in self.own_stops.to_dict("records")} - {
            (row["pid"], row["tid"]) for row in self.stops.to_dict("records")
        }
        kept = [(row["pid"], row["tid"]) not in only_own for row in found.to_dict("records")]
        return found.loc[np.array(kept, dtype=bool)].reset_index(drop=True)

    @cached_property
    def witnesses(self) -> pd.DataFrame:
        """What each witness reported in this run, how often (NA if it was silent), or why it was silent."""
        rows = []
        for name, about in {**{name: each.about for name, each in WITNESSES.items()}, **BESIDE_AGENT}.items():
            times, statement = self._reported(name)
            silent = "" if name in BESIDE_AGENT else self._silent(name, times)
            if times or name not in BESIDE_AGENT:
                said = {"times": pd.NA if silent else times, "said": silent or statement}
                rows.append({"witness": name, "about": about, **said})
        return pd.DataFrame(rows).astype({"times": "Int64"})

    def _reported(self, name: str) -> tuple[int, str]:
        if name == "log":  # a stop that never ended is in no log: the request's age tells of it
            times, ended = int(self.stops["over"].sum()), int(self.all_stops["over"].sum())
            if not ended and len(self.all_stops):
                return 0, "no stop that ended"
            stops = counted(ended, "stop") + (" that ended" if ended < len(self.all_stops) else "")
            return times, f"{stops}, {times} of which waited {self.plan.after_ms} ms or more"
        if name == "compiled":
            logs = [compiled_methods(self.folder, pid) for pid in self.evidence.pids]
            times = sum(len(versions) for methods in logs for versions in methods.values())
            return times, counted(times, "compilation")
        frame = self.evidence.samples if name in ("ttsp", "latency") else self.evidence.names
        threads = frame.loc[frame["witness"] == name, "thread"]
        if threads.empty:
            return 0, "nothing to say"
        return len(threads), f"{counted(len(threads), 'time')}: {', '.join(sorted(threads.dropna().unique())[:4])}"

    def _silent(self, name: str, times: int) -> str:
        """Why a witness could not report at all; "" if it could."""
        if name in self.plan.absent:
            return f"not here: {self.plan.absent[name]}"
        if name not in self.plan.witnesses:
            return "not asked"
        if name in self.plan.later and not times:
            answers = [each[name] for each in self.evidence.watch["switched_on"].values() if name in each]
            if refused := [answer for answer in answers if isinstance(answer, str)]:
                return f"could not be switched on: {refused[0]}"
            return "" if answers else "not needed: it disturbs the program, and the others know enough"
        if name == "ttsp" and not times:  # async-profiler writes its file when the JVM exits by itself
            if not self.evidence.stops["over"].all():
                return "lost: async-profiler writes its file when the JVM ends, and this one could not"
            log = bounded_text(self.folder / "ttsp.txt", 2000)
            if error_line := next((line for line in log.splitlines() if "ERROR" in line), ""):
                return f"could not start: {error_line.strip()}"
            any_file = any(file.stat().st_size for file in self.folder.glob("ttsp-*.jfr"))
            written = any_file or EXITED.match(self.fate)  # a recorded run has no such file, only what was read in it
            return "" if written else "lost: the JVM did not end by itself, so nothing was written"
        return f"not readable: {self.evidence.troubles[name]}" if name in self.evidence.troubles else ""

    @cached_property
    def advice(self) -> dict[str, list[str]]:
        """What to try against each cause that was found in the worst places or in thread dumps, if it is known.

        If no cause is known, what would show it.
        """
        worst = self.culprits.head(WORST)
        worst = worst[worst["samples"] >= FEW * worst["samples"].max()] if len(worst) else worst
        found: dict[str, list[str]] = {}
        for why, rows in worst.groupby("cause", sort=False):
            names = ", ".join(dict.fromkeys(map(str, rows["method"])))
            if steps := advice(str(why), self.jdk, self.gc, names, bool(rows["calls"].any())):
                found[f"{why!s}: {names}"] = steps
        of_all = "quota" if quota(self.evidence) else "cpu" if self._starvation else ""
        if of_all and of_all not in set(worst["cause"]):
            found[f"{of_all}: all threads"] = advice(of_all, self.jdk, self.gc)
        if not of_all and dumps_are_long(self.all_stops, self.plan.after_ms):
            found["thread dump: all threads"] = advice("thread dump", self.jdk, self.gc)
        for each in self._shown.values():  # beside late stops, a thread that spins is likelier a late one
            steps = advice(each.cause, self.jdk, self.gc)
            if steps and (self._is_on_time or each.cause != SPINNING):
                found[f"{each.cause}: {', '.join(each.methods)}"] = steps
        was_late = len(self.stops) or (self.plan.counted and not self._shown)  # dumps are taken where none was
        if was_late and not found and set(self.culprits["cause"]) <= {NOT_KNOWN} and self._would_show_more:
            found[UNSEEN] = self._would_show_more
        return found

    @property
    def _would_show_more(self) -> list[str]:
        """How to have the evidence that there was not."""
        steps = [AT_START] if self.plan.kind == "running" else []
        if "ttsp" not in self.plan.witnesses:
            why = self.plan.absent.get("ttsp", "it was not asked, see --witness")
            steps.append(f"async-profiler would see thread and line: {why}")
        if len(self.culprits) and (gone := [part for part in self._classpath if not Path(part).exists()]):
            steps.append(f"loops are found in class files; make the report where these are: {some(gone)}")
        return steps

    def to_dict(self) -> dict[str, Any]:
        """The answer as JSON values."""
        facts = {"command": list(self.plan.words), "jdk": self.jdk.version, "gc": self.gc, "fate": self.fate}
        facts["verdict"] = self.verdict
        names = ("stops", "culprits", "witnesses")
        tables = {name: json.loads(getattr(self, name).to_json(orient="records", date_format="iso")) for name in names}
        counts = {"after_ms": self.plan.after_ms, "all_stops": len(self.all_stops), "jvms": len(self.evidence.pids)}
        return {**facts, **counts, **tables, "advice": self.advice, "notes": self.notes}

    @property
    def notes(self) -> list[str]:
        nobody = self.evidence.pids and self._ran and self._are_short and not self._shown
        told = [note for note in self.plan.notes if not (note == LINES_NOTE and self.culprits.empty)]
        elsewhere = ELSEWHERE + ("" if self.plan.kind == "running" else WHILE_SLOW)
        return [*told, elsewhere] if nobody else told

    @property
    def _are_short(self) -> bool:
        """Whether the late stops, if there are any, explain no long delay: they add up to little of the run."""
        if self.stops.empty:
            return self.culprits.empty
        ran_ms = 1000 * self.all_stops["at_s"].max()
        return bool(self.stops["over"].all() and self.stops["waited_ms"].sum() < LITTLE * ran_ms)

    @property
    def _ran(self) -> bool:
        """Whether the program began, as far as is known."""
        return not (refusal.kept(self.folder) or self._no_program)

    @property
    def _no_program(self) -> str:
        """Why the command starts no program, such as its -version; "" if it may start one."""
        return refusal.no_program(self.plan.words) if self.plan.kind == "java" else ""

    @property
    def verdict(self) -> str:
        """The answer in one sentence."""
        if self.plan.counted:
            who = self._who_was_late() if len(self.stops) else ""
            return " ".join(filter(None, [self._headline, self.plan.counted, who, self._hang]))
        if why := refusal.kept(self.folder):
            what = "program" if why.startswith("Error: ") else "JVM"  # the launcher's own complaint
            return f"The {what} did not start ({self.fate.partition(' after ')[0]}): {why}"
        if self._no_program:
            return f"No program was started: {self._no_program}."
        if not self.evidence.pids:
            return self._unlogged or "No JVM wrote a log: none was started, or it refused our flags."
        return " ".join(filter(None, [self._headline, self._who_was_late(), *self._why_slow()]))

    def _who_was_late(self) -> str:
        limit, many = f"{self.plan.after_ms} ms", len(self.all_stops) - int(self._own_doing.sum())
        if len(self.stops):
            worst = self.stops.iloc[0]
            unnamed = "a thread that no witness names"
            if not self.evidence.names_threads:
                unnamed = f"a thread that only {' or '.join(sorted(NAMING))} could name"
            who = worst["thread"] if pd.notna(worst["thread"]) else unnamed
            carried = f", which carries {worst['virtual']}," if pd.notna(worst["virtual"]) else ""
            own, is_elsewhere = self._places_of(worst)
            where = f" in {worst['where'] or _where(own.iloc[0])}" if worst["where"] or len(own) else ""
            of_all = "" if self.plan.counted else f" of {many}"  # short waits that follow each other count as one
            longer = f"{counted(len(self.stops), 'stop')}{of_all} waited {limit} or more"
            cause = "" if own.empty else str(own.iloc[0]["cause"])
            why = f" ({f'cause {cause}' if cause == NOT_KNOWN else cause})" if cause else ""
            if cause == NOT_KNOWN and str(own.iloc[0]["compiled"]).startswith(BEFORE):
                why = f" (cause not known, since its code was compiled {BEFORE})"
            if cause == PROBABLY:
                why = f" ({cause}, {' or '.join(LINES.findall(own.iloc[0]['loop'])) or 'of no line numbers'})"
            if own.empty and not where and (native := self._native_stack(worst)):
                where = f", of whose stack gdb saw: {native}"
            if is_elsewhere:
                where = f", which no witness saw in this stop, but in another{where}"
            of_chance = cause in ("cpu", "quota") or (not cause and self._had_no_cpu(worst))
            if of_chance and pd.notna(worst["thread"]) and who != NO_CPU:
                any_thread = "a thread that had no CPU, and that may be any"
                who = any_thread if is_elsewhere else f"{any_thread}: this time {who}"
                if is_elsewhere:  # where it was late another time explains nothing
                    where = carried = ""
            doubt = f" The witnesses differ: {worst['doubt']}." if worst["doubt"] and not worst["where"] else ""
            waited = in_ms(worst["waited_ms"])
            if worst["examined_ms"] >= self.plan.after_ms:
                waited += f" ({in_ms(worst['examined_ms'])} of it while we examined the JVM)"
            if worst["over"]:
                return f"{longer}, the worst {waited}: for {who}{carried}{where}{why}.{doubt}"
            which = f"{longer}, the worst" if many > 1 else "The only safepoint"
            named = f"the thread {who}" if pd.notna(worst["thread"]) and who == worst["thread"] else who
            until = f"was never reached: after {waited} the JVM still waited for {named}{carried}{where}{why}"
            return f"{which} {until}.{doubt} {STUCK}"
        if len(self.culprits):
            worst = self.culprits.sort_values("worst_ms", ascending=False).iloc[0]
            delay = f"{worst['thread']} in {_where(worst)} took {in_ms(worst['worst_ms'])} {TO_NEXT_POLL}"
            return f"No stop waited {limit} or more, but one could have: {delay}."
        if not many:
            return "No thread was late: no stop was requested."
        return f"No thread was late: none of {many} stops waited {limit} or more."

    def _had_no_cpu(self, stop: "pd.Series[Any]") -> bool:
        """Whether the threads wanted so many CPUs that one of them got hardly any during this wait."""
        if not self.evidence.starved(stop["pid"]):
            return False
        table = self.evidence.demand(stop["pid"])
        return bool(stop["waited_ms"] * table["got"].sum() / table["wanted"].sum() < OFTEN_MS)

    def _native_stack(self, stop: "pd.Series[Any]") -> str:
        names = self.evidence.names
        own = (names["pid"] == stop["pid"]) & (names["stop"] == stop["stop"]) & (names["tid"] == stop["tid"])
        texts = names.loc[own.fillna(False) & names["witness"].eq("native"), "what"]
        return str(texts.iloc[0]) if len(texts) else ""

    def _places_of(self, stop: "pd.Series[Any]") -> tuple[pd.DataFrame, bool]:
        """The late thread's places in this stop; if no witness saw it here, those in other stops, and True."""
        table = self.culprits
        own: pd.DataFrame = table[(table["pid"] == stop["pid"]) & (table["tid"] == stop["tid"])]
        method, _, within = str(stop["where"]).partition(" in ")
        same = own["method"].isin([method, method.rpartition(":")[0]]) & (own["within"].fillna("") == within)
        return (own[same], False) if stop["where"] else (own, len(own) > 0)

    @property
    def _starvation(self) -> str:
        """That its threads had too few CPUs, where no place in the code explains a long stop."""
        late = (self.stops["thread"].isna() & self.evidence.names_threads) | (self.stops["thread"] == NO_CPU)
        rest = self.all_stops["total_ms"] - self.all_stops["waited_ms"]  # until 20, leaving is in it
        leaving = (self.all_stops["leaving_ms"].fillna(rest) >= self.plan.after_ms).any()
        if not (leaving or late.any() or self.culprits["cause"].eq("cpu").any()):
            return ""
        return starvation(self.evidence)

    def _why_slow(self) -> Iterator[str]:
        """What else made it slow: our own witnesses, long stops, too few CPUs, a hang that no stop explains."""
        if own := int(self._own_doing.sum()):
            before = self.evidence.stops[~self.evidence.stops["observed"]]
            late_before = int((before["waited_ms"] >= self.plan.after_ms).sum())
            yield (
                f"{counted(own, 'more stop')} waited while our witnesses were on, in no code of the program's; without "
                f"them {late_before} of {len(before)} did: this is the doing of `late` itself, and not counted."
            )
        disturbing = [name for name in DISTURBING if name in self.plan.witnesses and name not in self.plan.later]
        if disturbing and len(self.stops) and any(map(self.evidence.starved, self.evidence.pids)):
            yield (
                f"The witness {disturbing[0]} was on from the start, and delays stops itself where threads outnumber "
                "CPUs: see how many are left without it."
            )
        yield long_stops(self.all_stops, self.plan.after_ms)
        yield vm_thread_waits(self.evidence)
        yield quota(self.evidence)
        yield self._starvation
        yield self._hang

    @cached_property
    def _shown(self) -> dict[str, Shown]:
        return dumps_show(self.evidence)

    @cached_property
    def _is_on_time(self) -> bool:
        """Whether no thread was late by its own code: none was at all, or only threads that did not run meanwhile.

        A sampled thread that waits for a CPU has too few samples in a stop to have passed by a poll. Who was late on a
        busy machine is chance, and no reason why a program makes no progress.
        """
        if self.stops.empty and self.culprits.empty:
            return True
        of_chance = {*self.culprits["cause"]} <= {NOT_KNOWN, "cpu", "quota"}
        return self._samples_all_waits and of_chance and bool((self.stops["samples"] < BUSY_SAMPLES).all())

    @property
    def _samples_all_waits(self) -> bool:
        """Whether a late thread that ran would have been sampled in its stop: a JVM that is killed loses samples."""
        known = not self.plan.counted or self.plan.sample_ms == INTERVAL_MS
        has_ttsp = "ttsp" in self.plan.witnesses and "ttsp" not in self.evidence.troubles
        return self.plan.kind == "running" and has_ttsp and known

    @property
    def _headline(self) -> str:
        """What keeps the program, if thread dumps show it and no thread was late."""
        found = self._is_on_time and any(each.cause for each in self._shown.values())
        return hang(self._shown, HEADLINE) if found else ""

    @property
    def _hang(self) -> str:
        """What its threads do, if that is not the headline, nor what a thread that is known to be late does anyway."""
        is_running = self.plan.kind == "running"
        told = is_running and len(self.culprits) and {each.cause for each in self._shown.values()} <= {"", SPINNING}
        return "" if self._headline or told else hang(self._shown, ATTACHED if is_running else DEADLINE)

    @property
    def _unlogged(self) -> str:
        """Why the JVMs that a script started wrote no log; "" if none was seen."""
        variable = "JDK_JAVA_OPTIONS" if self.plan.jdk_major >= 9 else "JAVA_TOOL_OPTIONS"
        for pid, seen in self.evidence.watch.get("unlogged", {}).items() if self.plan.kind == "script" else ():
            who = f"java {pid}, {seen['jdk']}," if seen["jdk"] else f"java {pid}"
            if not seen["has_flags"]:
                what = f"was started without our {variable}: something on the way sets or clears it"
                return f"No JVM wrote a log: {who} {what}. Give the java command itself."
            flags = f"those of JDK {self.plan.jdk_version}, in {variable}"
            advice = "Set JAVA_HOME to the JDK that it starts, or give the java command itself"
            return f"No JVM wrote a log: {who} does not take our flags, {flags}. {advice}."
        return ""

    @property
    def command(self) -> str:
        """The command as a user would type it, without the folder of its JDK."""
        words = " ".join(home.shown(word) for word in self.plan.words)
        return words.removeprefix(f"{home.shown(self.plan.jdk_home)}/bin/")

    @property
    def facts(self) -> str:
        """What ran, and how it ended, in a line."""
        jvms = counted(len(self.evidence.pids), "JVM")
        return " · ".join(filter(None, [self.jdk.label, self.gc, self._aot_cache, self.fate, jvms]))

    @property
    def worst(self) -> list[tuple[str, ...]]:
        """The worst stops as a table, the head first, without columns that would be empty; [] if no stop was late."""
        rows: list[tuple[str, ...]] = [("at s", "UTC", "waited ms", "operation", "thread", "where", "told by")]
        for row in self.stops.head(WORST).to_dict("records"):
            waited = f"{row['waited_ms']:.1f}" if row["over"] else f">{row['waited_ms']:.0f}"
            uptime = "" if pd.isna(row["at_s"]) else f"{row['at_s']:.3f}"
            clock = "" if pd.isna(row["time"]) else f"{row['time']:%H:%M:%S}"
            operation, thread = _text(row["operation"]), _who(row)
            rows.append((uptime, clock, waited, operation, thread, _text(row["where"]), _text(row["witnesses"])))
        return _without_empty(rows)

    @property
    def _told(self) -> pd.DataFrame:
        """The worst places, each once: `more` is how many threads of that name were there as well."""
        more = self.culprits.groupby(ALIKE, sort=False, dropna=False)["samples"].transform("size") - 1
        return self.culprits.assign(more=more)[~self.culprits.duplicated(ALIKE)].head(WORST)

    @property
    def places(self) -> list[tuple[str, ...]]:
        """Who was late, and where, as a table, the head first; [] if no thread was."""
        rows = [(_who(row), _where(row), row["cause"], row["loop"]) for _, row in self._told.iterrows()]
        return _without_empty([("thread", "where", "cause", "loop"), *rows])

    @property
    def seen(self) -> list[tuple[str, ...]]:
        """What was seen of each of these threads, and by which witness, as a table; [] if no thread was late."""
        rows = [
            (
                _who(row),
                _text(row["tid"]),
                f"{row['samples']}",
                f"{row['stops']}",
                row["witnesses"],
                *_seen(row).values(),
            )
            for row in self._told.to_dict("records")
        ]
        return _without_empty([("thread", "native id", "stacks", "stops", "told by", *SEEN.values()), *rows])

    @property
    def said(self) -> list[tuple[str, ...]]:
        """What each witness said, as a table without a head; [] if no program ran."""
        return [(row["witness"], row["said"]) for row in self.witnesses.to_dict("records")] if self._ran else []

    @property
    def examined(self) -> list[str]:
        """How much longer we made each of the worst stops."""
        return [
            f"of the wait of {row['waited_ms']:.1f} ms, {in_ms(row['examined_ms'])} passed while we examined the JVM"
            for row in self.stops.head(WORST).to_dict("records")
            if row["examined_ms"] >= self.plan.after_ms
        ]

    def __repr__(self) -> str:
        return f"<Late {self.jdk.label} · {self.gc} · {self.fate} · {self.verdict}>"

    def __str__(self) -> str:
        return "\n\n".join(filter(None, self._sections()))

    def _sections(self) -> Iterator[str]:
        yield f"safepoint late: {self.command}\n{self.facts}\n\n{self.verdict}"
        if self.worst:
            yield "\n".join(["The worst stops", _aligned(self.worst), *(f"  {line}" for line in self.examined)])
        if len(self.culprits):
            lines = [line for row in self._told.to_dict("records") for line in _described(row)]
            yield "Who was late, and where\n" + "\n".join(lines)
        if self.advice:
            wrapper = textwrap.TextWrapper(WIDTH, initial_indent="    - ", subsequent_indent="      ")
            wrapper.break_long_words = wrapper.break_on_hyphens = False
            lines = [line for why, steps in self.advice.items() for line in (f"  {why}", *map(wrapper.fill, steps))]
            yield "What to do\n" + "\n".join(lines)
        if self.said:
            yield "Witnesses\n" + _aligned(self.said)
        yield "\n".join(f"Note: {note}" for note in self.notes)

    def _repr_html_(self) -> str:
        rows = [("verdict", self.verdict), ("ran", f"{self.jdk.label}, {self.gc}: {self.fate}")]
        cells = [(escape(name), escape(text)) for name, text in rows]
        for why, steps in self.advice.items():
            cause, _, methods = why.partition(": ")
            cells.append((escape(cause), "<br>".join(map(escape, [f"in {methods}", *steps]))))
        return table(cells, row_heads=True)


def _described(row: dict[Any, Any]) -> list[str]:
    line = "" if pd.isna(row["line"]) else f", line {row['line']}"
    within = f", in {row['within']}" if row["within"] and row["within"] != row["method"] else ""
    who = f"  {_who(row)} (native id {_text(row['tid'])}) in {_text(row['method'])}{line}{within}"
    worst = "" if pd.isna(row["worst_ms"]) else f", worst wait {row['worst_ms']:.0f} ms"
    if worst and not row["stops"]:
        worst = f", up to {row['worst_ms']:.0f} ms {TO_NEXT_POLL}"
    by_line = f" (stacks by line: {row['lines']})" if "," in row["lines"] else ""
    stacks = f"{counted(row['samples'], 'stack')} in {counted(row['stops'], 'stop')}"
    evidence = f"      {stacks}{worst}, told by {row['witnesses']}{by_line}"
    facts = {"cause": row["cause"], "loop": row["loop"], **_seen(row)}
    others = [f"      {counted(row['more'], 'more thread')} of that name in the same place"] if row["more"] else []
    return [who, evidence, *others, *(f"      {name}: {value}" for name, value in facts.items() if value)]


def _seen(row: dict[Any, Any]) -> dict[str, str]:
    """What else was seen of a late thread; its code may have had several versions, and which one ran isn't known."""
    told = {name: str(row[column]) for column, name in SEEN.items()}
    versions = told["compiled"].split(", ")
    if len(versions) > 1 and not told["compiled"].startswith(BEFORE):
        told["compiled"] = f"{len(versions)} versions: {told['compiled']}"
    return told


def _without_empty(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The table, the head first, without columns that have nothing below it; [] if none has."""
    return list(zip(*(column for column in zip(*rows, strict=True) if any(column[1:])), strict=True))


def _aligned(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ((cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(("  " + "  ".join(row)).rstrip() for row in cells)


def _where(row: "pd.Series[Any]") -> str:
    line = "" if pd.isna(row["line"]) else f":{row['line']}"
    return f"{row['method']}{line}{' in ' + row['within'] if row['within'] else ''}"


def _who(row: Any) -> str:
    return " carrying ".join(filter(None, [_text(row["thread"]), _text(row["virtual"])]))


def _text(value: Any) -> str:
    return "" if value is None or pd.isna(value) else str(value)


def in_ms(wait_ms: float) -> str:
    """A wait, with a decimal where it may be just above a limit.

    >>> in_ms(30.4), in_ms(572.7)
    ('30.4 ms', '573 ms')
    """
    return f"{wait_ms:.1f} ms" if wait_ms < 100 else f"{wait_ms:.0f} ms"
