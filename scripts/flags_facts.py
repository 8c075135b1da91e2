"""The JDKs of this machine -> docs/flags.json: of each flag that the course uses, what each JDK says.

    {"jdks": {"8": "8u504, Debian"}, "flags": {"UseZGC": {"8": null, "17": {"type": "bool", "default": "false", ...}}}}

null: this JDK does not start with it. {"ignored": true}: it starts and warns. {}: known, and no -XX flag (-Xint).
"""

import json
from datetime import UTC, datetime
from typing import Any

from safepointlab import jdks
from safepointlab.errors import FlagRejected, JdkNotFound
from safepointlab.jdks import Jdk, flags
from safepointlab.process.files import write_whole
from safepointlab.process.home import PROJECT
from safepointlab.run import stamp
from safepointlab.site.reference import course
from safepointlab.site.reference.flags import KIND, collect

FILE = PROJECT / "docs" / "flags.json"
TYPED = {"-Xmx": "64m", "-Xms": "64m", "-Xmn": "16m", "-Xss": "1m", "-Xlog": ":gc", "-Xshare": ":auto"}


def main() -> None:
    found = [jdks.get(major) for major in sorted({jdk.major for jdk in jdks.find()})]
    if not found:
        raise SystemExit(str(JdkNotFound(jdks.missing("17", found))))
    names = collect(PROJECT, course.pages(PROJECT))
    told = {name: {str(jdk.major): about(name, jdk) for jdk in found} for name in names}
    builds = {str(jdk.major): f"{jdk.version}, {jdk.vendor}" for jdk in found}
    made = {"kind": KIND, "made": datetime.now(UTC).isoformat(timespec="seconds"), **stamp.facts(), "jdks": builds}
    write_whole(FILE, json.dumps({**made, "flags": told}, indent=1) + "\n")
    print(f"{len(told)} flags, asked of JDK {', '.join(builds)}: {FILE.relative_to(PROJECT)}")


def about(name: str, jdk: Jdk) -> dict[str, Any] | None:
    """What one JDK says of one flag."""
    if flag := flags.known(jdk).get(name):
        return {"type": flag.type, "default": flag.default, "kind": flag.kind}
    plain = name.startswith("-")
    word = name + TYPED.get(name, "") if plain else f"-XX:+{name}"
    try:
        flags.check(word, jdk)
    except FlagRejected:
        return None
    return {} if plain else {"ignored": True}


if __name__ == "__main__":
    main()
