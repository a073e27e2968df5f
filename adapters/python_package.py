"""The Python package of this project: on the CPU or a GPU, with predecessors or without."""

import argparse

import numpy
import shortest_paths
from protocol import serve, warm_up

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--device", required=True)
arguments.add_argument("--algorithm", default="auto")
arguments.add_argument("--paths")
asked = vars(arguments.parse_args())


def load(weights):
    # Loads the kernels, and wakes the GPU.
    small = numpy.ones((512, 512), weights.dtype)
    warm_up(lambda: shortest_paths.solve(small, **asked))
    return weights


serve(load, lambda weights: shortest_paths.solve(weights, **asked).distances)
