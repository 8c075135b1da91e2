"""A JDK's number, cores and memory -> the collector that HotSpot chooses by itself there, and why.

Up to JDK 26 it asks whether the machine is a "server": at least 2 processors and 2 GiB, of which 256 MiB may be missing
(os::is_server_class_machine). A server gets Parallel, from 9 on G1 (https://openjdk.org/jeps/248), all others Serial.
Since 27 everybody gets G1 (https://openjdk.org/jeps/523).
"""

SERVER_CORES, SERVER_MIB = 2, 2048 - 256
G1_FOR_SERVERS, G1_FOR_ALL = 9, 27


def choice(major: int, cores: int, memory_gib: float) -> tuple[str, str]:
    """The collector's name and the reason, in words.

    >>> choice(8, 1, 23.5)
    ('Serial', '1 core and 23.5 GiB are no server, which has 2 cores and 1.75 GiB at least')
    >>> choice(17, 2, 23.5)[0], choice(28, 1, 0.5)[0]
    ('G1', 'G1')
    """
    if major >= G1_FOR_ALL:
        return "G1", "since JDK 27 on any machine (JEP 523)"
    machine = f"{cores} core{'s' * (cores != 1)} and {memory_gib:.1f} GiB"
    if cores >= SERVER_CORES and memory_gib * 1024 >= SERVER_MIB:
        return "G1" if major >= G1_FOR_SERVERS else "Parallel", f"{machine} make this machine a server"
    return "Serial", f"{machine} are no server, which has {SERVER_CORES} cores and {SERVER_MIB / 1024:g} GiB at least"


def explained(major: int, chosen: str, cores: int, memory_gib: float) -> str:
    """Why this JDK chose that collector here; where the rule would give another one, where to look for the reason.

    >>> explained(17, "Serial", 2, 23.5)
    'not the G1 of the rule: look for a flag in JDK_JAVA_OPTIONS and JAVA_TOOL_OPTIONS'
    """
    expected, why = choice(major, cores, memory_gib)
    if chosen == expected:
        return why
    return f"not the {expected} of the rule: look for a flag in JDK_JAVA_OPTIONS and JAVA_TOOL_OPTIONS"
