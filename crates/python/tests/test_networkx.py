"""The backend of NetworkX against NetworkX, over seeded graphs of every kind."""

import importlib.metadata
import unittest

try:
    import networkx
except ImportError:
    raise unittest.SkipTest("networkx is not installed: scripts/test-wheel installs it") from None
import numpy as np
from shortest_paths import networkx_backend
from shortest_paths.networkx_backend import algorithms

#: That converted graphs are kept is NetworkX's usual way.
networkx.config.warnings_to_ignore.add("cache")


def drawn(seed):
    """A graph with names for vertices, some edges without a weight, loops, and several edges between two vertices where it may have them."""
    random = np.random.default_rng(seed)
    graph = [networkx.Graph, networkx.DiGraph, networkx.MultiGraph, networkx.MultiDiGraph][seed % 4]()
    names = [f"v{at}" for at in range(int(random.integers(1, 20)))]
    graph.add_nodes_from(names)
    for at in range(int(random.integers(0, 60))):
        # Powers of two as often as not: then no two paths are equally long, and the path itself can be compared.
        weight = 2.0 ** (at - 20) if seed % 3 else int(random.integers(0, 9))
        graph.add_edge(*random.choice(names, 2).tolist(), **({} if at % 10 == 9 and seed % 3 == 0 else {"weight": weight}))
    return graph, names, random


def plain(result):
    """With generators as dicts, and matrices as lists."""
    if isinstance(result, np.ndarray):
        return result.tolist()
    return result if isinstance(result, (dict, tuple, list, int, float)) else dict(result)


