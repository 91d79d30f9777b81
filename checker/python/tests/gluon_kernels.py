"""Kernels of Gluon's for the tests."""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma


@gluon.jit
def add_one_of_copies(x, out, n, BLOCK: gl.constexpr, WAITS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, order=[0])
    memory = gl.allocate_shared_memory(gl.float32, [BLOCK], shared)
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    async_copy.async_load(memory, x + i, mask=i < n)  # the copy
    async_copy.commit_group()
    if WAITS:
        async_copy.wait_group(0)
    gl.store(out + i, memory.load(layout) + 1, mask=i < n)  # the read


@gluon.jit
def double_tiles(x, out, BM: gl.constexpr, BN: gl.constexpr, WAITS: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(x.dtype, [BM, BN], x.layout)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    at = [gl.program_id(0) * BM, gl.program_id(1) * BN]
    mbarrier.expect(bar, x.block_type.nbytes)
    tma.async_load(x, at, bar, tile)
    if WAITS:
        mbarrier.wait(bar, phase=0)
    values = tile.load(layout) * 2
    gl.barrier()
    tile.store(values)
    fence_async_shared()
    tma.async_store(out, at, tile)
    tma.store_wait(pendings=0)
    mbarrier.invalidate(bar)
