"""`shortest_paths.csgraph` against SciPy, and SciPy's own tests of shortest paths with it."""

import contextlib
import io
import unittest
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy
from scipy import sparse
from scipy.sparse import csgraph as theirs
from shortest_paths import csgraph as ours

#: SciPy's own tests that do not pass, with the reason.
DIFFERENT: dict[str, str] = {}


class Instead:
    """Has a test module of SciPy's call this package."""

    def __init__(self):
        self.passed, self.failed = 0, {}

    def pytest_collection_modifyitems(self, items):
        for item in items:
            for name in ours.__all__:
                if hasattr(item.module, name) and name != "NegativeCycleError":
                    setattr(item.module, name, getattr(ours, name))

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.failed[report.nodeid.split("::")[-1]] = str(report.longrepr)[-400:]
        self.passed += report.when == "call" and report.passed


class Scipys(unittest.TestCase):
    def test_scipys_own_tests_pass_but_for_those_that_are_named(self):
        file = Path(scipy.__file__).parent / "sparse/csgraph/tests/test_shortest_path.py"
        instead = Instead()
        with contextlib.redirect_stdout(io.StringIO()):
            pytest.main([str(file), "-q", "-p", "no:cacheprovider", "--rootdir", str(file.parent)], plugins=[instead])
        self.assertEqual(set(instead.failed), set(DIFFERENT), instead.failed)
        self.assertGreater(instead.passed, 80)


def graphs():
    """Dense and sparse graphs, with zeros, without paths, and with negative weights."""
    random = np.random.default_rng(11)
    for n in (1, 2, 7, 40):
        weights = random.integers(1, 30, (n, n)) / 4
        weights[random.random((n, n)) < 0.6] = 0
        yield weights
        yield sparse.csr_array(weights)
        yield sparse.csc_array(weights)
        yield sparse.csr_array((np.zeros(n), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n))


class AgainstScipy(unittest.TestCase):
    def assert_same(self, name, *arguments, **options):
        expected, found = (getattr(module, name)(*arguments, **options) for module in (theirs, ours))
        np.testing.assert_array_equal(found, expected)
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))

    def test_distances_are_scipys_in_every_form_of_graph_and_call(self):
        for graph in graphs():
            n = graph.shape[0]
            for directed in (True, False):
                for unweighted in (True, False):
                    options = {"directed": directed, "unweighted": unweighted}
                    for method in ("auto", "FW", "D", "J", "BF"):
                        self.assert_same("shortest_path", graph, method, **options)
                    self.assert_same("floyd_warshall", graph, **options)
                    for indices in (0, -1, [n - 1, 0, 0], np.zeros((2, 1), dtype=int)):
                        for name in ("dijkstra", "johnson", "bellman_ford", "shortest_path"):
                            self.assert_same(name, graph, indices=indices, **options)
                        self.assert_same("dijkstra", graph, indices=indices, limit=6, **options)
                        self.assert_same("dijkstra", graph, indices=indices, min_only=True, **options)

    def test_predecessors_lead_along_arcs_that_sum_to_the_distances(self):
        for graph in graphs():
            found, before = ours.dijkstra(graph, return_predecessors=True, limit=9)
            self.assertEqual((before.dtype, before.shape), (np.int32, found.shape))
            dense = sparse.coo_array(graph)
            weight = {(i, j): w for i, j, w in zip(*dense.coords, dense.data, strict=True)}
            for i, j in np.argwhere(before != -9999):
                self.assertEqual(found[i, before[i, j]] + weight[before[i, j], j], found[i, j])
            without = (before == -9999) & ~np.eye(len(found), dtype=bool)
            self.assertTrue(np.isinf(found[without]).all())

    def test_with_min_only_each_vertex_has_its_nearest_source(self):
        graph = sparse.random_array((60, 60), density=0.08, random_state=3, format="csr")
        distances, before, nearest = ours.dijkstra(graph, indices=[3, 8, 50], min_only=True, return_predecessors=True)
        np.testing.assert_array_equal(distances, theirs.dijkstra(graph, indices=[3, 8, 50], min_only=True))
        every = ours.dijkstra(graph)
        for vertex, source in enumerate(nearest):
            expected = np.inf if source == -9999 else every[source, vertex]
            self.assertAlmostEqual(distances[vertex], expected)
            if before[vertex] != -9999:
                self.assertEqual(nearest[before[vertex]], source)

    def test_what_is_no_arc_in_a_dense_graph_is_none_here(self):
        graph = np.ma.masked_array([[0, np.nan, 3], [np.inf, 0, 5], [1, 2, 0]], [[0, 0, 0], [0, 0, 0], [0, 1, 0]])
        np.testing.assert_array_equal(ours.shortest_path(graph), [[0, np.inf, 3], [6, 0, 5], [1, np.inf, 0]])

    def test_refusals_are_scipys_kinds_of_errors_and_name_the_value(self):
        ring = np.array([[0, 1, 0], [0, 0, -3], [1, 0, 0]])
        for name in ("shortest_path", "floyd_warshall", "johnson", "bellman_ford"):
            with self.assertRaises(theirs.NegativeCycleError) as raised:
                getattr(ours, name)(ring)
            self.assertEqual(sorted(raised.exception.vertices), [0, 1, 2])
        square = np.ones((3, 3))
        for pattern, call in [
            ("unrecognized method 'X'", lambda: ours.shortest_path(square, "X")),
            ("Cannot specify indices", lambda: ours.shortest_path(square, "FW", indices=[0])),
            ("indices out of range", lambda: ours.dijkstra(square, indices=[3])),
            ("limit must be >= 0: it is -1", lambda: ours.dijkstra(square, limit=-1)),
            (r"shape \(2, 3\)", lambda: ours.johnson(np.ones((2, 3)))),
            (r"shape \(2, 3\)", lambda: ours.johnson(sparse.csr_array(np.ones((2, 3))))),
        ]:
            with self.assertRaisesRegex(ValueError, pattern):
                call()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            negative = np.array([[0, 4.0, 2], [0, 0, 0], [0, -1, 0]])
            np.testing.assert_array_equal(ours.dijkstra(negative, indices=0), [0, 1, 2])
        self.assertIn("negative weights", str(told[0].message))


if __name__ == "__main__":
    unittest.main()
