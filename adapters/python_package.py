"""The Python package of this project: on the CPU or a GPU, with predecessors or without."""

import argparse

import numpy
import shortest_paths
from protocol import serve, warm_up

arguments = argparse.ArgumentParser(description=__doc__)
arguments.add_argument("--device", required=True)
arguments.add_argument("--algorithm", default="auto")
# Stored runs have an older word.
arguments.add_argument("--paths", type=lambda word: word.replace("predecessors", "predecessor"))
asked = vars(arguments.parse_args())


def load(weights):
    # Loads the kernels, also those of predecessors, which a graph that needs most of its arcs does not take; and wakes the GPU.
    small = numpy.full((512, 512), numpy.inf, weights.dtype)
    small[numpy.arange(512), (numpy.arange(512) + 1) % 512] = 1
    warm_up(lambda: shortest_paths.solve(small, **asked))
    return weights


serve(load, lambda weights: shortest_paths.solve(weights, **asked).distances)
