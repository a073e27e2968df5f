"""What `solve` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from ._weights import absent
from .errors import RequestError


@dataclass(frozen=True)
class Estimate:
    """What an algorithm was expected to take."""

    #: ``"floyd-warshall"``, ``"dijkstra"`` or ``"johnson"``.
    algorithm: str
    #: Seconds of wall clock.
    seconds: float
    #: Bytes beside the graph, the result included.
    bytes: int
    #: Whether there was room for them.
    fits: bool

    def __str__(self) -> str:
        room = "" if self.fits else ", which are not available"
        return f"{self.algorithm}: {self.seconds:.3g} s, {self.bytes:,} bytes{room}"


@dataclass(frozen=True)
class Choice:
    """Which algorithm was expected to be fastest, and what it was compared with."""

    #: The one that ``algorithm="auto"`` uses.
    chosen: Estimate
    #: Floyd-Warshall on the dense matrix; ``None`` where its speed is not known.
    dense: Estimate | None
    #: A search from every source: Dijkstra's algorithm, or Johnson's where a weight is negative.
    search: Estimate

    @classmethod
    def of(cls, estimates: tuple[Any, ...]) -> Choice:
        """As the native half returns them."""
        chosen, dense, search = estimates
        return cls(Estimate(*chosen), None if dense is None else Estimate(*dense), Estimate(*search))

    def __str__(self) -> str:
        other = self.search if self.chosen != self.search else self.dense
        rest = "" if other is None else f" (not {other})"
        return f"{self.chosen}{rest}"


@dataclass(frozen=True)
class Verified:
    """What ``verify=True`` has checked."""

    #: Rows of distances that were held against every arc of the graph.
    rows: int
    #: Stored paths that were walked.
    paths: int
    #: The largest difference between a path's length and its distance; 0 where sums are exact.
    widest: float


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """Distances between vertices, and paths if they were asked for. Vertices are counted from 0.

    >>> import numpy as np, shortest_paths
    >>> inf = np.inf
    >>> graph = np.array([[0, 4, 1], [inf, 0, inf], [inf, 2, 0]], dtype=np.float32)
    >>> solution = shortest_paths.solve(graph, paths="predecessor")
    >>> solution.distances
    array([[ 0.,  3.,  1.],
           [inf,  0., inf],
           [inf,  2.,  0.]], dtype=float32)
    >>> solution.path(0, 1), solution.path(1, 0)
    ([0, 2, 1], None)
    """

    #: The number of vertices.
    n: int
    #: Entry (i, j) is the distance from source i to target j: one row a source, one column a target, and all vertices where none were
    #: chosen. Where no path leads it is `no_path`. A `DeviceArray` where the graph was an array in a GPU's memory.
    distances: npt.NDArray[Any] | Any
    #: Entry (i, j) is the vertex before vertex j on the path from source i: one row a source and n columns, in int32. -1 (or -9999,
    #: ``marks='scipy'``) where j is the source itself, or no path leads to it or, where targets were chosen, from it to one of these. ``None`` unless asked for.
    predecessors: npt.NDArray[np.int32] | None
    #: Entry (i, j) is the vertex after i on the path from i to j, n rows and n columns, in int32, with the same marks. ``None`` unless
    #: asked for.
    next: npt.NDArray[np.int32] | None
    #: With ``min_only``, the source of the path to each vertex, in int32; the mark of predecessors where no path leads. Else ``None``.
    nearest: npt.NDArray[np.int32] | None
    #: The sources of the rows, or those of the one row of ``min_only``; ``None`` where row i is that of vertex i.
    sources: npt.NDArray[np.int64] | None
    #: The targets of the columns; ``None`` where column j is that of vertex j.
    targets: npt.NDArray[np.int64] | None
    #: The algorithm that was used: ``"floyd-warshall"``, ``"dijkstra"`` or ``"johnson"``.
    algorithm: str
    #: Where it ran: ``"cpu"``, or the name of a GPU.
    device: str
    #: What was expected of the algorithms. ``print(solution.choice)`` shows it in a line. ``None`` where there was none to choose, of an array
    #: in a GPU's memory.
    choice: Choice | None
    #: What was checked; ``None`` without ``verify=True``.
    verified: Verified | None

    @property
    def no_path(self) -> float:
        """The distance that stands for no path: ``inf``, and 1073741823 in int32 and 32767 in uint16."""
        return absent(self.distances.dtype)

    def distance(self, source: int, target: int) -> float:
        """The distance between two vertices, ``inf`` where no path leads. An ``int`` where distances are integers."""
        row = self._row(source, target)
        distance: float = self.distances.item(row, _place(self.targets, self.n, target, "target"))
        return math.inf if distance == self.no_path else distance

    def path(self, source: int, target: int) -> list[int] | None:
        """The vertices of a shortest path, both ends included; ``None`` where no path leads."""
        row = self._row(source, target)
        _place(self.targets, self.n, target, "target")
        if self.next is not None:
            return _native.walk_next_vertices(self.next, source, target)
        if self.predecessors is not None:
            return _native.walk_predecessors(self.predecessors[row], source, target)
        first = "copy the graph to the host first, and " if isinstance(self.distances, _native.DeviceArray) else ""
        raise RequestError(f"no paths are stored: {first}solve with paths='predecessor' or paths='next'")

    def _row(self, source: int, target: int) -> int:
        """The row of a source that leads to a target."""
        row = _place(self.sources, self.n, source, "source")
        if self.nearest is None:
            return row
        nearest = int(self.nearest[_place(None, self.n, target, "target")])
        if nearest >= 0 and nearest != source:
            raise RequestError(f"source is {source}, and by min_only there is only the path to vertex {target} from its nearest source, {nearest}")
        return 0

    def __repr__(self) -> str:
        rows, columns = self.distances.shape
        dtype = self.distances.dtype
        none = "" if dtype.kind == "f" else f", {self.no_path} where no path leads"
        return f"<shortest_paths.Solution: {rows} x {columns} distances in {dtype.name} by {self.algorithm}{none}>"


def _place(chosen: npt.NDArray[np.int64] | None, n: int, vertex: int, what: str) -> int:
    """The row or column of a vertex."""
    if not 0 <= vertex < n:
        raise RequestError(f"vertex {vertex} is not in a graph of {n} vertices, which are counted from 0 to {n - 1}")
    if chosen is None:
        return int(vertex)
    places = np.flatnonzero(chosen == vertex)
    if len(places) == 0:
        raise RequestError(f"vertex {vertex} is not among the {what}s that were chosen: solve with it as a {what}")
    return int(places[0])
