"""One line of CuPy for each k, on the GPU: what one writes who knows NumPy."""

import cupy
import numpy
from protocol import serve


def close(distances):
    for k in range(len(distances)):
        cupy.minimum(distances, distances[:, k, None] + distances[None, k, :], out=distances)


def load(weights):
    loaded = cupy.asarray(weights)
    # Compiles, and asks for the memory.
    close(loaded[:2, :2].copy())
    cupy.cuda.Device().synchronize()
    return loaded


def solve(loaded):
    distances = loaded.copy()
    close(distances)
    cupy.cuda.Device().synchronize()
    return lambda: cupy.asnumpy(distances)


serve(load, solve)
