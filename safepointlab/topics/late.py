"""A program that the notebook on late threads watches -> what its command line needs: a jar, a folder, a script.

    late.scimark()       "~/.cache/safepointlab/.../scimark-2.0.jar"

The command lines themselves stand in the notebook and nowhere else, as typing them is what it teaches.
"""

from safepointlab import jdks
from safepointlab.process import home
from safepointlab.programs import build, jars
from safepointlab.session import profile

SCIMARK, ECJ = "gov.nist.math:scimark:2.0", "org.eclipse.jdt:ecj:3.46.0"
POLLS = "-XX:+UseCountedLoopSafepoints -XX:LoopStripMiningIter=1000"  # what the report advises on 17 with Serial
CHECKSUMS = """\
byte[] a = new byte[600_000_000]; for (int i = 0; i < 12; i++) new java.util.zip.CRC32().update(a);
/exit
"""


def scimark() -> str:
    """The jar of SciMark 2, NIST's numeric benchmark, which is fetched the first time.

    Raises:
        InstallFailed: it could not be fetched.
    """
    return home.shown(jars.fetch(SCIMARK))


def seconds() -> float:
    """How long SciMark is to run each of its kernels, in the profile in force."""
    return profile.by_effort(quick=0.2, standard=0.4)


def ecj() -> str:
    """The jar of the Eclipse compiler: a program with many threads, many allocations and no late thread.

    Raises:
        InstallFailed: it could not be fetched.
    """
    return home.shown(jars.fetch(ECJ))


def sources() -> str:
    """A folder of Java sources to compile."""
    return home.shown(home.SAMPLES / "hang")


def killer(jdk: int = 17) -> str:
    """The folder with the classes of hang/KillerTask, whose counted loop nothing can stop."""
    return home.shown(build.javac("hang/KillerTask", jdks.get(jdk)).classes)


def checksums() -> str:
    """A script for jshell: checksums over an array of 600 MB, again and again."""
    script = home.ready(home.cache() / "late") / "crc.jsh"
    script.write_text(CHECKSUMS)
    return home.shown(script)
