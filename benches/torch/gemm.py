"""The kernels `gemm`, `gemm_narrow` and `gemm_split` beside cuBLASLt, on an NVIDIA Hopper GPU with PyTorch.

    python3 gemm.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, over results that were poisoned with NaN. Then each of the two runs in
bursts after a pause, in random order, and medians of bursts are compared. cuBLASLt's algorithm is the fastest of the
ten that its heuristics name. Numbers are N(0, 1).
"""

import ctypes

import torch
from beside import NAMES, TYPES, Launch, arguments, bursts, load, record, relative_error, tensor_map
from cublaslt import CublasLt

BOX, ROWS, THREADS = 64, 128, 384
# Blocks that compute a tile, its columns, stages in shared memory, and bytes before them.
WIDE, NARROW, SPLIT = (1, 256, 4, 32768), (1, 64, 7, 32768), (2, 128, 5, 49152)
LEAST_SPLIT = 3072
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
        ("tiles", ctypes.c_uint32 * 2),
        ("last_boxes", ctypes.c_uint32 * 2),
        ("stages", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
        ("biased", ctypes.c_uint32),
        ("alpha", ctypes.c_float),
        ("activation", Activation),
    ]


def matrix_map(matrix):
    return tensor_map(matrix, matrix.shape[::-1], (BOX, BOX))


def gemm(module, c, a, b, a_transposed=False, b_transposed=True, follows=True):
    """C = A B, as `kernels_gpu::gemm::Gemm` launches it."""
    (m, n), k = c.shape, a.shape[0] if a_transposed else a.shape[1]
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    if -(-m // ROWS) * -(-n // WIDE[1]) >= processors // 2:
        name, (blocks, columns, stages, outputs) = "gemm", WIDE
    elif k < LEAST_SPLIT:
        name, (blocks, columns, stages, outputs) = "gemm_narrow", NARROW
    else:
        name, (blocks, columns, stages, outputs) = "gemm_split", SPLIT
    tiles = (-(-m // ROWS), -(-n // columns))
    rounds = -(-tiles[0] * tiles[1] // processors) if blocks == 1 else 1
    layout = f"{not a_transposed}_{b_transposed}".lower()
    product = Product(
        (ctypes.c_uint32 * 2)(*tiles),
        (ctypes.c_uint32 * 2)((m - 1) // BOX * BOX, (n - 1) // BOX * BOX),
        -(-k // BOX), 16 if k < 16384 else 12, 0, 1.0,
        Activation(float("-inf"), (ctypes.c_float * 2)(0, 0)),
    )
    return Launch(
        module,
        f"{name}_{NAMES[c.dtype]}_{layout}",
        blocks * -(-tiles[0] * tiles[1] // rounds),
        THREADS,
        outputs + stages * ((ROWS + columns) * BOX * 2 + 20),
        [matrix_map(c), matrix_map(a), matrix_map(b), product, ctypes.c_uint64(0)],
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
            for size in (ODD, (5000, 3000, 1000)):
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
        record(options.out, options.compiled, [f"{name}_bf16_true_true" for name in ("gemm", "gemm_narrow", "gemm_split")], rows)


if __name__ == "__main__":
    main()
