"""The kernels `attention_64`, `attention_128` and `attention_256` beside PyTorch's, on an NVIDIA Hopper GPU.

    python3 attention.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Every size is checked first: against float64, for some queries of each head, over results that were poisoned with NaN;
and sequences of different lengths, packed.
Then all run in bursts after a pause, in random order, and medians of bursts are compared. Numbers are N(0, 1). What
causal attention leaves out counts as no operation.
"""

import ctypes
import math

import torch
from beside import NAMES, TYPES, Launch, arguments, bursts, load, record, tensor_map
from torch.nn.attention import SDPBackend, sdpa_kernel

BOX, ROWS, L2_BYTES = 64, 64, 32 << 20
# Warpgroups that multiply, keys of a tile, stages in shared memory, and slots for queries there, by elements of a head.
TILES = {64: (3, 128, 6, 2), 128: (2, 128, 5, 2), 256: (2, 64, 5, 1)}
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
# Sequences, positions, heads, heads of keys, elements of a head: 16384 positions together.
SIZES = [
    (16384 // length, length, 2048 // elements, 2048 // elements, elements)
    for elements in (128, 64, 256)
    for length in (2048, 4096, 8192, 16384)
]
# Queries and keys that are not multiples of a tile, with shared heads of keys.
ODD = (2, 1000, 1111, 6, 2)
# Queries and keys of packed sequences.
PACKED = [(1, 1), (1000, 1111), (0, 7), (128, 128), (2000, 300), (300, 2000)]
MOST_ERROR = {torch.bfloat16: 5e-3, torch.float16: 7e-4}


class Sequences(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("queries", "keys")),
        ("packed", ctypes.c_uint32 * 2),
        *((name, ctypes.c_uint32) for name in ("heads", "sharing", "all_heads", "group")),
        ("scale", ctypes.c_float),
    ]


def head_map(tensor, rows):
    """Of heads with their elements, positions and sequences, innermost first."""
    sequences, positions, heads, elements = tensor.shape
    return tensor_map(tensor, (heads * elements, positions, sequences), (BOX, rows, 1))


