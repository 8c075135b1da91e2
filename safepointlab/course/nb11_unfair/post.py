"""The tables of the post's second example: what was done -> K -> the post's numbers.

Oracle 8u60, but for the kept polls: those are Zing's, without its option and with it, and without TTSP. Each line has
contains1 and contains1ToK in us, park and park+findDeadlockedThreads in ms, and the average stop and TTSP in ms.
"""

COLUMNS = ("contains1, us", "contains1ToK, us", "park, ms", "park+FDT, ms", "stopped, ms", "TTSP, ms")
KS = (1, 10, 100, 1_000, 10_000)
NAN = float("nan")
NOBODY, ASKED, ZING = "nobody asks", "no cure", "Zing, no cure"
Line = tuple[float, float, float, float, float, float]

POST: dict[str, dict[int, Line]] = {
    NOBODY: {
        1: (32.3, 34.8, 100.0, NAN, 0.0, 0.0),
        10: (32.4, 349.7, 100.0, NAN, 0.0, 0.0),
        100: (38.4, 3452.7, 100.0, NAN, 0.2, 0.1),
        1_000: (39.8, 33419.9, 100.0, NAN, 0.0, 0.0),
        10_000: (41.7, 336112.5, 100.5, NAN, 0.0, 0.0),
    },
    ASKED: {
        1: (39.7, 39.6, 100.0, 100.3, 0.1, 0.1),
        10: (40.0, 400.1, 100.0, 100.5, 0.2, 0.2),
        100: (41.8, 3835.4, 100.1, 102.7, 2.1, 2.0),
        1_000: (67.4, 37535.7, 102.5, 127.1, 20.7, 20.7),
        10_000: (183.4, 346048.6, 194.9, 348.4, 152.8, 152.8),
    },
    ZING: {
        1: (31.9, 30.5, 100.0, 100.2, 0.0, NAN),
        10: (32.9, 317.8, 100.0, 100.2, 0.0, NAN),
        100: (34.1, 3337.8, 100.1, 100.8, 0.4, NAN),
        1_000: (44.4, 33991.6, 100.9, 117.0, 10.2, NAN),
        10_000: (159.0, 299839.3, 156.3, 319.8, 113.4, NAN),
    },
    "keep polls": {
        1: (33.0, 40.1, 100.0, 100.2, 0.0, NAN),
        10: (32.8, 405.1, 100.0, 100.2, 0.0, NAN),
        100: (33.3, 4124.8, 100.0, 100.3, 0.1, NAN),
        1_000: (32.9, 40839.6, 100.0, 101.0, 0.6, NAN),
        10_000: (40.2, 374935.6, 111.3, 100.2, 0.0, NAN),
    },
    "keep the call": {
        1: (39.9, 40.0, 100.0, 100.3, 0.1, 0.0),
        10: (39.9, 395.6, 100.0, 100.3, 0.1, 0.0),
        100: (41.3, 4030.6, 100.0, 100.3, 0.1, 0.0),
        1_000: (39.6, 34543.8, 100.0, 100.3, 0.1, 0.0),
        10_000: (39.1, 328380.6, 100.0, 100.3, 0.1, 0.0),
    },
}  # fmt: skip
