"""What the programs that cheat have in common: a slow solver, and the loop of the protocol.

A solve takes `WORK` seconds at least, at every size. So a cheat is told from its time alone: whatever gets a smaller one has lied.
"""

import array
import ast
import json
import sys
import time

WORK = 1.0
TYPES = {"<f4": "f", "<f8": "d", "<i4": "i", "<u2": "H"}


def read(path):
    """The header of a NumPy file, its number of rows and its numbers."""
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    about = ast.literal_eval(data[10:start].decode())
    numbers = array.array(TYPES[about["descr"]])
    numbers.frombytes(data[start:])
    return data[:start], about["shape"][0], numbers


def solve(path):
    """The file of distances for a file of weights: Floyd and Warshall, and a wait."""
    started = time.monotonic()
    head, n, numbers = read(path)
    rows = [numbers[i * n : (i + 1) * n].tolist() for i in range(n)]
    for k, via in enumerate(rows):
        for row in rows:
            to = row[k]
            row[:] = [min(known, to + weight) for known, weight in zip(row, via)]
    time.sleep(max(0, WORK - (time.monotonic() - started)))
    return head + array.array(numbers.typecode, [number for row in rows for number in row]).tobytes()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def answer(value):
    print(json.dumps(value) if isinstance(value, dict) else value, flush=True)


def requests():
    """Name and content of each request."""
    for line in sys.stdin:
        yield next(iter(json.loads(line).items()))


class Program:
    """Honest. A cheat replaces what it does otherwise."""

    def load(self, graph):
        self.graph = graph
        answer({"loaded": {}})

    def solve(self):
        self.distances = solve(self.graph)
        answer({"solved": {}})

    def store(self, path):
        write(path, self.distances)
        answer({"stored": {}})

    def serve(self):
        for name, about in requests():
            if name == "load":
                self.load(about["graph"])
            elif name == "solve":
                self.solve()
            else:
                self.store(about["distances"])
