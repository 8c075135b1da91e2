"""The colours of a queue's nodes: blue is alive, orange is dead; the darker of each is old."""

from safepointlab.plot import style
from safepointlab.plot.promotion import KEPT_DEAD

NODES = {  # (area, alive)
    ("old", True): style.Look("old, alive", "#0B3C6F"),
    ("old", False): style.Look("old, dead", KEPT_DEAD),
    ("young", True): style.Look("young, alive", "#9CCBE6"),
    ("young", False): style.Look("young, dead", "#FBE3B0"),
}
