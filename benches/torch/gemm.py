"""The kernels `gemm` and `gemm_narrow` beside cuBLAS, on an NVIDIA Hopper GPU with PyTorch.

    python3 gemm.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, over results that were poisoned with NaN. Then each of the two runs in
bursts after a pause, in random order, and medians of bursts are compared. Numbers are N(0, 1).
"""

import argparse
import ctypes
import datetime
import json
import random
import statistics
import time

import torch

BOX, ROWS, THREADS, OUTPUT_BYTES = 64, 128, 384, 32768
# Columns of a tile, stages in shared memory.
WIDE, NARROW = (256, 4), (64, 8)
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
# Sizes that are no multiples of a tile, in all layouts.
ODD = (1000, 1032, 520)
MOST_ERROR = {torch.bfloat16: 2.5e-3, torch.float16: 3.5e-4}
NAMES = {torch.bfloat16: "bf16", torch.float16: "f16"}
# CUtensorMapDataType
TYPES = {torch.bfloat16: 9, torch.float16: 6}
MAX_DYNAMIC_SHARED_SIZE_BYTES, SWIZZLE_128B, PROMOTION_128B = 8, 3, 2

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise SystemExit(f"error: {name}: {text.value.decode()}")


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


def tensor_map(matrix):
    memory = ctypes.create_string_buffer(128 + 64)
    aligned = (ctypes.addressof(memory) + 63) // 64 * 64
    rows, columns = matrix.shape
    call(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(aligned),
        TYPES[matrix.dtype],
        2,
        ctypes.c_void_p(matrix.data_ptr()),
        (ctypes.c_uint64 * 2)(columns, rows),
        (ctypes.c_uint64 * 1)(columns * 2),
        (ctypes.c_uint32 * 2)(BOX, BOX),
        (ctypes.c_uint32 * 2)(1, 1),
        0,
        SWIZZLE_128B,
        PROMOTION_128B,
        0,
    )
    encoded = (ctypes.c_uint8 * 128).from_address(aligned)
    encoded.memory = memory
    return encoded


class Gemm:
    """C = A B, as `kernels_gpu::gemm::Gemm` launches it."""

    def __init__(self, module, c, a, b, a_transposed=False, b_transposed=True):
        (m, n), k = c.shape, a.shape[0] if a_transposed else a.shape[1]
        processors = torch.cuda.get_device_properties(0).multi_processor_count
        is_wide = -(-m // ROWS) * -(-n // WIDE[0]) >= processors // 2
        columns, stages = WIDE if is_wide else NARROW
        tiles = (-(-m // ROWS), -(-n // columns))
        rounds = -(-tiles[0] * tiles[1] // processors)
        self.blocks = -(-tiles[0] * tiles[1] // rounds)
        stage_bytes = (ROWS + columns) * BOX * 2
        self.shared_bytes = OUTPUT_BYTES + stages * (stage_bytes + 20)
        layout = f"{not a_transposed}_{b_transposed}".lower()
        name = f"gemm{'' if is_wide else '_narrow'}_{NAMES[c.dtype]}_{layout}"
        self.function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(self.function), module, name.encode())
        call("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED_SIZE_BYTES, self.shared_bytes)
        product = Product(
            (ctypes.c_uint32 * 2)(*tiles),
            (ctypes.c_uint32 * 2)((m - 1) // BOX * BOX, (n - 1) // BOX * BOX),
            -(-k // BOX), 16 if k < 16384 else 12, 0, 1.0,
            Activation(float("-inf"), (ctypes.c_float * 2)(0, 0)),
        )
        self.keep = [tensor_map(c), tensor_map(a), tensor_map(b), product, ctypes.c_uint64(0)]
        self.arguments = (ctypes.c_void_p * 5)(*map(ctypes.addressof, self.keep))

    def __call__(self):
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        call(
            "cuLaunchKernel", self.function, self.blocks, 1, 1, THREADS, 1, 1,
            self.shared_bytes, stream, self.arguments, None,
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
    Gemm(module, c, own_a, own_b, a_transposed, b_transposed)()
    rows = torch.randperm(size[0], device="cuda")[:1024]
    exact = a[rows].double() @ b.double().t()
    error = ((c[rows].double() - exact).norm() / exact.norm()).item()
    if c.isnan().any() or not error < MOST_ERROR[dtype]:
        raise SystemExit(f"error: {size} {dtype}: the relative error is {error:.2e}")
    return error


def bursts(works, count, launches=10, pause=0.1):
    """Median seconds of a launch, of each."""
    times = {name: [] for name in works}
    for _ in range(count):
        for name in random.sample(list(works), len(works)):
            time.sleep(pause)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            for _ in range(2):
                works[name]()
            begin.record()
            for _ in range(launches):
                works[name]()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) / launches / 1e3)
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptx", required=True, help="the PTX of kernels-gpu for sm_90a")
    parser.add_argument("--compiled", help="the bundle's compiled.json, which has digests of the kernels")
    parser.add_argument("--out", help="write the results as JSON")
    arguments = parser.parse_args()
    torch.zeros(1, device="cuda")
    module = ctypes.c_void_p()
    with open(arguments.ptx, "rb") as file:
        call("cuModuleLoadData", ctypes.byref(module), file.read() + b"\0")
    for dtype in TYPES:
        for layout in ((False, True), (False, False), (True, True), (True, False)):
            for size in (ODD, (5000, 3000, 1000)):
                error = check(module, size, dtype, *layout)
                print(f"{size}, {NAMES[dtype]}, transposed {layout}: relative error {error:.2e}")
    rows = []
    print(f"{torch.cuda.get_device_name()}: M x N x K, TFLOP/s of cuBLAS and of gemm, ratio")
    for size in SIZES:
        error = check(module, size, torch.bfloat16)
        c, a, b = matrices(size, torch.bfloat16)
        of_cublas = torch.empty_like(c)
        works = {
            "cublas": lambda: torch.matmul(a, b.t(), out=of_cublas),
            "gemm": Gemm(module, c, a, b),
        }
        seconds = bursts(works, 9 if size[2] < 16384 else 5)
        rate = {name: 2 * size[0] * size[1] * size[2] / of / 1e12 for name, of in seconds.items()}
        ratio = rate["gemm"] / rate["cublas"]
        print(f"{size}: {rate['cublas']:.0f} {rate['gemm']:.0f} {ratio:.3f}", flush=True)
        rows.append({"size": size, "tflops": rate, "ratio": ratio, "relative_error": error})
    if arguments.out:
        with open(arguments.out, "w") as file:
            digests = {}
            if arguments.compiled:
                with open(arguments.compiled) as compiled:
                    of_arch = {made["arch"]: made["digests"] for made in json.load(compiled)}["sm_90a"]
                digests = {name: of_arch[name] for name in ("gemm_bf16_true_true", "gemm_narrow_bf16_true_true")}
            made = {
                "digests": digests,
                "device": torch.cuda.get_device_name(),
                "date": datetime.date.today().isoformat(),
                "torch": torch.__version__,
                "rows": rows,
            }
            json.dump(made, file, indent=2)
            file.write("\n")


if __name__ == "__main__":
    main()
