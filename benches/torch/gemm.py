"""The kernels `gemm`, `gemm_narrow`, `gemm_split` and `gemm_thin` beside cuBLASLt, on an NVIDIA Hopper GPU with PyTorch.

    python3 gemm.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, over results that were poisoned with NaN. Then each of the two runs in
bursts after a pause, in random order, and medians of bursts are compared. cuBLASLt's algorithm is the fastest of the
ten that its heuristics name. Numbers are N(0, 1).
"""

import ctypes

import torch
from beside import (
    NAMES, PROMOTION_128B, PROMOTION_256B, TYPES, Launch, Tiling, arguments, bursts, load, record, relative_error,
    tensor_map,
)
from cublaslt import CublasLt

BOX, LEAST_SPLIT = 64, 3072
# Of each kernel: rows and columns of a tile, blocks that compute it, threads of a block, stages in shared memory, bytes
# before them, and the bytes that L2 fetches for A and B.
FORMS = {
    "gemm": ((128, 256), 1, 384, 4, 32768, PROMOTION_128B),
    "gemm_narrow": ((128, 64), 1, 384, 7, 32768, PROMOTION_128B),
    "gemm_split": ((128, 128), 2, 384, 5, 49152, PROMOTION_256B),
    "gemm_thin": ((64, 128), 2, 256, 7, 49152, PROMOTION_256B),
}
SIZES = [
    (1024, 1024, 1024),
    (2048, 2048, 2048),
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (16384, 16384, 16384),
    (4096, 14336, 4096),
    (8192, 8192, 1024),
    (64, 8192, 8192),
    (128, 8192, 8192),
]
# Sizes that are not multiples of a tile, in all layouts.
ODD = (1000, 1032, 520)
MOST_ERROR = {torch.bfloat16: 2.5e-3, torch.float16: 3.5e-4}


class Activation(ctypes.Structure):
    _fields_ = [("least", ctypes.c_float), ("gate", ctypes.c_float * 2)]


class Product(ctypes.Structure):
    _fields_ = [
        ("tiling", Tiling),
        ("biased", ctypes.c_uint32),
        ("alpha", ctypes.c_float),
        ("activation", Activation),
    ]


def matrix_map(matrix, promotion=PROMOTION_128B):
    return tensor_map(matrix, matrix.shape[::-1], (BOX, BOX), promotion=promotion)


def form(size, processors):
    """The name of the kernel for a product, as `kernels_gpu::gemm::Gemm` chooses it."""
    m, n, k = size

    def suffices(name):
        (rows, columns), blocks, *_ = FORMS[name]
        return blocks * -(-m // rows) * -(-n // columns) >= processors // 2

    if suffices("gemm"):
        return "gemm"
    if k < LEAST_SPLIT:
        return "gemm_narrow"
    return "gemm_split" if m > 64 and suffices("gemm_split") else "gemm_thin"


def gemm(module, c, a, b, a_transposed=False, b_transposed=True, follows=True):
    """C = A B, as `kernels_gpu::gemm::Gemm` launches it."""
    (m, n), k = c.shape, a.shape[0] if a_transposed else a.shape[1]
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    name = form((m, n, k), processors)
    (rows, columns), blocks, threads, stages, outputs, promotion = FORMS[name]
    tiles = (-(-m // rows), -(-n // columns))
    rounds = -(-tiles[0] * tiles[1] // processors) if blocks == 1 else 1
    layout = f"{not a_transposed}_{b_transposed}".lower()
    last_boxes = ((m - 1) // BOX * BOX, (n - 1) // BOX * BOX)
    activation = Activation(float("-inf"), (ctypes.c_float * 2)(0, 0))
    product = Product(Tiling(tiles, last_boxes, -(-k // BOX), k), 0, 1.0, activation)
    maps = [matrix_map(c), matrix_map(a, promotion), matrix_map(b, promotion)]
    return Launch(
        module,
        f"{name}_{NAMES[c.dtype]}_{layout}",
        blocks * -(-tiles[0] * tiles[1] // rounds),
        threads,
        outputs + stages * ((rows + columns) * BOX * 2 + 20),
        [*maps, product, ctypes.c_uint64(0)],
        follows,
    )


def matrices(size, dtype):
    m, n, k = size
    a = torch.randn(m, k, device="cuda").to(dtype)
    b = torch.randn(n, k, device="cuda").to(dtype)
    return torch.full((m, n), float("nan"), device="cuda", dtype=dtype), a, b


def check(module, size, dtype, a_transposed=False, b_transposed=True):
    """The relative error against float64, of up to 1024 rows."""
    c, a, b = matrices(size, dtype)
    own_a = a.t().contiguous() if a_transposed else a
    own_b = b if b_transposed else b.t().contiguous()
    gemm(module, c, own_a, own_b, a_transposed, b_transposed)()
    rows = torch.randperm(size[0], device="cuda")[:1024]
    exact = a[rows].double() @ b.double().t()
    return relative_error(f"{size} {dtype}", c, rows, exact, MOST_ERROR[dtype])


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    for dtype in TYPES:
        for layout in ((False, True), (False, False), (True, True), (True, False)):
            for size in (ODD, (5000, 3000, 1000), (200, 4096, 3080), (56, 1032, 3080)):
                error = check(module, size, dtype, *layout)
                print(f"{size}, {NAMES[dtype]}, transposed {layout}: relative error {error:.2e}")
    rows = []
    cublaslt = CublasLt()
    print(f"{torch.cuda.get_device_name()}: M x N x K, TFLOP/s of cuBLASLt and of gemm, ratio")
    for size in SIZES:
        error = check(module, size, torch.bfloat16)
        c, a, b = matrices(size, torch.bfloat16)
        of_cublaslt = torch.full_like(c, float("nan"))
        works = {"cublaslt": cublaslt.best(of_cublaslt, a, b), "gemm": gemm(module, c, a, b)}
        seconds = bursts(works, 9 if size[2] < 16384 else 5)
        difference = ((c.float() - of_cublaslt.float()).norm() / c.float().norm()).item()
        if not difference < 2 * MOST_ERROR[torch.bfloat16]:
            raise SystemExit(f"error: {size}: the two differ by {difference:.2e}")
        rate = {name: 2 * size[0] * size[1] * size[2] / of / 1e12 for name, of in seconds.items()}
        ratio = rate["gemm"] / rate["cublaslt"]
        print(f"{size}: {rate['cublaslt']:.0f} {rate['gemm']:.0f} {ratio:.3f}", flush=True)
        rows.append({"size": size, "tflops": rate, "ratio": ratio, "relative_error": error})
    if options.out:
        record(options.out, options.compiled, [f"{name}_bf16_true_true" for name in FORMS], rows)


if __name__ == "__main__":
    main()
