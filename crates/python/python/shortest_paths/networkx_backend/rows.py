"""Rows of a result as dicts of NetworkX."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


from .graph import BackendGraph, Node


@dataclass
class Found:
    """A row of distances, ``None`` for no path, and of predecessors, less than 0 for none."""

    distances: list[Any]
    predecessors: list[int]


def search(G: BackendGraph, sources: list[int] | None, *, algorithm: str = "dijkstra", cutoff: float | None = None, paths: bool = False) -> Any:
    """The row of the nearest of the sources; without sources a list with the row of each vertex."""
    if len(G) == 0:
        return []
    nearest = sources is not None and len(sources) > 1
    found = G.solve(sources, algorithm=algorithm, cutoff=cutoff, paths=paths, nearest=nearest)
    distances = G.rows(found["distances"])
    predecessors = found["predecessors"].tolist() if paths else [[]] * len(distances)
    rows = [Found(*row) for row in zip(distances, predecessors)]
    return rows if sources is None else rows[0]


def distances_of(G: BackendGraph) -> list[list[Any]]:
    """All distances."""
    return [] if len(G) == 0 else G.rows(G.solve(algorithm="auto")["distances"])


def lengths_from(G: BackendGraph, found: Found) -> dict[Node, Any]:
    """The distance of each vertex that is reached, the nearest first, as NetworkX has them."""
    reached = [(distance, at) for at, distance in enumerate(found.distances) if distance is not None]
    reached.sort()
    # An int also where others have fractions.
    return {G.nodes[at]: 0 if distance == 0 else distance for distance, at in reached}


def paths_from(G: BackendGraph, found: Found, target: Node | None = None) -> dict[Node, list[Node]]:
    """The path to each vertex that is reached, or to one of them."""
    paths: dict[int, list[Node]] = {}
    wanted = (
        [G.index[target]]
        if target is not None
        else [at for _, at in sorted((distance, at) for at, distance in enumerate(found.distances) if distance is not None)]
    )
    for at in wanted:
        # Back to where a path is known, and forth again.
        waiting = [at]
        while waiting[-1] not in paths and found.predecessors[waiting[-1]] >= 0:
            waiting.append(found.predecessors[waiting[-1]])
        first = waiting[-1]
        path = paths.setdefault(first, [G.nodes[first]])
        for vertex in reversed(waiting[:-1]):
            path = paths[vertex] = [*path, G.nodes[vertex]]
    return {G.nodes[at]: paths[at] for at in wanted}
