"""What the native half finds in a graph of NetworkX, as numbers, lists and dicts of Python."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import networkx  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt

from .. import _native
from .._graphs import form_of
from .._request import Request
from ..errors import GraphError, NegativeCycle, RequestError
from .graph import Node, arcs_of, weights_of


class Solver:
    """A graph of NetworkX with the weights that it has now."""

    def __init__(self, graph: Any, weight: Any, *, reverse: bool = False) -> None:
        self.arcs = arcs_of(graph)
        weights, self.are_integers = weights_of(graph, weight)
        ends = (self.arcs.heads, self.arcs.tails) if reverse else (self.arcs.tails, self.arcs.heads)
        try:
            self._form = form_of((len(graph), (*ends, weights)), None, False, False)
        except (GraphError, NegativeCycle) as error:
            raise NotImplementedError(str(error)) from None

    def solve(self, sources: Sequence[Node] | None, algorithm: str, paths: bool, cutoff: float | None = None, **options: Any) -> dict[str, Any]:
        """The native half's result."""
        limit = math.inf if cutoff is None else cutoff
        if not isinstance(limit, (int, float)) or not limit >= 0:
            raise NotImplementedError(f"cutoff is {cutoff!r}, and no number from 0 on")
        places = None if sources is None else np.array([self.arcs.index[source] for source in sources], dtype=np.int64)
        stored = "predecessor" if paths else None
        try:
            return _native.solve(self._form, Request(sources=places, paths=stored, limit=float(limit), algorithm=algorithm, **options))
        except (NegativeCycle, OverflowError, RequestError) as error:
            # NetworkX searches one source after the other, and may find nothing wrong on its way.
            raise NotImplementedError(str(error)) from None

    def rows(self, sources: Sequence[Node] | None, algorithm: str, paths: bool, cutoff: float | None = None, *, nearest: bool = False) -> list[Row]:
        """A row for each source, or one for the nearest of them."""
        found = self.solve(sources, algorithm, paths, cutoff, nearest=nearest)
        distances = found["distances"]
        return [Row(self, *row) for row in zip(distances, found["predecessors"] if paths else distances)]

    def pair(self, sources: Sequence[Node], target: Node, algorithm: str, paths: bool, cutoff: float | None) -> tuple[Any, list[Node]]:
        """The length of the path to a vertex and its vertices, from the nearest of the sources."""
        at = self.arcs.index.get(target, -1)
        options = {"targets": np.array([at])} if len(sources) == 1 else {"nearest": True}
        found = self.solve(sources, algorithm, paths, cutoff, **options) if at >= 0 else {"distances": np.array([[np.inf]])}
        distance = found["distances"][0, 0 if len(sources) == 1 or at < 0 else at]
        if distance == np.inf:
            raise networkx.NetworkXNoPath(f"No path to {target}.")
        path = [at]
        while paths and (before := found["predecessors"].item(0, path[-1])) >= 0:
            path.append(before)
        return int(distance) if self.are_integers else float(distance), [self.arcs.nodes[at] for at in reversed(path)]


@dataclass(frozen=True)
class Row:
    """Distances and predecessors of all vertices from one source, or from the nearest of several."""

    solver: Solver
    distances: npt.NDArray[np.float64]
    predecessors: npt.NDArray[np.int32]

    def _reached(self) -> npt.NDArray[np.int64]:
        """The vertices that are reached, the nearest first, as NetworkX has them."""
        reached = np.flatnonzero(self.distances < np.inf)
        return reached[np.argsort(self.distances[reached], kind="stable")]

    def _nodes(self, places: npt.NDArray[Any]) -> list[Node]:
        nodes = self.solver.arcs.nodes
        return [nodes[at] for at in places.tolist()]

    def lengths(self) -> dict[Node, Any]:
        """The distance of each vertex that is reached."""
        reached = self._reached()
        distances = self.distances[reached].astype(np.int64 if self.solver.are_integers else np.float64).tolist()
        # NetworkX has 0 and not 0.0 for the source.
        return dict(zip(self._nodes(reached), [distance or 0 for distance in distances]))

    def all_lengths(self) -> dict[Node, Any]:
        """The distance of each vertex, infinity where no path leads."""
        return dict.fromkeys(self.solver.arcs.nodes, math.inf) | self.lengths()

    def before(self) -> dict[Node, Node]:
        """The vertex before each that a path leads to."""
        ends = np.flatnonzero(self.predecessors >= 0)
        return dict(zip(self._nodes(ends), self._nodes(self.predecessors[ends])))

    def paths(self) -> dict[Node, list[Node]]:
        """The path to each vertex that is reached."""
        nodes, before, reached = self.solver.arcs.nodes, self.predecessors.tolist(), self._reached().tolist()
        # Before the first vertex of a path lies -1, the place of the last entry.
        paths: list[Any] = [None] * len(nodes) + [[]]
        for at in reached:
            # Of vertices that are equally near, one may come before its predecessor.
            waiting = [at]
            while paths[before[waiting[-1]]] is None:
                waiting.append(before[waiting[-1]])
            while waiting:
                at = waiting.pop()
                paths[at] = [*paths[before[at]], nodes[at]]
        return {nodes[at]: paths[at] for at in reached}
