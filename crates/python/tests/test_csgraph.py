"""The functions of SciPy's names against SciPy's own, over seeded graphs of every form that SciPy reads."""

import collections
import itertools
import os
import subprocess
import sys
import unittest

import compare
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

    def test_random_calls_give_what_scipys_give(self):
        counted = collections.Counter(compare.call(seed, 12) for seed in range(3000))
        self.assertGreater(counted.pop("the same"), 2700, counted)
        self.assertGreater(counted.pop("the package raises NegativeCycleError, SciPy raises NegativeCycleError"), 100, counted)
        # SciPy's Bellman-Ford may take a sum that is rounded for a negative cycle.
        self.assertLess(counted.pop("the package answers, SciPy raises NegativeCycleError", 0), 10)
        # A limit and the nearest source need weights that are not negative.
        self.assertTrue(all(what.startswith("the package raises RequestError") for what in counted), counted)

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
            (r"method is \['FW'\]: give", "shortest_path", graph, {"method": ["FW"]}),
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
        with self.assertRaises(shortest_paths.NegativeCycle) as raised:
            ours.dijkstra(-graph, indices=0)
        self.assertEqual((raised.exception.vertices, raised.exception.weight), ([0], -1))
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
