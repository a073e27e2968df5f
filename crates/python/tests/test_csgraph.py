"""The functions of SciPy's names against SciPy's own, over seeded graphs of every form that SciPy reads."""

import itertools
import os
import subprocess
import sys
import unittest

import numpy as np
import shortest_paths
from scipy import sparse
from scipy.sparse import csgraph as theirs
from shortest_paths import csgraph as ours

INF = np.inf


def graphs(seed):
    """A graph with some zeros, NaN and infinities, in each form."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 25))
    dense = random.integers(1, 20, (n, n)) / 4
    dense[random.random((n, n)) < 0.7] = 0
    odd = dense.copy()
    odd[random.random((n, n)) < 0.1] = np.nan
    odd[random.random((n, n)) < 0.1] = INF
    odd[random.random((n, n)) < 0.1] = -INF
    rows = sparse.csr_array(dense)
    twice = sparse.coo_array((np.ones(3 * n), random.integers(0, n, (2, 3 * n))), shape=(n, n))
    zeros = rows.copy()
    zeros.data[::3] = 0
    unsorted = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(n, n))
    unsorted.indices[: rows.indptr[1]] = unsorted.indices[: rows.indptr[1]][::-1].copy()
    return [
        dense,
        odd,
        np.asfortranarray(dense),
        dense.astype(np.float32),
        (dense * 4).astype(np.int64),
        (dense * 4).astype(np.int64).tolist(),
        dense > 0,
        np.ma.masked_less(dense - 0.1, 0),
        rows,
        sparse.csr_matrix(rows),
        rows.astype(np.float32),
        sparse.csr_array((np.arange(rows.nnz), rows.indices.astype(np.int64), rows.indptr.astype(np.int64)), shape=(n, n)),
        rows.tocsc(),
        rows.tocoo(),
        rows.tolil(),
        twice,
        zeros,
        unsorted,
    ]


def for_scipy(graph):
    """The same in a form that every one of SciPy's functions takes: its Floyd-Warshall returns what it was given of an array in Fortran's order,
    and refuses COO, and its `shortest_path` fails at a list."""
    if sparse.issparse(graph):
        return graph.tocsr() if graph.format == "coo" else graph
    return graph if np.ma.isMaskedArray(graph) else np.ascontiguousarray(graph)


NAMES = ("dijkstra", "johnson", "bellman_ford", "floyd_warshall", "shortest_path")


class LikeScipy(unittest.TestCase):
    def assert_same(self, expected, found):
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape))
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_every_form_is_read_as_scipy_reads_it(self):
        for seed, directed, unweighted in itertools.product(range(12), (True, False), (True, False)):
            options = {"directed": directed, "unweighted": unweighted}
            for at, graph in enumerate(graphs(seed)):
                for name in NAMES:
                    with self.subTest(seed=seed, form=at, name=name, **options):
                        self.assert_same(getattr(theirs, name)(for_scipy(graph), **options), getattr(ours, name)(graph, **options))

    def test_indices_of_any_shape_limits_and_nearest_sources_are_scipys(self):
        for seed in range(20):
            graph = graphs(seed)[[0, 8][seed % 2]]
            n = graph.shape[0]
            random = np.random.default_rng(seed)
            for indices in [None, 0, -1, np.int64(n - 1), [0], [[0, -1], [n - 1, 0]], random.integers(0, n, 4)]:
                for limit in (INF, 0, 3.25):
                    options = {"indices": indices, "limit": limit, "directed": bool(seed % 3)}
                    expected = theirs.dijkstra(graph, **options)
                    self.assert_same(expected, ours.dijkstra(graph, **options))
                    distances, predecessors = ours.dijkstra(graph, return_predecessors=True, **options)
                    self.assert_same(expected, distances)
                    self.check_tree(graph, options["directed"], distances.reshape(-1, n), predecessors.reshape(-1, n))
                    if indices is not None:
                        expected = theirs.dijkstra(graph, min_only=True, return_predecessors=True, **options)
                        found = ours.dijkstra(graph, min_only=True, return_predecessors=True, **options)
                        self.assert_same(expected[0], found[0])
                        self.check_tree(graph, options["directed"], found[0][None], found[1][None])
                        self.assertEqual([array.dtype for array in found], [array.dtype for array in expected])
                        all_rows = ours.dijkstra(graph, indices=np.arange(n), directed=options["directed"])
                        reached = found[2] >= 0
                        np.testing.assert_array_equal(reached, np.isfinite(found[0]))
                        np.testing.assert_array_equal(all_rows[found[2][reached], np.flatnonzero(reached)], found[0][reached])

    def check_tree(self, graph, directed, distances, predecessors):
        self.assertEqual(predecessors.dtype, np.int32)
        weights = graph.toarray() if sparse.issparse(graph) else graph
        weights = np.where(weights == 0, INF, weights)
        weights = weights if directed else np.minimum(weights, weights.T)
        rows, ends = np.nonzero(predecessors >= 0)
        before = predecessors[rows, ends]
        np.testing.assert_allclose(distances[rows, before] + weights[before, ends], distances[rows, ends])
        np.testing.assert_array_equal(predecessors >= 0, np.isfinite(distances) & (predecessors != -9999))
        self.assertTrue((predecessors[np.isinf(distances)] == -9999).all())

    def test_negative_weights_are_right_in_every_function(self):
        graph = np.array([[0, 0, 0], [-1, 0, 0], [0, -1, 0]], dtype=float)
        for name in NAMES:
            self.assert_same(theirs.johnson(graph), getattr(ours, name)(graph))
            for error in (theirs.NegativeCycleError, ours.NegativeCycleError, shortest_paths.NegativeCycle):
                with self.assertRaises(error) as raised:
                    getattr(ours, name)(graph, directed=False)
            self.assertEqual(raised.exception.weight, -2)

    def test_bellman_ford_raises_for_a_negative_cycle_where_scipy_does_and_is_right_elsewhere(self):
        raised = 0
        for seed in range(200):
            random = np.random.default_rng(seed)
            n = int(random.integers(2, 12))
            dense = np.where(random.random((n, n)) < 1.5 / n, random.integers(-2, 9, (n, n)), 0).astype(float)
            graph, options = [dense, sparse.csr_array(dense)][seed % 2], {"directed": bool(seed % 5), "indices": random.integers(0, n, 2)}
            for call in (lambda of: of.bellman_ford(graph, **options), lambda of: of.shortest_path(graph, "BF", **options)):
                try:
                    expected = call(theirs)
                except theirs.NegativeCycleError:
                    raised += 1
                    with self.assertRaises(theirs.NegativeCycleError):
                        call(ours)
                else:
                    self.assert_same(expected, call(ours))
        self.assertTrue(50 < raised < 350, raised)

    def test_overwrite_puts_the_result_where_the_graph_was(self):
        graph = np.array([[0, 1, 0], [0, 0, 2], [4, 0, 0]], dtype=float)
        self.assertIs(ours.floyd_warshall(graph, overwrite=True), graph)
        kept = graph.copy()
        np.testing.assert_array_equal(graph, [[0, 1, 3], [6, 0, 2], [4, 5, 0]])
        ours.shortest_path(graph, "J", overwrite=True)
        np.testing.assert_array_equal(graph, kept)

    def test_what_cannot_be_had_is_named_with_its_value_and_the_remedy(self):
        graph = np.ones((3, 3))
        for message, name, wrong, options in [
            ("method is 'X': give 'auto', 'FW', 'D', 'BF' or 'J'", "shortest_path", graph, {"method": "X"}),
            ("indices is given and method is 'FW'.*: leave indices out", "shortest_path", graph, {"method": "FW", "indices": [0]}),
            ("indices has 3 in it, and the graph has 3 vertices: give numbers from 0 to 2", "dijkstra", graph, {"indices": [0, 3]}),
            ("indices has dtype float64: give", "dijkstra", graph, {"indices": [0.5]}),
            ("limit is -1: give 0, a larger number", "dijkstra", graph, {"limit": -1}),
            ("the least weight is -1, and a limit needs", "dijkstra", -graph, {"limit": 2}),
            (r"csgraph has shape \(2, 3\): give \(n, n\)", "dijkstra", np.ones((2, 3)), {}),
            (r"csgraph has shape \(3,\)", "dijkstra", np.ones(3), {}),
        ]:
            with self.assertRaisesRegex(ValueError, message):
                getattr(ours, name)(wrong, **options)
        for wrong in ("x", None, np.ones((2, 2), dtype=complex), sparse.csr_array(np.ones((2, 2), dtype=complex))):
            with self.assertRaisesRegex(TypeError, "^csgraph "):
                ours.dijkstra(wrong)
        self.assertEqual(ours.shortest_path(np.zeros((0, 0))).shape, (0, 0))

    def test_small_graphs_need_neither_scipy_nor_other_threads(self):
        # Threads that were kept would be missing in a copy of the process.
        code = [
            "import os, sys, numpy as np, shortest_paths",
            "tasks = lambda: len(os.listdir('/proc/self/task'))",
            "graph, before = (3, ([0, 1], [1, 2], [1.0, 1.0])), tasks()",
            "for options in ({}, {'sources': 0}, {'sources': [0, 1], 'min_only': True}, {'sources': 0, 'paths': 'predecessor', 'limit': 1}, {'paths': 'next'}):",
            "    shortest_paths.solve(graph, **options)",
            "assert shortest_paths.shortest_path(np.array([[0, 2.0], [0, 0]])).tolist() == [[0, 2], [np.inf, 0]]",
            "assert tasks() == before and 'scipy' not in sys.modules and 'networkx' not in sys.modules",
        ]
        subprocess.run([sys.executable, "-c", "\n".join(code)], check=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})



if __name__ == "__main__":
    unittest.main()
