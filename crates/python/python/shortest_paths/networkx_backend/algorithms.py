"""The functions of NetworkX, with its signatures, results and exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import networkx  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from .graph import BackendGraph, Node
from .rows import distances_of, lengths_from, paths_from, search

__all__ = [
    "all_pairs_bellman_ford_path",
    "all_pairs_bellman_ford_path_length",
    "all_pairs_dijkstra",
    "all_pairs_dijkstra_path",
    "all_pairs_dijkstra_path_length",
    "bellman_ford_path",
    "bellman_ford_path_length",
    "dijkstra_path",
    "dijkstra_path_length",
    "floyd_warshall",
    "floyd_warshall_numpy",
    "floyd_warshall_predecessor_and_distance",
    "johnson",
    "multi_source_dijkstra",
    "multi_source_dijkstra_path",
    "multi_source_dijkstra_path_length",
    "shortest_path",
    "shortest_path_length",
    "single_source_bellman_ford",
    "single_source_bellman_ford_path",
    "single_source_bellman_ford_path_length",
    "single_source_dijkstra",
    "single_source_dijkstra_path",
    "single_source_dijkstra_path_length",
]

Graph = BackendGraph
Lengths = dict[Node, Any]
Paths = dict[Node, list[Node]]


def single_source_dijkstra_path_length(G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight") -> Lengths:
    """See NetworkX."""
    return multi_source_dijkstra_path_length(G, {source}, cutoff, weight)


def single_source_dijkstra_path(G: Graph, source: Node, cutoff: float | None = None, weight: Any = "weight") -> Paths:
    """See NetworkX."""
    return multi_source_dijkstra_path(G, {source}, cutoff, weight)


def single_source_dijkstra(G: Graph, source: Node, target: Node | None = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return multi_source_dijkstra(G, {source}, target, cutoff, weight)


def dijkstra_path(G: Graph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """See NetworkX."""
    path: list[Node] = single_source_dijkstra(G, source, target, weight=weight)[1]
    return path


def dijkstra_path_length(G: Graph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """See NetworkX."""
    at = G.place(source, "Node {} not found in graph")
    if source == target:
        return 0
    length = lengths_from(G, search(G, [at])).get(target)
    if length is None:
        raise networkx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return length


def multi_source_dijkstra_path_length(G: Graph, sources: Iterable[Node], cutoff: float | None = None, weight: Any = "weight") -> Lengths:
    """See NetworkX."""
    return lengths_from(G, search(G, _places(G, sources), cutoff=cutoff))


def multi_source_dijkstra_path(G: Graph, sources: Iterable[Node], cutoff: float | None = None, weight: Any = "weight") -> Paths:
    """See NetworkX."""
    return paths_from(G, search(G, _places(G, sources), cutoff=cutoff, paths=True))


def multi_source_dijkstra(G: Graph, sources: Iterable[Node], target: Node | None = None, cutoff: float | None = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    sources = list(sources)
    places = _places(G, sources)
    if target is not None and target in sources:
        return 0, [target]
    found = search(G, places, cutoff=cutoff, paths=True)
    lengths = lengths_from(G, found)
    if target is None:
        return lengths, paths_from(G, found)
    if target not in lengths:
        raise networkx.NetworkXNoPath(f"No path to {target}.")
    return lengths[target], paths_from(G, found, target)[target]


def all_pairs_dijkstra(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, tuple[Lengths, Paths]]]:
    """See NetworkX."""
    return ((node, (lengths_from(G, found), paths_from(G, found))) for node, found in _every(G, cutoff=cutoff, paths=True))


def all_pairs_dijkstra_path_length(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, Lengths]]:
    """See NetworkX."""
    return ((node, lengths_from(G, found)) for node, found in _every(G, cutoff=cutoff))


def all_pairs_dijkstra_path(G: Graph, cutoff: float | None = None, weight: Any = "weight") -> Iterator[tuple[Node, Paths]]:
    """See NetworkX."""
    return ((node, paths_from(G, found)) for node, found in _every(G, cutoff=cutoff, paths=True))


def single_source_bellman_ford_path_length(G: Graph, source: Node, weight: Any = "weight") -> Lengths:
    """See NetworkX."""
    return lengths_from(G, search(G, [G.place(source, "Source {} not in G")], algorithm="johnson"))


def single_source_bellman_ford_path(G: Graph, source: Node, weight: Any = "weight") -> Paths:
    """See NetworkX."""
    return paths_from(G, search(G, [G.place(source, "Source {} not in G")], algorithm="johnson", paths=True))


def single_source_bellman_ford(G: Graph, source: Node, target: Node | None = None, weight: Any = "weight") -> Any:
    """See NetworkX."""
    found = search(G, [G.place(source, "Source {} not in G")], algorithm="johnson", paths=True)
    if target is not None and source == target:
        return 0, [source]
    lengths = lengths_from(G, found)
    if target is None:
        return lengths, paths_from(G, found)
    if target not in lengths:
        raise networkx.NetworkXNoPath(f"Node {target} not reachable from {source}")
    return lengths[target], paths_from(G, found, target)[target]


def bellman_ford_path(G: Graph, source: Node, target: Node, weight: Any = "weight") -> list[Node]:
    """See NetworkX."""
    path: list[Node] = single_source_bellman_ford(G, source, target, weight)[1]
    return path


def bellman_ford_path_length(G: Graph, source: Node, target: Node, weight: Any = "weight") -> Any:
    """See NetworkX."""
    return single_source_bellman_ford(G, source, target, weight)[0]


def all_pairs_bellman_ford_path_length(G: Graph, weight: Any = "weight") -> Iterator[tuple[Node, Lengths]]:
    """See NetworkX."""
    return ((node, lengths_from(G, found)) for node, found in _every(G, algorithm="johnson"))


def all_pairs_bellman_ford_path(G: Graph, weight: Any = "weight") -> Iterator[tuple[Node, Paths]]:
    """See NetworkX."""
    return ((node, paths_from(G, found)) for node, found in _every(G, algorithm="johnson", paths=True))


def johnson(G: Graph, weight: Any = "weight") -> dict[Node, Paths]:
    """See NetworkX."""
    return {node: paths_from(G, found) for node, found in _every(G, algorithm="johnson", paths=True)}


def floyd_warshall(G: Graph, weight: Any = "weight") -> dict[Node, Lengths]:
    """See NetworkX."""
    rows = distances_of(G)
    return {node: {other: np.inf if length is None else length for other, length in zip(G.nodes, row)} for node, row in zip(G.nodes, rows)}


def floyd_warshall_predecessor_and_distance(G: Graph, weight: Any = "weight") -> tuple[dict[Node, Lengths], dict[Node, Lengths]]:
    """See NetworkX."""
    if G.has_loops:
        raise NotImplementedError("NetworkX names the vertex itself as predecessor where an edge leads from it to itself")
    before = {}
    for node, found in _every(G, algorithm="auto", paths=True):
        row = {G.nodes[at]: G.nodes[before] for at, before in enumerate(found.predecessors) if before >= 0}
        if row:
            before[node] = row
    return before, floyd_warshall(G, weight)


def floyd_warshall_numpy(G: Graph, nodelist: list[Node] | None = None, weight: Any = "weight") -> npt.NDArray[np.float64]:
    """See NetworkX."""
    if nodelist is not None and not (len(nodelist) == len(G) == len(set(nodelist)) and all(node in G.index for node in nodelist)):
        raise networkx.NetworkXError("nodelist must contain every node in G with no repeats.If you wanted a subgraph of G use G.subgraph(nodelist)")
    found = G.solve(algorithm="auto")["distances"]
    matrix: npt.NDArray[np.float64] = np.where(found >= (np.inf if found.dtype.kind == "f" else 2**29), np.inf, found).astype(np.float64)
    if nodelist is None:
        return matrix
    order = [G.index[node] for node in nodelist]
    return matrix[np.ix_(order, order)]


def shortest_path(G: Graph, source: Node | None = None, target: Node | None = None, weight: Any = None, method: str = "dijkstra") -> Any:
    """See NetworkX."""
    is_dijkstra = _is_dijkstra(method)
    if source is not None and target is not None:
        if not is_dijkstra:
            return bellman_ford_path(G, source, target, weight)
        for node in (source, target):
            G.place(node)
        return dijkstra_path(G, source, target, weight)
    if source is None and target is None:
        return all_pairs_dijkstra_path(G, weight=weight) if is_dijkstra else all_pairs_bellman_ford_path(G, weight)
    from_one: Callable[..., Any] = single_source_dijkstra_path if is_dijkstra else single_source_bellman_ford_path
    if source is not None:
        return from_one(G, source, weight=weight)
    return {node: path[::-1] for node, path in from_one(G.turned(), target, weight=weight).items()}


def shortest_path_length(G: Graph, source: Node | None = None, target: Node | None = None, weight: Any = None, method: str = "dijkstra") -> Any:
    """See NetworkX."""
    is_dijkstra = _is_dijkstra(method)
    if source is not None and target is not None:
        return (dijkstra_path_length if is_dijkstra else bellman_ford_path_length)(G, source, target, weight)
    if source is None and target is None:
        return all_pairs_dijkstra_path_length(G, weight=weight) if is_dijkstra else all_pairs_bellman_ford_path_length(G, weight)
    from_one: Callable[..., Any] = single_source_dijkstra_path_length if is_dijkstra else single_source_bellman_ford_path_length
    return from_one(G, source, weight=weight) if source is not None else from_one(G.turned(), target, weight=weight)


def _is_dijkstra(method: str) -> bool:
    if method not in ("dijkstra", "bellman-ford"):
        raise ValueError(f"method not supported: {method}")
    return method == "dijkstra"


def _places(G: Graph, sources: Iterable[Node]) -> list[int]:
    places = [G.place(source) for source in sources]
    if not places:
        raise ValueError("sources must not be empty")
    return places


def _every(G: Graph, **options: Any) -> Iterator[tuple[Node, Any]]:
    # Searched at once, so that NetworkX can step in where that is refused.
    return zip(G.nodes, search(G, None, **options))
