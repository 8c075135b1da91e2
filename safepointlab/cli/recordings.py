"""`safepoint runs ...` -> the recorded runs, fewer of them, or an archive that plays a page without any JDK.

    safepoint runs                                   list this machine's runs
    safepoint runs prune --keep 50                   delete all but the newest
    safepoint runs export --notebook 03              recordings/03.tar.xz, from this machine's runs
    safepoint runs export --as big-box               recordings/big-box/: what this machine recorded, under its own name
    safepoint runs import FILE                       unpack an archive; without FILE all that come with the lab
    safepoint runs play -- safepoint notebooks 03    start a command that plays recordings and needs no JDK

An archive is read within bounds and compared with its manifest (`process.archives`); nothing in it is ever run.
"""

import argparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from safepointlab import config
from safepointlab.cli import notebooks
from safepointlab.cli.options import whole
from safepointlab.errors import BadInput, BadRecording, NotRecorded, RunFailed, ToolMissing
from safepointlab.process import home, machine, recording, replay
from safepointlab.process.archives import archive, pack, unpack
from safepointlab.process.files import write_whole
from safepointlab.process.quiet import Quiet
from safepointlab.run.load import load

LAB = "jupyter lab --config=scripts/jupyter_server.py"  # from the checkout; with the reader's copies
LISTED = 5  # runs that are missing: how many are named


