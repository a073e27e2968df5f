"""Weights in the types that the native half takes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _native
from .errors import GraphError, GraphTypeError, RequestError

#: The types of weights, the largest magnitude that a finite one has, and what stands for no arc.
TYPES: dict[str, tuple[float, float]] = {
    "float32": (float(np.finfo(np.float32).max), math.inf),
    "float64": (float(np.finfo(np.float64).max), math.inf),
    "int32": (2**28 - 1, 2**30 - 1),
    "uint16": (2**15 - 2, 2**15 - 1),
}

#: The same types as the command line calls them.
_SHORT = {"f32": "float32", "f64": "float64", "i32": "int32", "u16": "uint16"}


def absent(dtype: npt.DTypeLike) -> float:
    """The number that stands for no arc in a graph, and for no path in a result.

    >>> import shortest_paths
    >>> shortest_paths.absent("float32"), shortest_paths.absent("int32"), shortest_paths.absent("uint16")
    (inf, 1073741823, 32767)
    """
    return TYPES[checked(dtype).name][1]


def checked(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """One of the four types, or a `RequestError`."""
    try:
        wanted = np.dtype(_SHORT.get(dtype, dtype) if isinstance(dtype, str) else dtype)
    except (SyntaxError, TypeError, ValueError):
        raise RequestError(f"dtype is {dtype!r}: give 'float32', 'float64', 'int32' or 'uint16'") from None
    if wanted.name not in TYPES:
        raise RequestError(f"dtype is {wanted.name}: give 'float32', 'float64', 'int32' or 'uint16'")
    return wanted.newbyteorder("=")


def packed(array: npt.NDArray[Any], dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
    """The same numbers in order and side by side in memory: the array itself if it is so."""
    wanted = array.dtype if dtype is None else np.dtype(dtype)
    if array.dtype == wanted and array.flags.c_contiguous and array.flags.aligned:
        return array
    # Other than of what has memory, of a virtual array any size may be asked for.
    _native.check_memory(array.size * wanted.itemsize)
    return np.array(array, dtype=wanted, order="C")


def weights(given: npt.NDArray[Any], dtype: np.dtype[Any] | None, are_listed: bool = False) -> npt.NDArray[Any]:
    """Numbers of one of the four types, side by side in memory. Copies only what is not so yet.

    In a matrix of integers one of them stands for no arc. Where arcs are listed, none is needed, and it would be lost if it is a weight.
    """
    masked = np.ma.getmask(given) if isinstance(given, np.ma.MaskedArray) else np.ma.nomask
    array = np.asarray(given)
    if dtype is None:
        if array.dtype.name not in TYPES:
            raise GraphTypeError(f"weights are {array.dtype.name}: {_remedy(array.dtype)}")
        wanted = array.dtype.newbyteorder("=")
    else:
        wanted = dtype
    is_lost = are_listed and wanted.kind in "iu" and (array == TYPES[wanted.name][1]).any()
    converted = array if array.dtype == wanted and not is_lost else _converted(array, wanted, masked, are_listed)
    if masked is not np.ma.nomask:
        converted = np.where(masked, wanted.type(absent(wanted)), converted)
    return packed(converted)


def _remedy(dtype: np.dtype[Any]) -> str:
    if dtype.kind == "f":
        return "pass dtype='float32' or dtype='float64' to convert them"
    return "give float32, float64, int32 or uint16"


def _converted(array: npt.NDArray[Any], wanted: np.dtype[Any], masked: Any, are_listed: bool) -> npt.NDArray[Any]:
    """The same weights in another type. Fractions are rounded to the nearest float; all else has to be kept."""
    kind = array.dtype.kind
    if kind not in "fiub":
        raise GraphTypeError(f"weights are {array.dtype.name}: {_remedy(array.dtype)}")
    _native.check_memory(array.size * wanted.itemsize)
    most, none = TYPES[wanted.name]
    if kind == "b":
        arcs: npt.NDArray[Any] = np.where(array, wanted.type(1), wanted.type(none))
        return arcs
    is_none = array == (math.inf if are_listed else TYPES.get(array.dtype.name, (0, math.inf))[1])
    with np.errstate(all="ignore"):
        converted = array.astype(wanted)
        if kind == "f" and wanted.kind == "f":
            is_kept = np.isfinite(converted) | ~np.isfinite(array)
        else:
            in_range = (array >= (0 if wanted.kind == "u" else -most)) & (array <= most)
            is_kept = in_range & (converted.astype(array.dtype) == array)
    lost = ~(is_kept | is_none | masked)
    if lost.any():
        at = np.unravel_index(int(np.argmax(lost)), lost.shape)
        place = ", ".join(str(int(index)) for index in at)
        raise GraphError(f"the weight at [{place}] is {array[at]}, which {wanted.name} does not hold as a weight: choose another dtype")
    if is_none.any():
        converted[is_none] = none
    return converted
