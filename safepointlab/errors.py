"""Everything that can go wrong in the lab -> one exception class each, all of them a LabError.

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
    """The JDK at hand does not know this flag or language, or refuses a value; says which JDKs do, or what helps."""


class RunFailed(LabError):
    """The child ended with an error; the message holds the exact command and the last lines of stderr."""


class UnreadableLog(LabError):
    """A log that cannot be turned into a table."""


class ForeignLog(UnreadableLog):
    """Not one line of the file belongs to the kind of log that was asked for."""


class DamagedLog(UnreadableLog):
    """A line has this log's marker but is cut off or corrupted; the message starts with file:line."""


class NotRecorded(LabError):
    """SAFEPOINTLAB_REPLAY is set, and this run was never recorded."""


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
