"""Arrays in a GPU's memory, in and out by DLPack: on the emulated device, whose memory is the host's, and without any GPU."""

import ctypes
import gc
import math
import sys
import time
import unittest

import numpy as np
import shortest_paths
from shortest_paths import DeviceArray, DeviceError, GraphError, GraphTypeError, NegativeCycle, RequestError, solve
from shortest_paths import _graphs, _native, _solve

INF = math.inf


class Producer:
    """An array of another library, which remembers how it was asked."""

    def __init__(self, array, device=(1, 0), versioned=True):
        self.array, self.device, self.versioned, self.asked = array, device, versioned, []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **options):
        self.asked.append((stream, options))
        if options and not self.versioned:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__(**options)


def request(**options):
    return _solve.Request(**options)


def solve_emulated(graph, *, dtype=None, zeros="arcs", **options):
    """As `solve` does with an array on a GPU, by the emulated device."""
    asked = request(**options)
    found = _native.solve_on_device(lambda: _graphs._capsule(graph), 0, dtype, zeros == "absent", asked, True)
    return _solve._as_solution(found, asked, zeros)


def weights(n, dtype):
    random = np.random.default_rng(n)
    graph = random.integers(0, 50, (n, n)).astype(dtype)
    graph[random.random((n, n)) < 0.8] = shortest_paths.absent(dtype)
    return graph


def used_bytes():
    """Bytes that the C library has given out and not got back."""

    class Info(ctypes.Structure):
        _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]

    library = ctypes.CDLL(None)
    library.mallinfo2.restype = Info
    info = library.mallinfo2()
    return info.uordblks + info.hblkhd


