"""NetworkX's weighted shortest paths, solved by this package: ``networkx.single_source_dijkstra(graph, 0, backend="shortest_paths")``.

NetworkX finds it by its entry points, and imports this module when the backend is asked for. Graphs are converted once and kept by NetworkX until
they change. What this package cannot do with NetworkX's meaning, NetworkX does itself: weights that are functions or no numbers, negative
weights in Dijkstra's algorithm, graphs with a negative cycle.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from . import algorithms
from .graph import BackendGraph, convert_from_nx, convert_to_nx

__all__ = ["BackendGraph", "backend", "can_run", "convert_from_nx", "convert_to_nx", "should_run"]


def can_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
    """Whether the function takes these arguments here, or why not."""
    function = getattr(algorithms, name, None)
    if name not in algorithms.__all__ or function is None:
        return f"{name} is none of the functions of this backend"
    try:
        given = inspect.signature(function).bind(*args, **kwargs).arguments
    except TypeError as error:
        return str(error)
    is_weighted = inspect.signature(function).parameters["weight"].default is not None
    weight, cutoff = given.get("weight", "weight" if is_weighted else None), given.get("cutoff")
    if weight is None and not is_weighted:
        return "without a weight it is a search that NetworkX does itself: give weight='weight'"
    if weight is not None and not isinstance(weight, str):
        return "weight is neither the name of an attribute nor None"
    if cutoff is not None and (isinstance(cutoff, bool) or not isinstance(cutoff, (int, float)) or not cutoff >= 0):
        return f"cutoff is {cutoff!r}, and no number from 0 on"
    return True


def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """What can be run pays."""
    return True


class _Backend:
    """What NetworkX calls."""

    can_run = staticmethod(can_run)
    should_run = staticmethod(should_run)
    convert_from_nx = staticmethod(convert_from_nx)
    convert_to_nx = staticmethod(convert_to_nx)


def _weighted(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, of the graph with the weights that are asked for: NetworkX hands over what it has converted for another call if it has its edges."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        given.arguments["G"] = given.arguments["G"].by(given.arguments["weight"])
        return function(*given.args, **given.kwargs)

    return call


for _name in algorithms.__all__:
    setattr(_Backend, _name, staticmethod(_weighted(getattr(algorithms, _name))))

backend = _Backend()
