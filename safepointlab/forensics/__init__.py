"""A JVM that does not come -> who holds everybody up."""

from safepointlab.forensics.examination import Forensics, examine

__all__ = ["Forensics", "examine"]
