"""Times the package beside SciPy, igraph, rustworkx and NetworkX, by turns: scripts/compare-with-scipy --times"""

import argparse
import functools
import statistics
import time

import networkx
import numpy as np
from scipy import sparse
from scipy.sparse import csgraph
from shortest_paths import csgraph as ours

try:
    import igraph
    import rustworkx
except ImportError:
    igraph = rustworkx = None

networkx.config.warnings_to_ignore.add("cache")


def dense(n):
    """All arcs."""
    return sparse.csr_array(np.random.default_rng(1).integers(1, 101, (n, n)).astype(float))


def drawn(n, arcs):
    """So many arcs between random vertices."""
    ends = np.random.default_rng(1).integers(0, n, (2, arcs))
    rows = sparse.csr_array((np.ones(arcs), ends), (n, n))
    rows.data[:] = np.random.default_rng(2).integers(1, 101, rows.nnz)
    return rows


def negative(n, arcs):
    """The same with differences of heights, so that no cycle is negative."""
    rows = drawn(n, arcs).tocoo()
    heights = np.random.default_rng(3).integers(0, 50, n)
    rows.data += heights[rows.row] - heights[rows.col]
    return rows.tocsr()


def grid(side):
    """All edges of the same length, so that many paths are equally short."""
    line = sparse.diags_array([1.0, 1.0], offsets=[-1, 1], shape=(side, side))
    return sparse.csr_array(sparse.kronsum(line, line))


class Graph:
    """A graph in the form of each library, made when it is first asked for, and not while time is taken."""

    first = 0

    def __init__(self, make, *of):
        self.name, self.rows = f"{make.__name__}{of}".replace(",)", ")"), make(*of)
        self.n, self.near = self.rows.shape[0], int(self.rows.indices[0])
        self.dense = self.rows.toarray() if make is dense else None
        distances = ours.dijkstra(self.rows, indices=0)
        self.far = int(np.argmax(np.where(np.isinf(distances), 0, distances)))

    @functools.cached_property
    def arcs(self):
        arcs = self.rows.tocoo()
        return list(zip(arcs.row.tolist(), arcs.col.tolist(), arcs.data.astype(int).tolist()))

    @functools.cached_property
    def igraph(self):
        *ends, weights = zip(*self.arcs)
        return igraph.Graph(self.n, list(zip(*ends)), directed=True, edge_attrs={"weight": weights})

    @functools.cached_property
    def rustworkx(self):
        graph = rustworkx.PyDiGraph()
        graph.extend_from_weighted_edge_list(self.arcs)
        return graph

    @functools.cached_property
    def networkx(self):
        graph = networkx.empty_graph(self.n, networkx.DiGraph)
        graph.add_weighted_edges_from(self.arcs)
        return graph


def scipys(function, *, of="rows", **options):
    """A function of SciPy and ours of its name."""
    return {who: lambda graph, by=by: getattr(by, function)(getattr(graph, of), **options) for who, by in (("here", ours), ("SciPy", csgraph))}


def by_networkx(function, graph, *arguments, **options):
    """What a function of NetworkX returns, all of it."""
    found = getattr(networkx, function)(graph.networkx, *arguments, **options)
    return found if isinstance(found, (np.ndarray, dict, list)) else dict(found)


def backends(function, *ends, is_cold=False, **options):
    """A function of NetworkX and our backend. Cold: of a graph that no call has seen."""

    def call(graph, backend):
        if is_cold:
            graph.networkx.__networkx_cache__.clear()
        return by_networkx(function, graph, *(getattr(graph, end) for end in ends), backend=backend, **options)

    return {"here": lambda graph: call(graph, "shortest_paths"), "NetworkX": lambda graph: call(graph, "networkx")}


def peers(of_rustworkx, of_networkx, *sources):
    """A function of each of the other libraries."""
    return {
        "igraph": lambda graph: graph.igraph.distances(*sources, weights="weight"),
        "rustworkx": lambda graph: getattr(rustworkx, of_rustworkx)(graph.rustworkx, *sources, float),
        "NetworkX": lambda graph: by_networkx(of_networkx, graph, *sources, backend="networkx"),
    }


