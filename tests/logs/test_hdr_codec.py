"""The histogram's text and back: indices as HdrHistogram computes them, and nothing taken that is not whole."""

import base64
import struct
import zlib

import numpy as np
import pytest

from safepointlab.logs.hdr import codec
from safepointlab.logs.hdr.codec import HEAD, Settings

# (value, its index) with three digits: 2,048 ranges of one unit, then 1,024 to each power of two
INDICES = [
    (0, 0),
    (1, 1),
    (2047, 2047),
    (2048, 2048),
    (2049, 2048),
    (2050, 2049),
    (4095, 3071),
    (4096, 3072),
    (4100, 3073),
]


def text(body: bytes, cookie=codec.COMPRESSED, own=codec.PLAIN, digits=3, least=1, most=3_600_000_000):
    plain = zlib.compress(HEAD.pack(own, len(body), 0, digits, least, most, 1.0) + body)
    return base64.b64encode(struct.pack(">ii", cookie, len(plain)) + plain).decode()


@pytest.mark.each(("value", "index"), INDICES)
def test_a_value_has_the_place_of_its_range(value, index):
    settings = Settings(1, 3_600_000_000, 3)
    assert settings.index(np.array([value])).tolist() == [index]
    low, high = settings.ranges(np.array([index]))
    assert low[0] <= value <= high[0]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_packed_comes_back(seed):
    dice, settings = np.random.default_rng(seed), Settings(1, 10**12, 1 + seed)
    index = np.unique(settings.index(dice.integers(0, 10**12, 200)))
    counts = 2 ** dice.integers(0, 62, len(index))
    again = codec.unpacked(codec.packed(settings, index, counts))
    assert again[0] == settings and again[1].tolist() == index.tolist() and again[2].tolist() == counts.tolist()


@pytest.mark.each(
    "broken",
    [
        "",
        "HISTFAAA",
        "no base64!",
        text(b"\x02")[:-8],
        text(b"\x02", cookie=0x1C849304),
        text(b"\x02", own=0x1C849301),
        text(b"\x82"),
        text(b"\x02", digits=9),
        text(b"\x02", least=9, most=2),
        text(codec._number(-(10**15)) + b"\x02"),
    ],
)
def test_a_damaged_text_is_a_value_error(broken):
    with pytest.raises(ValueError, match="histogram|padding|base64|Incorrect"):
        codec.unpacked(broken)


def test_a_bomb_is_not_unpacked():
    with pytest.raises(ValueError, match="no whole histogram"):
        codec.unpacked(text(bytes(2 * codec.MOST_BYTES)))
