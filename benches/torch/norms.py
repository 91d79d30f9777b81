"""The kernels `rms_norm`, `layer_norm` and `softmax` beside PyTorch's and a copy, on an NVIDIA Hopper GPU.

    python3 norms.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, for some rows, over results that were poisoned with NaN. Then all run in
bursts after a pause, in random order, and medians of bursts are compared. Numbers are N(0, 1). Bytes are those of the
rows, once in and once out.
"""

import ctypes
import time

import torch
from beside import Launch, arguments, bursts, load, record, relative_error
from torch.nn import functional

NAMES = {torch.bfloat16: "bf16", torch.float32: "f32"}
# Maximum row length in bytes with one row per warp of a block, and the number of these warps; maximum length of a
# short row.
WARP_BYTES, WARPS, SHORT_BYTES = 2 << 10, 4, 16 << 10
# The bytes within which longer rows begin that a multiprocessor has at once, for all kernels but one.
AT_ONCE, UNLIMITED = 96 << 10, "layer_norm"
EPSILON = 1e-5
# Parameters of a column, by kernel.
PARAMETERS = {"rms_norm": 1, "layer_norm": 2, "softmax": 0}
LENGTHS = (1024, 4096, 8192, 16384)
SIZES = [
    *((torch.bfloat16, rows, length) for rows in (8192, 32768, 65536) for length in LENGTHS),
    (torch.bfloat16, 32768, 24576),
    (torch.bfloat16, 32768, 32768),
    (torch.float32, 32768, 4096),
    (torch.float32, 32768, 8192),
    (torch.float32, 32768, 16384),
]
# Sizes of warps with a rest, of longer rows with and without one, and of few rows.
ODD = [(1, 256), (5001, 272), (3000, 1032), (1001, 4104), (1000, 8200), (300, 16392), (200, 32768)]
# torch.compile compiles for each length, at this number of rows, within this number of seconds.
COMPILED_ROWS, COMPILE_SECONDS = 32768, 35
MOST_ERROR = {torch.bfloat16: 2.5e-3, torch.float32: 1e-6}


class Rows(Launch):
    """Of one of the kernels, as `kernels_gpu::rows::Rows` launches it."""

    def __init__(self, module, kernel, dst, src, parameters):
        rows, length = src.shape
        row_bytes = length * src.element_size()
        is_short = row_bytes <= SHORT_BYTES
        rows_of_block = WARPS if row_bytes <= WARP_BYTES else 1
        threads = rows_of_block * -(-row_bytes // (64 if is_short else 128) // 32) * 32
        shared_bytes = rows_of_block * row_bytes
        if kernel != UNLIMITED and not is_short:
            at_once = max(2, -(-AT_ONCE // row_bytes))
            shared_bytes = max(shared_bytes, (228 << 10) // at_once - (2 << 10))
        self.tensors = [dst, src, *parameters]
        values = [
            *(ctypes.c_uint64(tensor.data_ptr()) for tensor in self.tensors),
            ctypes.c_uint32(length),
            ctypes.c_uint32(rows),
            *([] if kernel == "softmax" else [ctypes.c_float(EPSILON)]),
        ]
        name = kernel + ("_short_" if is_short else "_") + NAMES[src.dtype]
        super().__init__(module, name, -(-rows // rows_of_block), threads, shared_bytes, values, follows=True)


def torch_function(kernel, x, parameters):
    if kernel == "rms_norm":
        return functional.rms_norm(x, x.shape[1:], *parameters, EPSILON)
    if kernel == "layer_norm":
        return functional.layer_norm(x, x.shape[1:], *parameters, EPSILON)
    return functional.softmax(x, -1)


def exact(kernel, x, parameters):
    """In float64, by the definitions."""
    x, parameters = x.double(), [parameter.double() for parameter in parameters]
    if kernel == "softmax":
        powers = (x - x.amax(1, keepdim=True)).exp()
        return powers / powers.sum(1, keepdim=True)
    distance = x if kernel == "rms_norm" else x - x.mean(1, keepdim=True)
    results = distance / (distance.square().mean(1, keepdim=True) + EPSILON).sqrt()
    for parameter, apply in zip(parameters, (torch.mul, torch.add)):
        results = apply(results, parameter)
    return results


def tensors(kernel, dtype, rows, length):
    def random(*shape):
        return torch.randn(*shape, device="cuda", dtype=dtype)

    x = random(rows, length)
    return torch.full_like(x, float("nan")), x, [random(length) for _ in range(PARAMETERS[kernel])]


def check(kernel, work, dst, src, parameters):
    """The relative error against float64, of up to 256 rows."""
    work()
    rows = torch.randperm(src.shape[0], device="cuda")[:256]
    of_rows = exact(kernel, src[rows], parameters)
    return relative_error(f"{kernel} {tuple(src.shape)} {src.dtype}", dst, rows, of_rows, MOST_ERROR[src.dtype])


def torch_works(kernel, src, parameters, is_compiled):
    """PyTorch's, as far as they work here."""
    works = {"clone": src.clone, "eager": lambda: torch_function(kernel, src, parameters)}
    if is_compiled:
        # Without it, the ninth size would not be compiled.
        torch.compiler.reset()
        compiled = torch.compile(torch_function, dynamic=False)
        works["compiled"] = lambda: compiled(kernel, src, parameters)
    for name in list(works):
        try:
            works[name]()
            torch.cuda.synchronize()
        except Exception as error:
            print(f"{kernel} {tuple(src.shape)}: {name} fails: {(str(error).splitlines() or [error])[0]}", flush=True)
            del works[name]
    return works


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    start = time.monotonic()
    for kernel in PARAMETERS:
        for dtype in NAMES:
            for rows, length in ODD:
                dst, src, parameters = tensors(kernel, dtype, rows, length)
                error = check(kernel, Rows(module, kernel, dst, src, parameters), dst, src, parameters)
                print(f"{kernel} {rows} x {length}, {NAMES[dtype]}: relative error {error:.2e}")
    rows = []
    print(f"{torch.cuda.get_device_name()}: rows x elements, GB/s")
    for dtype, count, length in SIZES:
        for kernel in PARAMETERS:
            dst, src, parameters = tensors(kernel, dtype, count, length)
            work = Rows(module, kernel, dst, src, parameters)
            error = check(kernel, work, dst, src, parameters)
            is_compiled = count == COMPILED_ROWS and time.monotonic() - start < COMPILE_SECONDS
            works = torch_works(kernel, src, parameters, is_compiled)
            works[kernel] = work
            seconds = bursts(works, 3, pause=0.02)
            transferred = 2 * src.numel() * src.element_size()
            rate = {name: transferred / of / 1e9 for name, of in seconds.items()}
            ratio = {name: rate[kernel] / of for name, of in rate.items() if name != kernel}
            rates = ", ".join(f"{name} {of:.0f}" for name, of in rate.items())
            ratios = ", ".join(f"{name} {of:.3f}" for name, of in ratio.items())
            print(f"{kernel} {count} x {length} {NAMES[dtype]}: {rates}; ratio to {ratios}", flush=True)
            row = {"kernel": kernel, "type": NAMES[dtype], "size": (count, length)}
            rows.append({**row, "gb_per_s": rate, "ratio": ratio, "relative_error": error})
    if options.out:
        forms = [form for name in NAMES.values() for form in (f"short_{name}", name)]
        kernels = [f"{kernel}_{form}" for kernel in PARAMETERS for form in forms]
        record(options.out, options.compiled, kernels, rows)


if __name__ == "__main__":
    main()