def attention(module, results, q, k, v, logarithms, is_causal, packed=None):
    """As `kernels_gpu::attention::Attention` launches it; `packed` has the queries and keys of each sequence."""
    sequences, queries, heads, elements = q.shape
    keys, key_heads = k.shape[1:3]
    of_all, starts = (0, 0), [logarithms] * 2
    if packed:
        of_all, sequences = (queries, keys), len(packed)
        queries, keys = (max(lengths) for lengths in zip(*packed))
        starts = [torch.tensor([0, *lengths], device="cuda").cumsum(0).int() for lengths in zip(*packed)]
    warpgroups, tile, stages, slots = TILES[elements]
    sharing, all_heads = heads // key_heads, heads * sequences
    in_l2 = max(1, L2_BYTES // (4 * keys * elements))
    scale = math.log2(math.e) / math.sqrt(elements)
    items = -(-queries // (ROWS * warpgroups)) * all_heads
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    rounds = 1 if packed else -(-items // processors)
    launch = Launch(
        module,
        f"attention_{elements}_{NAMES[q.dtype]}_{str(is_causal).lower()}",
        -(-items // rounds),
        128 * (1 + warpgroups),
        (warpgroups * slots * ROWS + stages * tile) * elements * 2 + 1024 + stages * 20,
        [
            head_map(results, ROWS),
            head_map(q, ROWS),
            head_map(k, tile),
            head_map(v, tile),
            Sequences(queries, keys, of_all, heads, sharing, all_heads, min(in_l2 * sharing, all_heads), scale),
            *(ctypes.c_uint64(tensor.data_ptr()) for tensor in (logarithms, results, *starts)),
        ],
        follows=True,
    )
    launch.starts = starts
    return launch


def tensors(sequences, queries, keys, heads, key_heads, elements, dtype):
    def random(positions, heads):
        return torch.randn(sequences, positions, heads, elements, device="cuda").to(dtype)

    q, k, v = random(queries, heads), random(keys, key_heads), random(keys, key_heads)
    logarithms = torch.full((sequences, heads, queries), float("nan"), device="cuda")
    return torch.full_like(q, float("nan")), q, k, v, logarithms


def check(module, sizes, dtype, is_causal):
    """The relative error against float64, of up to 64 queries of each head."""
    results, q, k, v, logarithms = tensors(*sizes, dtype)
    attention(module, results, q, k, v, logarithms, is_causal)()
    return compare(sizes, dtype, is_causal, results, q, k, v, logarithms)


def check_packed(module, heads, key_heads, elements, dtype, is_causal):
    queries, keys = (sum(lengths) for lengths in zip(*PACKED))
    results, q, k, v, logarithms = tensors(1, queries, keys, heads, key_heads, elements, dtype)
    attention(module, results, q, k, v, logarithms, is_causal, PACKED)()
    worst, first_query, first_key = 0.0, 0, 0
    for queries, keys in PACKED:
        of_queries, of_keys = slice(first_query, first_query + queries), slice(first_key, first_key + keys)
        if queries:
            tensors_of = results[:, of_queries], q[:, of_queries], k[:, of_keys], v[:, of_keys], logarithms[:, :, of_queries]
            sizes = (1, queries, keys, heads, key_heads, elements)
            worst = max(worst, compare(sizes, dtype, is_causal, *tensors_of))
        first_query, first_key = of_queries.stop, of_keys.stop
    return worst


def compare(sizes, dtype, is_causal, results, q, k, v, logarithms):
    sequences, queries, keys, heads, key_heads, elements = sizes
    if results.isnan().any() or logarithms.isnan().any():
        raise SystemExit(f"error: {sizes} {dtype}: some results are missing")
    rows = torch.randperm(queries, device="cuda")[:64]
    wrong, length = 0.0, 0.0
    for sequence in range(sequences):
        for head in range(heads):
            of_keys = head // (heads // key_heads)
            scores = q[sequence, rows, head].double() @ k[sequence, :, of_keys].double().t() / math.sqrt(elements)
            if is_causal:
                last = rows + keys - queries
                scores[torch.arange(keys, device="cuda") > last[:, None]] = float("-inf")
            exact = scores.softmax(-1).nan_to_num() @ v[sequence, :, of_keys].double()
            wrong += (results[sequence, rows, head].double() - exact).square().sum().item()
            length += exact.square().sum().item()
            of_sums = logarithms[sequence, head, rows].double()
            if not torch.allclose(of_sums, scores.logsumexp(-1), rtol=1e-5, atol=1e-5):
                raise SystemExit(f"error: {sizes} {dtype}: the logarithms are wrong")
    error = math.sqrt(wrong / length) if length else 0.0
    if not error < MOST_ERROR[dtype]:
        raise SystemExit(f"error: {sizes} {dtype}: the relative error is {error:.2e}")
    return error


def torch_works(q, k, v, is_causal):
    """PyTorch's, by those backends that take these tensors."""
    views = [tensor.transpose(1, 2) for tensor in (q, k, v)]

    def work(backend):
        def run():
            with sdpa_kernel(backend):
                torch.nn.functional.scaled_dot_product_attention(*views, is_causal=is_causal)

        return run

    works = {name: work(backend) for name, backend in BACKENDS.items()}
    for name in list(works):
        try:
            works[name]()
        except RuntimeError as error:
            print(f"{name} does not take {tuple(q.shape)}: {error}")
            del works[name]
    return works


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    for dtype in TYPES:
        for elements in TILES:
            for is_causal in (False, True):
                sequences, *positions, heads, key_heads = ODD
                for queries, keys in (positions, positions[::-1]):
                    sizes = (sequences, queries, keys, heads, key_heads, elements)
                    error = check(module, sizes, dtype, is_causal)
                    print(f"{sizes}, {NAMES[dtype]}, causal {is_causal}: relative error {error:.2e}")
                error = check_packed(module, heads, key_heads, elements, dtype, is_causal)
                print(f"packed, {elements}, {NAMES[dtype]}, causal {is_causal}: relative error {error:.2e}")
    rows = []
    print(f"{torch.cuda.get_device_name()}: sequences, positions, heads, heads of keys, elements; TFLOP/s")
    for size in SIZES:
        sequences, length, heads, key_heads, elements = size
        for is_causal in (False, True):
            sizes = (sequences, length, length, heads, key_heads, elements)
            error = check(module, sizes, torch.bfloat16, is_causal)
            results, q, k, v, logarithms = tensors(*sizes, torch.bfloat16)
            works = torch_works(q, k, v, is_causal)
            works["attention"] = attention(module, results, q, k, v, logarithms, is_causal)
            seconds = bursts(works, 7)
            operations = 4 * sequences * heads * elements * length**2 / (2 if is_causal else 1)
            rate = {name: operations / of / 1e12 for name, of in seconds.items()}
            others = [of for name, of in rate.items() if name != "attention"]
            ratio = rate["attention"] / max(others) if others else None
            rates = ", ".join(f"{name} {of:.0f}" for name, of in rate.items())
            print(f"{size}, causal {is_causal}: {rates}; ratio {ratio and round(ratio, 3)}", flush=True)
            row = {"size": size, "causal": is_causal, "tflops": rate, "ratio": ratio, "relative_error": error}
            rows.append(row)
    if options.out:
        kernels = [f"attention_{elements}_bf16_{causal}" for elements in TILES for causal in ("false", "true")]
        record(options.out, options.compiled, kernels, rows)


if __name__ == "__main__":
    main()
