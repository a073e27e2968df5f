"""What may be asked for, and what is refused in one line."""

import math
import re
import unittest

import numpy as np
import shortest_paths
from shortest_paths import RequestError, solve

INF = math.inf


class Requests(unittest.TestCase):
    GRAPH = (4, ([0, 1, 2], [1, 2, 0], np.array([1, 2, 3], dtype=np.int32)))

    def refused(self, message, error=RequestError, **options):
        with self.assertRaisesRegex(error, message):
            solve(self.GRAPH, **options)

    def test_sources_and_targets_are_rows_and_columns_in_their_order(self):
        solution = solve(self.GRAPH, sources=[2, 0, 2], targets=np.array([3, 1], dtype=np.uint8), paths="predecessor")
        none = shortest_paths.absent("int32")
        np.testing.assert_array_equal(solution.distances, [[none, 4], [none, 1], [none, 4]])
        self.assertEqual(solution.predecessors.shape, (3, 4))
        self.assertEqual((solution.path(2, 1), solution.path(0, 3), solution.path(2, 3)), ([2, 0, 1], None, None))
        self.assertEqual((solution.distance(0, 1), solution.distance(0, 3)), (1, INF))
        self.assertEqual(solve(self.GRAPH, sources=1).distances.tolist(), [[5, 0, 2, none]])
        self.assertEqual(solve(self.GRAPH, sources=[]).distances.shape, (0, 4))
        self.assertEqual(solve(self.GRAPH, targets=[]).distances.shape, (4, 0))
        for question in (lambda: solution.distance(1, 1), lambda: solution.path(1, 1), lambda: solution.path(2, 0)):
            with self.assertRaisesRegex(RequestError, "not among the (sources|targets) that were chosen"):
                question()

    def test_paths_are_found_by_predecessors_and_by_next_vertices(self):
        for paths in ("predecessor", "next"):
            solution = solve(self.GRAPH, paths=paths)
            self.assertEqual(solution.path(0, 2), [0, 1, 2])
            self.assertEqual((solution.path(1, 1), solution.path(0, 3)), ([1], None))
            with self.assertRaisesRegex(RequestError, "vertex 4 is not in a graph of 4 vertices"):
                solution.path(0, 4)
        self.assertEqual(solution.next[0].tolist(), [-1, 1, 1, -1])
        self.assertEqual(solve(self.GRAPH, paths="next", marks="scipy").next[0].tolist(), [-9999, 1, 1, -9999])
        with self.assertRaisesRegex(RequestError, "no paths are stored: solve with paths='predecessor'"):
            solve(self.GRAPH).path(0, 1)

    def test_what_does_not_fit_the_graph_is_refused(self):
        self.refused("vertex 4 is not in a graph of 4 vertices", sources=[4])
        self.refused("sources has -1 in it", sources=[-1])
        self.refused("targets has 18446744073709551615 in it", targets=np.array([2**64 - 1], dtype=np.uint64))
        self.refused("targets has shape .* dtype float64", targets=[0.5])
        self.refused("sources has shape .* dtype bool", sources=[True, False, True, True])
        self.refused("next vertices need all sources", paths="next", sources=[0])
        self.refused("threads is 0", threads=0)
        self.refused("threads is 1.5", threads=1.5)
        with self.assertRaisesRegex(RequestError, "least weight is -1, and Dijkstra"):
            solve((2, ([0], [1], [-1.0])), algorithm="dijkstra")
        with self.assertRaises(TypeError):
            solve(self.GRAPH, [0])
        self.refused("unexpected keyword argument 'source'", TypeError, source=0)
        for wrong in (None, True, 5, ["auto"], "None", "best"):
            for name, first in (("algorithm", "'auto'"), ("device", "'auto'"), ("marks", "'plain'"), ("paths", "None")):
                if (name, wrong) != ("paths", None):
                    self.refused(f"{name} is {re.escape(repr(wrong))}: give {first}", **{name: wrong})
        for name in ("vertices", "format", "dtype"):
            with self.assertRaisesRegex(RequestError, f"^{name} is .*5.*: give "):
                shortest_paths.read(__file__, **{name: 5})
        self.refused("limit is -1: give 0, a larger number, or None", limit=-1)
        self.refused("limit is nan", limit=math.nan)
        self.refused("verify is True and limit is 2.0, which do not go together: leave verify out", limit=2, verify=True)
        self.refused("targets is .* and min_only is True", min_only=True, sources=[0], targets=[1])
        self.refused("paths is 'next' and min_only is True.*: choose paths='predecessor'", min_only=True, sources=[0], paths="next")
        self.refused("next vertices need distances of any length", limit=2, paths="next")
        for options in ({"limit": 2}, {"min_only": True}):
            with self.assertRaisesRegex(RequestError, "the least weight is -1, and .* needs weights that are not negative"):
                solve((2, ([0], [1], [-1.0])), sources=[0], **options)

    def test_a_limit_leaves_what_is_near(self):
        none = shortest_paths.absent("int32")
        for algorithm in ("auto", "dijkstra", "johnson", "floyd-warshall"):
            for sources in (None, [0]):
                found = solve(self.GRAPH, limit=2.5, paths="predecessor", algorithm=algorithm, sources=sources)
                self.assertEqual(found.distances[0].tolist(), [0, 1, none, none])
                self.assertEqual(found.predecessors[0].tolist(), [-1, 0, -1, -1])
        self.assertEqual(solve(self.GRAPH, limit=0).distances.tolist(), np.where(np.eye(4), 0, none).tolist())

    def test_the_nearest_of_several_sources_is_found_in_one_row(self):
        line = (6, ([0, 1, 5, 4], [1, 2, 4, 3], [2, 2, 1, 5]))
        found = solve(line, sources=[5, 0], min_only=True, paths="predecessor", marks="scipy")
        self.assertEqual(found.distances.tolist(), [[0, 2, 4, 6, 1, 0]])
        self.assertEqual(found.nearest.tolist(), [0, 0, 0, 5, 5, 5])
        self.assertEqual(found.predecessors.tolist(), [[-9999, 0, 1, 4, 5, -9999]])
        self.assertEqual((found.path(0, 2), found.path(5, 3), found.distance(5, 3)), ([0, 1, 2], [5, 4, 3], 6))
        with self.assertRaisesRegex(RequestError, "source is 5, and by min_only .* vertex 2 from its nearest source, 0"):
            found.path(5, 2)
        near = solve(line, sources=[5, 0], min_only=True, limit=3)
        self.assertEqual((near.nearest.tolist(), near.distance(0, 2), near.predecessors), ([0, 0, -1, -1, 5, 5], INF, None))
        self.assertEqual(solve(line, sources=[], min_only=True).nearest.tolist(), [-1] * 6)

    def test_a_distance_that_the_type_does_not_hold_is_an_overflow(self):
        long = (3, ([0, 1], [1, 2], np.array([30_000, 30_000], dtype=np.uint16)))
        with self.assertRaisesRegex(shortest_paths.DistanceOverflow, "uint16|u16") as raised:
            solve(long, algorithm="dijkstra")
        self.assertIsInstance(raised.exception, OverflowError)

    def test_every_algorithm_gives_the_same_and_the_choice_can_be_read(self):
        expected = solve(self.GRAPH, algorithm="dijkstra").distances
        for algorithm in ("auto", "johnson", "floyd-warshall"):
            solution = solve(self.GRAPH, algorithm=algorithm, device="cpu", verify=True)
            np.testing.assert_array_equal(solution.distances, expected)
            self.assertIn(algorithm, (solution.algorithm, "auto"))
            self.assertEqual((solution.device, solution.verified.rows, solution.verified.widest), ("cpu", 4, 0.0))
        self.assertEqual(solution.choice.search.algorithm, "dijkstra")
        self.assertEqual(solution.choice.dense.algorithm, "floyd-warshall")
        self.assertRegex(str(solution.choice), r"^[a-z-]+: .* s, [\d,]+ bytes \(not [a-z-]+: .* bytes\)$")
        self.assertEqual(repr(solution), "<shortest_paths.Solution: 4 x 4 distances in int32 by floyd-warshall, 1073741823 where no path leads>")

    def test_paths_to_chosen_targets_are_all_walked(self):
        n = 60
        ring = (n, (np.arange(n), (np.arange(n) + 1) % n, np.full(n, 0.1, dtype=np.float32)))
        for algorithm in ("dijkstra", "floyd-warshall"):
            solution = solve(ring, paths="predecessor", targets=[5, 50, 5], algorithm=algorithm, device="cpu", verify=True)
            self.assertEqual((solution.verified.rows, solution.verified.paths), (32, 3 * n))

    def test_a_gpu_that_is_not_there_is_an_error(self):
        try:
            solution = solve(self.GRAPH, device="cuda", algorithm="floyd-warshall")
        except shortest_paths.DeviceError as error:
            self.assertNotIn("\n", str(error))
            self.assertNotIn("--", str(error))
        else:
            self.assertNotEqual(solution.device, "cpu")


if __name__ == "__main__":
    unittest.main()
