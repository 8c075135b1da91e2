"""The lock serves other machines than this: every package has a wheel for ARM64's Linux, so nothing is compiled."""

import subprocess

import pytest

RESOLVE = (
    "pip install --dry-run --no-deps --only-binary :all: --require-hashes -r requirements.lock --python-version 3.11"
)


@pytest.mark.newcomer
@pytest.mark.parametrize("platform", ["aarch64-manylinux_2_28", "x86_64-manylinux_2_28", "aarch64-apple-darwin"])
def test_each_locked_package_has_a_wheel(platform, project, tmp_path):
    command = [project / ".venv/bin/uv", *RESOLVE.split(), "--python-platform", platform, "--target", tmp_path]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0 and "Would install" in done.stderr, done.stderr[-2000:]
