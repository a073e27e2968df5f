from collections.abc import Callable
from os import PathLike
from typing import Any, NoReturn, final

import numpy as np
import numpy.typing as npt

__all__ = [
    "VERSION",
    "DeviceArray",
    "Graph",
    "check_memory",
    "fitting_dtype",
    "read",
    "solve",
    "solve_many",
    "solve_on_device",
    "walk_next_vertices",
    "walk_predecessors",
]

VERSION: str

@final
class Graph:
    """A graph that was read from a file."""

    @property
    def n(self) -> int:
        """The number of vertices."""
    @property
    def dtype(self) -> str:
        """The type of weights, as NumPy calls it."""
    @property
    def format(self) -> str:
        """The format of the file, as `read` calls it."""
    @property
    def packing(self) -> str | None:
        """How the file was packed: ``"gzip"`` or ``None``."""
    @property
    def dropped(self) -> tuple[int, int, int]:
        """Arcs of the file that the graph does without: duplicates, from a vertex to itself, of weight infinity."""
    @property
    def has_zeros(self) -> bool:
        """Whether it is a matrix with a 0 beside its diagonal that is an arc."""
    def name(self, vertex: int) -> str:
        """What the file calls a vertex."""
    def vertex(self, name: str) -> int:
        """The vertex that the file calls so."""
    def csr(self) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Copies of ``data``, ``indices`` and ``indptr``, as ``scipy.sparse.csr_array`` takes them."""

@final
class DeviceArray:
    """An n x n matrix in the memory of a GPU, for libraries that take arrays by DLPack."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers, as NumPy has it."""
    def to_numpy(self) -> npt.NDArray[Any]:
        """A copy in the host's memory."""
    def item(self, row: int, column: int) -> float:
        """The number in this row and column, as a number of Python. It is copied alone."""
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn: ...

def read(
    path: str | PathLike[str],
    dtype: str | None,
    undirected: bool,
    vertices: str | None,
    zeros_absent: bool,
    format: str | None,
) -> Graph: ...
def solve(graph: Any, request: Any) -> dict[str, Any]: ...
def solve_many(graphs: Any, request: Any) -> list[dict[str, Any]]: ...
def fitting_dtype(graph: Any) -> str: ...
def check_memory(bytes: int) -> None: ...
def solve_on_device(
    capsule: Callable[[], Any], number: int, dtype: str | None, zeros_absent: bool, request: Any, emulated: bool
) -> dict[str, Any]: ...
def walk_predecessors(row: npt.NDArray[np.int32], source: int, target: int) -> list[int] | None: ...
def walk_next_vertices(next: npt.NDArray[np.int32], source: int, target: int) -> list[int] | None: ...
