"""Trick: chains of processes, each of which spins a moment, forks the next and ends, for twenty seconds at most.

Gain: who lists the processes of a program and kills them one by one comes too late, and the chains take time from the cells
that are measured next.
"""

import os
import time

from slow_solver import Program


def chain(end):
    null = os.open("/dev/null", os.O_RDWR)
    for file in range(3):
        os.dup2(null, file)
    while time.monotonic() < end:
        # Long enough for who lists processes to see them.
        until = time.monotonic() + 0.1
        while time.monotonic() < until:
            pass
        try:
            if os.fork():
                os._exit(0)
        except OSError:
            pass


for _ in range(4):
    if os.fork() == 0:
        chain(time.monotonic() + 20)
        os._exit(0)
Program().serve()
