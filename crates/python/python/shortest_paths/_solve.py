"""`solve` and `read`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from . import _native
from ._graphs import solve_any, vertices
from ._solution import Choice, Estimate, Solution, Verified
from ._weights import checked
from .errors import RequestError


@dataclass(frozen=True)
class _Request:
    """What the native half reads."""

    sources: npt.NDArray[np.int64] | None
    targets: npt.NDArray[np.int64] | None
    paths: str | None
    algorithm: str
    device: str
    scipy_marks: bool
    threads: int | None
    verify: bool
    progress: Callable[[str, int, int], object] | None


def solve(
    graph: Any,
    *,
    sources: npt.ArrayLike | None = None,
    targets: npt.ArrayLike | None = None,
    paths: Literal["predecessors", "next"] | None = None,
    algorithm: Literal["auto", "floyd-warshall", "dijkstra", "johnson"] = "auto",
    dtype: npt.DTypeLike | None = None,
    device: str = "auto",
    zeros: Literal["arcs", "absent"] = "arcs",
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

        - A matrix, n x n: entry (i, j) is the weight of the arc from i to j. No arc is ``inf``, in int32 every number from 2**29 on, in
          uint16 every number from 32767 on, or a masked entry. A 0 is an arc of weight 0 (see ``zeros``). The diagonal does not matter unless
          an entry is negative or no weight. Arrays of NumPy, anything with ``__dlpack__`` in the host's memory, and nested lists.
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
        ``"predecessors"`` or ``"next"`` to have the paths as well. ``"next"`` needs all sources and targets.
    algorithm
        The one that is expected to be fastest, or the one named.
    dtype
        ``"float32"``, ``"float64"``, ``"int32"`` or ``"uint16"``: converts the weights. If left out these stay as they are, and integers of other
        types become int32 where no path can be longer than it holds, and else float64. In int32 and uint16 ``Solution.absent`` stands for no
        path.
    device
        Where Floyd-Warshall runs: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` and so on. ``"auto"`` takes the first CUDA GPU where there is one and the
        graph is large enough, and the CPU otherwise. Searches always run on the CPU, and so does Floyd-Warshall in float64. An array in a
        GPU's memory is solved by that GPU.
    zeros
        ``"absent"``: a 0 beside the diagonal of a matrix is no arc, as in ``scipy.sparse.csgraph``.
    marks
        What stands for no vertex in paths: -1, or with ``"scipy"`` -9999 as in ``scipy.sparse.csgraph``.
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
    >>> solution = shortest_paths.solve(roads, paths="predecessors")
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
    if marks not in ("plain", "scipy"):
        raise RequestError(f"marks is {marks!r}: give 'plain' or 'scipy'")
    request = _Request(
        sources=None if sources is None else vertices(sources, "sources"),
        targets=None if targets is None else vertices(targets, "targets"),
        paths=_paths(paths),
        algorithm=algorithm,
        device=device,
        scipy_marks=marks == "scipy",
        threads=_threads(threads),
        verify=bool(verify),
        progress=progress,
    )
    found = solve_any(graph, None if dtype is None else checked(dtype), _zeros_absent(zeros), request)
    return _as_solution(found, request)


def _as_solution(found: dict[str, Any], request: _Request) -> Solution:
    chosen, dense, search = (
        None if estimate is None else Estimate(*estimate) for estimate in (found.pop(name) for name in ("chosen", "dense", "search"))
    )
    verified = found.pop("verified")
    return Solution(
        **found,
        sources=request.sources,
        targets=request.targets,
        choice=None if chosen is None or search is None else Choice(chosen, dense, search),
        verified=None if verified is None else Verified(*verified),
    )


def read(
    path: str | os.PathLike[str],
    *,
    dtype: npt.DTypeLike | None = None,
    undirected: bool = False,
    numbering: Literal["from-zero", "from-one", "named"] | None = None,
    zeros: Literal["arcs", "absent"] = "arcs",
    format: Literal["dimacs", "matrix-market", "edge-list", "npy", "npz"] | None = None,
) -> _native.Graph:
    """Reads a graph from a file: DIMACS ``.gr``, Matrix Market, edge lists as of SNAP, ``.npy``, and ``.npz`` of an array or of
    ``scipy.sparse.save_npz``; plain, or packed with gzip or Zstandard.

    Parameters
    ----------
    path
        The file.
    dtype
        The type of weights. If left out: int32 if all weights are integers and no path can be longer than it holds, float32 if it holds
        every weight, and else float64. An array of float32 stays what it is.
    undirected
        Whether every arc of the file stands for two, there and back.
    numbering
        How an edge list names its vertices. Found out from the file if left out.
    zeros
        What a 0 in a matrix of NumPy means; see `solve`.
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
    return _native.read(path, name, bool(undirected), numbering, _zeros_absent(zeros), format)


def _paths(paths: object) -> str | None:
    # The command line once had one of them without its s.
    if paths == "predecessor":
        return "predecessors"
    if paths is None or isinstance(paths, str):
        return paths
    raise RequestError(f"paths is {paths!r}: give None, 'predecessors' or 'next'")


def solve_many(graphs: Iterable[Any], *, threads: int | None = None, **options: Any) -> list[Solution]:
    """`solve` for each of many graphs, several at once: for graphs so small that one does not keep all cores busy.

    Parameters
    ----------
    graphs
        Each in one of the forms that `solve` takes.
    threads
        How many graphs are solved at once; as many as there are cores if left out.
    options
        Those of `solve`, for every graph.

    Returns the solutions in the order of the graphs, or raises what the first graph raises that cannot be solved.

    >>> import shortest_paths
    >>> [solution.distance(0, 1) for solution in shortest_paths.solve_many([[[0, 2], [5, 0]], [[0, 7], [1, 0]]])]
    [2, 7]
    """
    at_once = _threads(threads) or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    pool = ThreadPoolExecutor(at_once)
    try:
        return list(pool.map(lambda graph: solve(graph, threads=1, **options), graphs))
    finally:
        pool.shutdown(cancel_futures=True)


def _zeros_absent(zeros: str) -> bool:
    if zeros not in ("arcs", "absent"):
        raise RequestError(f"zeros is {zeros!r}: give 'arcs' or 'absent'")
    return zeros == "absent"


def _threads(threads: int | None) -> int | None:
    if threads is None:
        return None
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 4096:
        raise RequestError(f"threads is {threads!r}: give a number from 1 to 4096, or None for as many as there are cores")
    return int(threads)
