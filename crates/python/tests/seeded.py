"""Seeded graphs of every awkward kind, and what SciPy and NetworkX make of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shortest_paths
from scipy import sparse
from scipy.sparse import csgraph

#: Zeros: from 0, a third of them 0. Fractions: thirds, whose sums are rounded. Heights: differences of heights on top, so that weights are
#: negative and many cycles have weight 0, but none less. Rough: fractions with heights. Negative: often a negative cycle.
KINDS = ["zeros", "positive", "fractions", "heights", "rough", "negative"]
DTYPES = ["float32", "float64", "int32", "uint16"]
FORMS = ["dense", "fortran", "csr", "unsorted", "csc", "coo", "arcs"]


@dataclass
class Seeded:
    """A graph as a list of arcs, with duplicates and arcs from a vertex to itself, and as a matrix without either."""

    seed: int
    kind: str
    form: str
    n: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray
    #: The least weight from each vertex to each, +inf for no arc, in float64.
    matrix: np.ndarray

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.kind}, {self.weights.dtype}, {self.form}, n = {self.n}, {len(self.tails)} arcs"

    @property
    def exact(self) -> bool:
        return self.kind not in ("fractions", "rough") or self.weights.dtype.kind in "iu"

    def given(self) -> object:
        """The graph in the form in which it is given to `solve`."""
        n, arcs = self.n, (self.weights, (self.tails, self.heads))
        if self.form == "arcs":
            return n, (self.tails, self.heads, self.weights)
        if self.form == "coo":
            return sparse.coo_array(arcs, shape=(n, n))
        if self.form in ("dense", "fortran"):
            absent = shortest_paths.absent(self.weights.dtype)
            dense = np.where(np.isinf(self.matrix), absent, self.matrix).astype(self.weights.dtype)
            return np.asfortranarray(dense) if self.form == "fortran" else dense
        rows = canonical(self.matrix, self.weights.dtype)
        if self.form == "csc":
            return rows.tocsc()
        if self.form == "csr":
            indices = (rows.indices, rows.indptr)
            return sparse.csr_array((rows.data, *(i.astype([np.int32, np.int64][self.seed % 2]) for i in indices)), (n, n))
        # Rows in the order of the list, with its duplicates.
        order = np.argsort(self.tails, kind="stable")
        offsets = np.concatenate([[0], np.cumsum(np.bincount(self.tails, minlength=n))])
        return sparse.csr_array((self.weights[order], self.heads[order], offsets), shape=(n, n))


def canonical(matrix: np.ndarray, dtype: np.dtype) -> sparse.csr_array:
    """Sorted sparse rows in which a 0 is stored like any other weight."""
    is_arc = ~np.isinf(matrix)
    np.fill_diagonal(is_arc, False)
    tails, heads = np.nonzero(is_arc)
    offsets = np.searchsorted(tails, np.arange(len(matrix) + 1))
    weights = matrix[tails, heads].astype(dtype)
    return sparse.csr_array((weights, heads.astype(np.int32), offsets.astype(np.int32)), shape=matrix.shape)


def draw(seed: int, largest: int) -> Seeded:
    """The graph of a seed, with up to `largest` vertices."""
    random = np.random.default_rng(seed)
    kind, dtype = KINDS[seed % 6], np.dtype(DTYPES[seed // 6 % 4])
    n = int(random.integers(1, largest + 1)) if seed % 11 else int(random.integers(1, 5))
    m = int([random.integers(0, n + 1), 3 * n, random.integers(0, 12 * n), n * n // 2][random.integers(0, 4)])
    tails, heads = random.integers(0, n, m), random.integers(0, n, m)
    whole, is_float = random.integers(0, 50, m).astype(float), dtype.kind == "f"
    heights = random.integers(0, 20, n) if dtype.name != "uint16" else np.zeros(n)
    slope = (heights[tails] - heights[heads]) * (0.125 if kind == "rough" and is_float else 1.0)
    weights = {
        "zeros": np.where(random.integers(0, 3, m) == 0, 0, whole),
        "positive": whole + 1,
        "fractions": (whole + 1) / 3 if is_float else whole,
        "heights": random.integers(0, 3, m) + slope,
        "rough": ((whole + 1) / 3 if is_float else whole) + slope,
        "negative": whole if dtype.name == "uint16" else whole - 3,
    }[kind]
    # Negative ones from a vertex to itself are tested apart.
    weights = np.where(tails == heads, abs(weights), weights).astype(dtype)
    matrix = np.full((n, n), np.inf)
    np.minimum.at(matrix, (tails, heads), weights.astype(float))
    np.fill_diagonal(matrix, 0)
    return Seeded(seed, kind, FORMS[seed // 24 % len(FORMS)], n, tails, heads, weights, matrix)


def by_scipy(graph: Seeded) -> np.ndarray | None:
    """All distances in float64; `None` where a cycle is negative."""
    rows = canonical(graph.matrix, np.dtype(float))
    if graph.matrix.min() >= 0:
        return csgraph.dijkstra(rows) if graph.seed % 2 else csgraph.floyd_warshall(rows)
    try:
        return csgraph.johnson(rows) if graph.seed % 2 else csgraph.bellman_ford(rows)
    except csgraph.NegativeCycleError:
        return None


def tolerance(graph: Seeded, distances: np.ndarray, dtype: np.dtype, algorithm: str) -> np.ndarray:
    """How far each distance may be from SciPy's: nothing, where sums are not rounded."""
    if graph.exact:
        return np.zeros_like(distances)
    finite = np.abs(graph.matrix[~np.isinf(graph.matrix)])
    # Fewer than n sums, each rounded by half a unit in the last place of a part of a path, which is not longer than this.
    longest = graph.n * finite.max()
    rounded = np.full_like(distances, 4 * graph.n * np.finfo(float).eps * longest)
    if dtype == np.float32 and algorithm == "floyd-warshall":
        return rounded + 4 * graph.n * np.finfo(np.float32).eps * longest
    if dtype == np.float32:
        # A search rounds the sum once.
        return rounded + np.abs(np.where(np.isinf(distances), 0, distances)) * np.finfo(np.float32).eps
    return rounded


