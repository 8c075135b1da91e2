"""This machine -> its JDKs, and the flags that each of them takes.

finder        every JDK on this machine; a spec such as 17 or "temurin:25" -> one of them
probe         a launcher -> version, vendor and default collector, queried once and cached
flags         a JDK and flags -> the flags as it takes them, or an error; `flag_history` and `refusals` say why
provision/    a version -> that JDK in the lab's cache
"""

from safepointlab.jdks.finder import PACKAGERS, WHERE, Jdk, begins, find, fits, get, missing, preference

__all__ = ["PACKAGERS", "WHERE", "Jdk", "begins", "find", "fits", "get", "missing", "preference"]