def cases():
    """Graphs, and by name the calls that are timed of each, one a library."""
    for n in (10, 30, 100, 300, 1000):
        yield Graph(dense, n), {"all pairs": scipys("shortest_path", of="dense") | peers("floyd_warshall_numpy", "floyd_warshall_numpy")}
    all_pairs = scipys("dijkstra") | peers("all_pairs_dijkstra_path_lengths", "all_pairs_dijkstra_path_length")
    yield Graph(drawn, 1000, 4000), {"all pairs": all_pairs, "all pairs, undirected": scipys("dijkstra", directed=False)}
    yield Graph(drawn, 3000, 12000), {"all pairs": {who: call for who, call in all_pairs.items() if who != "NetworkX"}}
    for n in (1000, 20000, 100000):
        yield Graph(drawn, n, 4 * n), {
            "one source": scipys("dijkstra", indices=0) | peers("dijkstra_shortest_path_lengths", "single_source_dijkstra_path_length", 0),
            "one source, predecessors": scipys("dijkstra", indices=0, return_predecessors=True),
            "one source, undirected": scipys("dijkstra", indices=0, directed=False),
            "one source, limit 60": scipys("dijkstra", indices=0, limit=60),
            "20 sources, limit 60": scipys("dijkstra", indices=range(20), limit=60),
        }
    bellman_ford = scipys("bellman_ford", indices=0)
    bellman_ford |= peers("bellman_ford_shortest_path_lengths", "single_source_bellman_ford_path_length", 0)
    yield Graph(negative, 1000, 4000), {"johnson": scipys("johnson"), "bellman_ford, one source": bellman_ford}
    yield Graph(grid, 100), {
        "one source, predecessors": scipys("dijkstra", indices=0, return_predecessors=True),
        "paths from one": backends("single_source_dijkstra_path", "first"),
    }
    for n in (1000, 100000):
        calls = {
            "near pair": ("dijkstra_path", "first", "near", {}),
            "far pair": ("dijkstra_path", "first", "far", {}),
            "far pair from both ends": ("shortest_path", "first", "far", {"weight": "weight"}),
            "cutoff 60": ("single_source_dijkstra_path_length", "first", {"cutoff": 60}),
            "one source": ("single_source_dijkstra_path_length", "first", {}),
            "paths from one": ("single_source_dijkstra_path", "first", {}),
            "all pairs": ("all_pairs_dijkstra_path_length", {}),
            "all pairs, cutoff 60": ("all_pairs_dijkstra_path_length", {"cutoff": 60}),
        }
        yield Graph(drawn, n, 4 * n), {
            f"{what}, {heat}": backends(*call, is_cold=heat == "cold", **options)
            for what, (*call, options) in calls.items()
            for heat in ("cold", "warm")
            if n == 1000 or not what.startswith("all")
        }


def numbers(result, n):
    """What the libraries must agree on: distances, or which vertices are reached. None of one path and of results of a library's own type."""
    result = result[0] if isinstance(result, tuple) else result
    if isinstance(result, dict):
        result = np.array([of if isinstance(of := result.get(vertex, np.inf), (int, float)) else 0 for vertex in range(n)])
    return np.squeeze(result) if isinstance(result, np.ndarray) or (isinstance(result, list) and isinstance(result[0], list)) else None


def compare(graph, name, calls, arguments):
    """A line and a ratio for each peer."""
    calls = {who: call for who, call in calls.items() if igraph or who not in ("igraph", "rustworkx")}
    found = {who: numbers(call(graph), graph.n) for who, call in calls.items()}
    for who, result in found.items():
        if result is not None and found["here"] is not None and result.shape == found["here"].shape:
            np.testing.assert_allclose(result, found["here"], err_msg=f"{name}: {who}")
    times = {who: [] for who in calls}
    ends = time.perf_counter() + arguments.seconds
    while len(times["here"]) < 3 or (len(times["here"]) < arguments.calls and time.perf_counter() < ends):
        for who, call in calls.items():
            started = time.perf_counter()
            call(graph)
            times[who].append(1000 * (time.perf_counter() - started))
    quartiles = {who: statistics.quantiles(of) for who, of in times.items()}
    shown = {who: f"{who} {middle:.3f} ({low:.3f} to {high:.3f})" for who, (low, middle, high) in quartiles.items()}
    for who in list(times)[1:]:
        ratio = quartiles[who][1] / quartiles["here"][1]
        yield f"{name:52} {who:10}{ratio:8.2f}   {shown['here']:34} {shown[who]:40} {len(times[who])} calls", ratio


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=301, help="at most so many calls of each (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2, help="and at most so long for each row, but for 3 calls (default: %(default)s)")
    parser.add_argument("--only", default="", help="only rows with these words")
    arguments = parser.parse_args()
    print("milliseconds: medians (and quartiles) of calls by turns; ratio: theirs by ours, above 1 where the package is quicker")
    slower = []
    for graph, rows in cases():
        for name, calls in ((f"{graph.name}: {name}", calls) for name, calls in rows.items()):
            for line, ratio in compare(graph, name, calls, arguments) if arguments.only in name else []:
                print(line, flush=True)
                slower += [line] if ratio < 0.9 else []
    print(f"\n{len(slower)} rows below 0.9:", *slower, sep="\n")


if __name__ == "__main__":
    main()