class LikeNetworkX(unittest.TestCase):
    def both(self, name, *arguments, **options):
        function = getattr(networkx, name)
        results = []
        for backend in ("networkx", "shortest_paths"):
            try:
                results.append(plain(function(*arguments, **options, backend=backend)))
            except (networkx.NetworkXException, ValueError) as error:
                results.append(type(error))
        return results

    def assert_same(self, name, *arguments, **options):
        expected, found = self.both(name, *arguments, **options)
        self.assertEqual(found, expected, name)

    def test_entry_points_lead_here(self):
        (point,) = importlib.metadata.entry_points(group="networkx.backends", name="shortest_paths")
        self.assertIs(point.load(), networkx_backend.backend)
        (point,) = importlib.metadata.entry_points(group="networkx.backend_info", name="shortest_paths")
        self.assertEqual(point.load()()["backend_name"], "shortest_paths")

    def test_lengths_are_those_of_networkx(self):
        for seed in range(60):
            graph, names, random = drawn(seed)
            one, other, some = names[0], names[-1], set(random.choice(names, 3).tolist())
            cutoff = [None, 0, 3, 2.5][seed // 4 % 4]
            with self.subTest(seed=seed):
                self.assert_same("floyd_warshall", graph)
                self.assert_same("floyd_warshall_numpy", graph)
                self.assert_same("floyd_warshall_numpy", graph, nodelist=names[::-1])
                self.assert_same("floyd_warshall_numpy", graph, nodelist=names[1:])
                for kind in ("dijkstra", "bellman_ford"):
                    limit = {"cutoff": cutoff} if kind == "dijkstra" else {}
                    self.assert_same(f"{kind}_path_length", graph, one, other)
                    self.assert_same(f"{kind}_path_length", graph, one, "nowhere")
                    self.assert_same(f"single_source_{kind}_path_length", graph, one, **limit)
                    self.assert_same(f"single_source_{kind}_path_length", graph, one, weight=None, **limit)
                    self.assert_same(f"all_pairs_{kind}_path_length", graph, **limit)
                self.assert_same("multi_source_dijkstra_path_length", graph, some, cutoff=cutoff)
                self.assert_same("multi_source_dijkstra_path_length", graph, set())
                self.assert_same("single_source_dijkstra_path_length", graph, "nowhere")

    def test_paths_are_those_of_networkx_where_there_is_but_one(self):
        for seed in (seed for seed in range(60) if seed % 3):
            graph, names, random = drawn(seed)
            one, other, some = names[0], names[-1], set(random.choice(names, 3).tolist())
            with self.subTest(seed=seed):
                self.assert_same("johnson", graph)
                if not any(tail == head for tail, head in graph.edges()):
                    self.assert_same("floyd_warshall_predecessor_and_distance", graph)
                for kind in ("dijkstra", "bellman_ford"):
                    self.assert_same(f"{kind}_path", graph, one, other)
                    self.assert_same(f"single_source_{kind}", graph, one)
                    self.assert_same(f"single_source_{kind}", graph, one, other)
                    self.assert_same(f"single_source_{kind}_path", graph, one)
                    self.assert_same(f"all_pairs_{kind}_path", graph)
                self.assert_same("all_pairs_dijkstra", graph)
                self.assert_same("multi_source_dijkstra", graph, some)
                self.assert_same("multi_source_dijkstra", graph, some, other)
                self.assert_same("multi_source_dijkstra_path", graph, some)

    def test_shortest_path_and_its_length_are_those_of_networkx(self):
        for seed in (seed for seed in range(60) if seed % 3):
            graph, names, _ = drawn(seed)
            one, other = names[0], names[-1]
            for method in ("dijkstra", "bellman-ford"):
                for ends in ({}, {"source": one}, {"target": other}, {"source": one, "target": other}, {"source": one, "target": one}):
                    with self.subTest(seed=seed, method=method, ends=ends):
                        for name in ("shortest_path", "shortest_path_length"):
                            self.assert_same(name, graph, **ends, weight="weight", method=method)
                self.assert_same("shortest_path", graph, one, "nowhere", weight="weight", method=method)
            self.assert_same("shortest_path", graph, one, other, weight="weight", method="best")
        self.assertRegex(networkx_backend.can_run("shortest_path", (None, 0, 1), {}), "give weight='weight'")
        self.assertIs(networkx_backend.can_run("shortest_path", (None, 0, 1), {"weight": "km"}), True)

    def test_paths_are_as_short_as_those_of_networkx(self):
        for seed in range(0, 60, 3):
            graph, names, _ = drawn(seed)
            expected, found = self.both("single_source_dijkstra", graph, names[0])
            self.assertEqual(found[0], expected[0])
            for vertex, path in found[1].items():
                self.assertEqual((path[0], path[-1]), (names[0], vertex))
                length = sum(min(of for _, end, of in graph.edges(tail, data="weight", default=1) if end == head) for tail, head in zip(path, path[1:]))
                self.assertEqual(length, expected[0][vertex])

    def test_what_is_left_to_networkx_is_named(self):
        for name, options, reason in [
            ("dijkstra_predecessor_and_distance", {}, "none of the functions"),
            ("single_source_dijkstra", {"weight": lambda *of: 1}, "weight is neither"),
            ("single_source_dijkstra", {"cutoff": -1}, "cutoff is -1"),
            ("single_source_dijkstra", {"cutoff": "x"}, "cutoff is 'x'"),
            ("single_source_dijkstra", {"heuristic": 1}, "unexpected keyword argument"),
        ]:
            self.assertRegex(str(networkx_backend.can_run(name, (None, 0), options)), reason)
        for weight in (-1, float("inf"), float("nan"), "1", 2**70):
            graph = networkx.DiGraph()
            graph.add_edge(0, 1, weight=weight)
            with self.assertRaises(NotImplementedError):
                networkx.single_source_dijkstra(graph, 0, backend="shortest_paths")
        cycle = networkx.DiGraph()
        cycle.add_weighted_edges_from([(0, 1, 1), (1, 0, -2)])
        for name in ("johnson", "floyd_warshall", "all_pairs_bellman_ford_path"):
            with self.assertRaises(NotImplementedError):
                getattr(networkx, name)(cycle, backend="shortest_paths")
        self.assertEqual(networkx.johnson(networkx.DiGraph(), backend="shortest_paths"), {})

    def test_every_function_is_one_of_networkx_with_its_arguments(self):
        import inspect

        for name in algorithms.__all__:
            theirs = inspect.signature(getattr(networkx, name)).parameters
            ours = inspect.signature(getattr(algorithms, name)).parameters
            kept = [(of.name, of.default) for of in theirs.values() if of.name != "backend" and of.kind is not of.VAR_KEYWORD]
            self.assertEqual([(of.name, of.default) for of in ours.values()], kept, name)

    def test_a_graph_is_converted_once_and_back(self):
        graph = networkx.MultiDiGraph([("a", "b", {"weight": 2}), ("a", "b", {"weight": 3}), ("b", "b", {"weight": 0})])
        there = networkx_backend.convert_from_nx(graph, edge_attrs={"weight": 1})
        self.assertIs(networkx_backend.convert_from_nx(there), there)
        back = networkx_backend.convert_to_nx(there)
        self.assertEqual((type(back), sorted(back.edges(data="weight"))), (networkx.MultiDiGraph, sorted(graph.edges(data="weight"))))
        self.assertEqual(networkx_backend.convert_to_nx(5), 5)


if __name__ == "__main__":
    unittest.main()
