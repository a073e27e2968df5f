"""Times a search from one vertex by the package and by SciPy: scripts/compare-with-scipy --times"""

import argparse
import statistics
import time

import numpy as np
import shortest_paths
from scipy import sparse
from scipy.sparse import csgraph


def graphs(n):
    """By name: as sparse as roads and more, and dense."""
    random = np.random.default_rng(1)
    for arcs in (2, 8, 32):
        yield f"{arcs} arcs a vertex", sparse.random_array((n, n), density=arcs / n, rng=random, format="csr")
    dense = np.floor(random.random((n, n)) * 100) + 1
    yield "a third of a dense array", np.where(random.random((n, n)) < 1 / 3, dense, 0)
    yield "a dense array", dense


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=101, help="calls of each (default: %(default)s)")
    parser.add_argument("--vertices", type=int, default=2000, help="of each graph (default: %(default)s)")
    arguments = parser.parse_args()
    print(f"milliseconds from one of {arguments.vertices} vertices: medians of {arguments.calls} calls each, one of each by turns; a quarter was faster")
    for name, graph in graphs(arguments.vertices):
        for options in ({}, {"return_predecessors": True}, {"directed": False}):
            calls = [lambda by=by: by.dijkstra(graph, indices=0, **options) for by in (csgraph, shortest_paths)]
            times = [[], []]
            np.testing.assert_allclose(*(np.asarray(call()[0] if options.get("return_predecessors") else call()) for call in calls))
            for _ in range(arguments.calls):
                for call, of in zip(calls, times):
                    started = time.perf_counter()
                    call()
                    of.append(1000 * (time.perf_counter() - started))
            theirs, ours = (f"{statistics.median(of):8.3f} ({statistics.quantiles(of)[0]:.3f})" for of in times)
            what = ", ".join([name, *options])
            print(f"{what:48} SciPy {theirs}   here {ours}   {statistics.median(times[1]) / statistics.median(times[0]):.2f}")


if __name__ == "__main__":
    main()
