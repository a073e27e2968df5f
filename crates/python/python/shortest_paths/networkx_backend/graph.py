"""A graph of NetworkX as the native half takes it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import networkx  # type: ignore[import-untyped]
import numpy as np

from .. import _native
from .._graphs import Form, form_of
from .._request import Request
from ..errors import GraphError, NegativeCycle, RequestError

Node = Hashable


class BackendGraph:
    """The arcs of a graph of NetworkX, vertices counted from 0."""

    __networkx_backend__ = "shortest_paths"

    def __init__(self, nodes: list[Node], ends: tuple[list[int], list[int]], weights: list[Any], attribute: str | None, directed: bool, multigraph: bool) -> None:
        self.nodes, self.ends, self.weights, self.attribute = nodes, ends, weights, attribute
        self._units: BackendGraph | None = None
        self.index = {node: at for at, node in enumerate(nodes)}
        self._directed, self._multigraph = directed, multigraph
        self._form: Form | None = None
        #: Distances are then ints, as those of NetworkX.
        self.are_integers = all(type(weight) is int or isinstance(weight, np.integer) for weight in weights)
        self.has_loops = any(tail == head for tail, head in zip(*ends))

    def by(self, weight: str | None) -> BackendGraph:
        """The graph with the weights of this attribute, or with 1 for each."""
        if weight == self.attribute:
            return self
        if weight is not None:
            raise NotImplementedError(f"the graph was converted with the weights {self.attribute!r}, and not {weight!r}")
        if self._units is None:
            self._units = BackendGraph(self.nodes, self.ends, [1] * len(self.weights), None, self._directed, self._multigraph)
        return self._units

    def turned(self) -> BackendGraph:
        """The graph with every arc turned round."""
        if not self._directed:
            return self
        return BackendGraph(self.nodes, (self.ends[1], self.ends[0]), self.weights, self.attribute, True, self._multigraph)

    def is_directed(self) -> bool:
        """As of a graph of NetworkX."""
        return self._directed

    def is_multigraph(self) -> bool:
        """As of a graph of NetworkX."""
        return self._multigraph

    def __len__(self) -> int:
        return len(self.nodes)

    def place(self, node: Node, error: str = "Node {} not found in graph") -> int:
        """The number of a node."""
        at = self.index.get(node)
        if at is None:
            raise networkx.NodeNotFound(error.format(node))
        return at

    def solve(self, sources: list[int] | None = None, *, algorithm: str = "dijkstra", paths: bool = False, cutoff: float | None = None, nearest: bool = False) -> dict[str, Any]:
        """The native half's result."""
        if self._form is None:
            self._form = self._converted()
        request = Request(
            sources=None if sources is None else np.array(sources, dtype=np.int64),
            paths="predecessor" if paths else None,
            limit=np.inf if cutoff is None else float(cutoff),
            nearest=nearest,
            algorithm=algorithm,
        )
        try:
            return _native.solve(self._form, request)
        except (NegativeCycle, RequestError) as error:
            # NetworkX searches one source after the other, and may find nothing wrong on its way.
            raise NotImplementedError(str(error)) from None

    def _converted(self) -> Form:
        ends = (np.array(side, dtype=np.int64) for side in self.ends)
        try:
            # Of another type of integers than distances have, so that theirs is chosen.
            lengths = np.array(self.weights, dtype=np.int64 if self.are_integers else np.float64)
            return form_of((len(self.nodes), (*ends, lengths)), None, False, not self._directed)
        except (GraphError, NegativeCycle, OverflowError) as error:
            raise NotImplementedError(str(error)) from None

    def rows(self, distances: np.ndarray[Any, Any]) -> list[list[Any]]:
        """Distances as numbers of Python, and None where no path leads."""
        no_path = np.inf if distances.dtype.kind == "f" else 2**29
        far = distances >= no_path
        whole = distances
        if self.are_integers and distances.dtype.kind == "f":
            near = np.where(far, 0, distances)
            if np.max(abs(near), initial=0) >= 2**53:
                raise NotImplementedError("a distance is no integer that float64 holds")
            whole = near.astype(np.int64)
        rows: list[list[Any]] = whole.tolist()
        for row, column in np.argwhere(far).tolist():
            rows[row][column] = None
        return rows


def convert_from_nx(graph: Any, *, edge_attrs: dict[str, Any] | None = None, **rest: Any) -> BackendGraph:
    """The arcs of a graph, with the weights that the function called looks at."""
    if isinstance(graph, BackendGraph):
        return graph
    attribute, default = next(iter(edge_attrs.items())) if edge_attrs else (None, 1)
    nodes = list(graph)
    index = {node: at for at, node in enumerate(nodes)}
    tails, heads, weights = [], [], []
    edges: Iterable[tuple[Node, Node, Any]] = graph.edges(data=attribute, default=default) if attribute is not None else ((*edge[:2], 1) for edge in graph.edges())
    for tail, head, weight in edges:
        if not isinstance(weight, (int, float, np.integer, np.floating)) or not abs(float(weight)) < np.inf:
            raise NotImplementedError(f"the weight from {tail!r} to {head!r} is {weight!r}, which is no finite number")
        tails.append(index[tail])
        heads.append(index[head])
        weights.append(weight)
    return BackendGraph(nodes, (tails, heads), weights, attribute, graph.is_directed(), graph.is_multigraph())


def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
    """A graph as one of NetworkX, and every other result as it is."""
    if not isinstance(result, BackendGraph):
        return result
    kinds = {(False, False): networkx.Graph, (True, False): networkx.DiGraph, (False, True): networkx.MultiGraph, (True, True): networkx.MultiDiGraph}
    graph = kinds[result.is_directed(), result.is_multigraph()]()
    graph.add_nodes_from(result.nodes)
    tails, heads = result.ends
    edges = ((result.nodes[tail], result.nodes[head], weight) for tail, head, weight in zip(tails, heads, result.weights))
    graph.add_weighted_edges_from(edges, weight=result.attribute or "weight")
    return graph
