"""The shortest paths of ``scipy.sparse.csgraph``, with its arguments and results, by this package.

>>> import numpy as np
>>> from shortest_paths.csgraph import shortest_path
>>> shortest_path(np.array([[0, 3, 0], [0, 0, 2], [1, 0, 0]]))
array([[0., 3., 5.],
       [3., 0., 2.],
       [1., 4., 0.]])

Graphs mean what they mean there: entries of a dense graph that are 0, NaN, infinite or masked are no arcs, and every stored entry of a sparse
one is an arc. Distances are float64, and -9999 stands for no predecessor. Of several shortest paths another may be stored than SciPy stores.
Three things differ: `dijkstra` is exact for negative weights, and raises where they have a negative cycle; ``overwrite`` changes nothing;
and `johnson` and `bellman_ford` are one algorithm, Johnson's.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._solve import solve
from .errors import NegativeCycle

try:
    from scipy.sparse.csgraph import NegativeCycleError as _Theirs  # type: ignore[import-untyped]
except ImportError:  # Dense graphs do without SciPy.

    class _Theirs(Exception):  # type: ignore[no-redef]
        pass


__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]

#: What stands for no predecessor.
_NONE = -9999
_ALGORITHMS = {"auto": "auto", "FW": "floyd-warshall", "D": "dijkstra", "BF": "johnson", "J": "johnson"}


class NegativeCycleError(NegativeCycle, _Theirs):  # type: ignore[misc]
    """The graph has a cycle of negative weight. Caught as SciPy's error of this name, too."""


