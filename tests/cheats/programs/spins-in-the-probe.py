"""Trick: the command that tells whether the program is there leaves a process that spins, for twenty seconds at most, and marks
a file.

Gain: it runs before any clock, and perhaps with less care than the program itself.
"""

import os
import sys
import time

from slow_solver import Program

if sys.argv[1:] == ["probe"]:
    print("2.4", flush=True)
    try:
        with open(os.path.join(os.path.dirname(sys.argv[0]), "canary"), "w") as canary:
            canary.write("probed")
    except OSError:
        pass
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for file in range(3):
            os.dup2(null, file)
        end = time.monotonic() + 20
        while time.monotonic() < end:
            pass
else:
    Program().serve()
