"""Honest, without the protocol. It must be accepted."""

import sys

from slow_solver import solve, write

write(sys.argv[2], solve(sys.argv[1]))
