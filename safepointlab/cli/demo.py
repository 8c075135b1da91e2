"""`safepoint demo NAME` -> that demo in large type, one key a step; without a name the list of the demos."""

import argparse

from safepointlab.errors import BadInput, NotRecorded
from safepointlab.process import home, recording
from safepointlab.teaching.demo import demos, player, screen

DESCRIPTION = """A demo takes a minute of runs at most. It runs live; where a step takes too long, the demo goes on from
the recording and says so. Keys in a demo: space or enter for the next step, b back, n shows or hides the speaker's
notes on the screen, r takes the run that is under way from the recording, or before it the next one, q quits. A deck
has its own (safepoint slides --help): there b makes the screen black, and n opens the notes in a window."""
EPILOG = """on a stage, in a terminal of 100 x 30 (full screen at 1920 x 1080, that is a font of about 22 points):
  safepoint demo hang
with the speaker's notes on a second terminal (type tty there for its name):
  safepoint demo hang --notes /dev/pts/3
without any JVM:
  safepoint demo hang --replay"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = DESCRIPTION
    parser.add_argument("name", nargs="?", default="", help=f"{', '.join(demos.NAMES)} (without: list them)")
    parser.add_argument("--replay", action="store_true", help="play the recording; no JVM is started")
    parser.add_argument("--record", action="store_true", help="run it live and save the recording; nothing is shown")
    parser.add_argument(
        "--notes", default="", metavar="FILE", help="write the speaker's notes there, not on the screen"
    )
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.replay and arguments.record:
        raise BadInput("--replay starts no JVM and --record needs one: give one of the two.")
    if arguments.record:
        if recording.replaying():
            raise BadInput("SAFEPOINTLAB_REPLAY is set, so nothing would run. Unset it, then record.")
        for demo in [demos.find(arguments.name)] if arguments.name else demos.every():
            print(f"{demo.name}: {home.shown(demos.save(demo, player.record(demo)))}", flush=True)
    elif arguments.name:
        replay = arguments.replay or recording.replaying() is not None
        demo = demos.find(arguments.name)
        with screen.open_screen() as shown:
            try:
                player.Player(demo, shown, replay, arguments.notes).play()
            except KeyboardInterrupt:  # it leaves as q does: nothing is said on the stage
                return 130
    else:
        for demo in demos.every():
            try:
                recorded = f"recorded {demos.load(demo).where}"
            except NotRecorded:
                recorded = "not recorded"
            print(f"{demo.name:10} {demo.title}\n{'':10} {len(demo.steps)} steps · {recorded} · {demo.notebook}")
        print("\nsafepoint demo NAME plays one: space next, b back, q quit.")
    return 0
