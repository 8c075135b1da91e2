"""`python -m safepointlab ...` -> the same as `safepoint ...`."""

import sys

from safepointlab.cli import main

sys.exit(main())
