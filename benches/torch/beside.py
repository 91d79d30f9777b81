"""Launches kernels of `kernels-gpu` beside PyTorch's, and measures both."""

import argparse
import ctypes
import datetime
import json
import random
import statistics
import subprocess
import time

import torch

NAMES = {torch.bfloat16: "bf16", torch.float16: "f16"}
# CUtensorMapDataType
TYPES = {torch.bfloat16: 9, torch.float16: 6}
MAP_TYPES = TYPES | {torch.float8_e4m3fn: 0, torch.float32: 7}
# Some two milliseconds.
WAIT_CYCLES = 4_000_000
PROGRAMMATIC_STREAM_SERIALIZATION = 6
MAX_DYNAMIC_SHARED_SIZE_BYTES, SWIZZLE_128B = 8, 3
PROMOTION_128B, PROMOTION_256B = 2, 3

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise SystemExit(f"error: {name}: {text.value.decode()}")


def arguments(description):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--ptx", required=True, help="the PTX of kernels-gpu for sm_90a")
    parser.add_argument("--compiled", help="the bundle's compiled.json, which has digests of the kernels")
    parser.add_argument("--out", help="write the results as JSON")
    return parser.parse_args()


def load(ptx):
    """The module of a file, in PyTorch's context."""
    torch.zeros(1, device="cuda")
    module = ctypes.c_void_p()
    with open(ptx, "rb") as file:
        call("cuModuleLoadData", ctypes.byref(module), file.read() + b"\0")
    return module


def tensor_map(tensor, extents, box, swizzle=SWIZZLE_128B, promotion=PROMOTION_128B):
    """Encodes a map of contiguous elements, innermost first; rows of 128 bytes in shared memory are swizzled by default."""
    rank = len(extents)
    strides, stride = [], tensor.element_size()
    for extent in extents[:-1]:
        stride *= extent
        strides.append(stride)
    memory = ctypes.create_string_buffer(128 + 64)
    aligned = (ctypes.addressof(memory) + 63) // 64 * 64
    call(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(aligned),
        MAP_TYPES[tensor.dtype],
        rank,
        ctypes.c_void_p(tensor.data_ptr()),
        (ctypes.c_uint64 * rank)(*extents),
        (ctypes.c_uint64 * (rank - 1))(*strides),
        (ctypes.c_uint32 * rank)(*box),
        (ctypes.c_uint32 * rank)(*[1] * rank),
        0,
        swizzle,
        promotion,
        0,
    )
    encoded = (ctypes.c_uint8 * 128).from_address(aligned)
    encoded.memory = memory
    return encoded


class Divisor(ctypes.Structure):
    _fields_ = [("divisor", ctypes.c_uint32), ("factor", ctypes.c_uint32), ("shift", ctypes.c_uint32)]

    def __init__(self, divisor):
        shift = 31 + (divisor - 1).bit_length()
        super().__init__(divisor, -(-(1 << shift) // divisor), shift)


class Tiling(ctypes.Structure):
    """`kernels_gpu::product::Tiling`"""

    _fields_ = [
        ("tiles", ctypes.c_uint32 * 2),
        ("last_boxes", ctypes.c_uint32 * 2),
        ("stages", ctypes.c_uint32),
        ("group", Divisor),
        ("last_group", Divisor),
        ("in_group", Divisor),
    ]

    def __init__(self, tiles, last_boxes, stages, k):
        group = 16 if k < 16384 else 12
        divisors = group, tiles[0] % group or group, group * tiles[1]
        super().__init__(tiles, last_boxes, stages, *map(Divisor, divisors))


class Attribute(ctypes.Structure):
    """CUlaunchAttribute"""

    _fields_ = [("id", ctypes.c_int), ("padding", ctypes.c_int), ("value", ctypes.c_int * 16)]


class Config(ctypes.Structure):
    """CUlaunchConfig"""

    _fields_ = [
        ("shape", ctypes.c_uint32 * 7),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("attribute_count", ctypes.c_uint32),
    ]


class Launch:
    """Of a kernel: blocks and threads in one dimension, and arguments that are ctypes values. One that `follows` begins
    while the kernel before ends, for which it waits itself."""

    def __init__(self, module, name, blocks, threads, shared_bytes, arguments, follows=False):
        self.function = ctypes.c_void_p()
        call("cuModuleGetFunction", ctypes.byref(self.function), module, name.encode())
        call("cuFuncSetAttribute", self.function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared_bytes)
        self.config = Config(shape=(blocks, 1, 1, threads, 1, 1, shared_bytes), attribute_count=int(follows))
        self.config.attributes = ctypes.pointer(Attribute(id=PROGRAMMATIC_STREAM_SERIALIZATION, value=(1,)))
        self.keep = arguments
        self.arguments = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))

    def __call__(self):
        self.config.stream = torch.cuda.current_stream().cuda_stream
        call("cuLaunchKernelEx", ctypes.byref(self.config), self.function, self.arguments, None)


def relative_error(what, results, rows, exact, most):
    """The error of these rows against exact ones; ends the program if it is not below `most`, or a result is NaN."""
    error = ((results[rows].double() - exact).norm() / exact.norm()).item()
    if results.isnan().any() or not error < most:
        raise SystemExit(f"error: {what}: the relative error is {error:.2e}")
    return error


def bursts(works, count, launches=10, pause=0.1):
    """Median seconds of a launch, of each. The GPU waits until a burst is queued: no launch waits for Python."""
    times = {name: [] for name in works}
    for _ in range(count):
        for name in random.sample(list(works), len(works)):
            time.sleep(pause)
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            torch.cuda._sleep(WAIT_CYCLES)
            for _ in range(2):
                works[name]()
            begin.record()
            for _ in range(launches):
                works[name]()
            end.record()
            torch.cuda.synchronize()
            times[name].append(begin.elapsed_time(end) / launches / 1e3)
    return {name: statistics.median(all_times) for name, all_times in times.items()}


def driver():
    """The version of the driver."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader", "--id=0"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def record(out, compiled, kernels, rows, **more):
    """Writes the rows as JSON, with the digests of these kernels, and what else the record has."""
    digests = {}
    if compiled:
        with open(compiled) as file:
            of_arch = {made["arch"]: made["digests"] for made in json.load(file)}["sm_90a"]
        digests = {name: of_arch[name] for name in kernels}
    made = {
        "digests": digests,
        "device": torch.cuda.get_device_name(),
        "driver": driver(),
        "date": datetime.date.today().isoformat(),
        "torch": torch.__version__,
        **more,
    }
    head = [f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in made.items()]
    rows = ",\n".join(json.dumps(row) for row in rows)
    with open(out, "w") as file:
        file.write("{\n" + "".join(head) + f'"rows": [\n{rows}\n]\n}}\n')
