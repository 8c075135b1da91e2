"""Maven coordinates -> jar files in the lab's cache, each verified by a checksum in this file."""

import hashlib
import re
from contextlib import suppress
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from safepointlab.errors import BadInput, InstallFailed
from safepointlab.process import home, recording

PART = re.compile(r"\w[\w.+-]*")  # of coordinates; no part of them may lead out of the folder
JOL = "org.openjdk.jol:jol-core:0.17"  # reads the headers of objects
CHECKSUMS = {  # sha256; a coordinate that is not listed is fetched without this check
    "org.eclipse.jdt.core.compiler:ecj:4.6.1": "9cddda75f4a1b4469e73f44e7b61a3e897d0f657df4797f9106ffe88c4eeade0",
    "org.eclipse.jdt:ecj:3.46.0": "d0d43f8e2d7003e5efed612e2cbb5f01870043397d8f1bbe536fd9128f4fcbf7",
    # 2015, the last with linked queues that keep their links
    "org.jctools:jctools-core:1.1": "1c3a65d2124f33661b831810235767994633c457c68f28dbb0d8a7b98462c08f",
    # 2016, whose size() goes on at the head where a node points at itself
    "org.jctools:jctools-core:1.2.1": "c81e68ef9eee1308ce7ca56811190258e31d162073640113c9502027fca2eb74",
    "org.jctools:jctools-core:4.0.5": "d65e5f38bcd0984e26f87187687f1f70dd52740c4d5e046f8d104e01ab5db95f",
    "org.agrona:agrona:1.22.0": "d422a57e89ccb6ae0f9482efa16f5dd0b993dac0db3860f54b033f21f45206cf",
    # 2015, the last whose queue keeps its links, and 2016
    "com.typesafe.akka:akka-actor_2.11:2.4.1": "a5f9d74a391dfe54da66f2180b6e05ec8638a7e0cf0e3db6129683750d3b8310",
    "com.typesafe.akka:akka-actor_2.11:2.4.3": "67cfb76b49245e91b1447735798db3d14bd138c9d9afa5f8feff351cdf8193b4",
    # its RateLimiter paced cassandra-stress
    "com.google.guava:guava:33.4.0-jre": "b918c98a7e44dbe94ebd9fe3e40cddaadb5a93e6a78eb6008b42df237241e538",
    JOL: "bd73d9ad265d8478ccde06130200877f3a4f0a6e2d44e7fb8cbb2e6f4104cbdc",
    # a known program with long loops, which the lab observes
    "gov.nist.math:scimark:2.0": "6f84f949c3167b385da1a9957ecd53fe0111b42e981e0c481be53dba0504305f",
    # latencies without losing the long ones
    "org.hdrhistogram:HdrHistogram:2.2.2": "22d1d4316c4ec13a68b559e98c8256d69071593731da96136640f864fa14fad8",
    # calls the JVM's interface for tools, JVMTI, without a compiler for C
    "net.java.dev.jna:jna:5.17.0": "b3a9408e7c51e08ef0e3bfcc08f443f6ec0f6191ba8cd7c18d53d2b22e5bdbc0",
    "tools.profiler:async-profiler:4.5": "d0184907de67ca63363f1a6333c75eb7414fb3e13c564641304fe0fdca97363e",
    "org.openjdk.jmh:jmh-core:1.37": "dc0eaf2bbf0036a70b60798c785d6e03a9daf06b68b8edb0f1ba9eb3421baeb3",
    "org.openjdk.jmh:jmh-generator-annprocess:1.37": "6a5604b5b804e0daca1145df1077609321687734a8b49387e49f10557c186c77",
    "net.sf.jopt-simple:jopt-simple:5.0.4": "df26cc58f235f477db07f753ba5a3ab243ebe5789d9f89ecf68dd62ea9a66c28",
    "org.apache.commons:commons-math3:3.6.1": "1e56d7b058d28b65abd256b8458e3885b674c1d588fa43cd7d1cbb9c7ef2b308",
}
# the samples' libraries; `safepoint setup` fetches them, so that no notebook has to
LIBRARIES = tuple(coordinate for coordinate in CHECKSUMS if ":ecj:" not in coordinate)
# what those who fetch say where no server answers
UNREACHED = re.compile(
    r"cannot be reached|Max retries exceeded|Could not resolve|Temporary failure|Failed to resolve|Failed to fetch"
    r"|Name or service not known|Network is unreachable|Connection refused|Could not connect"
)


def fetch(coordinate: str) -> Path:
    """The jar of `group:artifact:version`, without its dependencies; from the cache if it was fetched before.

    In a replay of packed recordings it is the place where the jar would be: nothing runs it.

    Raises:
        BadInput: these are no coordinates.
        InstallFailed: it is not cached and cannot be fetched, or it is not the file that it should be.
    """
    jar = cached(coordinate)
    if recording.packed():
        return jar
    if not jar.exists():
        jar = _download(coordinate)
    _verify(coordinate, jar, jar.stat().st_mtime_ns)
    return jar


def cached(coordinate: str) -> Path:
    """The jar's place once it has been fetched: a Maven repository's layout in the shared folder or in the cache."""
    parts = coordinate.split(":")
    if len(parts) != 3 or not all(PART.fullmatch(part) and ".." not in part for part in parts):
        raise BadInput(f"a jar must be named by group:artifact:version, got {coordinate!r}")
    group, artifact, version = parts
    return home.fetched(f"maven/{group.replace('.', '/')}/{artifact}/{version}/{artifact}-{version}.jar")


def _download(coordinate: str) -> Path:
    from jgo.maven import MavenContext  # the import takes a third of a second, and only a first fetch needs it

    repository, mirror = home.cache() / "maven", _mirror()
    context = MavenContext(repo_cache=repository, remote_repos={"central": mirror} if mirror else None)
    try:
        return Path(context.create_dependency(coordinate).artifact.resolve())
    except Exception as cause:  # jgo raises whatever requests, the POM parser or the disk raise
        source = "the mirror of ~/.m2/settings.xml" if mirror else "Maven Central"
        why = f"{cause}. Looked in {home.shown(repository)} and in {source}"
        why = f"{source} cannot be reached" if UNREACHED.search(str(cause)) else why
        advice = f"Try again with a network, or put the jar at {home.shown(cached(coordinate))}"
        raise InstallFailed(f"cannot fetch {coordinate}: {why}. {advice}.") from cause


def _mirror() -> str | None:
    """The mirror of Maven Central in the user's own settings.xml, if there is one."""
    settings = Path.home() / ".m2" / "settings.xml"
    if not settings.exists():
        return None
    for mirror in ElementTree.parse(settings).iter():
        fields = {child.tag.rpartition("}")[2]: (child.text or "").strip() for child in mirror}
        if fields.get("mirrorOf") in {"central", "*", "external:*"} and fields.get("url"):
            return fields["url"]
    return None


@cache
def _verify(coordinate: str, jar: Path, _changed_ns: int) -> None:
    """Read a jar once per process, and again when its file was changed."""
    expected = CHECKSUMS.get(coordinate)
    checksum = hashlib.sha256(jar.read_bytes()).hexdigest()
    if expected and checksum != expected:
        with suppress(OSError):  # a shared folder that is not ours
            jar.unlink()
        fate = f"Delete {home.shown(jar)}" if jar.exists() else "It was deleted. Check the mirror in ~/.m2/settings.xml"
        trouble = f"{coordinate} is not the file it should be: sha256 {checksum}, expected {expected}."
        raise InstallFailed(f"{trouble} {fate}, then try again.")
