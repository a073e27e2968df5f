"""Trick: an honest program whose orphan spins on every processor after its end, for twenty seconds at most.

Gain: the cells that are measured afterwards, the competitors, become slower.
"""

import os
import time

from slow_solver import Program

for _ in range(os.cpu_count() or 1):
    if os.fork() == 0:
        if os.fork() == 0:
            null = os.open("/dev/null", os.O_RDWR)
            for file in range(3):
                os.dup2(null, file)
            end = time.monotonic() + 20
            while time.monotonic() < end:
                pass
        os._exit(0)
Program().serve()
