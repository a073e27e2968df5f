"""The package against SciPy: a few hundred seeded graphs. scripts/compare-with-scipy has more and larger ones."""

import unittest

import numpy as np
import seeded
import shortest_paths
from scipy import sparse
from scipy.sparse import csgraph


class AgainstScipy(unittest.TestCase):
    def test_seeded_graphs_have_the_same_distances_and_every_path_is_right(self):
        walked = sum(seeded.compare(seeded.draw(seed, 40)) for seed in range(336))
        self.assertGreater(walked, 50_000)

    def test_a_larger_graph_of_each_type_has_the_same_distances(self):
        for dtype in seeded.DTYPES:
            graph = sparse.random_array((400, 400), density=0.02, random_state=7, format="csr")
            graph.data = np.ceil(graph.data * 30).astype(dtype)
            found = shortest_paths.solve(graph, paths="predecessor", marks="scipy")
            expected, _ = csgraph.dijkstra(graph.astype(float), return_predecessors=True)
            np.testing.assert_array_equal(np.where(found.distances == found.no_path, np.inf, found.distances), expected)

    def test_the_comparison_finds_what_is_wrong(self):
        graph = seeded.draw(25, 40)
        right = shortest_paths.solve(graph.given(), paths="predecessor")
        expected = seeded.by_scipy(graph)
        self.assertGreater(seeded.check(graph, expected, right), 0)
        rows, ends = np.nonzero(right.predecessors >= 0)
        right.distances[rows[0], ends[0]] += 1
        with self.assertRaisesRegex(AssertionError, "differs"):
            seeded.check(graph, expected, right)
        right.distances[rows[0], ends[0]] -= 1
        right.predecessors[rows[0], ends[0]] = ends[0]
        with self.assertRaises(AssertionError):
            seeded.check(graph, expected, right)


if __name__ == "__main__":
    unittest.main()
