"""Everything that can go wrong in the lab -> one exception class each, all of them a LabError.

    LabError
    ├── JdkNotFound        no JDK of that version on this machine
    ├── InstallFailed      a JDK, compiler or library could not be fetched
    ├── ToolMissing        a program that the lab calls (javap, jcmd, setpriv, ...) is not there
    ├── SampleNotFound     no such Java program in java-samples/
    ├── CompileFailed      javac or ecj refused the source; holds the compiler's own words
    ├── FlagRejected       this JDK does not know the flag, or not that value
    ├── RunFailed          the child JVM ended with an error; holds the command and the end of stderr
    ├── UnreadableLog      a log that no reader can turn into a table
    │   ├── ForeignLog     not a log of this kind at all
    │   └── DamagedLog     the right kind, but a line is cut off or corrupted (raised only with strict=True)
    ├── NotRecorded        replay was asked for, and this run was never recorded
    ├── BadRecording       an archive of recordings that is damaged, of another version, or none at all
    ├── StorageFailed      the lab's folder is full, read-only or not there
    ├── ClaimUnknown       no claim of that id
    ├── Stopped            somebody pressed Stop; the child is gone
    └── BadInput           an argument of a kind, size or spelling that makes no sense; says what would

A message says three things: what happened, where we looked, what to do about it.
"""


class LabError(Exception):
    """Root of the tree: catch this to catch all that the lab itself raises."""


class JdkNotFound(LabError):
    """No JDK of the version asked for; the message lists where we looked and how to get one."""


class InstallFailed(LabError):
    """A JDK, compiler or library could not be fetched or verified."""


class ToolMissing(LabError):
    """A program that the lab calls is not on this machine."""


class SampleNotFound(LabError):
    """No Java program of that name in java-samples/; the message names close matches."""


class CompileFailed(LabError):
    """The compiler refused the source; the message ends with the compiler's own words."""


class FlagRejected(LabError):
    """The JDK at hand does not know this flag or refuses its value; says which JDKs do, or what replaced it."""


class RunFailed(LabError):
    """The child ended with an error; the message holds the exact command and the last lines of stderr."""


class UnreadableLog(LabError):
    """A log that cannot be turned into a table."""


class ForeignLog(UnreadableLog):
    """Not one line of the file belongs to the kind of log that was asked for."""


class DamagedLog(UnreadableLog):
    """A line has this log's marker but is cut off or corrupted; the message starts with file:line."""


class NotRecorded(LabError):
    """SAFEPOINTLAB_REPLAY is set and nobody ever recorded this run."""


class BadRecording(LabError):
    """An archive of recordings that the lab does not unpack; says what is wrong with it. Nothing of it was kept."""


class StorageFailed(LabError):
    """The lab cannot write where it keeps its runs; says the folder and the cause."""


class ClaimUnknown(LabError):
    """No claim of that id; the message names close matches."""


class Stopped(LabError):
    """The run was ended from outside before its deadline; its process group is gone."""


class BadInput(LabError):
    """An argument that makes no sense: of the wrong kind, out of range, or not to be taken apart into words."""
