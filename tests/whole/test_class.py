"""deploy/hub: a real JupyterHub with its configuration, and a hang that must end; scripts/class_of_twenty.py has more.

Without configurable-http-proxy each student goes straight to their own server; all else is the same.
"""

import grp
import os
import pwd
from contextlib import suppress

import psutil
import pytest
import requests

from safepointlab import jdks
from safepointlab.process.home import PROJECT

pytest.importorskip("jupyterhub", reason="JupyterHub is not installed: group hub of the lock")
class_hub = pytest.importorskip("class_hub")
PAMAuthenticator = pytest.importorskip("jupyterhub.auth").PAMAuthenticator
# Students see no JDK of our JAVA_HOME, nor of our PATH.
SEEN = [jdk.major for jdk in jdks.find() if jdk.origin in ("lab", "system") and jdk.major >= 17 and jdk.has_javac]
HANG = f"""import safepointlab as lab
lab.java("hang/KillerTask", {max(SEEN, default=17)}, gc="Serial", args="600", deadline=900)"""


@pytest.mark.live
@pytest.mark.skipif(not SEEN, reason="needs a JDK from 17 on in the lab's cache or the system's folders")
def test_a_hang_ends_when_its_kernel_is_culled_and_when_its_server_is_stopped(tmp_path, eventually):
    shared = class_hub.shared_cache(tmp_path / "shared", ["00"])
    with class_hub.started(tmp_path, shared, LAB_IDLE_S="25") as hub:
        stranger = class_hub.Student(hub, "stranger-bob")
        with pytest.raises(requests.HTTPError, match="403"):
            stranger.logs_in()
        student = class_hub.Student(hub, "live-ada")
        student.logs_in()
        student.starts_server()
        student.executes(student.opens_kernel(), HANG, wait=False)
        assert eventually(lambda: _has_killer(hub), 90), "no JVM started"
        assert eventually(lambda: not student.kernels() + hub.jvms(), 90), "the busy kernel was not culled"
        student.executes(student.opens_kernel(), HANG, wait=False)
        assert eventually(lambda: _has_killer(hub), 90), "no JVM started"
        student.stops_server()
        assert eventually(lambda: not hub.processes(), 90)


def _has_killer(hub) -> bool:
    with suppress(psutil.Error):
        return any("KillerTask" in word for jvm in hub.jvms() for word in jvm.cmdline())
    return False


def _configuration(monkeypatch, cores: set[int], **settings: str):
    """deploy/hub's configuration as a JupyterHub with these variables reads it, and the names in its file."""
    from traitlets.config import Config

    config = Config()
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("os.sched_getaffinity", lambda process: cores)
    file = PROJECT / "deploy" / "hub" / "jupyterhub_config.py"
    names = {"get_config": lambda: config, "__file__": str(file)}
    exec(compile(file.read_text("utf-8"), file, "exec"), names)
    return config, names


def test_members_of_the_students_group_may_enter_and_nobody_else(monkeypatch, capsys):
    """With JupyterHub's own check, on this machine's own users: each is in the group of its number."""
    user = pwd.getpwuid(os.getuid())
    group = grp.getgrgid(user.pw_gid).gr_name
    for students, allowed in {f"teachers-of-nothing, {group}": True, "teachers-of-nothing": False}.items():
        config, _ = _configuration(monkeypatch, {0, 1}, LAB_STUDENTS=students)
        assert PAMAuthenticator(config=config).check_allowed(user.pw_name) == allowed
        told = capsys.readouterr().err
        assert "no group 'teachers-of-nothing', so nobody is let in by it: groupadd" in told and group not in told


@pytest.mark.parametrize(
    ("each", "cores", "blocks"),
    [("3", set(range(9)), ["2,3,4", "5,6,7"]), ("0", set(range(4)), []), ("8", set(range(4)), []), ("2", {0}, [])],
)
def test_students_are_pinned_to_blocks_of_cores_beside_those_of_the_hub_or_share_all(monkeypatch, each, cores, blocks):
    reserved = {"LAB_CORES_RESERVED": "2"} if blocks else {}
    _, names = _configuration(monkeypatch, cores, LAB_CORES_EACH=each, **reserved)
    assert names["blocks"]() == blocks and (blocks or names["cores_of"](object()) == "")


def test_hung_kernels_are_culled_without_any_further_package(monkeypatch):
    config, names = _configuration(monkeypatch, {0, 1, 2, 3}, LAB_IDLE_S="1800")
    assert "--MappingKernelManager.cull_busy=True" in config.Spawner.args
    assert "--MappingKernelManager.cull_idle_timeout=1800" in config.Spawner.args
    assert ("services" in config.JupyterHub) == names["CULLER"]


def test_the_values_for_kubernetes_are_yaml_with_limits_and_culling():
    yaml = pytest.importorskip("yaml")
    values = yaml.safe_load((PROJECT / "deploy" / "hub" / "values.yaml").read_text("utf-8"))
    for resource in ("memory", "cpu"):
        assert values["singleuser"][resource]["limit"] == values["singleuser"][resource]["guarantee"]
    assert values["cull"]["enabled"]
