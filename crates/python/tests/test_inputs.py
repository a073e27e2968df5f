"""What may be given as a graph, and what is refused in one line."""

import itertools
import math
import unittest
import warnings

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

    def test_forms_beside_the_seeded_ones_are_taken_in_every_type(self):
        for dtype in ("float32", "float64", "int32", "uint16"):
            matrix = dense(dtype)
            none = matrix == shortest_paths.absent(dtype)
            tails, heads = [0, 0, 2], [1, 2, 1]
            weights = np.array([4, 1, 2], dtype=dtype)
            rows = sparse.csr_array((weights, (tails, heads)), shape=(3, 3))
            for graph in [
                matrix.astype(matrix.dtype.newbyteorder()),
                np.pad(matrix, 1)[1:-1, 1:-1],
                Exporter(matrix),
                np.ma.masked_array(np.where(none, -1, matrix).astype(dtype), none),
                sparse.csr_matrix(rows),
                rows.tolil(),
                rows.todok(),
                (None, (np.array(tails, dtype=np.uint8), heads, weights)),
                (np.int64(3), [tails, Exporter(np.array(heads)), Exporter(weights)]),
            ]:
                with self.subTest(dtype=dtype, form=type(graph)):
                    self.assert_solved(graph, dtype)
                    self.assert_solved(graph, "uint16", dtype="uint16")
            for wanted in ("float32", "float64", "int32", "uint16", np.dtype(dtype).newbyteorder()):
                self.assert_solved(matrix, np.dtype(wanted).newbyteorder("="), dtype=wanted)

    def test_a_zero_of_a_matrix_is_an_arc_with_a_warning_unless_somebody_said_what_it_is(self):
        graph = np.array([[-0.0, -0.0], [5, -0.0]], dtype=np.float32)
        with self.assertWarnsRegex(shortest_paths.ZeroWarning, "pass zeros='absent' if they are no arcs"):
            distances = solve(graph).distances
        np.testing.assert_array_equal(distances, [[0, 0], [5, 0]])
        self.assertFalse(np.signbit(distances).any())
        stored = sparse.csr_array(([-0.0], ([0], [1])), shape=(2, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            np.testing.assert_array_equal(solve(graph, zeros="arcs").distances, distances)
            np.testing.assert_array_equal(solve(graph, zeros="absent").distances, [[0, INF], [5, 0]])
            np.testing.assert_array_equal(solve(stored).distances, [[0, 0], [INF, 0]])
            self.assertFalse(np.signbit(solve(stored).distances).any())
            solve(np.array([[0.0, 1.0], [5.0, 0.0]]))
        self.refused(RequestError, "zeros is 'none': give 'arcs' or 'absent'", graph, zeros="none")

    def test_the_diagonal_counts_only_where_it_is_negative(self):
        for loop in (0, 5, INF):
            graph = dense("float32")
            np.fill_diagonal(graph, loop)
            self.assert_solved(graph, "float32")
        graph[1, 1] = -2
        self.assertEqual(self.refused(NegativeCycle, "vertex 1 ", graph).vertices, [1])
        rows = sparse.csr_array(([1, -2], ([0, 1], [1, 1])), dtype=np.int32)
        self.assertEqual(self.refused(NegativeCycle, "vertex 1 ", rows).vertices, [1])

    def test_what_is_of_another_type_or_would_change_is_refused_with_the_remedy(self):
        self.refused(GraphTypeError, "weights are float16", np.zeros((2, 2), dtype=np.float16))
        self.refused(GraphTypeError, "weights are complex128", np.zeros((2, 2), dtype=complex))
        for dtype in ("int64", "nonsense", object()):
            self.refused(RequestError, "dtype is .*: give 'float32'", np.zeros((2, 2)), dtype=dtype)
        for weight, wanted in [(0.5, "int32"), (-1, "uint16"), (2**28, "int32"), (32767, "uint16"), (1e300, "float32"), (math.nan, "int32"), (2**40, "int32")]:
            self.refused(GraphError, rf"the weight at \[0, 1\] is .*, which {wanted} does not hold", np.array([[0.0, weight], [1, 0]]), dtype=wanted)
        for options in ({}, {"dtype": "float64"}):
            self.refused(GraphError, r"at \[0, 1\] is 9007199254740993, which float64 does not hold", [[0, 2**53 + 1], [1, 0]], **options)
        self.assertEqual(solve(np.array([[0.0, 0.1], [1, 0]]), dtype="f32").distance(0, 1), np.float32(0.1))
        truth = np.array([[False, True], [False, False]])
        np.testing.assert_array_equal(solve(truth, dtype="uint16").distances, [[0, 1], [32767, 0]])
        for graph in (truth, truth.tolist(), sparse.csr_array(truth), np.ma.masked_array(truth)):
            found = solve(graph)
            self.assertEqual((found.distances.dtype, found.distance(0, 1), found.distance(1, 0)), (np.int32, 1, INF))

    def test_other_integers_have_a_type_chosen_as_the_command_line_chooses_it(self):
        rows = np.array([[0, 4, 1], [9, 0, 9], [9, 2, 0]])
        tails, heads = np.nonzero(rows)
        for graph in [
            rows.tolist(),
            rows,
            rows.astype(np.uint8),
            np.ma.masked_array(rows, np.zeros((3, 3))),
            sparse.csr_array(rows),
            sparse.coo_array(rows),
            (3, (tails, heads, rows[tails, heads].tolist())),
        ]:
            with self.subTest(type(graph)):
                solution = solve(graph)
                self.assertEqual((solution.distances.dtype, solution.no_path), (np.int32, 2**30 - 1))
                np.testing.assert_array_equal(solution.distances, [[0, 3, 1], [9, 0, 9], [9, 2, 0]])
        # A path may be too long for int32, and is no sum that float32 rounds, or is one.
        for weight, chosen in ((2**28, np.float32), (2**28 + 1, np.float64), (2.5, np.float64)):
            self.assertEqual(solve([[0, weight], [2**28, 0]]).distances.dtype, chosen)

    def test_undirected_arcs_lead_there_and_back(self):
        tails, heads, lengths = [0, 1, 1, 2, 2], [1, 0, 2, 3, 2], np.array([4.0, 3.0, 5.0, 1.0, 2.0])
        expected = [[0, 3, 8, 9], [3, 0, 5, 6], [8, 5, 0, 1], [9, 6, 1, 0]]
        rows = sparse.csr_array((lengths, (tails, heads)), shape=(4, 4))
        for graph, zeros in [((4, (tails, heads, lengths)), None), (rows, None), (rows.toarray(), "absent")]:
            np.testing.assert_array_equal(solve(graph, undirected=True, zeros=zeros).distances, expected)
        with self.assertRaises(NegativeCycle):
            solve((2, ([0], [1], [-1])), undirected=True)

    def test_one_integer_stands_for_no_arc_in_a_matrix_and_larger_weights_are_kept(self):
        for dtype, most in ((np.int32, 2**28 - 1), (np.uint16, 2**15 - 2)):
            none = shortest_paths.absent(dtype)
            for weight in (most + 1, none, none + 1, np.iinfo(dtype).max):
                graph = np.array([[0, weight], [none, 0]], dtype=dtype)
                listed = [(2, ([0], [1], graph[0, 1:])), sparse.csr_array((graph[0, 1:], ([0], [1])), shape=(2, 2))]
                for given in [graph, *listed]:
                    is_none = given is graph and weight == none
                    np.testing.assert_array_equal(solve(given, dtype="float64").distances, [[0, INF if is_none else weight], [INF, 0]])
                    if not is_none:
                        self.refused(GraphError, f"the weight .*is {weight}, .*{np.dtype(dtype)}.*: choose .*another dtype", given)

    def test_what_is_no_graph_is_refused(self):
        for message, graph in [
            (r"shape \(2, 3\)", np.zeros((2, 3))),
            (r"shape \(4,\)", np.zeros(4)),
            (r"shape \(2, 3\)", sparse.csr_array((2, 3))),
            ("0 vertices", np.zeros((0, 0))),
            (r"weight at \[0, 1\] is NaN", np.array([[0, math.nan], [1, 0]])),
            (r"weight at \[1, 0\] is -inf", np.array([[0, 1], [-INF, 0]])),
            ("weight of arc 0.* is NaN", sparse.csr_array(([math.nan], ([0], [1])), shape=(2, 2))),
            ("vertex 2 .*at an end, but the graph has 2", (2, ([0], [2], [1.0]))),
            ("tails has -1 in it", (2, ([-1], [0], [1.0]))),
            ("heads has 4294967296 in it", (2, ([0], [2**32], [1.0]))),
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

    def test_a_virtual_array_is_refused_before_it_is_copied(self):
        for dtype, wanted in (("float32", None), ("int64", None), ("float64", "float32"), ("bool", None)):
            virtual = np.broadcast_to(np.ones(1, dtype=dtype), (200_000, 200_000))
            self.refused(shortest_paths.NotEnoughMemory, r"copy of the graph needs \d{11,12} bytes, but", virtual, dtype=wanted)
            with self.assertRaises(shortest_paths.NotEnoughMemory):
                shortest_paths.shortest_path(virtual)

    def test_sparse_rows_that_do_not_fit_together_are_refused(self):
        for change, message in [
            ({"indptr": [0, 2, 1, 2]}, "does not ascend"),
            ({"indptr": [1, 1, 2, 2]}, "does not ascend from 0"),
            ({"indptr": [0, 1, 2, 9]}, "indptr ends at 9, and there are 2 indices"),
            ({"indptr": [0, 1, 2, -1]}, "indptr ends at -1, "),
            ({"indptr": [0, 1, 2]}, "indptr has 3 numbers, and there are 3 rows"),
            ({"indices": [1, 7]}, "vertex 7"),
            ({"indices": [1, -7]}, "vertex |has -7 in it"),
        ]:
            for dtype, options in itertools.product((np.int32, np.int64), ({}, {"sources": 0})):
                graph = sparse.csr_array((np.ones(2), [1, 2], [0, 1, 2, 2]), shape=(3, 3))
                graph.indices = graph.indices.astype(dtype)
                for name, values in change.items():
                    setattr(graph, name, np.array(values, dtype=dtype))
                with self.subTest(change, dtype=dtype):
                    self.refused(GraphError, message, graph, **options)

    def test_unused_room_behind_sparse_rows_is_not_looked_at(self):
        for dtype in (np.int32, np.int64):
            graph = sparse.csr_array((3, 3))
            graph.indptr = np.array([0, 1, 2, 2], dtype=dtype)
            graph.indices = np.array([1, 2, -77], dtype=dtype)
            graph.data = np.array([1.0, 2.0, math.nan])
            self.assertEqual((solve(graph).distance(0, 2), solve(graph, sources=0).distance(0, 2)), (3.0, 3.0))

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
        for device in (None, 5, (1,), ("a", "b"), (2, "x"), (2.5, 0), (2, 10**30), (2, -1)):
            self.refused(GraphTypeError, "Exporter cannot be taken by DLPack: .*: give an array of NumPy", Exporter(dense("float32"), device=device))


if __name__ == "__main__":
    unittest.main()
