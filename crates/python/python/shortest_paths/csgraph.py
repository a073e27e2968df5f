"""Shortest paths with the signatures and the meaning of ``scipy.sparse.csgraph``, which they can take the place of.

>>> import numpy as np
>>> from shortest_paths.csgraph import shortest_path
>>> shortest_path(np.array([[0, 4, 1], [0, 0, 0], [0, 2, 0]]), return_predecessors=True)
(array([[ 0.,  3.,  1.],
       [inf,  0., inf],
       [inf,  2.,  0.]]), array([[-9999,     2,     0],
       [-9999, -9999, -9999],
       [-9999,     2, -9999]], dtype=int32))

Graphs are read as SciPy reads them: of a dense array 0, NaN and infinity are no edges, of a masked array what is masked, and of a sparse one what is
not stored. Distances are float64, and ``inf`` where no path leads. SciPy itself is not needed for dense graphs.

Other than in SciPy negative weights give right distances also in `dijkstra`, where no ``limit`` or ``min_only`` is asked for; a negative weight from a
vertex to itself is a negative cycle in every function; a 0 of a masked array that is not masked is an edge of length 0 in every function, and not
in all but Floyd-Warshall; and of several paths that are equally short another may be named.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _native
from ._csgraph_input import form_of
from ._request import Request
from .errors import NegativeCycle, RequestError

__all__ = ["NegativeCycleError", "bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"]

#: Where SciPy's module is loaded, what is raised is one of its ``NegativeCycleError`` as well.
NegativeCycleError = NegativeCycle

_METHODS = {"auto": "auto", "FW": "floyd-warshall", "D": "johnson", "BF": "johnson", "J": "johnson"}


def shortest_path(
    csgraph: Any,
    method: Literal["auto", "FW", "D", "BF", "J"] = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: npt.ArrayLike | None = None,
) -> Any:
    """Shortest paths, as ``scipy.sparse.csgraph.shortest_path`` finds them.

    Parameters
    ----------
    csgraph
        The graph, dense, masked or sparse, n x n.
    method
        ``"FW"`` is Floyd-Warshall, ``"D"``, ``"BF"`` and ``"J"`` search from each vertex, and ``"auto"`` takes what is expected to be faster.
    directed
        If not, every edge leads both ways, and of two the shorter counts.
    return_predecessors
        Whether to return predecessors as well, in int32 with -9999 for none.
    unweighted
        Whether every edge has length 1.
    overwrite
        With ``"FW"``, puts the result into ``csgraph`` and returns that, if it is a float64 array in C order.
    indices
        Begin at these vertices alone; the result has their shape, and n columns.
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise RequestError(f"method is {method!r}: give 'auto', 'FW', 'D', 'BF' or 'J'")
    if method == "FW" and indices is not None:
        raise RequestError("indices is given and method is 'FW', which finds all paths: leave indices out, or choose method='D'")
    found = _solve(csgraph, directed, unweighted, indices, return_predecessors, method == "BF", algorithm=_METHODS[method])
    if not (overwrite and method == "FW" and type(csgraph) is np.ndarray and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous):
        return found
    csgraph[...] = found[0] if return_predecessors else found
    return (csgraph, found[1]) if return_predecessors else csgraph


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Any:
    """All shortest paths by Floyd-Warshall; see `shortest_path`."""
    return shortest_path(csgraph, "FW", directed, return_predecessors, unweighted, overwrite)


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = math.inf,
    min_only: bool = False,
) -> Any:
    """Shortest paths by a search from each vertex; see `shortest_path`.

    ``limit`` takes vertices that are farther away as not reached. ``min_only`` finds for each vertex the distance from the nearest of
    ``indices``, and with ``return_predecessors`` returns distances, predecessors and sources, each of n numbers. Both need weights that are not negative.
    """
    if not isinstance(limit, (int, float, np.integer, np.floating)) or not limit >= 0:
        raise RequestError(f"limit is {limit!r}: give 0, a larger number, or inf for no limit")
    algorithm = "dijkstra" if min_only else "johnson"
    return _solve(csgraph, directed, unweighted, indices, return_predecessors, False, algorithm=algorithm, limit=float(limit), nearest=bool(min_only))


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Shortest paths from each vertex, with negative weights; see `shortest_path`. Works as `johnson`, and in its time, but a negative cycle counts only
    where a path leads to it from one of ``indices``.
    """
    return _solve(csgraph, directed, unweighted, indices, return_predecessors, True, algorithm="johnson")


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: npt.ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Any:
    """Shortest paths from each vertex by Johnson's algorithm, with negative weights; see `shortest_path`."""
    return _solve(csgraph, directed, unweighted, indices, return_predecessors, False, algorithm="johnson")


