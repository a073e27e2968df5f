"""NetworkX's weighted shortest paths, solved by this package: ``networkx.single_source_dijkstra(graph, 0, backend="shortest_paths")``.

NetworkX finds it by its entry points, and imports this module when the backend is asked for. What this package does not do with NetworkX's meaning,
NetworkX does itself: weights that are functions or no numbers, negative weights in Dijkstra's algorithm, graphs with a negative cycle. Only a function
that is none of this backend's is refused, by NetworkX, with `NotImplementedError`.

NetworkX also searches first, until it has looked at an eighth of the edges: a search that ends before, as to a near target or with a small cutoff, is
done by then, and takes at most a fifth longer than by NetworkX alone for counting them. One that ends soon after is slower than by NetworkX alone, since
reading a graph takes as long as searching a quarter of it or more. And to hand a call over takes NetworkX 10 to 30 microseconds, which is more than the
shortest searches take.

Vertices and edges are read once, and again when NetworkX says that they have changed; weights are read for each call. So NetworkX's warning that a
weight may have changed unnoticed does not concern this backend: ``networkx.config.warnings_to_ignore.add("cache")``.
"""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import networkx  # type: ignore[import-untyped]

from . import algorithms
from .graph import BackendGraph, convert_from_nx, convert_to_nx

__all__ = ["BackendGraph", "backend", "can_run", "convert_from_nx", "convert_to_nx", "should_run"]


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether it is a function of this backend, or why not: with any arguments, since NetworkX does what this package does not do."""
    return name in algorithms.FUNCTIONS or f"{name} is none of the functions of this backend"


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether more than NetworkX itself would be run, or why not. NetworkX asks where the backend is not named, but configured."""
    given = inspect.signature(getattr(networkx, name)).bind(*args, **kwargs)
    given.apply_defaults()
    return algorithms.reason_against(name, given.arguments["weight"]) or True


#: What NetworkX calls.
backend = SimpleNamespace(
    can_run=can_run,
    should_run=should_run,
    convert_from_nx=convert_from_nx,
    convert_to_nx=convert_to_nx,
    **{name: algorithms.function(name) for name in algorithms.FUNCTIONS},
)
