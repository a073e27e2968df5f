"""What happens while a graph is solved: threads, signals, memory."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import shortest_paths
from shortest_paths import solve

#: Eight thousand searches of some milliseconds: far more than any test waits for, and 128 MB of distances.
N = 8_000


def long_work():
    random = np.random.default_rng(1)
    ends = random.integers(0, N, (2, 40 * N))
    return N, (ends[0], ends[1], random.integers(1, 100, 40 * N).astype(np.uint16))


class Stop(Exception):
    pass


class Running(unittest.TestCase):
    def test_ctrl_c_ends_a_computation_soon(self):
        # A process that was started in the background of a shell may ignore the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        started = time.monotonic()
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            solve(long_work(), algorithm="dijkstra", threads=1)
        timer.join()
        self.assertLess(time.monotonic() - started, 10)
        # The next one is as if nothing had been.
        self.assertEqual(solve((2, ([0], [1], [1.0]))).distance(0, 1), 1)

    def test_other_threads_of_python_run_meanwhile(self):
        ticks = 0

        def tick():
            nonlocal ticks
            while ticks < 50:
                ticks += 1
                time.sleep(0.001)

        thread = threading.Thread(target=tick)

        def stop(stage, done, total):
            # Not one of these calls is needed for the other thread to go on: between two of them it ticks many times.
            if ticks >= 50:
                raise Stop

        thread.start()
        with self.assertRaises(Stop):
            solve(long_work(), algorithm="dijkstra", threads=1, progress=stop)
        thread.join()

    def test_progress_is_told_by_the_calling_thread_and_what_it_raises_arrives(self):
        seen = []

        def note(stage, done, total):
            self.assertIs(threading.current_thread(), threading.main_thread())
            seen.append((stage, done, total))

        graph = (300, (np.arange(299), np.arange(1, 300), np.ones(299)))
        solve(graph, paths="predecessor", progress=note, algorithm="dijkstra")
        self.assertEqual(seen[-1], ("distances", 300, 300))
        solve(graph, paths="next", progress=note, algorithm="dijkstra")
        self.assertEqual(seen[-1], ("paths", 300, 300))
        for stage, done, total in seen:
            self.assertIn(stage, ("distances", "paths"))
            self.assertTrue(0 < done <= total == 300)

        def fail(stage, done, total):
            raise Stop

        with self.assertRaises(Stop):
            solve(graph, progress=fail, algorithm="dijkstra")

    def test_many_threads_may_solve_at_once(self):
        graphs = [np.random.default_rng(seed).integers(1, 9, (30, 30)).astype(np.int32) for seed in range(8)]
        expected = [solve(graph, threads=1).distances for graph in graphs]
        found = [None] * 8

        def work(at):
            found[at] = solve(graphs[at], threads=3).distances

        threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        np.testing.assert_array_equal(found, expected)

    def test_a_process_that_was_forked_solves_as_well(self):
        graph = np.random.default_rng(1).integers(1, 9, (40, 40)).astype(np.int32)
        expected = solve(graph, threads=2).distances
        child = os.fork()
        if child == 0:
            # No test may run on in the copy.
            try:
                os._exit(0 if (solve(graph, threads=2).distances == expected).all() else 1)
            finally:
                os._exit(2)
        for _ in range(600):
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                break
            time.sleep(0.05)
        else:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            self.fail("the copy of the process waits for ever")
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_what_does_not_fit_is_refused_with_its_size(self):
        n = 3_000_000
        with self.assertRaisesRegex(shortest_paths.NotEnoughMemory, r"needs 36000\d+ bytes.*are available") as raised:
            solve((n, ([0], [1], np.ones(1, dtype=np.float32))))
        self.assertIsInstance(raised.exception, MemoryError)
        # What fits of the same graph is answered.
        self.assertEqual(solve((n, ([0], [1], [1.0])), sources=[0], targets=[1, 2]).distances.tolist(), [[1, np.inf]])

    def test_a_changed_graph_ends_in_an_error_at_worst(self):
        graph = np.random.default_rng(2).random((400, 400))

        def change(stage, done, total):
            graph[:] = np.nan

        try:
            solve(graph, algorithm="dijkstra", progress=change)
        except shortest_paths.ShortestPathsError:
            pass


def grown(code):
    """By how many megabytes the most memory that a process used grows while it runs the last of these lines."""
    *before, last = code
    lines = [
        "import pathlib, numpy as np, shortest_paths",
        "from shortest_paths import solve",
        # Whatever is loaded with the first call.
        "solve(np.zeros((600, 600), dtype=np.float32), threads=2, algorithm='floyd-warshall')",
        "solve((2, ([0], [1], [1.0])), threads=2, verify=True)",
        *before,
        # So that what was needed to make the graph, and is free again, is not counted as there.
        "pathlib.Path('/proc/self/clear_refs').write_text('5')",
        "status = lambda: dict(line.split(':') for line in pathlib.Path('/proc/self/status').read_text().splitlines())",
        "used = lambda of: int(status()[of].split()[0]) / 1024",
        "before = used('VmRSS')",
        last,
        "print(used('VmHWM') - before)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return float(done.stdout)


class Copies(unittest.TestCase):
    """A megabyte that is not copied is one that the process does not grow by."""

    def test_a_matrix_is_used_where_it_lies(self):
        made = "graph = np.ones((5000, 5000), dtype=np.float32)"
        one = "found = solve(graph, sources=[0], threads=2, algorithm='dijkstra')"
        self.assertLess(grown([made, one]), 30)
        # The same, where the layout needs a copy: the measure sees it.
        self.assertGreater(grown([made + ".T[::-1]", one]), 80)

    def test_sparse_rows_are_used_where_they_lie(self):
        for index in ("int32", "int64"):
            made = [
                "from scipy.sparse import csr_array",
                "n, d = 100_000, 40",
                f"heads = ((np.arange(n)[:, None] + np.arange(1, d + 1)) % n).astype(np.{index})",
                "heads.sort(axis=1)",
                f"offsets = np.arange(0, n * d + 1, d).astype(np.{index})",
                "graph = csr_array((np.ones(n * d, dtype=np.float32), heads.ravel(), offsets), shape=(n, n))",
                f"assert graph.indices.dtype == np.{index}",
            ]
            one = "found = solve(graph, sources=[0], threads=2)"
            # The arcs have 16 MB of weights, and 16 MB of heads, which those of 64 bits are copied into.
            copied = 16 if index == "int64" else 0
            self.assertLess(grown([*made, one]), 14 + copied)
            mixed = "graph.indices[:2] = graph.indices[1::-1].copy(); graph.data[0] = -0.0; graph.data[1] = np.inf"
            self.assertGreater(grown([*made, mixed, one]), 28 + copied)

    def test_a_result_becomes_numpys_without_a_copy(self):
        for algorithm in ("dijkstra", "floyd-warshall"):
            made = "graph = 2000, (np.arange(1999), np.arange(1, 2000), np.ones(1999))"
            one = f"found = solve(graph, threads=2, algorithm={algorithm!r})"
            # 30.5 MB of distances, beside up to 9 MB of working space. A copy would be 30.5 MB more.
            self.assertLess(grown([made, one]), 30.5 * 1.5)
            self.assertGreater(grown([made, one + "; kept = found.distances.copy()"]), 30.5 * 1.9)


if __name__ == "__main__":
    unittest.main()
