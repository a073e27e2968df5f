"""The backend of NetworkX against NetworkX, over seeded graphs of every kind."""

import importlib.metadata
import inspect
import random
import unittest
from unittest import mock

try:
    import networkx
except ImportError:
    raise unittest.SkipTest("networkx is not installed: scripts/test-wheel installs it") from None
import numpy as np
from shortest_paths import GraphTypeError, networkx_backend, solve
from shortest_paths.networkx_backend import algorithms

#: That converted graphs are kept is NetworkX's usual way.
networkx.config.warnings_to_ignore.add("cache")


def drawn(seed):
    """A graph whose vertices have names or numbers, with loops, edges without a weight, and several between two vertices where it may have them."""
    draw = random.Random(seed)
    graph = [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph][seed % 4]()
    names = [f"v{at}" if seed % 5 else at for at in range(draw.randint(1, 20))]
    graph.add_nodes_from(names)
    for at in range(draw.randint(0, 60)):
        # Powers of two as often as not: then no two paths are equally long, and the path itself can be compared.
        weight = 2.0 ** (at - 20) if seed % 3 else draw.randrange(9)
        graph.add_edge(draw.choice(names), draw.choice(names), **({} if at % 10 == 9 and seed % 3 == 0 else {"weight": weight}))
    choices = {
        "source": [names[0], names[-1], "nowhere"],
        "target": [names[-1], names[0], "nowhere"],
        "sources": [{draw.choice(names) for _ in range(3)}, [names[0]], set()],
        "cutoff": [None, 0, 2.5, 3],
        "nodelist": [names[::-1], names[1:]],
        "method": ["dijkstra", "bellman-ford", "best"],
        "weight": ["weight", None],
    }
    return graph, choices, draw


def measured(graph, weight, result):
    """With the end and the length of each path in its place: of several that are equally long any may be found."""
    if isinstance(result, (dict, tuple)):
        return {key: measured(graph, weight, of) for key, of in (result.items() if isinstance(result, dict) else enumerate(result))}
    if not isinstance(result, list):
        return result
    steps = [graph.get_edge_data(*step) for step in zip(result, result[1:])]
    return result[-1], sum(min(edge.get(weight, 1) for edge in (step.values() if graph.is_multigraph() else [step])) for step in steps)


def outcome(name, graph, **options):
    """What a function returns, with generators as dicts and matrices as tuples, or the type of what it raises."""
    try:
        result = getattr(networkx, name)(graph, **options)
        if isinstance(result, np.ndarray):
            return tuple(map(tuple, result.tolist()))
        return result if isinstance(result, (dict, tuple, list, int, float)) else dict(result)
    except (networkx.NetworkXException, TypeError, ValueError) as error:
        return type(error)


