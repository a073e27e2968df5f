"""Recognises what a graph is given as, and calls the native half for it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._weights import TYPES, absent, packed, weights
from .errors import GraphError, GraphTypeError, RequestError

#: Kinds of memory that the host can read, by DLPack's numbers: its own, and what drivers share with it.
_HOST = {1, 3, 11, 13}
_CUDA = 2
_DEVICES = {_CUDA: "a CUDA device", 8: "a Metal device", 10: "a ROCm device"}


#: What the native half takes: what `read` returns, or "dense", "csr" or "arcs"; the number of vertices, of "csr" and where it is known of "arcs"; a
#: pair of arrays, ``indptr`` and ``indices`` or tails and heads, in int64 and uint32; whether arcs lead back as well; which entries are none: "sentinel", the number that stands for it, or "zeros" as well, or "csgraph", what are none in SciPy; the weights.
Form = _native.Graph | tuple[str, int | None, tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]] | None, bool, str, npt.NDArray[Any]]


def form_of(graph: Any, dtype: np.dtype[Any] | None, zeros_absent: bool, undirected: bool) -> Form:
    """A graph in any of the forms that `solve` names, in the host's memory, as the native half takes it."""
    if isinstance(graph, _native.Graph):
        if dtype is not None and dtype.name != graph.dtype:
            raise RequestError(f"the graph was read as {graph.dtype}: read it with dtype='{dtype.name}' instead")
        if undirected:
            raise RequestError("undirected is True, and the graph is what read() returns: read it with undirected=True instead")
        return graph
    if isinstance(graph, tuple):
        return _arcs(graph, dtype, undirected)
    if any(of.__module__.partition(".")[0] == "networkx" for of in type(graph).__mro__):
        raise GraphTypeError(
            f"the graph is a {type(graph).__name__} of NetworkX: give nx.to_scipy_sparse_array(G), whose vertices are numbered as in list(G),"
            " or call a function of NetworkX with backend='shortest_paths'"
        )
    if hasattr(graph, "tocsr") and hasattr(graph, "format"):
        return _sparse(graph, dtype, undirected)
    matrix = _matrix(graph)
    if undirected:
        return _typed(lambda weights: ("dense", None, None, False, "sentinel", _there_and_back(weights, zeros_absent)), matrix, dtype)
    return _typed(lambda weights: ("dense", None, None, False, "zeros" if zeros_absent else "sentinel", weights), matrix, dtype)


def _typed(make: Callable[[npt.NDArray[Any]], Form], given: npt.NDArray[Any], dtype: np.dtype[Any] | None, are_listed: bool = False) -> Form:
    """The form with weights of one of the four types. For integers of other types, and for bool, it is chosen as `read` chooses it."""
    if dtype is not None or given.dtype.kind not in "iub" or given.dtype.name in TYPES:
        return make(weights(given, dtype, are_listed))
    wide = weights(given, np.dtype(np.float64), are_listed)
    chosen = np.dtype(_native.fitting_dtype(make(wide)))
    return make(weights(wide, chosen, are_listed))


def _there_and_back(matrix: npt.NDArray[Any], zeros_absent: bool) -> npt.NDArray[Any]:
    """The lesser of the arcs there and back."""
    if zeros_absent:
        matrix = np.where(matrix == 0, matrix.dtype.type(absent(matrix.dtype)), matrix)
    both: npt.NDArray[Any] = np.minimum(matrix, matrix.T)
    return both


def _matrix(graph: Any) -> npt.NDArray[Any]:
    if isinstance(graph, np.ndarray):
        matrix = graph
    elif hasattr(graph, "__dlpack__"):
        matrix = _of_dlpack(graph)
    else:
        try:
            matrix = np.asarray(graph)
        except (TypeError, ValueError) as error:
            raise GraphTypeError(f"{type(graph).__name__} is no graph: {error}; {_FORMS}") from None
        if matrix.dtype.kind not in "fiub":
            raise GraphTypeError(f"{type(graph).__name__} is no graph: {_FORMS}")
    rows_of(matrix.shape, "the matrix")
    return matrix


def rows_of(shape: tuple[int, ...], what: str) -> int:
    """The number of vertices, of which there are as many rows as columns."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise GraphError(f"{what} has shape {shape}: give (n, n), as many rows as columns")
    return shape[0]


_FORMS = "give a matrix, a SciPy sparse matrix, (n, (tails, heads, weights)) or what read() returns"


def is_on_gpu(graph: Any) -> bool:
    return not isinstance(graph, np.ndarray) and hasattr(graph, "__dlpack_device__") and _device(graph)[0] == _CUDA


def _device(graph: Any) -> tuple[int, int]:
    """Kind of memory and number of the device, by DLPack's numbers."""
    try:
        kind, number = (operator.index(part) for part in graph.__dlpack_device__())
        if not 0 <= number < 2**31:
            raise ValueError(f"there is no device {number}")
    except Exception as error:
        raise _refused(graph, error) from None
    return kind, number


def _refused(graph: Any, error: Exception) -> GraphTypeError:
    """In one line, whatever a library raises."""
    return GraphTypeError(f"{type(graph).__name__} cannot be taken by DLPack: {' '.join(str(error).split())}: give an array of NumPy")


