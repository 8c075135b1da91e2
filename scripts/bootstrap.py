"""requirements.lock -> the project's .venv, every package checked against its hash; needs nothing but Python 3.11.

uv does the work: seconds where pip takes a minute. It comes as a wheel from the machine's own package index,
hash-checked by the lock, and is kept in the lab's cache with all that it fetches: another checkout, or a second
set-up, downloads nothing. Where uv cannot be had, pip does the same, slower. In an unpacked bundle (`make bundle`) all
comes from its folder, and nothing is asked of a network.
"""

import fcntl
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
import venv
from collections.abc import Mapping
from pathlib import Path

import bundled

PROJECT = Path(__file__).resolve().parent.parent
VENV = PROJECT / ".venv"
PYTHON = VENV / "bin" / "python"
UV = VENV / "bin" / "uv"
LOCK = PROJECT / "requirements.lock"
BUNDLE = PROJECT / "bundle"
RELOCATE = """
import pathlib, sys
from safepointlab.jdks.provision import transplant
for folder in sys.argv[1:]:
    transplant.relocate(pathlib.Path(folder))
"""
NO_NETWORK = (
    "no network: the index of Python packages cannot be reached, and this machine's cache lacks some of them. "
    "Run the same command again with a network. For a room without one, run `make bundle` where there is one: "
    "it writes one file with everything that the lab needs."
)


def cache() -> Path:
    """As safepointlab.home.cache(), which cannot be imported before its packages are there."""
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("SAFEPOINTLAB_CACHE") or Path(user) / "safepointlab").expanduser().resolve()


def main() -> None:
    with LOCK.open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two set-ups at once: the second waits, then finds it done
        check_bundle()
        say(f"setting up {VENV.name} with Python {sys.version.split()[0]}")
        make_venv()
        install = installer()
        say("installing the locked packages")
        fetching(*install, "--require-hashes", "-r", LOCK)
        run(*install, "--no-deps", "--no-build-isolation", "--editable", PROJECT)
        compile_bytecode()
        fill_cache()


def compile_bytecode() -> None:
    """Python does this at each module's first import: then the first kernel is the slow one, before a reader's eyes."""
    say("compiling them to bytecode")
    folders = [VENV / "lib", PROJECT / "safepointlab"]
    run(PYTHON, "-m", "compileall", "-qq", "-j", "0", *folders, check=False)  # some packages carry a file of Python 2


def check_bundle() -> None:
    """In an unpacked bundle, compare all of it with its manifest before anything is installed."""
    if BUNDLE.exists():
        say("checking the bundle's files against its manifest")
        try:
            bundled.checked(BUNDLE)
        except bundled.BadBundle as bad:
            sys.exit(f"safepoint lab: {bad}")


def fill_cache() -> None:
    """Jars and JDKs of the bundle into the lab's cache; the JDKs learn where their C library now is."""
    if BUNDLE.exists():
        say(f"putting the bundle's JDKs and jars into {cache()}")
        try:
            folders = bundled.fill(BUNDLE, cache())
        except bundled.BadBundle as bad:
            sys.exit(f"safepoint lab: {bad}")
        if folders:
            run(PYTHON, "-c", RELOCATE, *folders)


def fetching(*command: str | Path) -> None:
    """Run an installation; without a network its failure is one sentence instead of the installer's many."""
    done = subprocess.run([*map(str, command)], env=environment(), cwd=PROJECT, stderr=subprocess.PIPE, text=True)
    if done.returncode and not (BUNDLE.exists() or reachable()):
        sys.exit(f"safepoint lab: {NO_NETWORK}")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode:
        sys.exit(f"safepoint lab: this failed (exit status {done.returncode}): {' '.join(map(str, command))}")


def reachable() -> bool:
    """Whether the index of Python packages answers at all; an error of its own is an answer."""
    default = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    asked = [str(PYTHON), "-c", default]
    index = pip_setting("index-url") or subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    try:
        urllib.request.urlopen(urllib.request.Request(index.strip(), method="HEAD"), timeout=10).close()
    except urllib.error.HTTPError:
        return True
    except urllib.error.URLError as refused:
        return "CERTIFICATE" in str(refused)
    except (OSError, ValueError):
        return False
    return True


