"""The loop of an adapter: requests on standard input, answers on standard output, one JSON object a line.

An adapter calls `serve` with two functions. `load(weights)` gets the matrix as NumPy reads it (no edge: `inf`), makes all ready that does
not depend on the weights, and returns what `solve` takes. `solve(loaded)` returns the distances, or a function that fetches them as a NumPy array.
Only `solve` is timed alone.
"""

import json
import sys
import time

import numpy


def no_edge(kind):
    """The number from which on there is no edge in a matrix of integers, and what stands there."""
    return {"i32": (2**29, 2**30 - 1), "u16": (2**15 - 1, 2**15 - 1)}.get(kind)


def warm_up(solve, seconds=0.3):
    """Solves something small for so long: a GPU that had nothing to do lowers its clock. For use in `load`."""
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        solve()


def serve(load, solve):
    # What libraries print is no answer.
    answers = sys.stdout
    sys.stdout = sys.stderr
    loaded = distances = kind = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if "load" in request:
                about = request["load"]
                kind = about["element"]
                weights = numpy.load(about["graph"])
                if no_edge(kind):
                    absent = weights >= no_edge(kind)[0]
                    weights = weights.astype(numpy.float64)
                    weights[absent] = numpy.inf
                loaded = load(weights)
                answer = {"loaded": {}}
            elif "solve" in request:
                start = time.perf_counter()
                distances = solve(loaded)
                answer = {"solved": {"seconds": time.perf_counter() - start}}
            elif "store" in request:
                numpy.save(request["store"]["distances"], as_kind(distances, kind))
                answer = {"stored": {}}
            else:
                answer = {"failed": {"reason": f"no such request: {line.strip()}"}}
        except Exception as error:
            answer = {"failed": {"reason": f"{type(error).__name__}: {error}"}}
        print(json.dumps(answer), file=answers, flush=True)


def as_kind(distances, kind):
    """Row-major distances of the graph's type."""
    found = numpy.asarray(distances() if callable(distances) else distances)
    if no_edge(kind):
        found = numpy.where(numpy.isinf(found), no_edge(kind)[1], found)
    types = {"f32": numpy.float32, "f64": numpy.float64, "i32": numpy.int32, "u16": numpy.uint16}
    return numpy.ascontiguousarray(found, dtype=types[kind])
