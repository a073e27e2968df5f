"""A graph of NetworkX as the native half takes it."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import networkx  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

Node = Hashable

#: Sums of integers up to here are exact in float64.
_EXACT = 2**53


class BackendGraph:
    """A graph of NetworkX that is handed to the backend. Nothing is converted before a function needs it."""

    __networkx_backend__ = "shortest_paths"

    def __init__(self, original: Any) -> None:
        self.original = original
        self.is_directed, self.is_multigraph = original.is_directed, original.is_multigraph

    def __len__(self) -> int:
        return len(self.original)


def convert_from_nx(graph: Any, **options: Any) -> BackendGraph:
    """The graph for the backend."""
    return graph if isinstance(graph, BackendGraph) else BackendGraph(graph)


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """The graph that was converted, and every other result as it is."""
    return result.original if isinstance(result, BackendGraph) else result


@dataclass(frozen=True)
class Arcs:
    """The arcs of a graph without their weights, vertices counted from 0; an edge of an undirected graph is an arc there and one back."""

    nodes: list[Node]
    index: dict[Node, int]
    tails: npt.NDArray[np.int64]
    heads: npt.NDArray[np.int64]


def arcs_of(graph: Any) -> Arcs:
    """The arcs of a graph of NetworkX, kept until NetworkX forgets them, which it does where a node or an edge is added or removed. Of a view, whose
    graph changes without it, they are read anew."""
    is_kept = networkx.config.cache_converted_graphs and not hasattr(graph, "_graph")
    cache = getattr(graph, "__networkx_cache__", None) if is_kept else None
    if cache is not None and "shortest_paths" in cache:
        kept: Arcs = cache["shortest_paths"]
        return kept
    nodes = list(graph)
    index = {node: at for at, node in enumerate(nodes)}
    heads: Iterable[Any] = itertools.chain.from_iterable(edges for _, edges in graph.adjacency())
    # Looking numbers up takes twice as long as reading them.
    heads = heads if nodes == list(range(len(nodes))) else map(index.__getitem__, heads)
    tails = np.repeat([index[node] for node, _ in graph.adjacency()], [len(edges) for _, edges in graph.adjacency()])
    arcs = Arcs(nodes, index, tails, np.fromiter(heads, dtype=np.int64))
    if cache is not None:
        cache["shortest_paths"] = arcs
    return arcs


def weights_of(graph: Any, attribute: Any) -> tuple[npt.NDArray[np.float64], bool]:
    """The weight of each arc, 1 where it has none, and whether all are integers.

    They are read for each call: NetworkX does not notice ``G[u][v]["weight"] = 5``.
    """
    try:
        if graph.is_multigraph():
            given = [min(edge.get(attribute, 1) for edge in of.values()) for _, edges in graph.adjacency() for of in edges.values()]
        else:
            given = [edge.get(attribute, 1) for _, edges in graph.adjacency() for edge in edges.values()]
        types = set(map(type, given))
        # In float32 NetworkX would round otherwise.
        if not all(issubclass(of, (int, float, np.integer)) for of in types):
            raise NotImplementedError("a weight is no number")
        weights = np.array(given, dtype=np.float64)
    except (OverflowError, TypeError) as error:
        raise NotImplementedError(f"weights are no finite numbers: {error}") from None
    largest = np.max(abs(weights), initial=0)
    are_integers = not any(issubclass(of, float) for of in types)
    if not largest < (_EXACT / len(graph) if are_integers else np.inf):
        raise NotImplementedError(f"the weight {largest} is not finite, or sums of such integers are not exact")
    return weights, are_integers
