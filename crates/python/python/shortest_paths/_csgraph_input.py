"""Graphs as ``scipy.sparse.csgraph`` reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._graphs import Form, ends_of, rows_of
from ._weights import packed
from .errors import GraphTypeError


def form_of(csgraph: Any, directed: bool, unweighted: bool) -> tuple[int, Form]:
    """The number of vertices, and the graph as the native half takes it, in float64."""
    if hasattr(csgraph, "tocsr") and hasattr(csgraph, "format"):
        return _sparse(csgraph, directed, unweighted)
    masked = isinstance(csgraph, np.ma.MaskedArray)
    try:
        given = np.asarray(csgraph)
        if given.dtype.kind not in "fiub":
            raise TypeError(f"its numbers are {given.dtype.name}")
        weights = packed(given, np.float64)
    except (TypeError, ValueError) as error:
        raise GraphTypeError(f"csgraph is {type(csgraph).__name__}: {error}: give an array of numbers or a sparse matrix of SciPy") from None
    n = rows_of(weights.shape, "csgraph")
    if masked:
        return n, _dense("sentinel", _known(weights, ~np.ma.getmaskarray(csgraph) & ~np.isnan(weights), directed, unweighted))
    if not directed or unweighted:
        return n, _dense("sentinel", _known(weights, (weights != 0) & np.isfinite(weights), directed, unweighted))
    return n, _dense("csgraph", weights)


def _dense(absent: str, weights: npt.NDArray[np.float64]) -> Form:
    return "dense", None, None, False, absent, weights


def _known(weights: npt.NDArray[np.float64], is_edge: npt.NDArray[np.bool_], directed: bool, unweighted: bool) -> npt.NDArray[np.float64]:
    """A matrix in which infinity, and nothing else, is no edge."""
    known: npt.NDArray[np.float64] = np.where(is_edge, 1.0 if unweighted else weights, np.inf)
    return known if directed else np.minimum(known, known.T)


def _sparse(csgraph: Any, directed: bool, unweighted: bool) -> tuple[int, Form]:
    n = rows_of(csgraph.shape, "csgraph")
    # Adds up entries at the same place, as SciPy does.
    rows = csgraph.tocsr()
    if rows.dtype.kind == "c":
        raise GraphTypeError("csgraph has complex weights: give real ones")
    weights = np.ones(len(rows.data)) if unweighted else packed(rows.data, np.float64)
    return n, ("csr", n, ends_of(rows), not directed, "csgraph", weights)
