"""What can go wrong. Every message is one line that names the thing, its value and a remedy."""

from __future__ import annotations


class ShortestPathsError(Exception):
    """The base of all exceptions of this package.

    A file that cannot be read is an ``OSError`` beside these, as everywhere in Python.
    """

    #: Which of the graphs of `solve_many` has no solution, counted from 0; ``None`` of other functions.
    graph: int | None = None

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ""
        return message if self.graph is None else f"graph {self.graph}: {message}"


class NegativeCycle(ShortestPathsError, ValueError):
    """The graph has a cycle of negative weight, so distances do not exist."""

    #: The vertices of the cycle in the order of its arcs. An arc leads from the last back to the first.
    vertices: list[int]
    #: The sum of the weights of the cycle's arcs.
    weight: float

    def __init__(self, message: str, vertices: list[int], weight: float) -> None:
        super().__init__(message, vertices, weight)
        self.vertices = vertices
        self.weight = weight


class GraphError(ShortestPathsError, ValueError):
    """What was given is no graph: a shape, an index or a weight is wrong."""


class GraphTypeError(ShortestPathsError, TypeError):
    """What was given is of a type, or on a device, that this package does not take."""


class RequestError(ShortestPathsError, ValueError):
    """An argument is wrong, or asks for what this graph does not have."""


class DistanceOverflow(ShortestPathsError, OverflowError):
    """A distance is longer than its dtype holds."""


class NotEnoughMemory(ShortestPathsError, MemoryError):
    """There is no room for the result. Nothing was allocated for it."""


class ReadError(ShortestPathsError, ValueError):
    """A file is no graph."""

    #: The file as it was named.
    path: str
    #: The line that was read last, counted from 1, where the file has lines.
    line: int | None

    def __init__(self, message: str, path: str, line: int | None) -> None:
        super().__init__(message, path, line)
        self.path = path
        self.line = line


class DeviceError(ShortestPathsError, RuntimeError):
    """A device is not there or failed."""


class VerificationError(ShortestPathsError, RuntimeError):
    """A result did not pass ``verify=True``. This is a defect of this package: please report it."""


class InternalError(ShortestPathsError, RuntimeError):
    """Something that should not happen. This is a defect of this package: please report it."""
