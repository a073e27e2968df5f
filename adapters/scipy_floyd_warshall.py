"""SciPy's Floyd-Warshall. It takes float64 and copies the matrix before it solves, which is part of what a user waits for."""

import numpy
from protocol import serve
from scipy.sparse.csgraph import csgraph_from_dense, floyd_warshall


def load(weights):
    floyd_warshall(numpy.zeros((2, 2)))
    weights = weights.astype(numpy.float64)
    # In a dense matrix SciPy takes 0 for no edge, in a sparse one it does not. Vertices have an edge of no weight to themselves.
    has_zeros = numpy.count_nonzero(weights == 0) > numpy.count_nonzero(weights.diagonal() == 0)
    return csgraph_from_dense(weights, null_value=numpy.inf) if has_zeros else weights


serve(load, lambda weights: floyd_warshall(weights, directed=True))
