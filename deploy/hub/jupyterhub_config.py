"""A class on one large machine: JupyterHub's configuration. README.md beside it says what to set, and why.

    cd /srv/safepoint-hub
    /opt/safepoint-lab/.venv/bin/jupyterhub -f /opt/safepoint-lab/deploy/hub/jupyterhub_config.py

Who may log in, and every limit, is a variable of the environment, so that this file can stay as it is:

    LAB_STUDENTS        the groups of this machine whose members may log in, separated by commas (students)
    LAB_CORES_EACH      cores that each student's server is pinned to; 0: all students share all cores in time (2)
    LAB_CORES_RESERVED  cores that no student gets: the Hub, its proxy and the system run there (2)
    LAB_MEMORY_EACH     memory of each student's server with all that it starts, JVMs too (3G)
    LAB_IDLE_S          seconds without a word after which a kernel is ended, a hung cell's too (3600)
    LAB_SHARED          the cache that `make setup` filled: JDKs and jars of all students (/opt/safepoint-lab-cache)
    LAB_REPLAY          1: all students play the recordings that come with the lab, and no JVM starts
"""

import grp
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
EACH, RESERVED = int(os.environ.get("LAB_CORES_EACH", "2")), int(os.environ.get("LAB_CORES_RESERVED", "2"))
MEMORY, IDLE_S = os.environ.get("LAB_MEMORY_EACH", "3G"), int(os.environ.get("LAB_IDLE_S", "3600"))
SYSTEMD = importlib.util.find_spec("systemdspawner") is not None
CULLER = importlib.util.find_spec("jupyterhub_idle_culler") is not None


def blocks() -> list[str]:
    """The cores for students, as many in each block as a student gets: ["2,3", "4,5", ...]; none to share them all."""
    cores = sorted(os.sched_getaffinity(0))[RESERVED:]
    firsts = range(0, len(cores) - EACH + 1, EACH) if EACH else ()
    return [",".join(map(str, cores[first : first + EACH])) for first in firsts]


def cores_of(spawner: Any) -> str:
    """A user's block, always the same; two users share one only if the Hub knows more users than it has blocks."""
    found = blocks()
    return found[spawner.user.orm_user.id % len(found)] if found else ""


def confine(spawner: Any) -> None:
    """The kernel holds the student's unit to the block: a student's own taskset does not lead out of it."""
    if SYSTEMD and (cores := cores_of(spawner)):
        spawner.unit_extra_properties = {**spawner.unit_extra_properties, "AllowedCPUs": cores}


def students() -> set[str]:
    """The groups of the machine that may enter: since JupyterHub 5, a Hub that names none lets nobody in."""
    names = {name.strip() for name in os.environ.get("LAB_STUDENTS", "students").split(",")}
    for name in sorted(names - {group.gr_name for group in grp.getgrall()}):
        told = f"This machine has no group {name!r}, so nobody is let in by it: groupadd {name}, or set LAB_STUDENTS."
        print(told, file=sys.stderr)
    return names


c = get_config()  # type: ignore[name-defined]  # noqa: F821  (JupyterHub puts it there)
c.LocalAuthenticator.allowed_groups = students()  # also of the PAM authenticator, which is JupyterHub's default
c.JupyterHub.spawner_class = "systemd" if SYSTEMD else "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = [str(HERE / "start-lab")]
c.Spawner.environment = {
    "LAB_PINNED": cores_of,
    "LAB_SHARED": os.environ.get("LAB_SHARED", "/opt/safepoint-lab-cache"),
    "LAB_REPLAY": os.environ.get("LAB_REPLAY", ""),
}
c.Spawner.pre_spawn_hook = confine
c.Spawner.mem_limit = MEMORY  # the systemd spawner enforces it, the local one does not: see README.md
c.Spawner.cpu_limit = float(EACH) if EACH else None
c.Spawner.default_url = "/lab/tree/safepoint-lab/00-start-here.ipynb"
c.Spawner.start_timeout = c.Spawner.http_timeout = 180  # a whole class starts in the same minute
c.SystemdSpawner.isolate_tmp = False  # one /tmp for all: there runs wait for each other, if they are asked to

# A kernel that has said nothing for so long is ended with its JVMs, even if a cell runs (it hangs: the lab's own runs
# have deadlines, and sweeps report each second) and even if a page is open. A server without kernels ends itself.
c.Spawner.args = [
    f"--MappingKernelManager.cull_idle_timeout={IDLE_S}",
    f"--MappingKernelManager.cull_interval={max(1, min(60, IDLE_S // 5))}",
    "--MappingKernelManager.cull_busy=True",
    "--MappingKernelManager.cull_connected=True",
    f"--TerminalManager.cull_inactive_timeout={IDLE_S}",
    f"--ServerApp.shutdown_no_activity_timeout={2 * IDLE_S}",
]
c.JupyterHub.cleanup_servers = True  # the end of the Hub is the end of all servers

if CULLER:  # it also ends servers whose own clock cannot: of a hung server, for instance
    scopes = ["list:users", "read:users:activity", "read:servers", "delete:servers"]
    c.JupyterHub.load_roles = [{"name": "idle-culler", "scopes": scopes, "services": ["idle-culler"]}]
    command = [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={3 * IDLE_S}"]
    c.JupyterHub.services = [{"name": "idle-culler", "command": command}]