def _solve(csgraph: Any, directed: bool, unweighted: bool, indices: Any, return_predecessors: bool, only_reached: bool, **options: Any) -> Any:
    """Distances, and predecessors if they are wanted, in SciPy's shapes. With `only_reached` a negative cycle that no path leads to is none."""
    n, form = form_of(csgraph, bool(directed), bool(unweighted))
    sources, shape = _sources(indices, n)
    nearest = options.get("nearest", False)
    if n == 0:
        nothing = np.empty((0,) if nearest else (*shape, 0))
        marks = nothing.astype(np.int32)
        return nothing if not return_predecessors else (nothing, marks, marks) if nearest else (nothing, marks)
    paths = "predecessor" if return_predecessors else None
    request = Request(sources=sources, paths=paths, marks="scipy", **options)
    try:
        try:
            found = _native.solve(form, request)
        except NegativeCycle:
            if not only_reached or sources is None:
                raise
            found = _native.solve(_within_reach(form, sources), request)
    except NegativeCycle as cycle:
        raise _as_scipys(cycle) from None
    whole = (n,) if nearest else (*shape, n)
    distances = found["distances"].reshape(whole)
    if not return_predecessors:
        return distances
    predecessors = found["predecessors"].reshape(whole)
    return (distances, predecessors, found["nearest"]) if nearest else (distances, predecessors)


def _within_reach(form: Any, sources: npt.NDArray[np.int64]) -> Any:
    """The graph without arcs that no path from a source comes to."""
    *graph, weights = form
    distances = _native.solve((*graph, abs(weights)), Request(sources=sources, nearest=True))["distances"]
    is_reached, ends = np.isfinite(distances[0]), form[2]
    if ends is None:
        return (*graph, np.where(is_reached[:, None], weights, np.inf))
    arcs = np.repeat(is_reached, np.diff(ends[0]))
    return (*graph, np.where(arcs, weights[: len(arcs)], np.inf))


def _sources(indices: Any, n: int) -> tuple[npt.NDArray[np.int64] | None, tuple[int, ...]]:
    """The vertices to begin at, counted from 0, and the shape in which they were given."""
    if indices is None:
        return None, (n,)
    given = np.asarray(indices)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.dtype.kind not in "iu":
        raise RequestError(f"indices has dtype {given.dtype.name}: give numbers of vertices")
    chosen = given.astype(np.int64).ravel()
    wrong = chosen[(chosen < -n) | (chosen >= n)]
    if wrong.size > 0:
        raise RequestError(f"indices has {wrong[0]} in it, and the graph has {n} vertices: give numbers from 0 to {n - 1}, or from the end -1 to -{n}")
    return np.where(chosen < 0, chosen + n, chosen), given.shape


def _as_scipys(cycle: NegativeCycle) -> NegativeCycle:
    """The same, for whoever expects the exception of SciPy."""
    scipys = getattr(sys.modules.get("scipy.sparse.csgraph"), "NegativeCycleError", None)
    if scipys is None:
        return cycle
    both: type[NegativeCycle] = type("NegativeCycleError", (NegativeCycle, scipys), {"__module__": __name__})
    return both(str(cycle), cycle.vertices, cycle.weight)
