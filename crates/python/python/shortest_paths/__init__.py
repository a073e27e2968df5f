"""All shortest paths of a graph: exact distances, the paths themselves, negative cycles by name.

`solve` takes a matrix, a sparse matrix of SciPy, a list of arcs, or a file read by `read`:

>>> import shortest_paths
>>> solution = shortest_paths.solve((3, ([0, 1, 0], [1, 2, 2], [1.0, 2.0, 5.0])), paths="predecessor")
>>> solution.distance(0, 2), solution.path(0, 2)
(3.0, [0, 1, 2])
"""

from ._native import VERSION as __version__
from ._native import DeviceArray, Graph
from ._solution import Choice, Estimate, Solution, Verified
from ._solve import ZeroWarning, read, solve, solve_many
from ._weights import absent
from .csgraph import bellman_ford, dijkstra, floyd_warshall, johnson, shortest_path
from .errors import (
    DeviceError,
    DistanceOverflow,
    GraphError,
    GraphTypeError,
    InternalError,
    NegativeCycle,
    NotEnoughMemory,
    ReadError,
    RequestError,
    ShortestPathsError,
    VerificationError,
)

__all__ = [
    "Choice",
    "DeviceArray",
    "DeviceError",
    "DistanceOverflow",
    "Estimate",
    "Graph",
    "GraphError",
    "GraphTypeError",
    "InternalError",
    "NegativeCycle",
    "NotEnoughMemory",
    "ReadError",
    "RequestError",
    "ShortestPathsError",
    "Solution",
    "VerificationError",
    "Verified",
    "__version__",
    "ZeroWarning",
    "absent",
    "bellman_ford",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "read",
    "shortest_path",
    "solve",
    "solve_many",
]
