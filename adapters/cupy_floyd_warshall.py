"""One line of CuPy for each k, on the GPU: what one writes who knows NumPy."""

import cupy
import numpy
from protocol import serve, warm_up


def close(distances):
    for k in range(len(distances)):
        cupy.minimum(distances, distances[:, k, None] + distances[None, k, :], out=distances)


def load(weights):
    loaded = cupy.asarray(weights)
    # Compiles, asks for the memory, and wakes the GPU.
    small = loaded[:128, :128].copy()
    warm_up(lambda: (close(small), cupy.cuda.Device().synchronize()))
    return loaded


def solve(loaded):
    distances = loaded.copy()
    close(distances)
    cupy.cuda.Device().synchronize()
    return lambda: cupy.asnumpy(distances)


serve(load, solve)
