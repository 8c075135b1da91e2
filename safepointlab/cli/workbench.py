"""`safepoint workbench [FILE.java]` -> JupyterLab with the workbench alone, on that file, in the browser."""

import argparse
import os

from safepointlab.process import extras
from safepointlab.widgets.workbench import page

PORT = 8890
EPILOG = """your own program, next to its editor (a file that is not there yet is begun from a template):
  safepoint workbench MyProgram.java
a sample of the lab, or no program yet:
  safepoint workbench hang/KillerTask
  safepoint workbench"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", nargs="?", default="", help="a .java file, or a sample as topic/Name")
    parser.add_argument("--port", type=int, default=PORT, help=f"where JupyterLab listens, on localhost only ({PORT})")
    parser.add_argument("--no-browser", action="store_true", help="print the page's address and open nothing")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    extras.demand("jupyterlab")
    more = ["--no-browser"] if arguments.no_browser else []
    command = page.prepare(arguments.program, arguments.port, more)
    os.execv(command[0], command)  # Ctrl-C, signals and the exit status are JupyterLab's own from here on
