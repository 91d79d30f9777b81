"""The kernels of `attention_decode` beside PyTorch's attention and cuDNN's, on an NVIDIA Hopper GPU.

    python3 attention_decode.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

All are checked first: against float64, with lengths of all kinds, over results that were poisoned with NaN, in a
cache whose unused keys and values are NaN; and a second launch has to give the same bits. Then all run in bursts
after a pause, in random order, and medians of bursts are compared. Numbers are N(0, 1). Bytes are those of the keys
and values. The copy reads half as many and writes them. PyTorch has the keys and values in one piece and no mask;
where it is `packed`, the heads that share a head of keys are queries of one head, and where not, heads are shared by
`enable_gqa`. `cudnn_paged` has the same pages, where the package cudnn is installed. A cache of e4m3 has half the bytes;
the others have no e4m3 beside queries of bf16, and read a cache of bf16 in the same run.
"""

import ctypes
import math

import torch
from beside import (
    MAP_TYPES, NAMES, PROMOTION_128B, Launch, arguments, bursts, call, load, record, relative_error,
)
from torch.nn.attention import SDPBackend, sdpa_kernel

ELEMENTS, ROWS = 128, 64
# Keys of a tile, tiles in shared memory that are loaded and, if the cache is e4m3, tiles of values that are converted and tiles of
# keys, by the bytes of an element and the number of warpgroups that multiply.
STAGES = {(2, 1): (64, 6, 0, 0), (2, 2): (64, 12, 0, 0), (1, 1): (64, 4, 2, 3), (1, 2): (128, 4, 2, 4)}
E4M3 = torch.float8_e4m3fn
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
SWIZZLE_128B = 3
# Sequences, keys of each, heads, heads of keys, keys of a page; and numbers of queries.
SIZES = [
    ((32, 8192, 32, 8, 64), (1, 2, 4, 8, 16)),
    ((32, 8192, 32, 8, 16), (1, 8)),
    ((32, 8192, 32, 8, 128), (1, 8)),
    ((32, 8192, 64, 8, 64), (1, 8, 16)),
    ((32, 8192, 8, 8, 64), (1, 16)),
    ((1, 131072, 32, 8, 64), (1,)),
    ((256, 1024, 32, 8, 64), (1,)),
    ((33, 5000, 32, 8, 64), (1,)),
]
# Beside a cache of e4m3, queries have eight bits.
MOST_ERROR = {torch.bfloat16: 5e-3, torch.float16: 7e-4, E4M3: 5e-3}


class Extents(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint32) for name in ("sequences", "queries", "key_heads", "sharing", "row_blocks")),
        *((name, ctypes.c_uint32) for name in ("page_shift", "pages")),
        *((name, ctypes.c_float) for name in ("scale", "value_scale")),
    ]