class LikeNetworkX(unittest.TestCase):
    def assert_same(self, name, graph, *, is_unique=True, **options):
        expected, found = (outcome(name, graph, **options, backend=backend) for backend in ("networkx", "shortest_paths"))
        if not is_unique:
            expected, found = (measured(graph, options.get("weight", "weight"), of) for of in (expected, found))
        self.assertEqual(found, expected, (name, options))
        if isinstance(found, (int, float)):
            self.assertIs(type(found), type(expected), (name, options))
        if name in ("single_source_dijkstra_path_length", "multi_source_dijkstra_path_length") and isinstance(found, dict):
            # The nearest first, and integers as such.
            self.assertEqual(*(list(map(repr, of.values())) for of in (found, expected)))

    def test_every_function_is_that_of_networkx(self):
        for seed in range(36):
            graph, choices, draw = drawn(seed)
            for name in algorithms.FUNCTIONS:
                parameters = inspect.signature(getattr(networkx, name)).parameters
                needed = {key for key, of in parameters.items() if of.default is of.empty}
                # NetworkX may look at few edges or none, so that the native half is asked.
                for least in (0, 9):
                    options = {key: draw.choice(choices[key]) for key in parameters if key in choices and (key in needed or draw.randrange(2))}
                    is_unique = seed % 3 != 0 and options.get("weight", parameters["weight"].default) is not None
                    with self.subTest(seed=seed, least=least), mock.patch.multiple(algorithms, _LEAST=least, _PART=2**62):
                        if is_unique or name != "floyd_warshall_predecessor_and_distance":
                            self.assert_same(name, graph, is_unique=is_unique, **options)

    def test_what_this_package_does_not_do_networkx_does(self):
        edge = networkx.DiGraph([(0, 1)])
        weights = (-1, float("inf"), "1", None, 2**70, 2**53 + 1, np.float32(0.1))
        cycle = networkx.DiGraph([(0, 1, {"weight": 1}), (1, 0, {"weight": -2})])
        for graph, options in [
            *((networkx.DiGraph([(0, 1, {"weight": weight})]), {}) for weight in weights),
            *((edge, {"cutoff": cutoff}) for cutoff in (-1, "x", float("nan"), 10**400)),
            *((cycle, {}), (networkx.DiGraph(), {}), (edge, {"weight": lambda *of: 7})),
        ]:
            for name in ("single_source_dijkstra", "all_pairs_dijkstra_path_length", "johnson", "floyd_warshall", "all_pairs_bellman_ford_path"):
                parameters = inspect.signature(getattr(networkx, name)).parameters
                given = {key: value for key, value in ({"source": 0} | options).items() if key in parameters}
                with self.subTest(name=name, edges=list(graph.edges(data=True)), **options), mock.patch.multiple(algorithms, _LEAST=0, _PART=2**62):
                    self.assert_same(name, graph, **given)
        self.assertRegex(networkx_backend.can_run("pagerank", (edge,), {}), "none of the functions")
        self.assertRegex(networkx_backend.should_run("shortest_path", (edge, 0, 1), {}), "give weight='weight'")
        self.assertIs(networkx_backend.should_run("shortest_path", (edge, 0, 1), {"weight": "km"}), True)

    def test_a_weight_that_has_changed_counts(self):
        for kind in (networkx.Graph, networkx.MultiDiGraph):
            graph = kind([(at, at + 1) for at in range(1000)])
            for weight in (2, 7, 3):
                (graph[998][999][0] if graph.is_multigraph() else graph[998][999])["weight"] = weight
                self.assert_same("single_source_dijkstra_path_length", graph, source=0)
            graph.remove_edge(5, 6)
            graph.add_edge(5, 600)
            self.assert_same("single_source_dijkstra_path_length", graph, source=0)
        path = networkx.path_graph(1001, networkx.DiGraph)
        view = path.reverse(copy=False)
        self.assert_same("single_source_dijkstra_path_length", view, source=1000)
        path.remove_edge(10, 11)
        path.add_edge(0, 11)
        self.assert_same("single_source_dijkstra_path_length", view, source=1000)

    def test_a_search_that_soon_ends_converts_nothing(self):
        graph = networkx.grid_2d_graph(60, 60)
        with mock.patch.object(algorithms, "Solver", side_effect=AssertionError("converted")):
            self.assert_same("dijkstra_path", graph, source=(30, 30), target=(31, 31))
            self.assert_same("multi_source_dijkstra", graph, sources={(0, 0), (9, 9)}, cutoff=2)
            self.assert_same("all_pairs_dijkstra_path_length", graph, cutoff=1)
            with self.assertRaisesRegex(AssertionError, "converted"):
                networkx.single_source_dijkstra(graph, (0, 0), backend="shortest_paths")

    def test_networkx_finds_the_backend_and_gets_its_graph_back(self):
        (backend,), (info,) = (importlib.metadata.entry_points(group=f"networkx.{of}", name="shortest_paths") for of in ("backends", "backend_info"))
        self.assertEqual((backend.load(), info.load()()["backend_name"]), (networkx_backend.backend, "shortest_paths"))
        graph = networkx.path_graph(4)
        there = networkx_backend.convert_from_nx(networkx_backend.convert_from_nx(graph, edge_attrs={"weight": 1}))
        self.assertEqual(networkx.dijkstra_path_length(there, 0, 3), 3)
        self.assertEqual((networkx_backend.convert_to_nx(there), networkx_backend.convert_to_nx(5)), (graph, 5))
        with self.assertRaisesRegex(GraphTypeError, "a Graph of NetworkX: give nx.to_scipy_sparse_array.*backend='shortest_paths'"):
            solve(graph)


if __name__ == "__main__":
    unittest.main()