class OnTheEmulatedDevice(unittest.TestCase):
    def test_an_array_is_solved_where_it_lies_in_every_type_and_by_both_forms_of_the_protocol(self):
        for dtype in ("float32", "int32", "uint16"):
            for n, versioned in ((1, True), (31, False), (64, True)):
                with self.subTest(dtype=dtype, n=n):
                    graph = weights(n, dtype)
                    given = Producer(graph, versioned=versioned)
                    references = sys.getrefcount(graph)
                    solution = solve_emulated(given)
                    self.assertEqual(sys.getrefcount(graph), references)
                    expected = solve(graph, algorithm="dijkstra")
                    np.testing.assert_array_equal(solution.distances.to_numpy(), expected.distances)
                    self.assertEqual(solution.distances.to_numpy().dtype, dtype)
                    asked = [(1, {"max_version": (1, 0)})] + ([] if versioned else [(1, {})])
                    self.assertEqual(given.asked, asked)

    def test_the_result_is_taken_without_a_copy_and_outlives_its_solution(self):
        graph = weights(31, "int32")
        solution = solve_emulated(Producer(graph))
        expected = solve(graph).distances
        taken = np.from_dlpack(solution.distances)
        again = np.from_dlpack(solution.distances)
        self.assertEqual(taken.__array_interface__["data"][0], again.__array_interface__["data"][0])
        del solution, again
        np.testing.assert_array_equal(taken, expected)

    def test_a_capsule_has_the_form_that_was_asked_for_and_is_freed_if_nobody_takes_it(self):
        array = solve_emulated(Producer(weights(31, "float32"))).distances
        for version, name in ((None, "dltensor"), ((0, 8), "dltensor"), ((1, 0), "dltensor_versioned"), ((2, 5), "dltensor_versioned")):
            capsule = array.__dlpack__(max_version=version)
            self.assertIn(f'"{name}"', repr(capsule))
        for stream in (None, -1, 1, 2, 12345):
            self.assertIn('"dltensor"', repr(array.__dlpack__(stream=stream, dl_device=(1, 0), copy=False)))
        for options in ({"dl_device": (2, 0)}, {"copy": True}):
            with self.assertRaisesRegex(BufferError, "to_numpy"):
                array.__dlpack__(**options)

    @unittest.skipUnless(hasattr(ctypes.CDLL(None), "mallinfo2"), "this C library does not tell how much memory is in use")
    def test_a_result_that_nobody_has_any_more_is_freed(self):
        graph, small = Producer(weights(64, "float32")), Producer(np.zeros((1, 1), dtype=np.float32))

        def in_use():
            gc.collect()
            # What is to be freed is queued before this solve.
            solve_emulated(small)
            return used_bytes()

        def use(export):
            array = solve_emulated(graph).distances
            export(array)

        exports = {
            "none": lambda array: None,
            "not taken": lambda array: array.__dlpack__(),
            "not taken, with a version": lambda array: array.__dlpack__(max_version=(1, 0)),
            "taken": lambda array: np.from_dlpack(Producer(array)),
            "taken, with a version": lambda array: np.from_dlpack(array),
            "copied": lambda array: array.to_numpy(),
        }
        for how, export in exports.items():
            use(export)
            before = in_use()
            for _ in range(10):
                use(export)
            # A result has 16 KiB, and the emulated device takes 24 bytes for each: 4 MB if the ten stayed. On a busy machine the threads of a
            # solve give back what they have a while after it, and what each keeps for itself changes by some 100 KB.
            until = time.monotonic() + 10
            while (grown := in_use() - before) >= 500_000 and time.monotonic() < until:
                time.sleep(0.1)
            self.assertLess(grown, 500_000, how)

    def test_all_of_a_solution_can_be_used(self):
        graph = np.array([[7, 4, 1], [INF, 0, INF], [INF, 2, -0.0]], dtype=np.float32)
        solution = solve_emulated(Producer(graph))
        array = solution.distances
        self.assertIsInstance(array, DeviceArray)
        self.assertEqual((array.shape, array.dtype, array.__dlpack_device__()), ((3, 3), np.float32, (1, 0)))
        self.assertEqual((solution.distance(0, 1), solution.distance(1, 0)), (3.0, INF))
        self.assertEqual((array.item(0, 2), type(array.item(0, 2))), (1.0, float))
        self.assertEqual((solution.n, solution.algorithm, solution.no_path), (3, "floyd-warshall", INF))
        self.assertEqual(solution.device, "emulated CUDA device")
        for name in ("predecessors", "next", "sources", "targets", "choice", "verified"):
            self.assertIsNone(getattr(solution, name), name)
        self.assertEqual(repr(solution), "<shortest_paths.Solution: 3 x 3 distances in float32 by floyd-warshall>")
        self.assertEqual(repr(array), "<shortest_paths.DeviceArray: 3 x 3, float32, on the host>")
        with self.assertRaisesRegex(RequestError, "no paths are stored: copy the graph to the host first, and solve with"):
            solution.path(0, 1)
        with self.assertRaisesRegex(RequestError, "vertex 3 is not in a graph of 3 vertices"):
            solution.distance(0, 3)
        for place in ((0, 3), (3, 0), (-1, 0)):
            with self.assertRaises(IndexError):
                array.item(*place)
        with self.assertRaisesRegex(TypeError, "copy it by to_numpy"):
            np.asarray(array)
        integers = solve_emulated(Producer(weights(31, "int32")))
        self.assertIsInstance(integers.distances.item(0, 0), int)
        zeros = np.array([[0, 0], [5, 0]], dtype=np.uint16)
        self.assertEqual(solve_emulated(Producer(zeros), zeros="absent").distance(0, 1), INF)
        self.assertEqual(solve_emulated(Producer(zeros), dtype="uint16", device="cuda:0").distance(0, 1), 0)

    def refused(self, error, message, graph, **options):
        references = sys.getrefcount(graph.array) if hasattr(graph, "array") else 0
        with self.assertRaisesRegex(error, message) as raised:
            solve_emulated(graph, **options)
        self.assertNotIn("\n", str(raised.exception))
        found = raised.exception
        del raised
        if references:
            self.assertEqual(sys.getrefcount(graph.array), references, message)
        return found

    def test_what_cannot_be_solved_there_is_refused_and_given_back(self):
        square = np.zeros((4, 4), dtype=np.float32)
        for error, message, array in [
            (GraphTypeError, r"is float64, and one in a GPU's memory is float32, int32 or uint16.*x\.cpu\(\)", np.zeros((2, 2))),
            (GraphTypeError, "is int64, ", np.zeros((2, 2), dtype=np.int64)),
            (GraphTypeError, "is bool8, ", np.zeros((2, 2), dtype=bool)),
            (GraphTypeError, r"strides are \(1, 4\): make it so by x\.contiguous\(\)", square.T),
            (GraphTypeError, "strides are ", np.zeros((4, 8), dtype=np.float32)[:, ::2]),
            (GraphTypeError, "strides are ", np.zeros((8, 8), dtype=np.float32)[:4, :4]),
            (GraphError, r"shape \(4, 3\): give \(n, n\)", np.zeros((4, 3), dtype=np.float32)),
            (GraphError, r"shape \(4\): give", np.zeros(4, dtype=np.float32)),
            (GraphError, "no vertices|at least one", np.zeros((0, 0), dtype=np.float32)),
            (GraphError, r"\[1, 0\] is NaN, and weights must be numbers", np.array([[0, 1], [math.nan, 0]], dtype=np.float32)),
            (GraphError, r"\[0, 1\] is -inf", np.array([[0, -INF], [1, 0]], dtype=np.float32)),
            (GraphError, r"\[0, 1\] is 268435456, and int32 is used", np.array([[0, 2**28], [1, 0]], dtype=np.int32)),
            (GraphError, r"\[1, 0\] is -3, .* copy it to the host first, as with x\.cpu\(\)", np.array([[0, 4], [-3, 0]], dtype=np.int32)),
            (shortest_paths.DistanceOverflow, "as long as 40000", np.array([[0, 20000, 32767], [1, 0, 20000], [1, 1, 0]], dtype=np.uint16)),
        ]:
            with self.subTest(message):
                self.refused(error, message, Producer(array))
        cycle = self.refused(NegativeCycle, "vertex 1 ", Producer(np.array([[0, 4], [-3, -2]], dtype=np.int32)))
        self.assertEqual((cycle.vertices, cycle.weight), ([1], -2.0))
        self.refused(RequestError, "dtype is 'int32', and the array on the host is float32", Producer(square), dtype="int32")

    def test_what_is_no_tensor_is_refused(self):
        class Wrong:
            def __init__(self, result):
                self.result = result

            def __dlpack_device__(self):
                return (1, 0)

            def __dlpack__(self, **options):
                if isinstance(self.result, Exception):
                    raise self.result
                return self.result

        capsule = np.zeros((2, 2), dtype=np.float32).__dlpack__()
        np.from_dlpack(Wrong(capsule))
        for result in (5, None, capsule):
            self.refused(GraphTypeError, "in the place of a capsule", Wrong(result))
        for error in (BufferError("requires grad"), RuntimeError("no\nstream"), TypeError("no type"), KeyError("no key")):
            said = " ".join(str(error).split())
            self.refused(GraphTypeError, f"Wrong cannot be taken by DLPack: {said}", Wrong(error))
            with self.assertRaisesRegex(GraphTypeError, f"Wrong cannot be taken by DLPack: {said}: give an array of NumPy"):
                solve(Wrong(error))
        for result in (5, None, "x"):
            with self.assertRaisesRegex(GraphTypeError, "Wrong cannot be taken by DLPack: "):
                solve(Wrong(result))


