"""NetworkX's Floyd-Warshall with NumPy, on its own graph of dictionaries."""

import networkx
import numpy
from protocol import serve


def load(weights):
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(len(weights)))
    sources, targets = numpy.nonzero(numpy.isfinite(weights))
    lengths = weights[sources, targets]
    edges = zip(sources.tolist(), targets.tolist(), lengths.tolist())
    graph.add_weighted_edges_from(edge for edge in edges if edge[0] != edge[1])
    networkx.floyd_warshall_numpy(networkx.DiGraph([(0, 1, {"weight": 1.0})]))
    return graph


def solve(graph):
    return networkx.floyd_warshall_numpy(graph, nodelist=range(len(graph)))


serve(load, solve)
