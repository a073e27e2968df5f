"""The functions of NetworkX, with its results and exceptions."""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import networkx  # type: ignore[import-untyped]
import numpy as np

from .graph import Node, convert_to_nx
from .rows import Solver

#: The functions of this backend.
FUNCTIONS = [
    *(f"{ends}{method}{what}" for ends in ("", "single_source_", "all_pairs_") for method in ("dijkstra", "bellman_ford") for what in ("_path", "_path_length")),
    *("single_source_dijkstra", "single_source_bellman_ford", "all_pairs_dijkstra"),
    *("multi_source_dijkstra", "multi_source_dijkstra_path", "multi_source_dijkstra_path_length"),
    *("floyd_warshall", "floyd_warshall_numpy", "floyd_warshall_predecessor_and_distance"),
    *("johnson", "shortest_path", "shortest_path_length"),
]

#: NetworkX itself searches first, since a search that soon ends takes less time than reading the graph: over so many edges, and then over one in
#: so many of the graph's edges.
_LEAST, _PART = 256, 8
#: How many distances are found at once.
_BLOCK = 2**22


class _EdgeLimit(Exception):
    """NetworkX has looked at as many edges as it may."""


def function(name: str) -> Callable[..., Any]:
    """The function of this backend that has a name of NetworkX."""
    by_networkx = getattr(networkx, name)
    parameters = inspect.signature(by_networkx).parameters
    defaults = {name: of.default for name, of in parameters.items() if of.default is not of.empty}

    def call(*args: Any, **kwargs: Any) -> Any:
        # Not bound by `inspect`, which takes longer than a short search.
        given = {**defaults, **dict(zip(tuple(parameters)[: len(args)], args, strict=True)), **kwargs, "backend": "networkx"}
        graph = given["G"] = convert_to_nx(given["G"])
        weight, method = given["weight"], given.get("method", "dijkstra")
        if reason_against(name, weight) or not len(graph) or method not in ("dijkstra", "bellman-ford"):
            return by_networkx(**given)
        if name.startswith("shortest_path") and given["source"] is None and given["target"] is None:
            return _answer_all_pairs(name.replace("shortest", f"all_pairs_{method.replace('-', '_')}"), graph, weight)
        if name.startswith("all_pairs"):
            return _answer_all_pairs(name, graph, weight, given.get("cutoff"))
        try:
            if name == "johnson" or name.startswith("floyd_warshall"):
                return _answer_closure(name, graph, weight, given.get("nodelist"))
            with contextlib.suppress(_EdgeLimit):
                return by_networkx(**given | {"weight": _limited_weight(graph, weight, _LEAST)})
            return _answer_search_of(name, graph, weight, given)
        except NotImplementedError:
            pass
        return by_networkx(**given)

    return call


def reason_against(name: str, weight: Any) -> str | None:
    """Why a call is left to NetworkX from the start."""
    if callable(weight):
        return "the weight is a function"
    if weight is None and name.startswith("shortest_path"):
        return "without a weight it is a search that NetworkX does itself: give weight='weight'"
    return None


