"""The kernels of `attention_backward` beside PyTorch's, on an NVIDIA Hopper GPU.

    python3 attention_backward.py --ptx kernels/sm_90a.ptx [--compiled compiled.json] [--out FILE]

Gradients are checked first against float64, over results that were poisoned with NaN, and the ordered form for the same
bits twice. Then all run in bursts after a pause, in random order, and medians of bursts are compared. Numbers are
N(0, 1). What causal attention leaves out counts as no operation.
"""

import ctypes
import math

import torch
from beside import NAMES, Launch, arguments, bursts, load, record, tensor_map
from torch.nn.attention import SDPBackend, sdpa_kernel

BOX, KEYS, THREADS, END_THREADS = 64, 128, 384, 256
FINISHED_TILES, LAG = 8, 264
SHARED_BYTES = 201728
BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
# Sequences, positions, heads, heads of keys, elements of a head: 16384 positions of 2048 elements together.
SIZES = [
    (16384 // length, length, 2048 // elements, 2048 // elements, elements)
    for elements in (64, 128)
    for length in (2048, 4096, 8192, 16384)
]
# Sequences, queries, keys, heads, heads of keys.
CHECKED = [(1, 64, 128, 1, 1), (2, 1000, 1111, 6, 2), (1, 777, 300, 4, 4), (1, 2048, 2048, 2, 1), (2, 4096, 4096, 2, 2)]
MOST_ERROR = {torch.bfloat16: 8e-3, torch.float16: 1e-3}


class Extents(ctypes.Structure):
    _fields_ = [
        *(
            (name, ctypes.c_uint32)
            for name in ("queries", "query_tiles", "keys", "key_heads", "sharing", "all_key_heads", "finishing", "lag")
        ),
        ("scale", ctypes.c_float),
        ("factor", ctypes.c_float),
    ]


def head_map(tensor):
    """Of heads with their elements, positions and sequences, innermost first."""
    sequences, positions, heads, elements = tensor.shape
    return tensor_map(tensor, (heads * elements, positions, sequences), (BOX, BOX, 1))


class Backward:
    """As `kernels_gpu::attention_backward::AttentionBackward` launches it."""

    def __init__(self, module, q, k, v, results, of_results, logarithms, is_causal, is_ordered=False):
        sequences, queries, heads, elements = q.shape
        keys, key_heads = k.shape[1:3]
        tile_queries = 8192 // elements
        query_tiles = -(-queries // tile_queries)
        self.gradients = [torch.full_like(tensor, float("nan")) for tensor in (q, k, v)]
        of_q, of_k, of_v = self.gradients
        tiles = sequences * heads * query_tiles
        self.statistics = torch.full((tiles * 2 * tile_queries,), float("nan"), device="cuda")
        self.sums = torch.zeros(tiles * tile_queries * elements, device="cuda")
        all_key_heads, sharing, key_tiles = key_heads * sequences, heads // key_heads, -(-keys // KEYS)
        self.counters = torch.full((tiles + all_key_heads,), -1, dtype=torch.int32, device="cuda")
        finishing = -(-query_tiles * sharing // FINISHED_TILES)
        lag = min(all_key_heads, -(-LAG // key_tiles))
        factor = 1 / math.sqrt(elements)
        extents = Extents(
            queries,
            query_tiles,
            keys,
            key_heads,
            sharing,
            all_key_heads,
            finishing,
            lag,
            factor * math.log2(math.e),
            factor,
        )
        name = NAMES[q.dtype]
        flags = f"{str(is_causal).lower()}_{str(is_ordered).lower()}"

        def at(*tensors):
            return [ctypes.c_uint64(tensor.data_ptr()) for tensor in tensors]

        memory = (self.statistics, self.sums, self.counters)
        self.launches = [
            Launch(
                module,
                f"attention_backward_prepare_{elements}_{name}",
                tiles,
                END_THREADS,
                0,
                [*at(self.statistics, self.counters, results, of_results, logarithms), extents],
            ),
            Launch(
                module,
                f"attention_backward_{elements}_{name}_{flags}",
                (key_tiles + finishing) * all_key_heads,
                THREADS,
                SHARED_BYTES,
                [*(head_map(tensor) for tensor in (of_k, of_v, q, k, v, of_results)), extents, *at(of_q, *memory)],
            ),
        ]

    def __call__(self):
        for launch in self.launches:
            launch()


def tensors(sequences, queries, keys, heads, key_heads, elements, dtype):
    def random(positions, heads):
        return torch.randn(sequences, positions, heads, elements, device="cuda").to(dtype)

    return random(queries, heads), random(keys, key_heads), random(keys, key_heads), random(queries, heads)


def exact(q, k, v, of_results, is_causal):
    """Results, logarithms and gradients in float64."""
    sharing = q.shape[2] // k.shape[2]
    q, k, v = (tensor.double().requires_grad_() for tensor in (q, k, v))
    wide_k, wide_v = (tensor.repeat_interleave(sharing, 2) for tensor in (k, v))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, wide_k) / math.sqrt(q.shape[3])
    if is_causal:
        queries, keys = q.shape[1], k.shape[1]
        last = torch.arange(queries, device="cuda") + keys - queries
        scores = scores.masked_fill(torch.arange(keys, device="cuda") > last[:, None], float("-inf"))
    logarithms = scores.logsumexp(-1)
    weights = (scores - logarithms[..., None].nan_to_num(neginf=0.0)).exp()
    results = torch.einsum("bhqk,bkhd->bqhd", weights, wide_v)
    gradients = torch.autograd.grad(results, (q, k, v), of_results.double())
    return results.detach(), logarithms.detach(), gradients


def check(module, sizes, dtype, is_causal):
    """The greatest relative error against float64 of the three gradients; the ordered form has the same bits twice."""
    q, k, v, of_results = tensors(*sizes, dtype)
    results, logarithms, gradients = exact(q, k, v, of_results, is_causal)
    results, logarithms = results.to(dtype).contiguous(), logarithms.float().contiguous()
    worst, before = 0.0, None
    for is_ordered in (False, True, True):
        backward = Backward(module, q, k, v, results, of_results, logarithms, is_causal, is_ordered)
        backward()
        torch.cuda.synchronize()
        for name, got, wanted in zip("qkv", backward.gradients, gradients):
            error = ((got.double() - wanted).norm() / wanted.norm()).item()
            if not error < MOST_ERROR[dtype]:
                raise SystemExit(f"error: d{name} {sizes} {dtype} {is_causal} {is_ordered}: the relative error is {error:.2e}")
            worst = max(worst, error)
        if is_ordered and before and not all(torch.equal(*pair) for pair in zip(before, backward.gradients)):
            raise SystemExit(f"error: {sizes} {dtype} {is_causal}: the ordered form has other bits")
        if backward.sums.any():
            raise SystemExit(f"error: {sizes} {dtype} {is_causal} {is_ordered}: sums are not zero")
        before = backward.gradients if is_ordered else None
    return worst


def torch_works(q, k, v, of_results, is_causal):
    """PyTorch's, by those backends that take these tensors; and results and logarithms."""
    views = [tensor.transpose(1, 2).detach().requires_grad_() for tensor in (q, k, v)]
    gradient = of_results.transpose(1, 2)

    def work(results):
        return lambda: torch.autograd.grad(results, views, gradient, retain_graph=True)

    works = {}
    for name, backend in BACKENDS.items():
        try:
            with sdpa_kernel(backend):
                works[name] = work(torch.nn.functional.scaled_dot_product_attention(*views, is_causal=is_causal))
            works[name]()
        except RuntimeError as error:
            print(f"{name} does not take {tuple(q.shape)}: {error}")
            works.pop(name, None)
    flash = torch.ops.aten._scaled_dot_product_flash_attention(*(view.detach() for view in views), 0.0, is_causal)
    return works, flash[0].transpose(1, 2).contiguous(), flash[1].contiguous()


def compare(backward, gradients):
    """The greatest relative distance of the three gradients from PyTorch's."""
    backward()
    pairs = zip(backward.gradients, (tensor.transpose(1, 2) for tensor in gradients))
    error = max(((got.double() - other.double()).norm() / other.double().norm()).item() for got, other in pairs)
    if not error < 2 * MOST_ERROR[torch.bfloat16]:
        raise SystemExit(f"error: {tuple(backward.gradients[0].shape)}: {error:.2e} from PyTorch's gradients")
    return error


def main():
    options = arguments(__doc__)
    # Several files, separated by commas, are compared.
    modules = {path: load(path) for path in options.ptx.split(",")}
    for dtype in MOST_ERROR:
        for is_causal in (False, True):
            for sizes in ((*sizes, elements) for elements in (64, 128) for sizes in CHECKED):
                error = max(check(module, sizes, dtype, is_causal) for module in modules.values())
                print(f"{sizes}, {NAMES[dtype]}, causal {is_causal}: relative error {error:.2e}")
    rows = []
    print(f"{torch.cuda.get_device_name()}: sequences, positions, heads, heads of keys, elements; TFLOP/s")
    for size in SIZES:
        sequences, length, heads, key_heads, elements = size
        for is_causal in (False, True):
            q, k, v, of_results = tensors(sequences, length, length, heads, key_heads, elements, torch.bfloat16)
            works, results, logarithms = torch_works(q, k, v, of_results, is_causal)
            gradients = next(iter(works.values()))()
            for path, module in modules.items():
                label = f" {path}" if len(modules) > 1 else ""
                tensors_of = (module, q, k, v, results, of_results, logarithms, is_causal)
                works[f"attention_backward{label}"] = Backward(*tensors_of)
                works[f"ordered{label}"] = Backward(*tensors_of, is_ordered=True)
                error = compare(works[f"attention_backward{label}"], gradients)
            del gradients
            seconds = bursts(works, 7, launches=5 if length > 4096 else 10)
            operations = 10 * sequences * heads * elements * length**2 / (2 if is_causal else 1)
            rate = {name: operations / of / 1e12 for name, of in seconds.items()}
            others = [rate[name] for name in BACKENDS if name in rate]
            ratio = next(of for name, of in rate.items() if name not in BACKENDS) / max(others)
            rates = ", ".join(f"{name} {of:.0f}" for name, of in rate.items())
            print(f"{size}, causal {is_causal}: {rates}; ratio {ratio:.3f}", flush=True)
            rows.append({"size": size, "causal": is_causal, "tflops": rate, "ratio": ratio, "relative_error": error})
    if options.out:
        flags = [f"{causal}_{ordered}" for causal in ("false", "true") for ordered in ("false", "true")]
        kernels = [
            name
            for elements in (64, 128)
            for name in (
                f"attention_backward_prepare_{elements}_bf16",
                *(f"attention_backward_{elements}_bf16_{flag}" for flag in flags),
            )
        ]
        record(options.out, options.compiled, kernels, rows)


if __name__ == "__main__":
    main()
