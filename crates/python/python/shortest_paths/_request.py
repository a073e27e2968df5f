"""What is to be computed, checked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import RequestError


@dataclass(slots=True)
class Request:
    """What the native half reads."""

    sources: npt.NDArray[np.int64] | None = None
    targets: npt.NDArray[np.int64] | None = None
    paths: str | None = None
    marks: str = "plain"
    limit: float = math.inf
    nearest: bool = False
    algorithm: str = "auto"
    device: str = "auto"
    threads: int | None = None
    verify: bool = False
    progress: Callable[[str, int, int], object] | None = None

    def __post_init__(self) -> None:
        """Refuses what cannot be had together."""
        if not self.nearest and not (self.verify and self.limit < math.inf):
            return
        because = "min_only is True" if self.nearest else f"limit is {self.limit}"
        for name, is_usual, remedy in [
            ("verify", not self.verify, "leave verify out"),
            ("targets", self.targets is None or not self.nearest, "choose among the distances to all vertices"),
            ("paths", self.paths != "next" or not self.nearest, "choose paths='predecessor'"),
            ("algorithm", self.algorithm in ("auto", "dijkstra") or not self.nearest, "leave algorithm out"),
        ]:
            if not is_usual:
                raise RequestError(f"{name} is {getattr(self, name)!r} and {because}, which do not go together: {remedy}")


def limit_of(limit: float | None) -> float:
    """How far to go."""
    if limit is None:
        return math.inf
    if isinstance(limit, bool) or not isinstance(limit, (int, float, np.integer, np.floating)) or not limit >= 0:
        raise RequestError(f"limit is {limit!r}: give 0, a larger number, or None for no limit")
    return float(limit)


def threads_of(threads: int | None) -> int | None:
    """How many threads."""
    if threads is None:
        return None
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or not 1 <= threads <= 4096:
        raise RequestError(f"threads is {threads!r}: give a number from 1 to 4096, or None for as many as there are cores")
    return int(threads)


def zeros_absent(zeros: str | None) -> bool:
    """Whether a 0 in a matrix is no arc."""
    if zeros not in (None, "arcs", "absent"):
        raise RequestError(f"zeros is {zeros!r}: give 'arcs' or 'absent'")
    return zeros == "absent"