def page_map(cache, by_heads, in_box):
    """Of the elements of a head, keys of a page, heads and pages, innermost first."""
    size = cache.element_size()
    keys, heads = (2, 1) if by_heads else (1, 2)
    memory = ctypes.create_string_buffer(128 + 64)
    aligned = (ctypes.addressof(memory) + 63) // 64 * 64
    call(
        "cuTensorMapEncodeTiled",
        ctypes.c_void_p(aligned),
        MAP_TYPES[cache.dtype],
        4,
        ctypes.c_void_p(cache.data_ptr()),
        (ctypes.c_uint64 * 4)(*(cache.shape[dim] for dim in (3, keys, heads, 0))),
        (ctypes.c_uint64 * 3)(*(cache.stride(dim) * size for dim in (keys, heads, 0))),
        (ctypes.c_uint32 * 4)(128 // size, in_box, 1, 1),
        (ctypes.c_uint32 * 4)(1, 1, 1, 1),
        0,
        SWIZZLE_128B,
        PROMOTION_128B,
        0,
    )
    encoded = (ctypes.c_uint8 * 128).from_address(aligned)
    encoded.memory = memory
    return encoded


def decode(module, results, q, cache, table, lengths, by_heads=False, scales=(1.0, 1.0)):
    """As `kernels_gpu::attention_decode::AttentionDecode` launches it, with factors of the keys and of the values."""
    sequences, queries, heads, _ = q.shape
    keys, key_heads = (cache[0].shape[dim] for dim in ((2, 1) if by_heads else (1, 2)))
    sharing = heads // key_heads
    rows = sharing * queries
    warpgroups = 2 if rows > ROWS else 1
    row_blocks = -(-rows // (ROWS * warpgroups))
    element_bytes = cache[0].element_size()
    tile, loaded, converted, of_keys = STAGES[element_bytes, warpgroups]
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    items = sequences * key_heads * row_blocks
    most = min(items * max(1, -(-table.shape[1] * keys // tile)), processors * (3 - warpgroups))
    enough = range(most, most - most // 8 - 1, -1)
    blocks = next((blocks for blocks in enough if items % blocks == 0 or blocks % items == 0), most)
    warps = min(-(-rows // 16), 4 * warpgroups)
    partials = torch.full((2 * blocks * warps * 16 * (ELEMENTS + 8),), float("nan"), device="cuda")
    counters = torch.zeros(blocks * warps, dtype=torch.int32, device="cuda")
    logarithms = torch.full((sequences, queries, heads), float("nan"), device="cuda")
    is_short = keys < 64
    scale = scales[0] * math.log2(math.e) / math.sqrt(ELEMENTS)
    shared_bytes = 2 * warpgroups * ROWS * ELEMENTS + (2 * converted + element_bytes * loaded) * tile * ELEMENTS
    if converted:
        # Tiles of keys with barriers and numbers of stages, up to a multiple of 1024 bytes; those of values, up to one of 8; a
        # factor for each row, and two barriers.
        shared_bytes += -(-of_keys * (tile * ELEMENTS + 20) // 1024) * 1024
        shared_bytes += -(-20 * loaded // 8) * 8 + 16 * converted + 4 * ROWS * warpgroups + 16
    else:
        shared_bytes += 20 * loaded
    launch = Launch(
        module,
        f"attention_decode{'_fp8' if converted else ''}{'_short' * is_short}{'_wide' * (warpgroups - 1)}_{NAMES[q.dtype]}",
        blocks,
        128 * (1 + warpgroups),
        shared_bytes,
        [
            *(page_map(part, by_heads, 16 if is_short else 64) for part in cache),
            Extents(
                sequences, queries, key_heads, sharing, row_blocks, keys.bit_length() - 1, table.shape[1], scale, scales[1]
            ),
            *(
                ctypes.c_uint64(tensor.data_ptr())
                for tensor in (results, logarithms, q, lengths, table, partials, counters)
            ),
        ],
        follows=True,
    )
    launch.tensors = partials, counters, logarithms, results, q, *cache, lengths, table
    return launch


def check(module, lengths, queries, heads, key_heads, page, dtype, of_cache, by_heads):
    """The relative error against float64."""
    sequences = len(lengths)
    table_width = -(-max(lengths) // page) + 1
    pages = sequences * table_width
    table = torch.randperm(pages, device="cuda").int().view(sequences, table_width)
    shape = (pages, key_heads, page, ELEMENTS) if by_heads else (pages, page, key_heads, ELEMENTS)
    cache = [torch.full(shape, float("nan"), device="cuda").to(of_cache) for _ in range(2)]
    scales = (0.5, 0.25) if of_cache == E4M3 else (1.0, 1.0)
    q = torch.randn(sequences, queries, heads, ELEMENTS, device="cuda").to(dtype)
    results, exact = torch.full_like(q, float("nan")), torch.zeros_like(q, dtype=torch.float64)
    exact_logarithms = torch.full(q.shape[:3], -math.inf, device="cuda", dtype=torch.float64)
    for number, length in enumerate(lengths):
        if not length:
            continue
        kv = [(torch.randn(length, key_heads, ELEMENTS, device="cuda") / of).to(of_cache) for of in scales]
        for key in range(0, length, page):
            for part, new in zip(cache, kv):
                of_page = new[key : key + page]
                at = part[table[number, key // page]]
                (at.transpose(0, 1) if by_heads else at)[: len(of_page)] = of_page
        k, v = (part.double() * of for part, of in zip(kv, scales))
        k, v = (part.repeat_interleave(heads // key_heads, 1).transpose(0, 1) for part in (k, v))
        scores = q[number].double().transpose(0, 1) @ k.transpose(1, 2) / math.sqrt(ELEMENTS)
        seen = torch.arange(length, device="cuda") < length - queries + 1 + torch.arange(queries, device="cuda")[:, None]
        scores = scores.masked_fill(~seen, -math.inf)
        exact_logarithms[number] = scores.logsumexp(-1).t()
        weights = scores.softmax(-1).nan_to_num(0.0)
        exact[number] = (weights @ v).transpose(0, 1)
    of_lengths = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    launch = decode(module, results, q, cache, table, of_lengths, by_heads, scales)
    launch()
    what = f"{lengths} {queries} {heads} of {key_heads} pages of {page} {dtype} {of_cache} {by_heads}"
    torch.cuda.synchronize()
    most_error = MOST_ERROR[E4M3 if of_cache == E4M3 else dtype]
    error = relative_error(what, results, slice(None), exact, most_error)
    difference = launch.tensors[2] - exact_logarithms
    most_difference = 1e-2 if of_cache == E4M3 else 1e-3
    if not difference.nan_to_num(0.0).abs().max() < most_difference or not launch.tensors[2].isneginf().equal(exact_logarithms.isneginf()):
        raise SystemExit(f"error: {what}: the logarithms differ")
    if launch.tensors[1].any():
        raise SystemExit(f"error: {what}: counters are not zero")
    first = results.clone()
    for _ in range(3):
        results.fill_(float("nan"))
        launch()
        if not results.equal(first):
            raise SystemExit(f"error: {what}: the results differ from launch to launch")
    return error


def check_all(module):
    lengths = [1000, 1, 0, 64, 129, 4096, 17, 63, 2000, 300]
    worst = 0
    for of_cache in (torch.bfloat16, E4M3):
        worst = max(worst, check(module, [70000], 1, 8, 1, 64, torch.bfloat16, of_cache, False))
    for page in (16, 32, 64, 128):
        for dtype in NAMES:
            for queries, heads, key_heads in ((1, 4, 2), (1, 8, 8), (3, 8, 2), (16, 4, 1), (16, 16, 2), (16, 24, 1)):
                for of_cache in (dtype, E4M3):
                    case = queries, heads, key_heads, page, dtype, of_cache, queries == 3
                    worst = max(worst, check(module, lengths, *case))
    return worst


def vendor(backend, q, k, v):
    def run():
        with sdpa_kernel(BACKENDS[backend]):
            torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    return run


def cudnn_paged(q, cache, table, lengths):
    """By the package cudnn (nvidia-cudnn-frontend), without a mask."""
    import cudnn

    handle = cudnn.create_handle()
    of_float = cudnn.data_type.FLOAT
    graph = cudnn.pygraph(
        io_data_type=cudnn.data_type.BFLOAT16, intermediate_data_type=of_float, compute_data_type=of_float, handle=handle
    )
    sequences, queries = q.shape[:2]
    results = torch.empty_like(q).transpose(1, 2)
    pages = table.view(sequences, 1, -1, 1)
    of_lengths = [one.view(-1, 1, 1, 1) for one in (torch.full_like(lengths, queries), lengths)]
    given = [*(tensor.transpose(1, 2) for tensor in (q, *cache)), pages, pages, *of_lengths]
    names = ("q", "k", "v", "paged_attention_k_table", "paged_attention_v_table", "seq_len_q", "seq_len_kv")
    tensors = [graph.tensor_like(tensor) for tensor in given]
    output, _ = graph.sdpa(
        name="sdpa",
        is_inference=True,
        attn_scale=1 / math.sqrt(ELEMENTS),
        use_padding_mask=True,
        paged_attention_max_seq_len_kv=table.shape[1] * cache[0].shape[1],
        **dict(zip(names, tensors)),
    )
    output.set_output(True).set_dim(results.shape).set_stride(results.stride())
    graph.validate()
    graph.build_operation_graph()
    graph.create_execution_plans([cudnn.heur_mode.A])
    graph.check_support()
    graph.build_plans()
    workspace = torch.empty(max(1, graph.get_workspace_size()), device="cuda", dtype=torch.uint8)
    pack = {**dict(zip(tensors, given)), output: results}

    def run():
        cudnn.set_stream(handle, torch.cuda.current_stream().cuda_stream)
        graph.execute(pack, workspace, handle=handle)

    return run


def works_of(module, sequences, keys, heads, key_heads, page, queries):
    pages = -(-keys // page)
    table = torch.randperm(sequences * pages, device="cuda").int().view(sequences, pages)
    shape = (sequences * pages, page, key_heads, ELEMENTS)
    cache = [torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(2)]
    lengths = torch.full((sequences,), keys, dtype=torch.int32, device="cuda")
    q = torch.randn(sequences, queries, heads, ELEMENTS, device="cuda", dtype=torch.bfloat16)
    copied = torch.empty(sequences * keys * key_heads * ELEMENTS, dtype=torch.bfloat16, device="cuda").normal_()
    destination = torch.empty_like(copied)
    works = {
        "attention_decode": decode(module, torch.empty_like(q), q, cache, table, lengths),
        "attention_decode_fp8": decode(module, torch.empty_like(q), q, [part.to(E4M3) for part in cache], table, lengths),
        "copy": lambda: destination.copy_(copied),
    }
    k, v = (part.view(-1)[: copied.numel()].view(sequences, keys, key_heads, ELEMENTS).transpose(1, 2) for part in cache)
    packed = q.view(sequences, queries, key_heads, -1, ELEMENTS).transpose(1, 2)
    packed = packed.reshape(sequences, key_heads, -1, ELEMENTS)
    for name in BACKENDS:
        works[name] = vendor(name, q.transpose(1, 2), k, v)
        works[f"{name}_packed"] = vendor(name, packed, k, v)
    try:
        works["cudnn_paged"] = cudnn_paged(q, cache, table, lengths)
    except ImportError:
        pass
    return works, 2 * copied.numel() * copied.element_size()


def main():
    options = arguments(__doc__)
    module = load(options.ptx)
    error = check_all(module)
    print(f"relative error {error:.2e}", flush=True)
    rows = []
    for size, all_queries in SIZES:
        for queries in all_queries:
            works, kv_bytes = works_of(module, *size, queries)
            times = bursts(works, 7, launches=5, pause=0.03)
            times["attention_decode_fp8"] *= 2
            rates = {name: kv_bytes / seconds / 1e9 for name, seconds in times.items()}
            of_copy = rates["attention_decode"] / rates["copy"]
            fp8_of_copy = rates["attention_decode_fp8"] / rates["copy"]
            of_copies = {"of_copy": of_copy, "fp8_of_copy": fp8_of_copy}
            rows.append({"size": size, "queries": queries, "gb_per_s": rates, **of_copies})
            print(f"{size} {queries} {of_copy:.3f} {fp8_of_copy:.3f}", *(f"{name} {rate:.0f}" for name, rate in rates.items()), flush=True)
    if options.out:
        names = ("", "_wide", "_short", "_short_wide")
        kernels = [f"attention_decode{cache}{name}_bf16" for cache in ("", "_fp8") for name in names]
        record(options.out, options.compiled, kernels, rows, relative_error=error)


if __name__ == "__main__":
    main()
