"""`safepoint claims ...` -> the claims with their state, or their verdicts over the JDKs that are here."""

import argparse
from typing import Any

from safepointlab import claims

FORMATS = ("text", "html", "csv", "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """`safepoint claims hang 000-12 --jdk 8 25`."""
    parser.add_argument("names", nargs="*", metavar="ID", help="claim ids (000-12) or topics (hang); default: all")
    parser.add_argument("--list", action="store_true", help="only list the claims and their state")
    parser.add_argument("--jdk", nargs="+", type=int, metavar="N", help="default: the lab's set, as far as it is here")
    parser.add_argument("--to", choices=FORMATS, default="text")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    chosen = claims.named(arguments.names) if arguments.names else claims.everything()
    if arguments.list:
        print("\n".join(_listed(claim) for claim in chosen))
        return 0
    verdicts = claims.verdicts(*arguments.names, jdk=arguments.jdk)
    print(_formatted(verdicts, arguments.to))
    return int((verdicts["verdict"] == "fails").any())


def _listed(claim: "claims.Claim") -> str:
    state = f"not run: {claim.not_run}" if claim.not_run else "runnable"
    return f"{claim.id:<8} {claim.statement}  [{state}]"


def _formatted(verdicts: Any, kind: str) -> str:
    from safepointlab.claims import table

    if kind == "csv":
        return str(verdicts.to_csv(index=False)).rstrip()
    if kind == "json":
        return str(verdicts.to_json(orient="records", indent=1))
    return table.html_table(verdicts) if kind == "html" else table.text_table(verdicts)
