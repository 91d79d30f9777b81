"""The kernels of `gemm_fp8` beside cuBLASLt and DeepGEMM, on an NVIDIA Hopper GPU with PyTorch.

    python3 gemm_fp8.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, over results that were poisoned with NaN. Then the kernel, DeepGEMM,
cuBLASLt with the same scales, and cuBLASLt with one scale a matrix run in bursts after a pause, in random order, and
medians of bursts are compared. What is not there is said. The ratio is that to the fastest with the same scales, or else
to one scale a matrix.
Numbers are N(0, 1) before they are scaled to e4m3.
"""

import ctypes
import importlib.metadata

import torch

try:
    import deep_gemm
except ImportError as error:
    deep_gemm = None
    print(f"no DeepGEMM: {error}")
from beside import Launch, arguments, bursts, load, record, relative_error, tensor_map

BLOCK, BOX = 128, 64
# By kernel: rows and columns of a tile, threads of a block, its stages, and bytes of shared memory before them.
FORMS = {
    "gemm_fp8": ((128, 128), 384, 5, 32768),
    "gemm_fp8_contiguous": ((128, 128), 384, 5, 32768),
    "gemm_fp8_thin": ((64, 128), 256, 6, 49152),
    "gemm_fp8_thin_wide": ((64, 256), 384, 4, 32768),
}
SIZES = [
    (4096, 4096, 4096),
    (8192, 8192, 8192),
    (4096, 7168, 16384),
    (4096, 4096, 7168),
    (4096, 7168, 2048),
    (4096, 24576, 1536),
    (4096, 32768, 512),
    (64, 7168, 2048),
    (64, 4096, 7168),
    (64, 24576, 1536),
    (64, 32768, 512),
    (64, 16384, 7168),
    (128, 7168, 2048),
]
# Experts, rows of each, N and K.
GROUPED = [
    (4, 8192, 4096, 7168),
    (4, 8192, 7168, 2048),
    (8, 4096, 4096, 7168),
    (8, 4096, 7168, 2048),
    (16, 2048, 4096, 7168),
    (16, 2048, 7168, 2048),
]
# Sizes that are not multiples of a tile.
ODD = [(1000, 1032, 528), (5000, 3000, 1008), (60, 3000, 1008), (60, 9096, 1008)]
MOST_ERROR = 2.5e-3
LARGEST = 448.0


class Product(ctypes.Structure):
    _fields_ = [
        ("tiles", ctypes.c_uint32 * 2),
        ("last_rows", ctypes.c_uint32 * 2),
        ("stages", ctypes.c_uint32),
        ("group", ctypes.c_uint32),
        ("columns", ctypes.c_uint32),
        ("experts", ctypes.c_uint32),
    ]


