"""Trick: it fails, and the last line of its standard error clears a terminal, turns text around, and is long.

Gain: as message-carries, by the other way that text goes.
"""

import sys

print("\x1b[2J\x9b31m\u202e" + "secret " * 8500 + "\u202e", file=sys.stderr)
sys.exit(1)