EPILOG = """what is recorded here, and what to do when the disk fills up:
  safepoint runs
  safepoint runs prune --keep 50
any command of the lab, played from the recordings that come with it, without a JDK:
  safepoint runs play -- safepoint run hang/KillerTask --args 600 --deadline 3
another machine's recordings:
  safepoint runs import big-box.tar.xz"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=_list)
    actions = parser.add_subparsers(metavar="list | prune | export | import | play")
    actions.add_parser("list", help="this machine's recorded runs, a line each").set_defaults(run=_list)
    fewer = actions.add_parser("prune", help="delete old runs, and what a killed lab left behind")
    fewer.add_argument("--keep", type=whole(0), default=200, metavar="N", help="how many runs a prune leaves (200)")
    fewer.set_defaults(run=_prune)
    export = actions.add_parser("export", help="play pages from this machine's runs, and pack what they used")
    export.add_argument("file", nargs="?", metavar="FILE", help="one archive for all pages (default: one a page)")
    export.add_argument("--notebook", nargs="+", action="extend", metavar="NN", help="the start of a page's name (all)")
    export.add_argument("--as", dest="name", type=_name, default=replay.LAB, help="the name of this machine's set")
    export.set_defaults(run=_export)
    come = actions.add_parser("import", help="unpack an archive of recordings")
    come.add_argument("files", nargs="*", metavar="FILE", help="archives (default: all that come with the lab)")
    come.set_defaults(run=_import)
    play = actions.add_parser("play", help="start a command that plays recordings")
    play.add_argument("--set", dest="name", type=_name, default=replay.LAB, help="whose recordings (the lab's)")
    play.add_argument("command", nargs="+", metavar="COMMAND", help="such as: safepoint notebooks 03")
    play.set_defaults(run=_play)


def _name(text: str) -> str:
    if not archive.NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f"{text!r} can't be a name: use small letters, digits and hyphens, such as big-box"
        )
    return text


def _prune(arguments: argparse.Namespace) -> int:
    print(f"{recording.prune(arguments.keep)} folders deleted: old recordings, and what killed labs left.")
    return 0


def _list(_: argparse.Namespace) -> int:
    for folder in sorted(recording.find("*", home.runs()), key=lambda folder: folder.stat().st_mtime):
        try:
            run = load(folder)
            described = repr(run) if "request" in run.finished.about else ""
        except NotRecorded as error:  # it does not spoil the list
            described = f"not readable: {error}"
        print(f"{folder.name}  {described}".rstrip())
    return 0


def _export(arguments: argparse.Namespace) -> int:
    from safepointlab.widgets import saved_kernel

    place = unpack.COMMITTED / ("" if arguments.name == replay.LAB else arguments.name)
    if not arguments.file or Path(arguments.file).absolute().parent == place:
        # what a page's facts will say of this process, and an archive's manifest with them
        here = {"cores": machine.usable_cores(), "system": machine.system(), "profile": config.profile()}
        pack.demand_same_machine(arguments.name, place, here)
    asked, lacking = {}, []
    for page in [page for start in arguments.notebook or [""] for page in notebooks.find(start)]:
        if saved_kernel.plays(page):
            print(f"{page.stem:32} needs no recording: its Java cells play from the page's saved outputs")
        elif traced := _trace(page):
            asked[page.stem] = traced
        else:
            lacking.append(page.stem)
    if arguments.file and asked:
        _pack(asked, arguments.name, Path(arguments.file))
    elif not arguments.file:
        for name, traced in asked.items():
            _pack({name: traced}, arguments.name, place / f"{name.partition('-')[0]}{archive.SUFFIX}")
    print(f"{len(asked)} pages packed." + (f" NOT PACKED: {', '.join(lacking)}" if lacking else ""))
    return int(bool(lacking))


def _trace(page: Path) -> pack.Asked | None:
    """What the page asks for, with its exercises' answers, from this machine's runs; None if that is not all there."""
    failure = ""
    with tempfile.TemporaryDirectory(prefix="safepointlab-") as folder:
        trace = Path(folder) / "trace.jsonl"
        trace.touch()
        try:
            with config.temporarily({config.REPLAY: "1", config.TRACE: str(trace)}):
                saved = trace.with_suffix(".ipynb")
                played = notebooks.execute(page, saved, say=lambda line: print(line, flush=True), answers=True)
            for condition in played.unmet:
                print(f"    packed, but record it again on a quiet machine: {condition}")
        except RunFailed as error:
            failure = str(error)
        asked = pack.Asked().add(trace)
    if not (failure or asked.missing):
        return asked
    number, count = page.stem.partition("-")[0], len(asked.missing)
    print(f"{page.stem:32} LACKS RUNS: {count} never recorded here. To record them: make notebooks NB={number}")
    said = asked.missing[:LISTED] or failure.splitlines()[-12:]
    print("".join(f"    {line}\n" for line in said), end="")
    return None


def _pack(asked: Mapping[str, pack.Asked], name: str, file: Path) -> None:
    everything = pack.Asked()
    for each in asked.values():
        everything.runs |= each.runs
        everything.facts |= each.facts
    content = pack.of(everything, list(asked), name)
    home.ready(file.parent)
    write_whole(file, content)
    quiet = [Quiet.from_dict(recording.load(folder).quiet) for folder in everything.runs.values()]
    disturbed = sum(1 for measured in quiet if measured and measured.disturbed)
    runs = f"{len(everything.runs)} runs ({disturbed} of them disturbed)"
    print(f"{home.shown(file)}: {runs}, {len(everything.facts)} facts, {len(content) / 1024:.0f} KiB")


def _import(arguments: argparse.Namespace) -> int:
    if arguments.files:
        places = [unpack.unpack(Path(file)) for file in arguments.files]
    else:
        places = [unpack.renew(name, files) for name, files in _committed().items()]
    for place in dict.fromkeys(places):
        print(f"{home.shown(place)}: {_about(place)}. Play it: safepoint runs play --set {place.name} -- {LAB}")
    return 0


def _about(place: Path) -> str:
    with replay.played_from(place):
        facts = replay.facts(place)
        count = len(recording.find("*"))
    machine = f"{facts.get('machine cores', '?')} cores, {facts.get('machine system', 'unknown system')}"
    return f"{count} runs recorded {replay.recorded_when(place)} on {machine}"


def _committed() -> dict[str, list[Path]]:
    """The archives that come with the lab.

    Raises:
        BadRecording: there are none.
    """
    if not (sets := unpack.committed()):
        raise BadRecording(
            f"no recordings come with this checkout: looked in {home.shown(unpack.COMMITTED)}. Make them on a machine "
            "with the lab's JDKs: make recordings. Or name an archive: safepoint runs import FILE"
        )
    return sets


def _play(arguments: argparse.Namespace) -> int:
    """Become the command, with recordings in place of JDKs."""
    place = play(arguments.name)
    program = shutil.which(arguments.command[0])
    if not program:
        raise ToolMissing(f"no program {arguments.command[0]!r} on PATH. In the lab's checkout: make lab REPLAY=1")
    print(f"Playing {_about(place)}", flush=True)
    os.execv(program, arguments.command)


def play(name: str = replay.LAB) -> Path:
    """Let recordings answer for JDKs in all that this process starts; returns their folder, unpacked if need be.

    Raises:
        BadRecording: no recordings come with the lab.
        BadInput: none have that name.
    """
    from safepointlab.widgets import saved_kernel

    place = home.recordings() / name
    if name == replay.LAB or not (place / replay.SET).is_file():
        sets = _committed()
        if name not in sets:
            known = sorted({*sets, *(folder.name for folder in replay.sets())})
            raise BadInput(f"no recordings are called {name!r}. There are: {', '.join(known)}")
        place = unpack.renew(name, sets[name])
    kernels = saved_kernel.install(home.recordings() / ".jupyter")
    others = os.environ.get("JUPYTER_PATH")
    os.environ |= {config.REPLAY.name: str(place), "JUPYTER_PATH": f"{kernels}:{others}" if others else str(kernels)}
    return place
