"""Trick: says that it has failed, for a reason of 60,000 characters, and with signs that turn a line of text around.

Gain: what the program may read on this machine, and nobody shall, goes into records that are published.
"""

from slow_solver import Program, answer


class Talks(Program):
    def solve(self):
        answer({"failed": {"reason": "\u202e" + "secret " * 8500}})


Talks().serve()
