"""The source of a sample with one loop a method -> for each method the header of its loop, and the part it stands in.

>>> text = '''    // ---- Which limit? -------
...     static double count(int n) {
...         for (int i = 0; i < n; i++) x = Math.sqrt(x + i);
... '''
>>> headers(text)
{'count': Header(part='Which limit?', text='for (int i = 0; i < n; i++)', body='x = Math.sqrt(x + i);')}
"""

import re
from dataclasses import dataclass, replace
from itertools import accumulate

LONGEST = 66  # characters of a header; of a longer one the end is left out

# ---- Which limit? -----------------------------------------------------------------------------------------
_PART = re.compile(r"^\s*// -{4} (.+?) -{4,}$")
#    static double intConstant(int turns) {
_METHOD = re.compile(r"^    (?:[a-z]+ )+(\w+)\([^)]*\) \{")
#        for (int i = CONSTANT - turns; i < CONSTANT; i++) x = Math.sqrt(x + i);        do {        } while (i < turns);
_LOOP = re.compile(r"\b(?:for|while) \(")
_DO = re.compile(r"^\s+do \{")


@dataclass(frozen=True)
class Header:
    """The header of a method's first loop, and the part of the file, by its comment of dashes; "" before the first.

    body is the rest of the header's line; of a body in braces no more than whether a `break` follows in the method.
    """

    part: str
    text: str
    body: str = ""

    @property
    def whole(self) -> str:
        """Header and body, for loops whose headers alone read alike."""
        return _short(f"{self.text} {self.body}".rstrip("; "), "…")


def headers(source: str) -> dict[str, Header]:
    """By the name of the method; methods without a loop are left out."""
    found: dict[str, Header] = {}
    part, method, do = "", "", False
    for line in source.splitlines():
        if match := _PART.match(line):
            part = match[1]
        elif match := _METHOD.match(line):
            method, do = match[1], False
        elif _DO.match(line):
            do = True
        elif method and method not in found and (loop := _LOOP.search(line)) and not line.lstrip().startswith("//"):
            head = _head(line[loop.start() :])
            body = line[loop.start() + len(head) :].strip().replace("{", "{ … }")
            found[method] = Header(part, _short(f"{'do … ' if do else ''}{head}"), body)
        elif method in found and "break;" in line:
            found[method] = replace(found[method], body="{ … break; … }")
    return found


def _head(text: str) -> str:
    """Up to the parenthesis that closes the first one."""
    opened = text.index("(")
    depths = accumulate((sign == "(") - (sign == ")") for sign in text[opened:])
    return text[: opened + 1 + next((n for n, depth in enumerate(depths) if depth == 0), len(text))]


def _short(text: str, end: str = "…)") -> str:
    plain = text.replace("Integer.MAX_VALUE", "MAX_VALUE")
    return plain if len(plain) <= LONGEST else f"{plain[: LONGEST - len(end)].rstrip()}{end}"
