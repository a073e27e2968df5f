"""What may be given as a graph, and what is refused in one line."""

import math
import unittest

import numpy as np
import shortest_paths
from scipy import sparse
from shortest_paths import GraphError, GraphTypeError, NegativeCycle, RequestError, solve

INF = math.inf


class Exporter:
    """An array of another library: all that it has is DLPack."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)


def dense(dtype, graph=((0, 4, 1), (INF, 0, INF), (INF, 2, 0))):
    return np.where(np.isinf(graph), shortest_paths.absent(dtype), graph).astype(dtype)


class Inputs(unittest.TestCase):
    EXPECTED = [[0, 3, 1], [INF, 0, INF], [INF, 2, 0]]

    def assert_solved(self, graph, expected, **options):
        solution = solve(graph, **options)
        self.assertEqual(solution.distances.dtype, np.dtype(expected))
        np.testing.assert_array_equal(solution.distances, dense(expected, self.EXPECTED))
        return solution

    def refused(self, error, message, graph, **options):
        with self.assertRaisesRegex(error, message) as raised:
            solve(graph, **options)
        self.assertNotIn("\n", str(raised.exception))
        self.assertIsInstance(raised.exception, shortest_paths.ShortestPathsError)
        return raised.exception

    def test_every_form_of_every_type_is_taken(self):
        for dtype in ("float32", "float64", "int32", "uint16"):
            matrix = dense(dtype)
            tails, heads = [0, 0, 2], [1, 2, 1]
            weights = np.array([4, 1, 2], dtype=dtype)
            rows = sparse.csr_array((weights, (tails, heads)), shape=(3, 3))
            for graph in [
                matrix,
                np.asfortranarray(matrix),
                matrix.astype(matrix.dtype.newbyteorder()),
                np.pad(matrix, 1)[1:-1, 1:-1],
                Exporter(matrix),
                rows,
                sparse.csr_matrix(rows),
                rows.tocsc(),
                rows.tocoo(),
                rows.tolil(),
                rows.todok(),
                (3, (tails, heads, weights)),
                (None, (np.array(tails, dtype=np.uint8), heads, weights)),
                (np.int64(3), [tails, Exporter(np.array(heads)), Exporter(weights)]),
            ]:
                with self.subTest(dtype=dtype, form=type(graph)):
                    self.assert_solved(graph, dtype)

    def test_masked_entries_are_no_arcs(self):
        graph = np.ma.masked_array([[0, 4, 1], [9, 0, 9], [9, 2, 0]], [[0, 0, 0], [1, 0, 1], [1, 0, 0]], dtype=np.int32)
        self.assert_solved(graph, "int32")
        self.assert_solved(graph, "float32", dtype="float32")

    def test_a_zero_is_an_arc_unless_it_is_asked_to_be_none(self):
        graph = np.array([[0, 0], [5, 0]], dtype=np.float32)
        np.testing.assert_array_equal(solve(graph).distances, [[0, 0], [5, 0]])
        np.testing.assert_array_equal(solve(graph, zeros="absent").distances, [[0, INF], [5, 0]])
        stored = sparse.csr_array(([0.0], ([0], [1])), shape=(2, 2))
        np.testing.assert_array_equal(solve(stored).distances, [[0, 0], [INF, 0]])
        self.refused(RequestError, "zeros is 'none': give 'arcs' or 'absent'", graph, zeros="none")

    def test_a_negative_zero_is_a_zero(self):
        for graph in (np.array([[-0.0, -0.0], [-0.0, -0.0]]), sparse.csr_array(([-0.0, -0.0], ([0, 1], [1, 0])))):
            self.assertFalse(np.signbit(solve(graph).distances).any())

    def test_of_entries_at_the_same_place_the_least_wins(self):
        tails, heads, weights = [0, 0, 0], [1, 1, 1], np.array([7, 2, 5], dtype=np.int32)
        rows = sparse.csr_array((weights, heads, [0, 3, 3]), shape=(2, 2))
        for graph in ((2, (tails, heads, weights)), sparse.coo_array((weights, (tails, heads)), shape=(2, 2)), rows):
            self.assertEqual(solve(graph).distance(0, 1), 2)

    def test_the_diagonal_counts_only_where_it_is_negative(self):
        for loop in (0, 5, INF):
            graph = dense("float32")
            np.fill_diagonal(graph, loop)
            self.assert_solved(graph, "float32")
        graph[1, 1] = -2
        self.assertEqual(self.refused(NegativeCycle, "vertex 1 ", graph).vertices, [1])
        rows = sparse.csr_array(([1, -2], ([0, 1], [1, 1])), dtype=np.int32)
        self.assertEqual(self.refused(NegativeCycle, "vertex 1 ", rows).vertices, [1])

    def test_a_negative_cycle_lists_its_vertices(self):
        graph = (4, ([0, 1, 2, 3], [1, 2, 1, 0], np.array([1, 2, -3, 1], dtype=np.float32)))
        cycle = self.refused(NegativeCycle, "negative cycle of 2 edges and total weight -1", graph)
        self.assertEqual((cycle.vertices, cycle.weight), ([1, 2], -1.0))
        self.assertIsInstance(cycle, ValueError)

    def test_integers_of_other_types_become_int32_where_no_path_is_longer_than_it_holds(self):
        for given in ([[0, 1], [2, 0]], np.array([[0, 1], [2, 0]], dtype=np.uint64), sparse.csr_array(np.array([[0, 1], [2, 0]]))):
            found = solve(given).distances
            self.assertEqual((found.dtype, found.tolist()), (np.int32, [[0, 1], [2, 0]]))
        # 2**28 - 1 is what int32 holds; two arcs of as much are longer.
        for far, dtype in [(2**27, "int32"), (2**28 - 2, "float64")]:
            for given in ([[0, far], [2, 0]], (2, ([0, 1], [1, 0], [far, 2])), sparse.coo_array(np.array([[0, far], [2, 0]]))):
                self.assertEqual(solve(given).distances.dtype, dtype, given)
        self.assertEqual(solve((2, ([0, 0], [1, 1], [2**40, 5]))).distance(0, 1), 5)

    def test_many_graphs_are_solved_in_their_order(self):
        graphs = [np.array([[0, weight], [1, 0]]) for weight in range(1, 40)]
        for threads in (None, 3):
            found = shortest_paths.solve_many(iter(graphs), threads=threads, paths="predecessors")
            self.assertEqual([one.distance(0, 1) for one in found], list(range(1, 40)))
            self.assertEqual(found[7].path(0, 1), [0, 1])
        self.assertEqual(shortest_paths.solve_many([]), [])
        with self.assertRaisesRegex(GraphError, "no graph|shape"):
            shortest_paths.solve_many([graphs[0], np.zeros((1, 2))])

    def test_words_are_those_of_the_command_line(self):
        self.assertEqual(solve([[0, 1], [2, 0]], paths="predecessor").predecessors.tolist(), [[-1, 0], [1, -1]])
        self.refused(RequestError, "paths is True: give None, 'predecessors' or 'next'", [[0, 1], [2, 0]], paths=True)
        self.refused(RequestError, "marks is 'none': give 'plain' or 'scipy'", [[0, 1], [2, 0]], marks="none")

    def test_other_types_are_refused_with_the_remedy_and_converted_on_request(self):
        whole = [[0, 4, 1], [2**40, 0, 2**40], [2**40, 2, 0]]
        self.refused(GraphTypeError, "weights are float16", np.zeros((2, 2), dtype=np.float16))
        self.refused(GraphTypeError, "weights are complex128", np.zeros((2, 2), dtype=complex))
        self.refused(GraphTypeError, "weights are bool", np.zeros((2, 2), dtype=bool))
        self.refused(RequestError, "dtype is int64: give 'float32'", np.array(whole), dtype="int64")
        self.refused(RequestError, "dtype is 'nonsense'", np.array(whole), dtype="nonsense")
        self.refused(GraphError, r"the weight at \[1, 0\] is 1099511627776, which int32", np.array(whole), dtype="int32")
        for given in ("float32", "float64", "int32", "uint16"):
            for wanted in ("float32", "float64", "int32", "uint16"):
                self.assert_solved(dense(given), wanted, dtype=wanted)
        truth = np.array([[False, True], [False, False]])
        np.testing.assert_array_equal(solve(truth, dtype="uint16").distances, [[0, 1], [32767, 0]])
        self.assertEqual(solve([[0.0, 2.5], [INF, 0.0]]).distance(0, 1), 2.5)

    def test_a_conversion_that_would_change_a_weight_is_refused(self):
        for weight, wanted in [(0.5, "int32"), (-1, "uint16"), (2**28, "int32"), (32767, "uint16"), (1e300, "float32"), (math.nan, "int32")]:
            self.refused(GraphError, r"the weight at \[0, 1\]", np.array([[0.0, weight], [1, 0]]), dtype=wanted)
        self.refused(GraphError, "which float64 does not hold", np.array([[0, 2**53 + 1], [1, 0]]), dtype="float64")
        self.assertEqual(solve(np.array([[0.0, 0.1], [1, 0]]), dtype="float32").distance(0, 1), np.float32(0.1))

    def test_what_is_no_graph_is_refused(self):
        for message, graph in [
            (r"shape \(2, 3\)", np.zeros((2, 3))),
            (r"shape \(4,\)", np.zeros(4)),
            (r"shape \(2, 2, 2\)", np.zeros((2, 2, 2))),
            (r"shape \(2, 3\)", sparse.csr_array((2, 3))),
            ("0 vertices", np.zeros((0, 0))),
            (r"weight at \[0, 1\] is NaN", np.array([[0, math.nan], [1, 0]])),
            (r"weight at \[1, 0\] is -inf", np.array([[0, 1], [-INF, 0]])),
            (r"weight at \[0, 1\] is 268435456, and int32 holds", np.array([[0, 2**28], [1, 0]], dtype=np.int32)),
            ("weight of arc 0.* is NaN", sparse.csr_array(([math.nan], ([0], [1])), shape=(2, 2))),
            ("vertex 2 .*at an end, but the graph has 2", (2, ([0], [2], [1.0]))),
            ("tails has -1 in it", (2, ([-1], [0], [1.0]))),
            ("heads has shape", (2, ([0], [0.5], [1.0]))),
            ("there are 1 tails, 2 heads", (2, ([0], [0, 1], [1.0]))),
            ("weights of shape", (2, ([0], [1], [[1.0]]))),
            ("n is 0", (0, ([], [], []))),
            ("0 vertices", (None, ([], [], []))),
        ]:
            with self.subTest(message):
                self.refused(GraphError, message, graph)
        for message, graph in [("dict is no graph", {}), ("str is no graph", "x"), ("NoneType is no graph", None), ("a tuple is no graph", (1, 2, 3)), ("n is 'a'", ("a", ([], [], [])))]:
            with self.subTest(message):
                self.refused(GraphTypeError, message, graph)
        self.assertEqual(solve((2, ([], [], []))).distance(0, 1), INF)

    def test_sparse_rows_that_do_not_fit_together_are_refused(self):
        for change, message in [
            ({"indptr": [0, 2, 1, 2]}, "does not ascend"),
            ({"indptr": [1, 1, 2, 2]}, "does not ascend from 0"),
            ({"indptr": [0, 1, 2, 9]}, "indptr ends at 9, and there are 2 indices"),
            ({"indptr": [0, 1, 2]}, "indptr has 3 numbers, and there are 3 rows"),
            ({"indices": [1, 7]}, "vertex 7"),
            ({"indices": [1, -7]}, "vertex "),
        ]:
            graph = sparse.csr_array((np.ones(2), [1, 2], [0, 1, 2, 2]), shape=(3, 3))
            for name, values in change.items():
                setattr(graph, name, np.array(values, dtype=np.int32))
            with self.subTest(change):
                self.refused(GraphError, message, graph)

    def test_unused_room_behind_sparse_rows_is_not_looked_at(self):
        graph = sparse.csr_array((3, 3))
        graph.indptr = np.array([0, 1, 2, 2], dtype=np.int32)
        graph.indices = np.array([1, 2, 77], dtype=np.int32)
        graph.data = np.array([1.0, 2.0, math.nan])
        self.assertEqual(solve(graph).distance(0, 2), 3.0)

    def test_arrays_of_other_libraries_are_taken_where_they_lie_and_given(self):
        graph = dense("float32")
        self.assert_solved(Exporter(graph, device=(3, 0)), "float32")
        given = self.assert_solved(graph, "float32").distances
        taken = np.from_dlpack(Exporter(given))
        self.assertEqual(taken.__array_interface__["data"][0], given.__array_interface__["data"][0])

    def test_an_array_that_no_gpu_can_solve_where_it_is_is_refused_with_the_remedy(self):
        given = (3, ([0, 0, 2], [1, 2, 1], Exporter(np.array([4, 1, 2], dtype=np.float32), device=(2, 1))))
        self.refused(GraphTypeError, "on a CUDA device, number 1: copy it to the host first.*cpu()", given)
        self.refused(GraphTypeError, "on a ROCm device, number 0: copy", Exporter(dense("float32"), device=(10, 0)))
        self.refused(GraphTypeError, "DLPack's type 77", Exporter(dense("float32"), device=(77, 0)))


class Requests(unittest.TestCase):
    GRAPH = (4, ([0, 1, 2], [1, 2, 0], np.array([1, 2, 3], dtype=np.int32)))

    def refused(self, message, error=RequestError, **options):
        with self.assertRaisesRegex(error, message):
            solve(self.GRAPH, **options)

    def test_sources_and_targets_are_rows_and_columns_in_their_order(self):
        solution = solve(self.GRAPH, sources=[2, 0, 2], targets=np.array([3, 1], dtype=np.uint8), paths="predecessors")
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
        for paths in ("predecessors", "next"):
            solution = solve(self.GRAPH, paths=paths)
            self.assertEqual(solution.path(0, 2), [0, 1, 2])
            self.assertEqual((solution.path(1, 1), solution.path(0, 3)), ([1], None))
            with self.assertRaisesRegex(RequestError, "vertex 4 is not in a graph of 4 vertices"):
                solution.path(0, 4)
        self.assertEqual(solution.next[0].tolist(), [-1, 1, 1, -1])
        self.assertEqual(solve(self.GRAPH, paths="next", marks="scipy").next[0].tolist(), [-9999, 1, 1, -9999])
        with self.assertRaisesRegex(RequestError, "no paths are stored: solve with paths='predecessors'"):
            solve(self.GRAPH).path(0, 1)

    def test_what_does_not_fit_the_graph_is_refused(self):
        self.refused("vertex 4 is not in a graph of 4 vertices", sources=[4])
        self.refused("sources has -1 in it", sources=[-1])
        self.refused("targets has 18446744073709551615 in it", targets=np.array([2**64 - 1], dtype=np.uint64))
        self.refused("targets has shape .* dtype float64", targets=[0.5])
        self.refused("sources has shape .* dtype bool", sources=[True, False, True, True])
        self.refused("next vertices need all sources", paths="next", sources=[0])
        self.refused("paths is 'all': give None, 'predecessors' or 'next'", paths="all")
        self.refused("algorithm is 'best': give 'auto'", algorithm="best")
        self.refused("device is 'tpu': give 'auto', 'cpu', 'cuda'", device="tpu")
        self.refused("threads is 0", threads=0)
        self.refused("threads is 1.5", threads=1.5)
        with self.assertRaisesRegex(RequestError, "least weight is -1, and Dijkstra"):
            solve((2, ([0], [1], [-1.0])), algorithm="dijkstra")
        with self.assertRaises(TypeError):
            solve(self.GRAPH, [0])

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
        self.assertIn("4 x 4 distances in int32 by floyd-warshall", repr(solution))

    def test_paths_to_chosen_targets_are_all_walked(self):
        n = 60
        ring = (n, (np.arange(n), (np.arange(n) + 1) % n, np.full(n, 0.1, dtype=np.float32)))
        for algorithm in ("dijkstra", "floyd-warshall"):
            solution = solve(ring, paths="predecessors", targets=[5, 50, 5], algorithm=algorithm, device="cpu", verify=True)
            self.assertEqual((solution.verified.rows, solution.verified.paths), (32, 3 * n))

    def test_a_gpu_that_is_not_there_is_an_error(self):
        try:
            solution = solve(self.GRAPH, device="cuda", algorithm="floyd-warshall")
        except shortest_paths.DeviceError as error:
            self.assertNotIn("\n", str(error))
        else:
            self.assertNotEqual(solution.device, "cpu")


if __name__ == "__main__":
    unittest.main()