def _limited_weight(graph: Any, weight: Any, least: int) -> Callable[[Node, Node, Any], Any]:
    """The weights of an attribute as a function, which ends NetworkX's search where it takes long."""

    def parts() -> Iterator[Iterator[int]]:
        yield itertools.repeat(1, least)
        # Counting all edges would take longer than a short search.
        degrees = [len(edges) for _, edges in itertools.islice(graph.adjacency(), 64)]
        yield itertools.repeat(1, len(graph) * sum(degrees) // len(degrees) // _PART)
        raise _EdgeLimit

    one = itertools.chain.from_iterable(parts()).__next__

    def least_weight(tail: Node, head: Node, edges: Any) -> Any:
        one()
        return min(edge.get(weight, 1) for edge in edges.values())

    return least_weight if graph.is_multigraph() else lambda tail, head, edge: edge.get(weight, one())


def _search_of(name: str, method: str = "") -> tuple[str, bool]:
    """The algorithm of `solve`, and whether paths are wanted, as a function's name says."""
    return "dijkstra" if method == "dijkstra" or "dijkstra" in name else "johnson", not name.endswith("_length")


def _pick(name: str, lengths: Callable[[], Any], paths: Callable[[], Any]) -> Any:
    """What a function returns, as its name says."""
    if name.endswith("_path"):
        return paths()
    return lengths() if name.endswith("_length") else (lengths(), paths())


def _answer_search_of(name: str, graph: Any, weight: Any, given: dict[str, Any]) -> Any:
    """What a function returns that searches from one source, from the nearest of several, or to a target."""
    search = (*_search_of(name, given.get("method", "")), given.get("cutoff"))
    sources, target = list(given.get("sources", [given.get("source")])), given.get("target")
    if sources == [None]:
        (row,) = Solver(graph, weight, reverse=True).rows([target], *search)
        return _pick(name, row.lengths, lambda: {node: path[::-1] for node, path in row.paths().items()})
    solver = Solver(graph, weight)
    if target is not None:
        length, path = solver.pair(sources, target, *search)
        return _pick(name, lambda: length, lambda: path)
    (row,) = solver.rows(sources, *search, nearest=len(sources) > 1)
    return _pick(name, row.lengths, row.paths)


def _answer_all_pairs(name: str, graph: Any, weight: Any, cutoff: float | None = None) -> Iterator[tuple[Node, Any]]:
    """What a function returns for each source: by NetworkX as long as searches are short, and then by the native half."""
    by_networkx = functools.partial(getattr(networkx, name.replace("all_pairs", "single_source")), graph, backend="networkx")
    limit = {} if cutoff is None else {"cutoff": cutoff}
    nodes, done, rows = list(graph), 0, max(1, _BLOCK // len(graph))
    # For each source on average as many edges as take NetworkX as long as a row takes the native half.
    limited = _limited_weight(graph, weight, _LEAST * (len(nodes) + len(nodes) ** 2 // 8192) // 8)
    with contextlib.suppress(_EdgeLimit):
        for node in nodes:
            yield node, by_networkx(node, weight=limited, **limit)
            done += 1
    try:
        solver = Solver(graph, weight) if done < len(nodes) else None
        while solver and done < len(nodes):
            for row in solver.rows(nodes[done : done + rows], *_search_of(name), cutoff):
                yield nodes[done], _pick(name, row.lengths, row.paths)
                done += 1
    except NotImplementedError:
        for node in nodes[done:]:
            yield node, by_networkx(node, weight=weight, **limit)


def _answer_closure(name: str, graph: Any, weight: Any, nodelist: list[Node] | None) -> Any:
    """What a function returns that has all distances or paths before it returns."""
    if nodelist is not None and (len(nodelist) != len(graph) or set(nodelist) != set(graph)):
        raise NotImplementedError("NetworkX says what is wrong with nodelist")
    solver = Solver(graph, weight)
    if name == "johnson":
        return {node: row.paths() for node, row in zip(graph, solver.rows(None, *_search_of(name)))}
    paths = name == "floyd_warshall_predecessor_and_distance"
    if paths and np.any(solver.arcs.tails == solver.arcs.heads):
        raise NotImplementedError("NetworkX names the vertex itself as predecessor where an edge leads from it to itself")
    if name == "floyd_warshall_numpy":
        order = [solver.arcs.index[node] for node in nodelist or graph]
        return solver.solve(None, "auto", paths)["distances"][np.ix_(order, order)]
    rows = dict(zip(graph, solver.rows(None, "auto", paths)))
    lengths = {node: row.all_lengths() for node, row in rows.items()}
    return ({node: before for node, row in rows.items() if (before := row.before())}, lengths) if paths else lengths
