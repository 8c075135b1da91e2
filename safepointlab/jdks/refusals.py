"""The output of a JVM -> one sentence on why it did not start, or None if it did start."""

import re

from safepointlab.jdks.flag_history import HISTORY

FATAL = re.compile(
    r"^Error: Could not create the Java Virtual Machine\.|^Error occurred during initialization of VM", re.MULTILINE
)
INSUFFICIENT = "There is insufficient memory for the Java Runtime Environment"

# A pattern of a message that at least one of 8, 11, 17, 21, 25, 28 prints -> the sentence. The first match counts.
REASONS: list[tuple[str, str]] = [
    # Unrecognized VM option 'NoSuch'
    (r"Unrecognized VM option '[+-]?(?P<flag>\w+)[^'\n]*'", "the VM does not know the flag {flag}."),
    # Error: VM option 'CICompileOSR' is develop and is available only in debug version of VM.
    (r"VM option '(?P<flag>\w+)' is (?:develop|notproduct)", "{flag} exists in debug builds of the VM only."),
    # Error: VM option 'UseZGC' is experimental and must be enabled via -XX:+UnlockExperimentalVMOptions.
    (
        r"VM option '(?P<flag>\w+)' is (?P<kind>\w+) and must be enabled via (?P<unlock>\S+)\.",
        "{flag} is {kind}: put {unlock} in front of it.",
    ),
    # intx TieredStopAtLevel=9 is outside the allowed range [ 0 ... 4 ]
    (
        r"^\w+ (?P<flag>\w+)=(?P<value>\S+) is outside the allowed range \[ (?P<low>\S+) \.\.\. (?P<high>\S+) \]",
        "{flag}={value} is out of range: {low} to {high} is allowed.",
    ),
    # Missing +/- setting for VM option 'UseSerialGC'
    (r"Missing \+/- setting for VM option '(?P<flag>\w+)", "{flag} is a switch: write -XX:+{flag} or -XX:-{flag}."),
    # Unexpected +/- setting in VM option 'SafepointTimeoutDelay'
    (r"Unexpected \+/- setting in VM option '(?P<flag>\w+)", "{flag} takes a value: write -XX:{flag}=value."),
    # Conflicting collector combinations in option list; ... (8), Multiple garbage collectors selected (later)
    (
        r"Conflicting collector combinations in option list|Multiple garbage collectors selected",
        "two collectors were chosen at once: keep one of the -XX:+Use...GC flags, or gc=.",
    ),
    # Option -XX:+UseZGC not supported
    (r"Option -XX:\+(?P<flag>\w+) not supported", "this build of the VM comes without {flag}."),
    # [0.000s][error][logging] Error opening log file '/no/x.log': No such file or directory
    (r"\[error\]\[logging\] (?P<why>(?:Error opening|Invalid)[^\n]*)", "-Xlog: {why}"),
    # Error occurred during initialization of VM\nInitial heap size set to a larger value than the maximum heap size
    (r"^Error occurred during initialization of VM\n(?P<why>[^\n]+)", "the VM could not start: {why}."),
    # Invalid maximum heap size: -Xmx5x
    (r"^(?P<why>Invalid [^\n]*: -X\S+)", "{why}"),
    # The Java thread stack size specified is too small. Specify at least 136k
    (r"^(?P<why>The (?:Java thread )?stack size specified is too small[^\n]*)", "{why}"),
    # Unrecognized option: -Xfoo
    (r"^Unrecognized option: (?P<flag>\S+)", "java does not know the option {flag}."),
    # Unrecognized verification option: -Xverify:none
    (r"^(?P<why>Unrecognized \w+ option: \S+)", "{why}"),
    # CompileCommand: An error occurred during parsing\nError: Could not parse method pattern\nLine: 'print,A/b'
    (
        r"^CompileCommand: An error occurred during parsing\n(?:Error: (?P<why>[^\n]+)\n)?Line: '?(?P<line>[^'\n]+)",
        "CompileCommand {line} cannot be parsed: {why}. Write print,package.Class::method.",
    ),
    # Could not open settings file nofile
    (r"^(?P<why>Could not open settings file [^\n]+)", "{why}"),
    # There is insufficient memory for the Java Runtime Environment to continue.
    (INSUFFICIENT, "this machine has not enough free memory for it."),
    # Improperly specified VM option 'SafepointTimeoutDelay=abc'
    (r"Improperly specified VM option '(?P<what>[^'\n]+)'", "the VM cannot read {what}: wrong form or wrong value."),
    # CompileThreshold (-5) must be between 0 and 1073741823\nError: Could not create the Java Virtual Machine.
    (r"^(?P<why>[^\n]+)\nError: Could not create the Java Virtual Machine\.", "{why}"),
]


def explain(text: str) -> str | None:
    """One clear sentence for a VM's refusal to start, from its stderr, its stdout or vm.log; None if it started.

    >>> explain("intx TieredStopAtLevel=9 is outside the allowed range [ 0 ... 4 ]\\n"
    ...         "Error: Could not create the Java Virtual Machine.")
    'TieredStopAtLevel=9 is out of range: 0 to 4 is allowed.'
    >>> explain("Exception in thread main") is None
    True
    """
    if not (FATAL.search(text) or INSUFFICIENT in text):
        return None
    for pattern, sentence in REASONS:
        if match := re.search(pattern, text, re.MULTILINE):
            facts = {name: value or "" for name, value in match.groupdict().items()}
            past = HISTORY.get(facts.get("flag", ""))
            return sentence.format(**facts) + (f" {facts['flag']}: {past}." if past else "")
    return None