def compare(graph: Seeded, with_networkx: bool = False) -> int:
    """Compares all that `solve` makes of a graph, and returns how many paths were walked. Raises AssertionError at a difference."""
    random = np.random.default_rng(graph.seed)
    given, undirected = graph.given(), graph.seed % 7 < 3 and graph.matrix.min() >= 0
    if undirected:
        graph = replace(graph, matrix=np.minimum(graph.matrix, graph.matrix.T))
    expected = by_scipy(graph)
    if expected is None:
        try:
            shortest_paths.solve(given)
        except shortest_paths.NegativeCycle as cycle:
            around = [graph.matrix[cycle.vertices[at - 1], v] for at, v in enumerate(cycle.vertices)]
            assert sum(around) < 0, f"{graph}: the cycle {cycle.vertices} is not negative"
            return 0
        raise AssertionError(f"{graph}: a negative cycle was overlooked")
    if with_networkx:
        compare_networkx(graph, expected, random)
    algorithms = ["auto", "johnson", "floyd-warshall"] + (["dijkstra"] if graph.matrix.min() >= 0 else [])
    algorithm = algorithms[graph.seed // 3 % len(algorithms)]
    paths = ["predecessor", "next", None][(graph.seed + graph.seed // 6) % 3]
    options = {"algorithm": algorithm, "paths": paths, "threads": 1 + graph.seed % 2, "verify": graph.seed % 5 == 0, "undirected": undirected}
    whole = shortest_paths.solve(given, **options)
    assert whole.distances.dtype == graph.weights.dtype, str(graph)
    assert whole.distances.flags.c_contiguous and whole.distances.flags.writeable, str(graph)
    walked = check(graph, expected, whole)
    if paths == "next":
        return walked
    sources = random.integers(0, graph.n, random.integers(0, 4))
    targets = random.integers(0, graph.n, random.integers(0, 4)) if graph.seed % 4 else None
    part = shortest_paths.solve(given, sources=sources, targets=targets, **options)
    if paths and targets is None and part.algorithm == whole.algorithm:
        assert (part.predecessors == whole.predecessors[sources]).all(), f"{graph}: paths change with the sources that are chosen"
    return walked + check(graph, expected, part)


def check(graph: Seeded, expected: np.ndarray, solution: shortest_paths.Solution) -> int:
    """Holds distances against SciPy's and walks every path."""
    n = graph.n
    sources = np.arange(n) if solution.sources is None else solution.sources
    targets = np.arange(n) if solution.targets is None else solution.targets
    found = solution.distances.astype(float)
    found[solution.distances == solution.no_path] = np.inf
    allowed = tolerance(graph, expected, graph.weights.dtype, solution.algorithm)
    wanted, within = expected[np.ix_(sources, targets)], allowed[np.ix_(sources, targets)]
    assert found.shape == wanted.shape, f"{graph}: shape {found.shape}"
    with np.errstate(invalid="ignore"):
        equal = (found == wanted) | (abs(found - wanted) <= within)
    assert equal.all(), f"{graph}: {solution.algorithm} differs at {np.argwhere(~equal)[0]}"
    for source in sources[:2]:
        for target in targets[:3]:
            distance = solution.distance(source, target)
            assert distance == found[list(sources).index(source), list(targets).index(target)], str(graph)
    if solution.next is not None:
        return walk(graph, expected.T, solution.next.T, sources, graph.matrix.T, allowed.T)
    if solution.predecessors is None:
        return 0
    if solution.targets is None:
        return walk(graph, expected[sources], solution.predecessors, sources, graph.matrix, allowed[sources])
    return walk_some(graph, expected, allowed, solution, sources, targets)


def walk(
    graph: Seeded,
    distances: np.ndarray,
    before: np.ndarray,
    sources: np.ndarray,
    matrix: np.ndarray,
    allowed: np.ndarray,
) -> int:
    """Walks the tree of each row back to its source: every vertex with a distance is on it, each arc is there, and lengths are right."""
    reached = ~np.isinf(distances)
    reached[np.arange(len(sources)), sources] = False
    assert ((before >= 0) == reached).all(), f"{graph}: a path is missing or too many"
    rows, ends = np.nonzero(reached)
    arcs = matrix[before[rows, ends], ends]
    assert not np.isinf(arcs).any(), f"{graph}: a path has an arc that the graph has not"
    # Every jump is as far as all before it together.
    lengths = np.zeros(distances.shape)
    lengths[rows, ends] = arcs
    towards = np.where(before >= 0, before, np.arange(graph.n))
    for _ in range(graph.n.bit_length() + 1):
        lengths += np.take_along_axis(lengths, towards, axis=1)
        towards = np.take_along_axis(towards, towards, axis=1)
    assert (towards[rows, ends] == np.asarray(sources)[rows]).all(), f"{graph}: a path does not arrive"
    off = abs(lengths[rows, ends] - distances[rows, ends])
    assert (off <= allowed[rows, ends]).all(), f"{graph}: a path has the wrong length"
    return len(rows)


def walk_some(
    graph: Seeded,
    expected: np.ndarray,
    allowed: np.ndarray,
    solution: shortest_paths.Solution,
    sources: np.ndarray,
    targets: np.ndarray,
) -> int:
    """Walks the paths to chosen targets one by one."""
    walked = 0
    for source in sources:
        for target in targets:
            path, distance = solution.path(source, target), expected[source, target]
            assert (path is None) == np.isinf(distance), f"{graph}: a path is missing or too many"
            if path is not None:
                assert path[0] == source and path[-1] == target and len(set(path)) == len(path), str(graph)
                length = graph.matrix[path[:-1], path[1:]].sum()
                assert abs(length - distance) <= allowed[source, target], f"{graph}: a path has the wrong length"
                walked += 1
    return walked


def compare_networkx(graph: Seeded, expected: np.ndarray, random: np.random.Generator) -> None:
    """Holds SciPy's distances from two sources against NetworkX's, so that three agree."""
    import networkx

    other = networkx.DiGraph()
    other.add_nodes_from(range(graph.n))
    tails, heads = np.nonzero(~np.isinf(graph.matrix))
    other.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), graph.matrix[tails, heads].tolist()))
    # Not its Bellman-Ford, which skips a vertex while one before it waits: where sums are rounded, that one may then change nothing, and a
    # distance stays too long, as in NetworkX 3.6.1 with the seeds 442 and 1018.
    def search(source: int) -> dict[int, float]:
        if graph.matrix.min() < 0:
            return networkx.goldberg_radzik(other, source)[1]
        return networkx.single_source_dijkstra_path_length(other, source)

    within = tolerance(graph, expected, np.dtype(float), "dijkstra")
    for source in random.integers(0, graph.n, 2):
        found = np.full(graph.n, np.inf)
        for vertex, distance in search(int(source)).items():
            found[vertex] = distance
        with np.errstate(invalid="ignore"):
            equal = (found == expected[source]) | (abs(found - expected[source]) <= within[source])
        assert equal.all(), f"{graph}: NetworkX differs from SciPy"
