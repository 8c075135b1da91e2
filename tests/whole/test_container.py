"""The image is built from the Dockerfile, and what runs in it is the same lab, under a user who is not root."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from safepointlab.process.home import PROJECT

NAME = "safepoint-lab-test"
GET = """python -c 'import urllib.request as u; print(u.urlopen("http://localhost:18931/api").read())' 2>/dev/null"""
STORAGE = {"STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
pytestmark = [
    pytest.mark.container,
    pytest.mark.live,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not shutil.which("buildah"), reason="no buildah: apt install buildah mmdebstrap, then it runs"),
    pytest.mark.skipif(os.environ.get("SAFEPOINTLAB_IMAGE_TEST") == "0", reason="SAFEPOINTLAB_IMAGE_TEST=0"),
]


def buildah(*words: str) -> str:
    done = subprocess.run(
        ["buildah", *words], env=os.environ | STORAGE, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def container() -> Iterator[str]:
    subprocess.run([PROJECT / "scripts" / "image", NAME], check=True, timeout=1500)
    name = buildah("from", "--pull-never", NAME).strip()
    yield name
    buildah("rm", name)
    buildah("rmi", NAME)


def test_the_lab_in_the_container_is_not_root_and_has_its_jdks(container):
    assert buildah("run", container, "--", "id", "-un").strip() == "reader"
    listed = buildah("run", container, "--", "safepoint", "jdks")
    assert {"8", "11", "17", "21", "25"} <= set(re.findall(r"^(\d+)[u.]", listed, re.MULTILINE))


def test_a_notebook_executes_in_the_container(container):
    shell = "SAFEPOINTLAB_PROFILE=quick safepoint notebooks 00"
    assert "1 of 1 executed" in buildah("run", container, "--", "sh", "-c", shell)


def test_the_images_own_command_serves_the_page(container):
    command = re.search(r'^CMD \["(.*)"\]$', (PROJECT / "Dockerfile").read_text(), re.MULTILINE)
    assert command
    serve = " ".join(command[1].split('", "')) + " --port=18931 & server=$!"
    ask = f"until {GET}; do sleep 1; kill -0 $server || exit 1; done; kill $server"
    assert '"version"' in buildah("run", container, "--", "sh", "-c", f"{serve}; {ask}")


def test_a_jupyterhub_can_start_its_server(container):
    assert re.match(r"\d+\.\d+", buildah("run", container, "--", "jupyterhub-singleuser", "--version"))
