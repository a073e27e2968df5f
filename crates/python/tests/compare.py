"""Compares the package with SciPy and NetworkX over seeded graphs: scripts/compare-with-scipy."""

import argparse
import collections
import importlib.util
import sys
import time
import warnings

import numpy as np
import seeded
import shortest_paths
from scipy.sparse import csgraph


def call(seed: int, largest: int) -> str:
    """What becomes of a function of SciPy's names with random arguments, by SciPy and by the package."""
    random = np.random.default_rng([seed, 1])
    graph = seeded.draw(seed, largest)
    name = str(random.choice(["shortest_path", "dijkstra", "floyd_warshall", "bellman_ford", "johnson"]))
    options = {key: bool(random.integers(2)) for key in ("directed", "unweighted", "return_predecessors")}
    if name == "shortest_path":
        options["method"] = str(random.choice(["auto", "FW", "D", "BF", "J"]))
    if name != "floyd_warshall" and options.get("method") != "FW" and random.integers(2):
        options["indices"] = random.integers(-graph.n, graph.n, [(), 0, 1, 3, (2, 2)][random.integers(5)]).tolist()
    if name == "dijkstra":
        options["limit"] = float(random.choice([np.inf, 0, 7]))
        options["min_only"] = "indices" in options and bool(random.integers(2))
    form = random.integers(3)
    matrix = graph.matrix if form else np.where(graph.matrix == 0, np.inf, graph.matrix)
    rows = seeded.canonical(matrix, graph.weights.dtype)
    given = [np.where(np.isinf(matrix), 0, matrix).astype(rows.dtype), rows, rows.tocsc()][form]
    ours, found = outcome(getattr(shortest_paths.csgraph, name), given, options)
    if matrix.min() < 0 and not options["unweighted"] and name in ("dijkstra", "shortest_path"):
        # With weights below 0 SciPy's Dijkstra may be wrong.
        name = "bellman_ford" if options.get("method") == "BF" else "johnson"
        options = {key: of for key, of in options.items() if key not in ("limit", "method", "min_only")}
    scipys, expected = outcome(getattr(csgraph, name), given, options)
    if (ours, scipys) != ("answers", "answers"):
        return f"the package {ours}, SciPy {scipys}"
    same = [(of.shape, of.dtype) for of in found] == [(of.shape, of.dtype) for of in expected]
    same = same and np.allclose(found[0], expected[0], rtol=1e-9, atol=1e-9)
    if same and options["return_predecessors"]:
        arcs = np.where(np.isfinite(matrix), 1, np.inf) if options["unweighted"] else matrix
        arcs = arcs if options["directed"] else np.minimum(arcs, arcs.T)
        distances, before, others = (of.reshape(-1, graph.n) for of in (*found[:2], expected[1]))
        row, end = np.nonzero(before >= 0)
        same = np.allclose(distances[row, before[row, end]] + arcs[before[row, end], end], distances[row, end])
        same = same and (np.minimum(before, 0) == np.minimum(others, 0)).all()
        if len(found) == 3:
            # The nearest source is that of the vertex before, or the vertex itself.
            first = np.where(np.isfinite(distances[0]), np.arange(graph.n), -9999)
            same = same and (found[2] == np.where(before[0] >= 0, found[2][before[0].clip(0)], first)).all()
    return "the same" if same else f"DIFFERENT: seed {seed}, {name}, {options}"


def outcome(function, given, options):
    """Whether a function answers or raises, and its answer."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(given, **options)
            return "answers", found if options["return_predecessors"] else (found,)
    except Exception as error:
        return f"raises {type(error).__name__}", ()


def compare_calls(first: int, calls: int, largest: int) -> int:
    """Counts what becomes of random calls."""
    started = time.monotonic()
    counted = collections.Counter(call(seed, largest) for seed in range(first, first + calls))
    print(*(f"{count:8} {what}" for what, count in counted.most_common()), sep="\n")
    different = sum(what.startswith("DIFFERENT") for what in counted)
    print(f"{calls} calls: {different} silent differences from SciPy, {time.monotonic() - started:.0f} s")
    return 1 if different else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=2016, help="how many graphs (default: %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (default: %(default)s)")
    parser.add_argument("--largest", type=int, default=300, help="the most vertices of a graph (default: %(default)s)")
    parser.add_argument("--calls", type=int, help="compare so many random calls of functions of SciPy's names instead, of graphs of up to 12 vertices")
    arguments = parser.parse_args()
    if arguments.calls:
        return compare_calls(arguments.first, arguments.calls, min(arguments.largest, 12))
    with_networkx = importlib.util.find_spec("networkx") is not None
    started, walked, arcs, cycles, differences, sizes = time.monotonic(), 0, 0, 0, 0, []
    for seed in range(arguments.first, arguments.first + arguments.graphs):
        graph = seeded.draw(seed, arguments.largest)
        sizes.append(graph.n)
        arcs += len(graph.tails)
        cycles += seeded.by_scipy(graph) is None
        try:
            walked += seeded.compare(graph, with_networkx)
        except Exception as error:
            differences += 1
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    peers = "SciPy and NetworkX" if with_networkx else "SciPy"
    print(
        f"{len(sizes)} graphs of {min(sizes)} to {max(sizes)} vertices with {arcs} arcs, {cycles} of them with a negative cycle: "
        f"{differences} differences from {peers}, {walked} paths walked, {time.monotonic() - started:.0f} s"
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
