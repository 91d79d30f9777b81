"""The steps to `gemm` beside cuBLAS, on an NVIDIA Hopper GPU with PyTorch.

    python3 gemm_step.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every step is checked first: against float64, over results that were poisoned with NaN. Then all run in bursts after a
pause, in random order, and medians of bursts are compared. Numbers are N(0, 1).
"""

import ctypes

import torch
from beside import NAMES, Launch, arguments, bursts, load, record, relative_error
from gemm import BOX, MOST_ERROR, gemm, matrices, matrix_map

SIZE = (4096, 4096, 4096)
# Sizes that are not multiples of a tile.
ODD = (1000, 1032, 520)
# For each step: columns and rows of a tile, threads, shared memory.
STAGES = 4
STAGE = [0, 0, 0, 2 * 8192, 4 * 8192, 6 * 8192, 6 * 8192]
STEPS = [
    ((16, 16), 256),
    ((32, 32), 1024),
    ((64, 64), 1024),
    ((64, 64), 1024),
    ((128, 128), 256),
    ((256, 128), 384),
    ((256, 128), 384),
]
# Tiles in which the two warpgroups of the last step leave results.
OUTPUT_BYTES = 32768


class Launch2d(Launch):
    """Of blocks in two dimensions."""

    def __init__(self, module, name, grid, threads, shared_bytes, arguments):
        super().__init__(module, name, grid[0], threads, shared_bytes, arguments)
        self.config.shape[:] = (*grid, 1, threads, 1, 1, shared_bytes)


def step(module, number, c, a, b):
    """C = A times the transpose of B, as `kernels_gpu::gemm_step::GemmStep` launches it."""
    (m, n), k = c.shape, a.shape[1]
    (columns, rows), threads = STEPS[number - 1]
    grid = (-(-n // columns), -(-m // rows))
    stage = STAGE[number - 1]
    shared_bytes = STAGES * (stage + 20) if stage else 0
    words = [ctypes.c_uint32(extent) for extent in (m, n, k)]
    pointers = [ctypes.c_uint64(matrix.data_ptr()) for matrix in (c, a, b)]
    maps = [matrix_map(a), matrix_map(b)]
    name = f"gemm_step_{number}"
    if number < 3:
        return Launch2d(module, name, grid, threads, 0, pointers + words)
    if number < 7:
        return Launch2d(module, name, grid, threads, shared_bytes, maps + pointers[:1] + words)
    tiles = grid[0] * grid[1]
    blocks = min(tiles, torch.cuda.get_device_properties(0).multi_processor_count)
    counts = [ctypes.c_uint32(count) for count in (tiles, grid[1], k)]
    given = maps + [matrix_map(c)] + counts
    return Launch2d(module, name, (blocks, 1), threads, OUTPUT_BYTES + shared_bytes, given)


def check(name, launch, c, a, b):
    """The relative error against float64, of up to 1024 rows."""
    c.fill_(float("nan"))
    launch()
    rows = torch.randperm(c.shape[0], device="cuda")[:1024]
    exact = a[rows].double() @ b.double().t()
    return relative_error(f"step {name}", c, rows, exact, MOST_ERROR[c.dtype])


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    for size in (ODD, SIZE):
        c, a, b = matrices(size, torch.bfloat16)
        of_cublas = torch.empty_like(c)
        works = {f"{number}": step(module, number, c, a, b) for number in range(1, 8)}
        works["8, `gemm`"] = gemm(module, c, a, b)
        errors = {name: check(name, launch, c, a, b) for name, launch in works.items()}
        print(f"{size}, {NAMES[c.dtype]}: relative errors {errors}")
    works["cuBLAS"] = lambda: torch.matmul(a, b.t(), out=of_cublas)
    seconds = bursts(works, 9)
    flop = 2 * SIZE[0] * SIZE[1] * SIZE[2]
    rows = []
    print(f"{torch.cuda.get_device_name()}: steps, TFLOP/s, of cuBLAS")
    for name, of in seconds.items():
        rate, ratio = flop / of / 1e12, seconds["cuBLAS"] / of
        print(f"{name}: {rate:.1f} {ratio:.3f}", flush=True)
        rows.append({"step": name, "size": SIZE, "tflops": rate, "ratio": ratio})
    if options.out:
        kernels = [f"gemm_step_{number}" for number in range(1, 8)] + ["gemm_bf16_true_true"]
        record(options.out, options.compiled, kernels, rows)


if __name__ == "__main__":
    main()