def shortest_path(
    csgraph: Any,
    method: Literal["auto", "FW", "D", "BF", "J"] = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> Any:
    """``scipy.sparse.csgraph.shortest_path``: distances from all vertices, or from those of ``indices``, and predecessors if asked for."""
    if method not in _ALGORITHMS:
        raise ValueError(f"unrecognized method {method!r}: give 'auto', 'FW', 'D', 'BF' or 'J'")
    if method == "FW" and indices is not None:
        raise ValueError("Cannot specify indices with method == 'FW': leave indices out, or choose another method")
    if method == "D":
        return dijkstra(csgraph, directed, indices, return_predecessors, unweighted)
    return _all_or_some(_graph(csgraph, directed, unweighted), _ALGORITHMS[method], indices, return_predecessors)


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.floyd_warshall``."""
    return shortest_path(csgraph, "FW", directed, return_predecessors, unweighted, overwrite)


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.johnson``."""
    return shortest_path(csgraph, "J", directed, return_predecessors, unweighted, indices=indices)


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.bellman_ford``."""
    return shortest_path(csgraph, "BF", directed, return_predecessors, unweighted, indices=indices)


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Any:
    """``scipy.sparse.csgraph.dijkstra``. Paths longer than ``limit`` count as none; with ``min_only`` distances are from the nearest of
    ``indices``, with the predecessors and the nearest of each vertex."""
    if not limit >= 0:
        raise ValueError(f"limit must be >= 0: it is {limit}")
    graph = _graph(csgraph, directed, unweighted)
    algorithm = "dijkstra"
    if graph.weights().min(initial=0) < 0:
        warnings.warn(
            "Graph has negative weights: Johnson's algorithm is used, and raises where there is a negative cycle",
            UserWarning,
            stacklevel=2,
        )
        algorithm = "johnson"
    if min_only:
        return _nearest(graph, algorithm, indices, return_predecessors, limit)
    return _all_or_some(graph, algorithm, indices, return_predecessors, limit)


class _Dense:
    """A matrix with inf where there is no arc."""

    def __init__(self, given: Any, directed: bool, unweighted: bool) -> None:
        masked = np.ma.getmaskarray(given) if isinstance(given, np.ma.MaskedArray) else False
        matrix = np.asarray(given, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"the graph has shape {matrix.shape}: compressed-sparse graph must be shape (N, N)")
        is_arc = np.isfinite(matrix) & (matrix != 0) & ~np.asarray(masked)
        self.matrix = np.where(is_arc, 1.0 if unweighted else matrix, np.inf)
        if not directed:
            self.matrix = np.minimum(self.matrix, self.matrix.T)
        self.n = len(self.matrix)

    def weights(self) -> npt.NDArray[np.float64]:
        return self.matrix

    def given(self) -> Any:
        return self.matrix

    def arcs(self) -> tuple[Any, Any, Any]:
        tails, heads = np.nonzero(np.isfinite(self.matrix))
        return tails, heads, self.matrix[tails, heads]


class _Sparse:
    """Compressed sparse rows, of which every stored entry is an arc."""

    def __init__(self, given: Any, directed: bool, unweighted: bool) -> None:
        if len(given.shape) != 2 or given.shape[0] != given.shape[1]:
            raise ValueError(f"the graph has shape {given.shape}: compressed-sparse graph must be shape (N, N)")
        rows = given.tocsr()
        self.n = given.shape[0]
        self.directed = directed
        data = np.ones(len(rows.data)) if unweighted else np.asarray(rows.data, dtype=np.float64)
        self.rows = type(rows)((data, rows.indices, rows.indptr), shape=rows.shape)

    def weights(self) -> npt.NDArray[np.float64]:
        return np.asarray(self.rows.data)

    def given(self) -> Any:
        return self.rows if self.directed else (self.n, self.arcs())

    def arcs(self) -> tuple[Any, Any, Any]:
        rows = self.rows
        tails, heads = np.repeat(np.arange(self.n), np.diff(rows.indptr)), rows.indices[: rows.indptr[-1]]
        weights = rows.data[: rows.indptr[-1]]
        if self.directed:
            return tails, heads, weights
        return np.concatenate([tails, heads]), np.concatenate([heads, tails]), np.concatenate([weights, weights])


def _graph(csgraph: Any, directed: bool, unweighted: bool) -> _Dense | _Sparse:
    is_sparse = hasattr(csgraph, "tocsr") and hasattr(csgraph, "shape")
    return (_Sparse if is_sparse else _Dense)(csgraph, directed, unweighted)


def _places(indices: npt.ArrayLike, n: int) -> npt.NDArray[np.int64]:
    places = np.asarray(indices)
    if places.size > 0 and places.dtype.kind not in "iu":
        raise ValueError(f"indices are {places.dtype.name}: give numbers of vertices")
    places = places.astype(np.int64)
    places = np.where(places < 0, places + n, places)
    if ((places < 0) | (places >= n)).any():
        raise ValueError(f"indices out of range 0...{n}")
    return places


def _solved(graph: Any, algorithm: Any, sources: Any, predecessors: bool) -> tuple[Any, Any]:
    paths: Literal["predecessors"] | None = "predecessors" if predecessors else None
    try:
        solution = solve(graph, sources=sources, paths=paths, algorithm=algorithm, marks="scipy")
    except NegativeCycle as error:
        raise NegativeCycleError(str(error), error.vertices, error.weight) from None
    return solution.distances, solution.predecessors if predecessors else None


def _all_or_some(
    graph: _Dense | _Sparse, algorithm: str, indices: npt.ArrayLike | None, predecessors: bool, limit: float = np.inf
) -> Any:
    sources, shape = None, (graph.n,)
    if indices is not None:
        places = _places(indices, graph.n)
        sources, shape = places.ravel(), places.shape
    distances, before = _solved(graph.given(), algorithm, sources, predecessors)
    is_beyond = distances > limit
    distances[is_beyond] = np.inf
    distances = distances.reshape((*shape, graph.n))
    if before is None:
        return distances
    before[is_beyond] = _NONE
    return distances, before.reshape((*shape, graph.n))


def _nearest(
    graph: _Dense | _Sparse, algorithm: str, indices: npt.ArrayLike | None, predecessors: bool, limit: float
) -> Any:
    """From a vertex more, from which arcs of weight 0 lead to the sources."""
    n = graph.n
    sources = np.unique(np.arange(n) if indices is None else _places(indices, n))
    tails, heads, weights = graph.arcs()
    tails, heads = np.concatenate([tails, np.full(len(sources), n)]), np.concatenate([heads, sources])
    arcs = (n + 1, (tails, heads, np.concatenate([weights, np.zeros(len(sources))])))
    distances, before = _solved(arcs, algorithm, [n], predecessors)
    distances = distances[0, :n].copy()
    is_beyond = distances > limit
    distances[is_beyond] = np.inf
    if before is None:
        return distances
    before = before[0, :n].copy()
    is_first = before == n
    # Each vertex looks at the one before it, that one's, and so on, twice as far each time.
    nearest = np.where(is_first | (before == _NONE), np.arange(n), before)
    while (further := nearest[nearest] != nearest).any():
        nearest = np.where(further, nearest[nearest], nearest)
    nearest[is_beyond | np.isinf(distances)] = _NONE
    before[is_first | is_beyond] = _NONE
    return distances, before, nearest.astype(np.int32)
