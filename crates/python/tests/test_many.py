"""Several graphs in one call."""

import unittest
import warnings

import numpy as np
import shortest_paths
from scipy import sparse
from shortest_paths import GraphError, GraphTypeError, NegativeCycle, RequestError, solve, solve_many


def drawn(seed):
    """A graph in one of the forms, of one of the types."""
    random = np.random.default_rng(seed)
    n = int(random.integers(2, 30))
    matrix = random.integers(1, 50, (n, n))
    matrix[random.random((n, n)) < 0.7] = 0
    dtype = ["float32", "float64", "int32", "uint16", "int64"][seed % 5]
    rows = sparse.csr_array(matrix.astype(dtype))
    coo = rows.tocoo()
    ends = (*coo.coords, coo.data)
    dense = np.where(matrix == 0, np.inf, matrix)
    return [rows, coo, (n, ends), rows.tocsc(), dense][seed // 5 % 5]


class Many(unittest.TestCase):
    def test_each_solution_is_that_of_its_graph_alone(self):
        graphs = [drawn(seed) for seed in range(100)]
        for options in ({}, {"threads": 1, "paths": "predecessor"}, {"sources": [1, 0], "targets": [0]}, {"limit": 40, "undirected": True}, {"min_only": True, "sources": [0, 1]}):
            many = solve_many(iter(graphs), **options)
            self.assertEqual(len(many), 100)
            for graph, found in zip(graphs, many):
                alone = solve(graph, **options)
                self.assertEqual(found.distances.dtype, alone.distances.dtype)
                np.testing.assert_array_equal(found.distances, alone.distances)
                np.testing.assert_array_equal(found.predecessors, alone.predecessors)
                np.testing.assert_array_equal(found.nearest, alone.nearest)
        self.assertEqual(solve_many([]), [])

    def test_an_error_says_which_graph_it_is_about(self):
        good, cycle = (2, ([0], [1], [1.0])), (2, ([0, 1], [1, 0], [1.0, -2.0]))
        for graphs, error, number in [
            ([good, cycle, good, cycle], NegativeCycle, 1),
            ([good, good, np.zeros((2, 3))], GraphError, 2),
            (["x", cycle], GraphTypeError, 0),
            ([good, [[0, float("nan")], [1, 0]]], GraphError, 1),
            ([(9, ([0], [1], [1.0])), good], RequestError, 1),
        ]:
            with self.assertRaisesRegex(error, f"^graph {number}: ") as raised:
                solve_many(graphs, sources=[8] if error is RequestError else None)
            self.assertEqual(raised.exception.graph, number)
        with self.assertRaises(NegativeCycle) as raised:
            solve(cycle)
        self.assertIsNone(raised.exception.graph)

    def test_progress_counts_graphs_and_ends_them(self):
        seen = []
        solve_many([drawn(seed) for seed in range(30)], progress=lambda *of: seen.append(of))
        self.assertEqual(seen[-1], ("distances", 30, 30))

        def stop(*of):
            raise KeyError

        with self.assertRaises(KeyError):
            solve_many([drawn(seed) for seed in range(30)], progress=stop)

    def test_zeros_are_named_once_for_each_place_in_the_code(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            solve_many([np.zeros((2, 2))] * 5)
        self.assertEqual([of.category for of in caught], [shortest_paths.ZeroWarning])


if __name__ == "__main__":
    unittest.main()
