"""The triple loop compiled by Numba, its rows shared among all processors: what one writes who knows Python."""

import numba
import numpy
from protocol import serve


@numba.njit(parallel=True)
def close(distances):
    n = distances.shape[0]
    for k in range(n):
        for i in numba.prange(n):
            through = distances[i, k]
            for j in range(n):
                distances[i, j] = min(distances[i, j], through + distances[k, j])


def load(weights):
    # Compiles for this type.
    close(weights[:1, :1].copy())
    return weights


def solve(weights):
    distances = weights.copy()
    close(distances)
    return distances


serve(load, solve)
