"""SciPy's Johnson: Dijkstra from every vertex, on a sparse matrix."""

import numpy
from protocol import serve
from scipy.sparse.csgraph import csgraph_from_dense, johnson


def load(weights):
    johnson(csgraph_from_dense(numpy.zeros((2, 2))))
    # So that an edge of no weight is one.
    return csgraph_from_dense(weights.astype(numpy.float64), null_value=numpy.inf)


serve(load, lambda graph: johnson(graph, directed=True))
