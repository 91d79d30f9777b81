"""Tensor maps of arrays."""

from __future__ import annotations

from typing import Optional, Sequence

import numpy as np

from tma_emulator._memory import check_array, region
from tma_emulator._native import Map

_NUMBERS = {
    "bool": "u8",
    "int8": "u8",
    "uint8": "u8",
    "int16": "u16",
    "uint16": "u16",
    "int32": "i32",
    "uint32": "u32",
    "int64": "i64",
    "uint64": "u64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "float8_e4m3fn": "u8",
    "float8_e5m2": "u8",
}


class TensorMap:
    """A tiled tensor map of an array, as `cuTensorMapEncodeTiled` makes one, for a parameter that is a grid constant.

    Lengths are in elements and **innermost first**: an array of shape `(rows, columns)` has the dimensions
    `(columns, rows)`, and a box of 8 rows of 64 columns is `(64, 8)`.

    :param array: the tensor; its memory is that of the map.
    :param box: length of the box in each dimension.
    :param dims: length of each dimension, if not that of the array.
    :param strides_bytes: bytes from one element to the next in dimensions 1 and up, if not those of the array.
    :param data_type: `"u8"`, `"bf16"`, `"tf32"`, ..., if not that of the array.
    :param element_strides: takes every n-th element of each dimension.
    :raises ValueError: with every rule that is broken, and the nearest value that breaks none.
    """

    def __init__(
        self,
        array: np.ndarray,
        box: Sequence[int],
        *,
        dims: Optional[Sequence[int]] = None,
        strides_bytes: Optional[Sequence[int]] = None,
        data_type: Optional[str] = None,
        element_strides: Optional[Sequence[int]] = None,
        interleave: str = "none",
        swizzle: str = "none",
        l2_promotion: str = "none",
        oob_fill: str = "zeros",
    ) -> None:
        if not isinstance(array, np.ndarray):
            raise TypeError(f"a tensor map needs a NumPy array, not {type(array).__name__}")
        check_array("the tensor", array)
        if dims is None:
            dims = array.shape[::-1]
        if strides_bytes is None:
            strides_bytes = array.strides[-2::-1] if array.ndim > 1 else ()
            if array.ndim and array.strides[-1] != array.itemsize and array.shape[-1] != 1:
                raise ValueError(
                    f"the stride of the innermost dimension is {array.strides[-1]} bytes but must be the element size, "
                    f"{array.itemsize} bytes: pass a copy"
                )
            if any(stride < 0 for stride in strides_bytes):
                raise ValueError("strides must not be negative: pass a copy")
        if data_type is None:
            data_type = _NUMBERS.get(array.dtype.name)
            if data_type is None:
                raise ValueError(f"{array.dtype} is not an element type of tensor maps: set `data_type`")
        self.array = array
        options = (interleave, swizzle, l2_promotion, oob_fill)
        strides = None if element_strides is None else list(element_strides)
        self._map = Map(data_type, list(dims), list(strides_bytes), list(box), strides, options)
        self._map.check(array.ctypes.data - region(array)[0])

    @property
    def box_bytes(self) -> int:
        """Bytes that one load of the box delivers to its barrier."""
        return self._map.box_bytes
