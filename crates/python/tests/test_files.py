"""Graphs from files."""

import gzip
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
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_every_format_holds_the_same_graph(self):
        tails, heads, weights = [0, 0, 2], [1, 2, 1], [4, 1, 2]
        rows = sparse.csr_array((np.array(weights, dtype=float), (tails, heads)), shape=(3, 3))
        lines = list(zip(tails, heads, weights))
        dimacs = self.write("x.gr", "p sp 3 3\n" + "".join(f"a {u + 1} {v + 1} {w}\n" for u, v, w in lines))
        edges = self.write("x.txt", "# from to weight\n" + "".join(f"{u} {v} {w}\n" for u, v, w in lines))
        packed = self.folder / "x.txt.gz"
        packed.write_bytes(gzip.compress(edges.read_bytes()))
        io.mmwrite(self.folder / "x.mtx", rows.tocoo())
        sparse.save_npz(self.folder / "x.npz", rows)
        dense = np.where(rows.toarray() == 0, np.inf, rows.toarray())
        np.fill_diagonal(dense, 0)
        np.save(self.folder / "x.npy", dense)
        expected = [[0, 3, 1], [np.inf, 0, np.inf], [np.inf, 2, 0]]
        for name, format, packing in [
            (dimacs, "dimacs", None),
            (edges, "edge-list", None),
            (packed, "edge-list", "gzip"),
            (self.folder / "x.mtx", "matrix-market", None),
            (self.folder / "x.npz", "npz", None),
            (str(self.folder / "x.npy"), "npy", None),
        ]:
            graph = read(name)
            self.assertEqual((graph.n, graph.dtype, graph.format, graph.packing), (3, "int32", format, packing))
            solution = solve(graph, paths="predecessor", verify=True)
            distances = np.where(solution.distances == solution.no_path, np.inf, solution.distances)
            np.testing.assert_array_equal(distances, expected)
            self.assertEqual(solution.path(0, 1), [0, 2, 1])
            again = sparse.csr_array(graph.csr(), shape=(3, 3))
            np.testing.assert_array_equal(again.toarray(), rows.toarray())
            for dtype in ("float32", "float64", "uint16"):
                self.assertEqual(solve(read(name, dtype=dtype)).distances.dtype, np.dtype(dtype))

    def test_integers_of_numpy_and_scipy_keep_their_weights(self):
        for dtype, weight, chosen in [
            (np.int32, 600_000_000, "float32"),
            (np.int32, 600_000_001, "float64"),
            (np.uint16, 40_000, "int32"),
            (np.uint16, 65_535, "int32"),
            (np.uint32, 7, "int32"),
        ]:
            weights = np.array([[0, weight], [0, 0]], dtype=dtype)
            np.save(self.folder / "x.npy", weights)
            sparse.save_npz(self.folder / "x.npz", sparse.csr_array(weights))
            io.mmwrite(self.folder / "x.mtx", sparse.coo_array(weights))
            for name in ("x.npy", "x.npz", "x.mtx"):
                with self.subTest(name=name, dtype=dtype, weight=weight):
                    graph = read(self.folder / name, zeros="absent")
                    self.assertEqual((graph.dtype, solve(graph).distance(0, 1)), (chosen, weight))
            if weight > 32_767:
                with self.assertRaisesRegex(shortest_paths.ShortestPathsError, str(weight)):
                    read(self.folder / "x.npy", dtype="uint16", zeros="absent")

    def test_vertices_have_the_names_of_the_file(self):
        graph = read(self.write("x.txt", "Bonn Ulm 420\nUlm Kiel 860\nUlm Ulm 1\nBonn Ulm 500\n"), undirected=True)
        self.assertEqual([graph.name(v) for v in range(3)], ["Bonn", "Ulm", "Kiel"])
        self.assertEqual(solve(graph).distance(graph.vertex("Kiel"), graph.vertex("Bonn")), 1280)
        self.assertEqual(graph.dropped[0], 2)
        with self.assertRaisesRegex(shortest_paths.RequestError, "called 'Rome'"):
            graph.vertex("Rome")
        with self.assertRaisesRegex(shortest_paths.RequestError, "vertex 3 is not"):
            graph.name(3)

    def test_options_decide_what_a_file_means(self):
        edges = self.write("x.txt", "1 2 5\n")
        self.assertEqual(read(edges, vertices="from-zero").n, 3)
        self.assertEqual(read(edges, vertices="from-one").n, 2)
        np.save(self.folder / "x.npy", np.zeros((2, 2), dtype=np.float32))
        with self.assertWarnsRegex(shortest_paths.ZeroWarning, "pass zeros='absent'"):
            self.assertEqual(solve(read(self.folder / "x.npy")).distance(0, 1), 0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(self.folder / "x.npy", zeros="arcs")
            read(edges)
        self.assertEqual(solve(read(self.folder / "x.npy", zeros="absent")).distance(0, 1), np.inf)
        for options in ({"vertices": "x"}, {"format": "x"}, {"zeros": "x"}, {"dtype": "int8"}):
            with self.assertRaisesRegex(shortest_paths.RequestError, f"{list(options)[0]} is .*: give "):
                read(edges, **options)
        with self.assertRaisesRegex(shortest_paths.RequestError, "numbering is now called vertices, as by the command line"):
            read(edges, numbering="named")
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'sep'"):
            read(edges, sep=",")
        self.assertEqual(read(edges, dtype="u16").dtype, "uint16")
        with self.assertRaisesRegex(shortest_paths.RequestError, "was read as int32: read it with dtype='float64'"):
            solve(read(edges), dtype="float64")

    def test_a_file_that_is_no_graph_is_an_error_with_its_place(self):
        with self.assertRaisesRegex(shortest_paths.ReadError, r"x.txt:2: ") as raised:
            read(self.write("x.txt", "0 1 2\n0 x y z\n"))
        self.assertEqual((raised.exception.line, pathlib.Path(raised.exception.path).name), (2, "x.txt"))
        with self.assertRaises(FileNotFoundError) as raised:
            read(self.folder / "nothing")
        self.assertEqual(raised.exception.filename, str(self.folder / "nothing"))
        with self.assertRaises(IsADirectoryError):
            read(self.folder)
        with self.assertRaises(shortest_paths.NegativeCycle):
            read(self.write("y.txt", "0 0 -1\n"))


if __name__ == "__main__":
    unittest.main()