def solve_on_gpu(graph: Any, dtype: np.dtype[Any] | None, zeros_absent: bool, request: Any) -> dict[str, Any]:
    _, number = _device(graph)
    for name, given, is_usual in [
        ("sources", "chosen", request.sources is None),
        ("targets", "chosen", request.targets is None),
        ("paths", repr(request.paths), request.paths is None),
        ("limit", str(request.limit), request.limit == math.inf),
        ("min_only", "True", not request.nearest),
        ("algorithm", repr(request.algorithm), request.algorithm in ("auto", "floyd-warshall")),
        ("verify", "True", not request.verify),
    ]:
        if not is_usual:
            raise RequestError(
                f"{name} is {given}, and of an array on cuda:{number} all distances are found there by Floyd-Warshall, and nothing else:"
                f" leave {name} out, or copy the array to the host first, as with x.cpu()"
            )
    wanted = None if dtype is None else dtype.name
    return _native.solve_on_device(lambda: _capsule(graph), number, wanted, zeros_absent, request, False)


def _capsule(graph: Any) -> Any:
    """The tensor of an array on a GPU, for the default stream."""
    try:
        try:
            return graph.__dlpack__(stream=1, max_version=(1, 0))
        except TypeError:
            # From before DLPack 1.0.
            return graph.__dlpack__(stream=1)
    except Exception as error:
        raise _refused(graph, error) from None


def _of_dlpack(graph: Any) -> npt.NDArray[Any]:
    kind, number = _device(graph)
    if kind not in _HOST:
        device = _DEVICES.get(kind, f"a device of DLPack's type {kind}")
        raise GraphTypeError(
            f"the array is on {device}, number {number}: copy it to the host first, as with x.cpu() or cupy.asnumpy(x)"
        )
    try:
        return np.from_dlpack(graph)
    except Exception as error:
        raise _refused(graph, error) from None


def _sparse(graph: Any, dtype: np.dtype[Any] | None, undirected: bool) -> Form:
    n = rows_of(graph.shape, "the sparse matrix")
    if graph.format == "coo":
        # SciPy would add up entries at the same place, and here the least wins.
        tails, heads = graph.coords if hasattr(graph, "coords") else (graph.row, graph.col)
        ends = vertices_of(tails, "row", GraphError), vertices_of(heads, "col", GraphError).astype(np.uint32)
        return _typed(lambda weights: ("arcs", n, ends, undirected, "sentinel", weights), graph.data, dtype, True)
    rows = graph if graph.format == "csr" else graph.tocsr()
    return _typed(lambda weights: ("csr", n, ends_of(rows), undirected, "sentinel", weights), rows.data, dtype, True)


def ends_of(rows: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint32]]:
    """``indptr`` and ``indices`` in the types that the native half takes. Indices of 32 bits stay where they are."""
    indptr, indices = packed(rows.indptr, np.int64), rows.indices
    if indices.dtype == np.int32:
        return indptr, packed(indices).view(np.uint32)
    # The list may be longer than what is used of it.
    used = indices[: indptr.max(initial=0)]
    return indptr, vertices_of(used, "indices", GraphError).astype(np.uint32)


def _arcs(graph: tuple[Any, ...], dtype: np.dtype[Any] | None, undirected: bool) -> Form:
    if len(graph) != 2 or not isinstance(graph[1], Sequence) or len(graph[1]) != 3:
        raise GraphTypeError(f"a tuple is no graph unless it is (n, (tails, heads, weights)): {_FORMS}")
    n, (tails, heads, lengths) = graph
    if n is not None:
        if not isinstance(n, (int, np.integer)) or isinstance(n, bool):
            raise GraphTypeError(f"n is {n!r}: give the number of vertices, or None")
        if not 0 < n < 2**32:
            raise GraphError(f"n is {n}: a graph has from 1 to 4294967295 vertices")
        n = int(n)
    tails, heads = vertices_of(tails, "tails", GraphError), vertices_of(heads, "heads", GraphError).astype(np.uint32)
    lengths = lengths if isinstance(lengths, np.ndarray) or not hasattr(lengths, "__dlpack__") else _of_dlpack(lengths)
    lengths = np.ma.asarray(lengths) if isinstance(lengths, np.ma.MaskedArray) else np.asarray(lengths)
    if lengths.size == 0 and lengths.ndim == 1 and not isinstance(graph[1][2], np.ndarray):
        # An empty list has no type of its own.
        lengths = lengths.astype(dtype or np.float64)
    if lengths.ndim != 1 or not len(tails) == len(heads) == len(lengths):
        raise GraphError(
            f"there are {len(tails)} tails, {len(heads)} heads and weights of shape {lengths.shape}: give as many of each"
        )
    return _typed(lambda weights: ("arcs", n, (tails, heads), undirected, "sentinel", weights), lengths, dtype, True)


def vertices_of(given: Any, what: str, error: type[Exception] = RequestError) -> npt.NDArray[np.int64]:
    """Numbers of vertices as the native half takes them."""
    array = np.atleast_1d(_of_dlpack(given) if hasattr(given, "__dlpack__") and not isinstance(given, np.ndarray) else given)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise error(f"{what} has shape {array.shape} and dtype {array.dtype.name}: give a list of integers")
    if array.size > 0 and (array.min() < 0 or array.max() >= 2**32 - 1):
        wrong = array.min() if array.min() < 0 else array.max()
        raise error(f"{what} has {wrong} in it: vertices are counted from 0 to 4294967294 at most")
    return packed(array, np.int64)
