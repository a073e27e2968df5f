"""Arrays in a GPU's memory, in and out, with PyTorch and CuPy: to be run by hand where there is a GPU.

    PYTHONPATH=target/wheel/site python crates/python/tests/gpu_dlpack.py

Each library that is not there is skipped with the reason. No test of the repository runs this: it is not named test_*.py.
"""

import gc
import sys
import time

import numpy as np
import shortest_paths
from shortest_paths import solve

TYPES = ("float32", "int32", "uint16")
SIZES = (1, 31, 300, 2048)


class Torch:
    """What the checks need of PyTorch."""

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise ImportError("PyTorch finds no CUDA GPU")
        self.torch = torch
        self.devices = torch.cuda.device_count()

    def put(self, array, device=0):
        return self.torch.from_numpy(array).to(f"cuda:{device}")

    def take(self, array):
        return self.torch.from_dlpack(array)

    def numpy(self, array):
        return array.cpu().numpy()

    def address(self, array):
        return array.data_ptr()

    def free_bytes(self):
        self.torch.cuda.synchronize()
        self.torch.cuda.empty_cache()
        return self.torch.cuda.mem_get_info()[0]

    def late(self, array):
        """A copy of the array that a stream of its own makes after a long kernel; and the stream, which has to be current meanwhile."""
        stream = self.torch.cuda.Stream()
        made = self.torch.zeros_like(array)
        self.torch.cuda.synchronize()
        with self.torch.cuda.stream(stream):
            self.torch.cuda._sleep(2_000_000_000)
            made.copy_(array)
        return made, self.torch.cuda.stream(stream), lambda: stream.query()


class CuPy:
    """The same of CuPy."""

    def __init__(self):
        import cupy

        try:
            self.devices = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise ImportError(f"CuPy finds no CUDA GPU: {error}") from None
        self.cupy = cupy
        # One thread that does nothing for so many turns of the clock.
        self.wait = cupy.RawKernel(
            'extern "C" __global__ void wait(long long turns) { long long start = clock64(); while (clock64() - start < turns) { } }', "wait"
        )

    def put(self, array, device=0):
        with self.cupy.cuda.Device(device):
            return self.cupy.asarray(array)

    def take(self, array):
        return self.cupy.from_dlpack(array)

    def numpy(self, array):
        return self.cupy.asnumpy(array)

    def address(self, array):
        return array.data.ptr

    def free_bytes(self):
        self.cupy.cuda.Device(0).synchronize()
        self.cupy.get_default_memory_pool().free_all_blocks()
        return self.cupy.cuda.runtime.memGetInfo()[0]

    def late(self, array):
        stream = self.cupy.cuda.Stream(non_blocking=True)
        made = self.cupy.zeros_like(array)
        self.cupy.cuda.Device(0).synchronize()
        with stream:
            self.wait((1,), (1,), (np.int64(2_000_000_000),))
            made[...] = array
        return made, stream, lambda: stream.done


