"""SciPy's Dijkstra from every vertex, on a sparse matrix, with predecessors or without."""

import sys

import numpy
from protocol import serve
from scipy.sparse.csgraph import csgraph_from_dense, dijkstra

with_predecessors = "--predecessors" in sys.argv


def solve(graph):
    found = dijkstra(graph, directed=True, return_predecessors=with_predecessors)
    return found[0] if with_predecessors else found


def load(weights):
    solve(csgraph_from_dense(numpy.zeros((2, 2))))
    # So that an edge of no weight is one.
    return csgraph_from_dense(weights.astype(numpy.float64), null_value=numpy.inf)


serve(load, solve)
