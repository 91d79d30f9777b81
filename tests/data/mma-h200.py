"""Writes mma-h200.z from what an H200 computed (driver 580.159, code of ptxas 13.0): of each form the first
tiles of A, B, C and D as bits, of each kind of descriptor the addresses, and the fragments of wmma.

    python mma-h200.py SAMPLES.npz mma-h200.z

One array after the other: length of the name, name, bytes of an element, number of dimensions, dimensions as
u16, elements, all little-endian; the whole compressed by zlib.
"""
import struct
import sys
import zlib

import numpy as np

OUTPUTS = 256  # of a form, as far as whole tiles go

samples = np.load(sys.argv[1])
out = bytearray()
for name in samples.files:
    array = samples[name]
    form, _, operand = name.rpartition("/")
    if operand in ("A", "B", "C", "D"):
        per_tile = samples[form + "/D"][0].size
        array = array[: max(1, OUTPUTS // per_tile)]
    elif form == "desc":
        array = array[:2]
    out += bytes([len(name)]) + name.encode() + bytes([array.itemsize, array.ndim])
    out += struct.pack(f"<{array.ndim}H", *array.shape)
    out += array.astype(array.dtype.newbyteorder("<")).tobytes()
with open(sys.argv[2], "wb") as file:
    file.write(zlib.compress(bytes(out), 9))
