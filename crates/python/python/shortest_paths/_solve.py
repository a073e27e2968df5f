"""`solve`, `solve_many` and `read`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy.typing as npt

from . import _native
from ._graphs import form_of, is_on_gpu, solve_on_gpu, vertices_of
from ._request import Request, limit_of, threads_of, zeros_absent
from ._solution import Choice, Estimate, Solution, Verified
from ._weights import checked
from .errors import GraphTypeError, ShortestPathsError


class ZeroWarning(UserWarning):
    """A matrix has zeros beside its diagonal, and nobody said whether they are arcs."""


def solve(
    graph: Any,
    *,
    sources: npt.ArrayLike | None = None,
    targets: npt.ArrayLike | None = None,
    paths: Literal["predecessor", "next"] | None = None,
    algorithm: Literal["auto", "floyd-warshall", "dijkstra", "johnson"] = "auto",
    dtype: npt.DTypeLike | None = None,
    device: str = "auto",
    zeros: Literal["arcs", "absent"] | None = None,
    undirected: bool = False,
    limit: float | None = None,
    min_only: bool = False,
    marks: Literal["plain", "scipy"] = "plain",
    threads: int | None = None,
    verify: bool = False,
    progress: Callable[[str, int, int], object] | None = None,
) -> Solution:
    """Shortest paths between all vertices of a directed graph, or between chosen ones.

    Parameters
    ----------
    graph
        One of:

        - A matrix, n x n: entry (i, j) is the weight of the arc from i to j. No arc is ``inf``, in int32 1073741823 (2**30 - 1), in
          uint16 32767, or a masked entry. A 0 is an arc of weight 0, with a `ZeroWarning` (see ``zeros``). In
          bool, True is an arc of weight 1 and False none. The diagonal does not matter unless an entry is negative or no weight. Arrays of NumPy, anything with ``__dlpack__`` in the host's
          memory, and nested lists.
        - The same with ``__dlpack__`` in the memory of a CUDA GPU: float32, int32 or uint16, rows in order and side by side, no negative weight.
          It is solved there, and ``distances`` is a `DeviceArray` there. ``sources``, ``targets``, ``paths`` and ``verify`` are refused.
        - A sparse matrix or array of SciPy. Every stored entry is an arc, also one of weight 0. Of entries at the same place the least wins.
        - ``(n, (tails, heads, weights))``: the arcs in three lists or arrays. With ``None`` for n there are as many vertices as the arcs
          name.
        - What `read` returns.

        Rows side by side in memory and sorted sparse rows are used where they lie. Do not change them meanwhile.
    sources, targets
        The vertices where paths begin and end, counted from 0: a number or a list. All if left out. Predecessors
        have a column for each vertex all the same, with the paths to the targets alone.
    paths
        ``"predecessor"`` or ``"next"`` to have the paths as well. ``"next"`` needs all sources and targets.
    algorithm
        The one that is expected to be fastest, or the one named.
    dtype
        The type of distances, ``"float32"``, ``"float64"``, ``"int32"`` or ``"uint16"``, to which weights are converted. If left out, weights of
        these types keep theirs. For other integers, lists of integers among them, and bool, it is chosen as `read` chooses it: mostly int32, in which
        ``Solution.no_path`` stands where no path leads. Other types have to be converted.
    device
        Where Floyd-Warshall runs: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` and so on. ``"auto"`` takes the first CUDA GPU where there is one and the
        graph is large enough, and the CPU otherwise. Searches always run on the CPU, and so does Floyd-Warshall in float64. An array in a
        GPU's memory is solved by that GPU.
    zeros
        ``"absent"``: a 0 beside the diagonal of a matrix is no arc, as in ``scipy.sparse.csgraph``. ``"arcs"``: it is one, and no warning is
        needed.
    undirected
        Whether every arc leads there and back. Of two arcs between the same vertices the lesser counts.
    limit
        Vertices that are farther away count as not reached. No weight may be negative then.
    min_only
        Only the distance from the nearest source: one row, in the time of one source. ``Solution.nearest`` names the sources. No weight
        may be negative.
    marks
        ``"scipy"`` marks what is no vertex in predecessors by -9999, as ``scipy.sparse.csgraph`` does, and not by -1.
    threads
        As many as there are cores if left out.
    verify
        Holds the result against the graph before it is returned. ``Solution.verified`` tells what was checked.
    progress
        Called as ``progress(stage, done, total)`` about 20 times a second, by the calling thread. The stage is ``"potentials"``,
        ``"distances"``, ``"paths"`` or ``"check"``; total is 0 where nobody knows. What it raises ends the computation.

    Raises
    ------
    NegativeCycle
        With ``vertices``.
    GraphError, GraphTypeError
        What was given is no graph.
    RequestError
        Another argument is wrong.
    DistanceOverflow
        A distance is longer than its dtype holds.
    DeviceError
        The device named is not there or failed.
    NotEnoughMemory
        The result does not fit. Its size is in the message, and nothing was allocated.

    Other threads of Python run meanwhile. Ctrl-C ends the computation.

    Examples
    --------
    >>> import shortest_paths
    >>> roads = (4, ([0, 0, 2, 1], [1, 2, 1, 3], [4.0, 1.5, 2.0, 0.0]))
    >>> solution = shortest_paths.solve(roads, paths="predecessor")
    >>> solution.distance(0, 3), solution.path(0, 3)
    (3.5, [0, 2, 1, 3])

    The type of weights is the type of distances:

    >>> import numpy as np
    >>> shortest_paths.solve(np.array([[0, 7], [3, 0]], dtype=np.uint16)).distances
    array([[0, 7],
           [3, 0]], dtype=uint16)

    >>> from scipy.sparse import csr_array
    >>> graph = csr_array(([5.0, -2.0, 1.0], ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
    >>> shortest_paths.solve(graph, sources=[2, 0]).distances
    array([[1., 6., 0.],
           [0., 5., 3.]])

    >>> shortest_paths.solve((2, ([0, 1], [1, 0], [1, -3])), dtype="int32")
    Traceback (most recent call last):
      ...
    shortest_paths.errors.NegativeCycle: vertex 0 (counted from 0) lies on a negative cycle of 2 edges and total weight -2: \
shortest paths do not exist, raise or remove one of its weights
    """
    request = _request(
        sources, targets, paths, limit, min_only, threads, verify, marks=marks, algorithm=algorithm, device=device, progress=progress
    )
    wanted = None if dtype is None else checked(dtype)
    if is_on_gpu(graph) and not undirected:
        return _as_solution(solve_on_gpu(graph, wanted, zeros_absent(zeros), request), request, zeros)
    form = form_of(graph, wanted, zeros_absent(zeros), undirected)
    return _as_solution(_native.solve(form, request), request, zeros)


def solve_many(
    graphs: Iterable[Any],
    *,
    sources: npt.ArrayLike | None = None,
    targets: npt.ArrayLike | None = None,
    paths: Literal["predecessor", "next"] | None = None,
    algorithm: Literal["auto", "floyd-warshall", "dijkstra", "johnson"] = "auto",
    dtype: npt.DTypeLike | None = None,
    zeros: Literal["arcs", "absent"] | None = None,
    undirected: bool = False,
    limit: float | None = None,
    min_only: bool = False,
    marks: Literal["plain", "scipy"] = "plain",
    threads: int | None = None,
    verify: bool = False,
    progress: Callable[[str, int, int], object] | None = None,
) -> list[Solution]:
    """The solution of each of several graphs, for many small ones: on the CPU, a thread a graph.

    Graphs and options are those of `solve`; the options hold for every graph. ``progress`` counts graphs. An exception has in ``graph`` which one
    it is about.

    >>> import shortest_paths
    >>> found = shortest_paths.solve_many([[[0, 2], [7, 0]], [[0, 3, 9], [1, 0, 4], [5, 6, 0]]])
    >>> [solution.distance(0, solution.n - 1) for solution in found]
    [2, 7]
    """
    request = _request(
        sources, targets, paths, limit, min_only, threads, verify, marks=marks, algorithm=algorithm, progress=progress
    )
    wanted = None if dtype is None else checked(dtype)
    forms = []
    for at, graph in enumerate(graphs):
        try:
            if is_on_gpu(graph):
                raise GraphTypeError("it is in a GPU's memory, and solve_many runs on the CPU: copy it to the host first, as with x.cpu()")
            forms.append(form_of(graph, wanted, zeros_absent(zeros), undirected))
        except ShortestPathsError as error:
            error.graph = at
            raise
    return [_as_solution(found, request, zeros) for found in _native.solve_many(forms, request)]


def _request(
    sources: npt.ArrayLike | None,
    targets: npt.ArrayLike | None,
    paths: Any,
    limit: float | None,
    min_only: bool,
    threads: int | None,
    verify: bool,
    **others: Any,
) -> Request:
    """The options of one graph or of many, checked; those of `others` are what they are in a request."""
    return Request(
        sources=None if sources is None else vertices_of(sources, "sources"),
        targets=None if targets is None else vertices_of(targets, "targets"),
        paths=paths,
        limit=limit_of(limit),
        nearest=bool(min_only),
        threads=threads_of(threads),
        verify=bool(verify),
        **others,
    )


_ZEROS = (
    "the matrix has zeros beside its diagonal, each an arc of weight 0: pass zeros='absent' if they are no arcs, as in"
    " scipy.sparse.csgraph, or zeros='arcs' if they are"
)


def _as_solution(found: dict[str, Any], request: Request, zeros: str | None) -> Solution:
    if found.pop("has_zeros") and zeros is None:
        warnings.warn(_ZEROS, ZeroWarning, stacklevel=3)
    choice, verified = found.pop("choice"), found.pop("verified")
    return Solution(
        **found,
        sources=request.sources,
        targets=request.targets,
        choice=None if choice is None else Choice.of(choice),
        verified=None if verified is None else Verified(*verified),
    )


def read(
    path: str | os.PathLike[str],
    *,
    dtype: npt.DTypeLike | None = None,
    undirected: bool = False,
    vertices: Literal["from-zero", "from-one", "named"] | None = None,
    zeros: Literal["arcs", "absent"] | None = None,
    format: Literal["dimacs", "matrix-market", "edge-list", "npy", "npz"] | None = None,
) -> _native.Graph:
    """Reads a graph from a file: DIMACS ``.gr``, Matrix Market, edge lists as of SNAP, ``.npy``, and ``.npz`` of an array or of
    ``scipy.sparse.save_npz``; plain, or packed with gzip.

    Parameters
    ----------
    path
        The file.
    dtype
        The type of weights. If left out: int32 if all weights are integers and no path can be longer than it holds, float32 if it holds
        every weight, and else float64. An array of float32 stays what it is.
    undirected
        Whether every arc of the file stands for two, there and back.
    vertices
        How an edge list names its vertices. Found out from the file if left out.
    zeros
        What a 0 in a dense matrix means; see `solve`.
    format
        Found out from the file if left out.

    Examples
    --------
    >>> import pathlib, tempfile, shortest_paths
    >>> file = pathlib.Path(tempfile.mkdtemp(), "roads.txt")
    >>> _ = file.write_text("# from to km\\nBonn Ulm 420\\nUlm Kiel 860\\n")
    >>> graph = shortest_paths.read(file)
    >>> graph
    <shortest_paths.Graph: 3 vertices, int32, from edge-list>
    >>> solution = shortest_paths.solve(graph, sources=[graph.vertex("Bonn")])
    >>> solution.distance(graph.vertex("Bonn"), graph.vertex("Kiel"))
    1280
    """
    name = None if dtype is None else checked(dtype).name
    graph = _native.read(path, name, bool(undirected), vertices, zeros_absent(zeros), format)
    if zeros is None and graph.has_zeros:
        warnings.warn(_ZEROS, ZeroWarning, stacklevel=2)
    return graph