def say(text: str) -> None:
    print(f"safepoint lab: {text}", flush=True)


def run(*command: str | Path, check: bool = True) -> bool:
    done = subprocess.run([str(word) for word in command], env=environment(), cwd=PROJECT, check=False)
    if check and done.returncode:
        sys.exit(f"safepoint lab: this failed (exit status {done.returncode}): {' '.join(map(str, command))}")
    return done.returncode == 0


def make_venv() -> None:
    """A .venv whose Python is gone (upgraded, or copied from elsewhere) is made anew."""
    if not (PYTHON.exists() and run(PYTHON, "-c", "", check=False)):
        venv.create(VENV, clear=True, symlinks=True, with_pip=True)


def installer() -> list[str | Path]:
    offline: list[str | Path] = ["--offline", *BUNDLED] if BUNDLE.exists() else []
    if UV.exists() or fetch_uv():
        return [UV, "pip", "install", "--quiet", "--python", PYTHON, *offline]
    say("no uv from this machine's package index: pip does it, which takes a minute longer")
    return [*pip("install"), "--quiet", *(BUNDLED if BUNDLE.exists() else [])]


BUNDLED: list[str | Path] = ["--no-index", "--find-links", BUNDLE / "wheels"]


def fetch_uv() -> bool:
    """One wheel, kept in the cache; installed from there and from nowhere else."""
    wheels = cache() / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    pinned = wheels / "uv.txt"
    pinned.write_text(pinned_in_lock("uv"))
    version = pinned.read_text().split()[0].removeprefix("uv==")
    checked: list[str | Path] = ["--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", pinned]
    if BUNDLE.exists():
        return run(*pip("install"), *BUNDLED, *checked, check=False)
    if not any(wheels.glob(f"uv-{version}-*.whl")):
        if not reachable() and not PIP_CONFIG.get("find-links") and not os.environ.get("PIP_FIND_LINKS"):
            sys.exit(f"safepoint lab: {NO_NETWORK}")
        say("fetching uv")
        run(*pip("download"), "--dest", wheels, *checked, check=False)
    return run(*pip("install"), "--no-index", "--find-links", wheels, *checked, check=False)


def pip(verb: str) -> list[str | Path]:
    if not run(PYTHON, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('pip'))", check=False):
        run(PYTHON, "-m", "ensurepip")
    return [PYTHON, "-m", "pip", verb, "--disable-pip-version-check"]


def pinned_in_lock(name: str) -> str:
    """The lock's entry of one package: its line and the hash lines under it."""
    entry = re.search(rf"^{name}==.*(?:\n    --hash.*)+", LOCK.read_text(), re.MULTILINE)
    return entry[0] + "\n" if entry else sys.exit(f"{LOCK.name} has no entry for {name}")


def environment() -> Mapping[str, str]:
    """uv reads its own variables only: hand it the package index that this machine's pip is set to."""
    told = {
        "UV_CACHE_DIR": str(cache() / "uv"),
        "UV_DEFAULT_INDEX": pip_setting("index-url"),
        "UV_INDEX": pip_setting("extra-index-url"),
        "UV_FIND_LINKS": pip_setting("find-links"),
        "SSL_CERT_FILE": pip_setting("cert"),
        "UV_LINK_MODE": "copy" if not same_disk() else "",
    }
    return {**{name: value for name, value in told.items() if value}, **os.environ}


def pip_setting(name: str) -> str:
    """PIP_INDEX_URL or its like, else pip's configuration; '' when neither says anything."""
    asked = os.environ.get("PIP_" + name.upper().replace("-", "_"))
    return asked if asked is not None else PIP_CONFIG.get(name, "")


def pip_config() -> dict[str, str]:
    asked = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
    return dict(re.findall(r"^(?:global|install|:env:)\.([\w-]+)='(.*)'$", listed, re.MULTILINE))


def same_disk() -> bool:
    """uv links packages from its cache into .venv, which works on one disk only."""
    kept = cache()
    kept.mkdir(parents=True, exist_ok=True)
    return kept.stat().st_dev == PROJECT.stat().st_dev


PIP_CONFIG = pip_config()

if __name__ == "__main__":
    main()
