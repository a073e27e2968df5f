"""Graphs from files as SciPy and NumPy write them: readers themselves are tested in Rust."""

import pathlib
import tempfile
import unittest
import warnings

import numpy as np
import shortest_paths
from scipy import io, sparse
from shortest_paths import read, solve


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def write(self, text):
        (self.folder / "x.txt").write_text(text)
        return self.folder / "x.txt"

    def test_arrays_of_scipy_and_numpy_keep_their_weights(self):
        for dtype, weight, chosen in [("int32", 600_000_000, "float32"), ("int32", 600_000_001, "float64"), ("uint16", 65_535, "int32")]:
            rows = sparse.csr_array(np.array([[0, weight], [0, 0]], dtype=dtype))
            np.save(self.folder / "x.npy", rows.toarray())
            sparse.save_npz(self.folder / "x.npz", rows)
            io.mmwrite(self.folder / "x.mtx", rows.tocoo())
            for name, format in (("x.npy", "npy"), ("x.npz", "npz"), ("x.mtx", "matrix-market")):
                with self.subTest(name=name, dtype=dtype, weight=weight):
                    graph = read(str(self.folder / name), zeros="absent")
                    self.assertEqual((graph.n, graph.dtype, graph.format, graph.packing), (2, chosen, format, None))
                    self.assertEqual(solve(graph, verify=True).distance(0, 1), weight)
                    np.testing.assert_array_equal(sparse.csr_array(graph.csr(), shape=(2, 2)).toarray(), rows.toarray())

    def test_vertices_have_the_names_of_the_file(self):
        graph = read(self.write("Bonn Ulm 420\nUlm Kiel 860\nUlm Ulm 1\nBonn Ulm 500\n"), undirected=True)
        self.assertEqual([graph.name(v) for v in range(3)], ["Bonn", "Ulm", "Kiel"])
        self.assertEqual(solve(graph).distance(graph.vertex("Kiel"), graph.vertex("Bonn")), 1280)
        self.assertEqual(graph.dropped[0], 2)
        self.assertRaisesRegex(shortest_paths.RequestError, "called 'Rome'", graph.vertex, "Rome")
        self.assertRaisesRegex(shortest_paths.RequestError, "vertex 3 is not", graph.name, 3)

    def test_options_decide_what_a_file_means(self):
        edges = self.write("1 2 5\n")
        self.assertEqual((read(edges, vertices="from-zero").n, read(edges, vertices="from-one", dtype="u16").dtype), (3, "uint16"))
        zero = self.folder / "x.npy"
        np.save(zero, np.zeros((2, 2), dtype=np.float32))
        with self.assertWarnsRegex(shortest_paths.ZeroWarning, "pass zeros='absent'"):
            warned = read(zero)
        with warnings.catch_warnings(action="error"):
            for graph, distance in ((warned, 0), (read(zero, zeros="arcs"), 0), (read(zero, zeros="absent"), np.inf)):
                self.assertEqual(solve(graph).distance(0, 1), distance)
        for name in ("vertices", "format", "zeros", "dtype"):
            with self.assertRaisesRegex(shortest_paths.RequestError, f"{name} is .*: give "):
                read(edges, **{name: "x"})
        self.assertRaisesRegex(TypeError, "unexpected keyword argument 'sep'", read, edges, sep=",")
        self.assertRaisesRegex(shortest_paths.RequestError, "was read as int32", solve, read(edges), dtype="float64")
        self.assertRaisesRegex(shortest_paths.RequestError, "read it with undirected=True", solve, read(edges), undirected=True)

    def test_a_file_that_is_no_graph_is_an_error_with_its_place(self):
        with self.assertRaisesRegex(shortest_paths.ReadError, r"x.txt:2: ") as raised:
            read(self.write("0 1 2\n0 x y z\n"))
        self.assertEqual((raised.exception.line, pathlib.Path(raised.exception.path).name), (2, "x.txt"))
        self.assertRaisesRegex(FileNotFoundError, "x/nothing", read, self.folder / "x/nothing")
        self.assertRaises(IsADirectoryError, read, self.folder)
        self.assertRaises(shortest_paths.NegativeCycle, read, self.write("0 0 -1\n"))


if __name__ == "__main__":
    unittest.main()
