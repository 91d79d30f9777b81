"""Products by cuBLASLt, with an algorithm of one's choice."""

import ctypes

import torch
from beside import bursts

COMPUTE_32F, R_32F, TRANSPOSED = 68, 0, 1
# cudaDataType_t
TYPES = {torch.bfloat16: 14, torch.float16: 2}
DESC_TRANSA, PREF_MAX_WORKSPACE_BYTES = 3, 1
WORKSPACE_BYTES = 64 << 20


class Heuristic(ctypes.Structure):
    """cublasLtMatmulHeuristicResult_t"""

    _fields_ = [
        ("algorithm", ctypes.c_uint64 * 8),
        ("workspace_bytes", ctypes.c_size_t),
        ("state", ctypes.c_int),
        ("waves", ctypes.c_float),
        ("reserved", ctypes.c_int * 4),
    ]


class CublasLt:
    """The library that PyTorch has."""

    def __init__(self):
        self.library = ctypes.CDLL(f"libcublasLt.so.{torch.version.cuda.split('.')[0]}")
        self.handle = ctypes.c_void_p()
        self.call("cublasLtCreate", ctypes.byref(self.handle))
        self.workspace = torch.empty(WORKSPACE_BYTES, dtype=torch.uint8, device="cuda")

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise SystemExit(f"error: {name}: status {status}")

    def products(self, c, a, b, most=10):
        """Returns a function for each algorithm suggested by the heuristics: c = a b^T, for row-major matrices."""
        (m, n), k = c.shape, a.shape[1]
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        desc, preference = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cublasLtMatmulDescCreate", ctypes.byref(desc), COMPUTE_32F, R_32F)
        op = ctypes.c_int32(TRANSPOSED)
        self.call("cublasLtMatmulDescSetAttribute", desc, DESC_TRANSA, ctypes.byref(op), ctypes.c_size_t(4))

        # cuBLAS is column-major, so the transposed product is computed.
        def layout(tensor, rows, columns):
            made = ctypes.c_void_p()
            extents = (ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(rows))
            self.call("cublasLtMatrixLayoutCreate", ctypes.byref(made), TYPES[tensor.dtype], *extents)
            return made

        layouts = [layout(b, k, n), layout(a, k, m), layout(c, n, m)]
        self.call("cublasLtMatmulPreferenceCreate", ctypes.byref(preference))
        limit = ctypes.c_uint64(WORKSPACE_BYTES)
        self.call(
            "cublasLtMatmulPreferenceSetAttribute", preference, PREF_MAX_WORKSPACE_BYTES,
            ctypes.byref(limit), ctypes.c_size_t(8),
        )
        found, count = (Heuristic * most)(), ctypes.c_int()
        self.call(
            "cublasLtMatmulAlgoGetHeuristic", self.handle, desc, *layouts, layouts[2], preference, most, found,
            ctypes.byref(count),
        )

        def product(heuristic):
            def launch():
                pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (b, a, c, self.workspace)]
                self.call(
                    "cublasLtMatmul", self.handle, desc, ctypes.byref(one), pointers[0], layouts[0], pointers[1],
                    layouts[1], ctypes.byref(zero), pointers[2], layouts[2], pointers[2], layouts[2],
                    ctypes.byref(heuristic.algorithm), pointers[3], ctypes.c_size_t(WORKSPACE_BYTES),
                    ctypes.c_void_p(torch.cuda.current_stream().cuda_stream),
                )

            return launch

        return [product(made) for made in found[: count.value] if made.state == 0]

    def best(self, c, a, b):
        """The product that takes the least time of those, the median of three bursts."""
        products = dict(enumerate(self.products(c, a, b)))
        seconds = bursts(products, 3, pause=0.02)
        return products[min(seconds, key=seconds.get)]
