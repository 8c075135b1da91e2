"""A vendor and version ("temurin:25", "zulu:8u45", or just 17) -> that vendor's own build, by way of the library cjdk.

cjdk has an index of nearly every vendor's builds, back to 2015. It downloads over https and unpacks. If the vendor
publishes a SHA-256 sum beside the archive, that is verified, too.
"""

import json
import os
import re
import shutil
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import Any, TypeVar

from safepointlab import jdks
from safepointlab.errors import InstallFailed
from safepointlab.jdks.provision.fetch import mb
from safepointlab.process import home

REACHABLE_S = 15.0  # the index is a few MB; a network too slow for it is too slow for 200 MB
USUAL = ("temurin", "adoptium")  # one vendor, its new and its old name in the index
SUM_BESIDE = (".sha256.txt", ".sha256", ".sha256sum.txt")
Answer = TypeVar("Answer")


class Vendors:
    """All vendors' builds as a source of JDKs."""

    name = "the vendors' builds (cjdk)"

    def __init__(self, store: Path, say: Callable[[str], object], **options: Any) -> None:
        """`options` go to cjdk as they are: another index_url, for instance."""
        self.store, self.say = store, say
        self.options = {"cache_dir": home.cache() / "cjdk", "progress": sys.stderr.isatty(), **options}
        self._unreachable = ""

    def install(self, spec: str) -> Path:
        """Download and unpack the newest JDK of the index that fits the spec.

        Raises:
            InstallFailed: the index is out of reach or has no such build, or its archive cannot be had or is damaged.
        """
        if self._unreachable or spec.partition(":")[0].lower() in jdks.PACKAGERS:
            only_there = "not asked, as these builds are in the distribution's archive only"
            raise InstallFailed(self._unreachable or only_there)
        exact = next((builds[-1] for name in candidates(spec) if (builds := self._listed(*name))), "")
        if not exact:
            raise InstallFailed(f"the index has no {spec} for this system")
        url, sum_beside = self._archive(exact)
        trust = "checksum published beside it" if sum_beside else "no checksum published; trusting https"
        self.say(f"  {exact}: {size(url.partition('+')[2])}, {trust}")
        return self._unpacked(exact, url, sum_beside)

    def _listed(self, vendor: str, version: str) -> list[str]:
        import cjdk  # most of the lab's commands install nothing

        def ask() -> list[str]:
            return cjdk.list_jdks(vendor=vendor, version=version, cached_only=False, **self.options)

        try:
            return within(REACHABLE_S, ask)
        except cjdk.ConfigError as cause:
            raise InstallFailed(str(cause)) from cause
        except (cjdk.CjdkError, TimeoutError) as cause:
            deepest = re.search(r"Caused by (\w+)", str(cause))  # requests wraps the cause in two messages
            self._unreachable = f"the index cannot be reached ({deepest[1] if deepest else cause})"
            raise InstallFailed(self._unreachable) from cause

    def _archive(self, exact: str) -> tuple[str, str]:
        """Where the build's archive lies, and its checksum, "" if none is published."""
        vendor, _, version = exact.partition(":")
        machine = os.uname().machine
        for file in self.options["cache_dir"].glob("*/index/*/*.json"):
            index = json.loads(file.read_text("utf-8"))  # by system, processor, vendor and version
            vendors = index.get("linux", {}).get({"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine), {})
            for name, versions in vendors.items():
                if re.fullmatch(rf"jdk@{re.escape(vendor)}(-java\d+)?", name) and version in versions:
                    return versions[version], published_sum(versions[version].partition("+")[2])
        raise InstallFailed(f"the index names no archive of {exact}")

    def _unpacked(self, exact: str, url: str, sum_beside: str) -> Path:
        import cjdk

        shutil.rmtree(self.options["cache_dir"] / "v0" / "fetching", ignore_errors=True)  # of a killed run
        try:
            folder = cjdk.cache_package(exact, url, sha256=sum_beside or None, **self.options)
        except cjdk.CjdkError as cause:
            raise InstallFailed(f"{exact}: {cause}") from cause
        final = self.store / re.sub(r"[^0-9A-Za-z.]+", "-", exact)
        shutil.rmtree(final, ignore_errors=True)  # not a working JDK: otherwise this one would not be missing
        javas = [*folder.glob("bin/java"), *folder.glob("*/bin/java")]  # the archive may have a folder around the JDK
        if not javas:
            raise InstallFailed("the archive holds no bin/java")
        javas[0].parent.parent.rename(final)
        shutil.rmtree(folder)
        return final


def candidates(spec: str) -> Iterator[tuple[str, str]]:
    """The names of a spec in the index, where 8u45 is 8.0.45 or 1.8.45 and a vendor may have an old and a new name.

    >>> list(candidates("zulu:8u45"))
    [('zulu', '8.0.45'), ('zulu', '8.45')]
    """
    vendor, _, version = spec.lower().rpartition(":")
    update = re.fullmatch(r"8u(\d+)", version)
    versions = [f"8.0.{update[1]}", f"8.{update[1]}"] if update else [version]
    for name in USUAL if vendor in ("", *USUAL) else (vendor,):
        yield from ((name, number) for number in versions)


def size(url: str) -> str:
    """How large the file is, in words."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=5) as answer:
            return mb(int(answer.headers["Content-Length"]))
    except (OSError, TypeError, ValueError):
        return "of unknown size"


def published_sum(url: str) -> str:
    """The SHA-256 sum that the vendor publishes next to an archive, "" if there is none."""
    for suffix in SUM_BESIDE:
        try:
            with urllib.request.urlopen(url + suffix, timeout=5) as answer:
                if match := re.search(r"\b[0-9a-f]{64}\b", answer.read(4096).decode("ascii", "replace").lower()):
                    return match[0]
        except OSError:  # 404, or any failure of the network
            continue
    return ""


def within(seconds: float, ask: Callable[[], Answer]) -> Answer:
    """The result of `ask`, if it comes in time: cjdk itself has no timeout for a host that drops packets.

    Raises:
        TimeoutError: it does not come in time.
    """
    future: Future[Answer] = Future()

    def work() -> None:
        try:
            future.set_result(ask())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()  # a pool's thread would keep the process from ending
    try:
        return future.result(seconds)
    except FutureTimeout as late:
        raise TimeoutError(f"no answer within {seconds:.0f} s") from late
