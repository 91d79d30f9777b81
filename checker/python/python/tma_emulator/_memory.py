"""The memory of arrays, as buffers of a launch."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tma_emulator._native import Job


def check_array(what: str, array: np.ndarray) -> None:
    """Raises where a kernel cannot use an array's memory; `what` is the array in messages."""
    if array.dtype.hasobject:
        raise TypeError(f"{what} is an array of Python objects, which no kernel can use")
    if not array.dtype.isnative:
        raise ValueError(f"{what} must have the native byte order: pass {what}.astype({array.dtype.newbyteorder('=')!r})")
    if not array.flags.writeable:
        raise ValueError(f"{what} is read-only, but a kernel may write: pass a copy")


# Device memory is allocated so.
ALIGN_BYTES = 256


def region(array: np.ndarray) -> tuple[int, int]:
    """The addresses where the memory that a kernel gets with an array begins, and where it ends.

    It is that from the first to the last element. A part of an array is as misaligned as it is in the whole, so it begins
    at a multiple of `ALIGN_BYTES` in that.
    """
    first, end = span(array)
    whole = array
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    return first - max(first - span(whole)[0], 0) % ALIGN_BYTES, end


def span(array: np.ndarray) -> tuple[int, int]:
    """Returns the addresses of the first byte of an array's elements and of the byte after the last."""
    first = end = array.ctypes.data
    if array.size == 0:
        return first, end
    for length, stride in zip(array.shape, array.strides):
        reach = (length - 1) * stride
        first, end = first + min(reach, 0), end + max(reach, 0)
    return first, end + array.itemsize


class Memory:
    """Buffers of all arrays of a launch: arrays that share memory share a buffer."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        """The arrays with their names in reports."""
        regions = sorted((*region(array), name) for name, array in arrays.items())
        self._regions: list[tuple[int, int, str]] = []
        for first, end, name in regions:
            if self._regions and first < self._regions[-1][1]:
                before, known, named = self._regions.pop()
                first, end, name = before, max(known, end), named
            self._regions.append((first, end, name))
        self._indices: list[int] = []

    def upload(self, job: Job) -> None:
        """Adds all buffers to a launch."""
        for first, end, name in self._regions:
            self._indices.append(job.buffer(name, ctypes.string_at(first, end - first)))

    def find(self, array: np.ndarray) -> tuple[int, int]:
        """The index of an array's buffer, and the bytes from its beginning to the array's first element."""
        low, high = region(array)
        for index, (first, end, _) in zip(self._indices, self._regions):
            if first <= low and high <= end:
                return index, array.ctypes.data - first
        raise AssertionError("the array does not belong to this memory")

    def download(self, job: Job) -> None:
        """Copies the kernel's results into the arrays."""
        for index, (first, _, _) in zip(self._indices, self._regions):
            data = job.bytes(index)
            ctypes.memmove(first, data, len(data))
