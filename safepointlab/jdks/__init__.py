"""This machine -> its JDKs, and what each of them understands.

finder        every JDK on this machine; a spec such as 17 or "temurin:25" -> one of them
probe         a launcher -> version, vendor and default collector, asked once and remembered
flags         a JDK and flags -> the flags it takes, or who refuses them; `flag_history` and `refusals` say why
provision/    a version -> that JDK in the lab's cache
"""

from safepointlab.jdks.finder import PACKAGERS, WHERE, Jdk, begins, find, fits, get, missing, preference

__all__ = ["PACKAGERS", "WHERE", "Jdk", "begins", "find", "fits", "get", "missing", "preference"]
