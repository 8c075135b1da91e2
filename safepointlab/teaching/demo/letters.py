"""A headline -> rows of block letters that are read from the back row: as large as the width allows.

>>> print(*banner("GO", 30), sep="\\n")
  ████████    ██████
██          ██      ██
██          ██      ██
██    ████  ██      ██
██      ██  ██      ██
██      ██  ██      ██
  ████████    ██████
>>> print(*banner("GO", 14), sep="\\n")
▄▀▀▀▀ ▄▀▀▀▄
█  ▄▄ █   █
█   █ █   █
 ▀▀▀▀  ▀▀▀
"""

WIDE, HIGH = 5, 7  # the dots of a letter
BETWEEN_WORDS = "00"
# Each letter with its seven rows from the top: two hexadecimal digits a row, whose lowest five bits are its dots.
DRAWN = """
    A 0e11111f111111  B 1e11111e11111e  C 0f10101010100f  D 1e11111111111e  E 1f10101e10101f
    F 1f10101e101010  G 0f10101311110f  H 1111111f111111  I 1f04040404041f  J 0702020202120c
    K 11121418141211  L 1010101010101f  M 111b1515111111  N 11191513111111  O 0e11111111110e
    P 1e11111e101010  Q 0e11111115120d  R 1e11111e141211  S 0f10100e01011e  T 1f040404040404
    U 1111111111110e  V 11111111110a04  W 11111115151b11  X 11110a040a1111  Y 11110a04040404
    Z 1f01020408101f  0 0e11131519110e  1 040c040404040e  2 0e11010608101f  3 1e01010e01011e
    4 02060a121f0202  5 1f101e0101110e  6 0e10101e11110e  7 1f010204080808  8 0e11110e11110e
    9 0e11110f01010e  ? 0e110106040004  ! 04040404040004  . 00000000000c0c  , 000000000c0408
    % 191a0204080b13  / 01010204081010  - 0000000e000000  ' 04040800000000  : 000c0c000c0c00
"""
LETTERS = dict(zip(DRAWN.split()[::2], DRAWN.split()[1::2], strict=True))
HALVES = {"00": " ", "10": "▀", "01": "▄", "11": "█"}


def banner(text: str, width: int) -> list[str]:
    """Seven rows if the text fits into `width` columns in large letters, four in small ones; [] if in neither."""
    dots = _dots(text.upper())
    if len(dots[0]) * 2 <= width:
        return ["".join("██" if dot == "1" else "  " for dot in row).rstrip() for row in dots]
    if len(dots[0]) <= width:
        below = [*dots[1:], "0" * len(dots[0])]
        return [_halved(*pair) for pair in zip(dots[::2], below[::2], strict=True)]
    return []


def _dots(text: str) -> list[str]:
    """HIGH strings of 0 and 1, a dot between two letters; a letter that is not drawn becomes a question mark."""
    return ["0".join(_row(letter, row) for letter in text) for row in range(HIGH)]


def _row(letter: str, row: int) -> str:
    digits = LETTERS.get(letter, LETTERS["?"])[2 * row : 2 * row + 2]
    return BETWEEN_WORDS if letter == " " else f"{int(digits, 16):0{WIDE}b}"


def _halved(above: str, below: str) -> str:
    return "".join(HALVES[two[0] + two[1]] for two in zip(above, below, strict=True)).rstrip()
