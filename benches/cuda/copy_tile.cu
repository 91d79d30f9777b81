// The CUDA version of kernels-gpu/src/copy_tile.rs: same algorithm, launch and parameters.
#include "stream.cuh"
#include "tiles.cuh"

template <int stages>
__device__ inline void copy(const Tiles& tiles, uint32_t count, uint32_t* counter) {
    stream<stages>(
        tiles.bytes, count, counter,
        [&](uint32_t tile, unsigned char* buffer, uint64_t* bar) { tiles.load(tile, buffer, bar); },
        [&](uint32_t tile, const unsigned char* buffer) { tiles.store(tile, buffer); });
}

extern "C" __global__ void __launch_bounds__(32) copy_tile_once(
    const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, uint32_t tile_width_elems,
    uint32_t tile_height_elems, uint32_t tile_bytes) {
    __shared__ uint64_t bar;
    const Tiles tiles{&dst, &src, gridDim.x, tile_width_elems, tile_height_elems, tile_bytes};
    const uint32_t tile = blockIdx.y * gridDim.x + blockIdx.x;
    if (!is_elected()) {
        return;
    }
    ptx::mbarrier_init(&bar, 1);
    tiles.load(tile, smem, &bar);
    wait(&bar, 0);
    tiles.store(tile, smem);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

#define COPY_TILE(stages)                                                                        \
    extern "C" __global__ void __launch_bounds__(32) copy_tile_##stages(                         \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src,        \
        uint32_t tiles_x, uint32_t tiles, uint32_t tile_width_elems, uint32_t tile_height_elems, \
        uint32_t tile_bytes, uint32_t* counter) {                                                \
        copy<stages>({&dst, &src, tiles_x, tile_width_elems, tile_height_elems, tile_bytes}, tiles, counter); \
    }

COPY_TILE(2)
COPY_TILE(3)
COPY_TILE(4)
COPY_TILE(6)