class WithoutAGpu(unittest.TestCase):
    """The array says that it is on a GPU, and its memory is the host's: refused with a GPU and without."""

    def given(self, number=0):
        return Producer(np.zeros((2, 2), dtype=np.float32), device=(2, number))

    def test_a_gpu_that_is_not_there_is_an_error_in_one_line_and_nothing_is_taken(self):
        graph = self.given()
        with self.assertRaises((DeviceError, GraphTypeError)) as raised:
            solve(graph)
        self.assertNotIn("\n", str(raised.exception))
        if isinstance(raised.exception, DeviceError):
            self.assertEqual(graph.asked, [])
        else:
            self.assertIn("its tensor is on the host", str(raised.exception))

    def test_an_argument_that_does_not_go_with_it_is_named_with_the_remedy(self):
        for name, value in [("sources", [0]), ("targets", [1]), ("paths", "next"), ("algorithm", "dijkstra"), ("verify", True)]:
            with self.subTest(name), self.assertRaisesRegex(RequestError, rf"^{name} is .*: leave {name} out, or copy .*x\.cpu\(\)"):
                solve(self.given(), **{name: value})
        for device, number in [("cpu", 0), ("cuda", 1), ("cuda:1", 0)]:
            with self.subTest(device), self.assertRaisesRegex(RequestError, f"device is '{device}', and the array is on cuda:{number}"):
                solve(self.given(number), device=device)


if __name__ == "__main__":
    unittest.main()
