"""Kernels of Triton's for the tests."""

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, inside) + tl.load(y + i, inside), inside)


@triton.jit
def add_one_too_many(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    total = tl.load(x + i, inside) + tl.load(y + i, inside)
    tl.store(out + i, total, i <= n)  # the bug


@triton.jit
def total_without_atomics(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    part = tl.sum(tl.load(x + i, i < n, other=0.0))
    tl.store(out, tl.load(out) + part)  # the race


@triton.jit
def softmax(x, out, x_stride, out_stride, n, BLOCK: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * x_stride + i, i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * out_stride + i, e / tl.sum(e, axis=0), i < n)


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    columns = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        along, down = k + tl.arange(0, BK)[None, :], k + tl.arange(0, BK)[:, None]
        of_a = tl.load(a + rows * K + along, (rows < M) & (along < K), other=0.0)
        of_b = tl.load(b + down * N + columns, (down < K) & (columns < N), other=0.0)
        sums = tl.dot(of_a, of_b, sums)
    tl.store(c + rows * N + columns, sums, (rows < M) & (columns < N))


@triton.jit
def matmul_of_descriptors(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(a.load([row, k]), b.load([k, column]), sums)
    c.store([row, column], sums)


@triton.jit
def matmul_of_own_descriptors(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    of_a = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    of_b = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    of_c = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        sums = tl.dot(of_a.load([row, k]), of_b.load([k, column]), sums)
    of_c.store([row, column], sums)


@triton.jit
def scalars(out, whole, long, real, flag, nothing, CHOICE: tl.constexpr):
    tl.store(out, whole)
    tl.store(out + 1, long)
    tl.store(out + 2, (real * 4).to(tl.int64))
    tl.store(out + 3, flag.to(tl.int64))
    tl.store(out + 4, CHOICE)
    if nothing is None:
        tl.store(out + 5, 77)


@triton.jit
def cumulative(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i)))


@triton.jit
def attention(q, k, v, out, T, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    rows, along = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + along[None, :], rows[:, None] < T, other=0.0)
    most = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    for first in range(0, T, BN):
        keys = first + tl.arange(0, BN)
        key = tl.load(k + keys[None, :] * D + along[:, None], keys[None, :] < T, other=0.0)
        score = tl.where(keys[None, :] < T, tl.dot(query, key) * scale, -float("inf"))
        larger = tl.maximum(most, tl.max(score, 1))
        weight, shrink = tl.exp(score - larger[:, None]), tl.exp(most - larger)
        value = tl.load(v + keys[:, None] * D + along[None, :], keys[:, None] < T, other=0.0)
        total = total * shrink + tl.sum(weight, 1)
        sums = sums * shrink[:, None] + tl.dot(weight.to(tl.float16), value)
        most = larger
    tl.store(out + rows[:, None] * D + along[None, :], sums / total[:, None], rows[:, None] < T)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + tl.load(x + i, i < n, other=0), 1, i < n)


@triton.jit
def asserts(x, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x + i, i < n, other=0) < 3, "too large")  # the assertion
