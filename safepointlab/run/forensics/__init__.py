"""A JVM that does not end -> the thread that keeps it from reaching a safepoint."""

from safepointlab.run.forensics.examination import Forensics, examine, short

__all__ = ["Forensics", "examine", "short"]
