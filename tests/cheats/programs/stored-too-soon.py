"""Trick: answers all requests at once, computes afterwards and stores while the harness waits for the end of the program.

Gain: none of its work is within a clock.
"""

from slow_solver import Program, answer, solve, write


class Late(Program):
    def solve(self):
        answer({"solved": {}})

    def store(self, path):
        answer({"stored": {}})
        write(path, solve(self.graph))


Late().serve()
