"""Trick: the work is done when the graph comes, before the request to solve.

Gain: all of it in scope program-solve.
"""

from slow_solver import Program, answer, solve


class Early(Program):
    def load(self, graph):
        self.distances = solve(graph)
        answer({"loaded": {}})

    def solve(self):
        answer({"solved": {}})


Early().serve()