def gemm_fp8(module, c, a, a_scales, b, b_scales, numbers=None, follows=True):
    """C = A B^T, as `kernels_gpu::gemm_fp8::GemmFp8` launches it; rows of A may have the B with their number. Scales of A
    are of shape (column, row), with rows a multiple of 4."""
    (m, n), k = c.shape, a.shape[1]
    experts = b.shape[0] // n
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    tiles, stages = (-(-m // BLOCK), -(-n // BLOCK)), -(-k // BLOCK)
    if numbers is not None:
        name = "gemm_fp8_contiguous"
    elif m > BOX:
        name = "gemm_fp8"
    else:
        name = "gemm_fp8_thin" if 2 * tiles[1] <= processors else "gemm_fp8_thin_wide"
    (rows, columns), threads, loaded, shared_bytes = FORMS[name]
    # Tiles of A, B and the scales of A, and what aligns the next stage.
    shared_bytes += loaded * (BLOCK * (rows + columns) + 1024 + 20)
    dealt = -(-m // rows) * -(-n // columns)
    blocks = 2 * dealt if name == "gemm_fp8_thin" else -(-dealt // -(-dealt // processors))
    product = Product(
        (ctypes.c_uint32 * 2)(*tiles),
        (ctypes.c_uint32 * 2)(m - 1, b.shape[0] - 1),
        stages, 16 if k < 16384 else 12, n, experts,
    )
    boxes = ((c, (BOX, BOX)), (a, (BLOCK, BOX)), (b, (BLOCK, BOX)))
    maps = [tensor_map(matrix, matrix.shape[::-1], box) for matrix, box in boxes]
    scale_map = tensor_map(a_scales, a_scales.shape[::-1], (BLOCK, 1), swizzle=0)
    memory = [tensor for tensor in (b_scales, numbers) if tensor is not None]
    pointers = [ctypes.c_uint64(tensor.data_ptr()) for tensor in memory]
    launch = Launch(module, name, blocks, threads, shared_bytes, [*maps, product, scale_map, *pointers], follows)
    launch.memory = (a_scales, *memory)
    return launch


def quantised(matrix, rows):
    """The matrix as e4m3, with a scale for each `rows` rows and 128 columns: of shape (row, column)."""
    m, k = matrix.shape
    whole = torch.nn.functional.pad(matrix, (0, -k % BLOCK, 0, -m % rows))
    blocks = whole.view(whole.shape[0] // rows, rows, -1, BLOCK)
    scales = blocks.abs().amax((1, 3)) / LARGEST
    numbers = (blocks / scales[:, None, :, None]).view(whole.shape)[:m, :k]
    return numbers.to(torch.float8_e4m3fn).contiguous(), scales


def values(numbers, scales, rows):
    m, k = numbers.shape
    return numbers.double() * scales.double().repeat_interleave(rows, 0)[:m].repeat_interleave(BLOCK, 1)[:, :k]


def matrices(size):
    m, n, k = size
    a = quantised(torch.randn(m, k, device="cuda"), 1)
    b = quantised(torch.randn(n, k, device="cuda"), BLOCK)
    return torch.full((m, n), float("nan"), device="cuda", dtype=torch.bfloat16), a, b


def check(module, size):
    """The relative error against float64, of up to 1024 rows."""
    c, (a, a_scales), (b, b_scales) = matrices(size)
    gemm_fp8(module, c, a, a_scales.t().contiguous(), b, b_scales.contiguous())()
    rows = torch.randperm(size[0], device="cuda")[:1024]
    exact = values(a[rows], a_scales[rows], 1) @ values(b, b_scales, BLOCK).t()
    return relative_error(size, c, rows, exact, MOST_ERROR)


def with_blocks(c, a, a_scales, b, b_scales):
    """cuBLASLt's product with the same scales: A's have the layout used here, B's run along K in groups of four."""
    padded = torch.nn.functional.pad(b_scales, (0, -b_scales.shape[1] % 4))[:, : b_scales.shape[1]]
    of_a = a_scales.t().contiguous().t()

    def launch():
        torch._scaled_mm(a, b.t(), of_a, padded.t(), out_dtype=torch.bfloat16, out=c)

    try:
        launch()
    except (RuntimeError, ValueError) as error:
        print(f"no cuBLASLt with these scales: {str(error).splitlines()[0]}")
        return None
    return launch


def with_one_scale(c, a, b):
    """cuBLASLt's product with sums of few bits and one scale a matrix: faster, and less exact."""
    one = torch.ones((), device="cuda")
    return lambda: torch._scaled_mm(a, b.t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True, out=c)


def with_deep_gemm(c, a, a_scales, b, b_scales, rows=None):
    """DeepGEMM's product with the same scales; `rows` has the expert of each row."""
    if not deep_gemm:
        return None
    of_a = a_scales.t().contiguous().t()
    if rows is None:
        return lambda: deep_gemm.fp8_gemm_nt((a, of_a), (b, b_scales), c)
    return lambda: deep_gemm.m_grouped_fp8_gemm_nt_contiguous((a, of_a), (b, b_scales), c, rows)


def deep_gemm_version():
    """What package DeepGEMM came with; none has its name."""
    if not deep_gemm:
        return None
    packages = importlib.metadata.packages_distributions().get("deep_gemm", [])
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages) or deep_gemm.__version__


def measured(works, operations):
    """TFLOP/s of each available library, and the ratio."""
    works = {name: work for name, work in works.items() if work}
    rate = {name: operations / of / 1e12 for name, of in bursts(works, 7).items()}
    others = [of for name, of in rate.items() if name in ("cublaslt", "deep_gemm")]
    others = others or [of for name, of in rate.items() if name == "cublaslt_one_scale"]
    return rate, rate["gemm_fp8"] / max(others) if others else None


def grouped(module, size):
    """Rows of random experts, sorted."""
    experts, each, n, k = size
    m = experts * each
    c, (a, a_scales), _ = matrices((m, n, k))
    b, b_scales = quantised(torch.randn(experts * n, k, device="cuda"), BLOCK)
    numbers = torch.randint(experts, (m // BLOCK,), device="cuda", dtype=torch.int32).sort().values.contiguous()
    launch = gemm_fp8(module, c, a, a_scales.t().contiguous(), b, b_scales.contiguous(), numbers)
    launch()
    of_rows = numbers.repeat_interleave(BLOCK)
    rows = torch.randperm(m, device="cuda")[:64]
    of_b = values(b, b_scales, BLOCK).view(experts, n, k)
    exact = torch.stack([values(a[row : row + 1], a_scales[row : row + 1], 1)[0] @ of_b[of_rows[row]].t() for row in rows])
    error = relative_error(size, c, rows, exact, MOST_ERROR)
    of_b, b_scales = b.view(experts, n, k), b_scales.contiguous().view(experts, n // BLOCK, -1)
    works = {
        "deep_gemm": with_deep_gemm(torch.empty_like(c), a, a_scales, of_b, b_scales, of_rows),
        "gemm_fp8": launch,
    }
    return (*measured(works, 2 * m * n * k), error)


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    for size in ODD:
        print(f"{size}: relative error {check(module, size):.2e}")
    rows = []
    print(f"{torch.cuda.get_device_name()}: M x N x K, TFLOP/s of each, ratio of gemm_fp8 to the fastest with its scales")
    for size in SIZES:
        error = check(module, size)
        c, (a, a_scales), (b, b_scales) = matrices(size)
        works = {
            "cublaslt": with_blocks(torch.empty_like(c), a, a_scales, b, b_scales),
            "deep_gemm": with_deep_gemm(torch.empty_like(c), a, a_scales, b, b_scales.contiguous()),
            "cublaslt_one_scale": with_one_scale(torch.empty_like(c), a, b),
            "gemm_fp8": gemm_fp8(module, c, a, a_scales.t().contiguous(), b, b_scales.contiguous()),
        }
        rate, ratio = measured(works, 2 * size[0] * size[1] * size[2])
        print(f"{size}: {', '.join(f'{name} {of:.0f}' for name, of in rate.items())}, {ratio:.3f}", flush=True)
        rows.append({"size": size, "tflops": rate, "ratio": ratio, "relative_error": error})
    for size in GROUPED:
        rate, ratio, error = grouped(module, size)
        of_all = ", ".join(f"{name} {of:.0f}" for name, of in rate.items())
        print(f"experts, rows of each, N and K {size}: {of_all}, {ratio}", flush=True)
        rows.append({"grouped": size, "tflops": rate, "ratio": ratio, "relative_error": error})
    if options.out:
        record(options.out, options.compiled, FORMS, rows, deep_gemm=deep_gemm_version())


if __name__ == "__main__":
    main()