def weights(n, dtype):
    """Whole numbers, so that every order of adding gives the same bits."""
    random = np.random.default_rng(n)
    most = 1000 if dtype != "uint16" else max(1, min(1000, 32_000 // max(1, n - 1)))
    graph = random.integers(0, most + 1, (n, n)).astype(dtype)
    graph[random.random((n, n)) < 0.5] = shortest_paths.absent(dtype)
    return graph


def on_the_host(graph):
    return solve(graph, device="cpu").distances


def same(one, two, what):
    assert one.dtype == two.dtype and one.shape == two.shape, what
    assert one.tobytes() == two.tobytes(), f"{what}: the distances differ"


def in_and_out(library, name):
    for dtype in TYPES:
        for n in SIZES:
            graph = weights(n, dtype)
            try:
                given = library.put(graph)
            except (TypeError, ValueError, RuntimeError) as error:
                print(f"  skipped: {name} has no {dtype}: {error}")
                break
            begun = time.perf_counter()
            solution = solve(given)
            seconds = time.perf_counter() - begun
            expected = on_the_host(graph)
            what = f"{name}, {dtype}, n = {n}"
            same(solution.distances.to_numpy(), expected, what)
            assert solution.distances.__dlpack_device__() == (2, 0), what
            assert solution.device != "cpu", what
            assert solution.distance(0, n - 1) == solve(graph, sources=[0], targets=[n - 1]).distance(0, n - 1), what
            try:
                taken, again = library.take(solution.distances), library.take(solution.distances)
            except (TypeError, BufferError, RuntimeError) as error:
                print(f"  skipped: {name} takes no {dtype} by DLPack: {error}")
                continue
            assert library.address(taken) == library.address(again), f"{what}: a copy was made"
            del solution, again
            same(library.numpy(taken), expected, f"{what}, after its solution is gone")
            same(library.numpy(given), graph, f"{what}: the graph is what it was")
            print(f"  {what}: {seconds:.3f} s with all preparation")


def memory_is_freed(library, name):
    graph = library.put(weights(2048, "float32"))
    solve(graph)
    gc.collect()
    before = library.free_bytes()
    for _ in range(20):
        taken = library.take(solve(graph).distances)
        del taken
    # Freed by the device's thread, which nobody waits for.
    for _ in range(50):
        gc.collect()
        lost = before - library.free_bytes()
        if lost < 2 * 2048 * 2048 * 4:
            print(f"  {name}: {lost} bytes fewer are free after 20 solves of 16 MiB")
            return
        time.sleep(0.1)
    raise AssertionError(f"{name}: {lost} bytes were not freed")


def what_another_stream_makes_is_waited_for(library, name):
    graph = weights(300, "int32")
    expected = on_the_host(graph)
    given = library.put(graph)
    # Kernels are compiled before, so that the solve begins at once.
    solve(given)
    made, stream, is_done = library.late(given)
    with stream:
        was_early = not is_done()
        solution = solve(made)
    same(solution.distances.to_numpy(), expected, f"{name}: work on another stream was not waited for")
    print(f"  {name}: {'the graph was not there yet when the solve began' if was_early else 'not decided: the graph was there too soon'}")


def refused(error, text, *given, **options):
    try:
        solve(*given, **options)
    except error as raised:
        assert text in str(raised) and "\n" not in str(raised), str(raised)
    else:
        raise AssertionError(f"not refused: {text}")


def what_does_not_fit_is_refused(library, name):
    graph = library.put(weights(31, "float32"))
    refused(shortest_paths.RequestError, "the array is on cuda:0", graph, device="cuda:1")
    refused(shortest_paths.RequestError, "paths is 'next'", graph, paths="next")
    refused(shortest_paths.GraphTypeError, "do not lie side by side", graph.T)
    refused(shortest_paths.GraphTypeError, "is float64", library.put(np.zeros((2, 2))))
    refused(shortest_paths.GraphError, "x.cpu()", library.put(np.array([[0, -1], [2, 0]], dtype=np.float32)))
    refused(shortest_paths.GraphError, "[1, 0] is NaN", library.put(np.array([[0, 1], [np.nan, 0]], dtype=np.float32)))
    refused(shortest_paths.NegativeCycle, "vertex 1 ", library.put(np.array([[0, 1], [2, -5]], dtype=np.int32)))

    class OfAnother:
        """Says that an array of the host is on the GPU."""

        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, *, stream=None, **options):
            return self.array.__dlpack__(**options)

    refused(shortest_paths.GraphTypeError, "its tensor is on the host", OfAnother(np.zeros((2, 2), dtype=np.float32)))
    if library.devices > 1:
        other = library.put(weights(31, "float32"), device=1)
        same(solve(other).distances.to_numpy(), on_the_host(weights(31, "float32")), "on the second GPU")
        refused(shortest_paths.RequestError, "the array is on cuda:1", other, device="cuda:0")
    print(f"  {name}: refused what has to be")


def main():
    ran = 0
    for name, kind in (("PyTorch", Torch), ("CuPy", CuPy)):
        try:
            library = kind()
        except ImportError as error:
            print(f"{name} skipped: {error}")
            continue
        print(name)
        for check in (in_and_out, memory_is_freed, what_another_stream_makes_is_waited_for, what_does_not_fit_is_refused):
            check(library, name)
        ran += 1
    print("all checks passed" if ran else "nothing was checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
