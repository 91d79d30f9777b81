// The CUDA version of kernels-gpu/src/add_one_tile_ring.rs: same algorithm, launch and parameters.
#include "add_one.cuh"
#include "pipeline.cuh"
#include "tiles.cuh"

template <int stages>
__device__ inline void ring(const Tiles& tiles, uint32_t count, uint32_t* counter) {
    pipeline<stages, true>(
        tiles.bytes, count, counter,
        [&](uint32_t tile, unsigned char* buffer, uint64_t* bar) { tiles.load(tile, buffer, bar); },
        [&](uint32_t, unsigned char* buffer, uint32_t thread, uint32_t threads) {
            add_one<4>(buffer, 4 * threads, thread, threads);
        },
        [&](uint32_t tile, const unsigned char* buffer) { tiles.store(tile, buffer); });
}

#define ADD_ONE_TILE_RING(stages)                                                                          \
    extern "C" __global__ void __launch_bounds__(544) add_one_tile_ring_##stages(                          \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src,                  \
        uint32_t tiles_x, uint32_t tiles, uint32_t tile_width_elems, uint32_t tile_height_elems,           \
        uint32_t* counter) {                                                                               \
        const uint32_t tile_bytes = (blockDim.x - 32) * 64;                                                \
        ring<stages>({&dst, &src, tiles_x, tile_width_elems, tile_height_elems, tile_bytes}, tiles, counter); \
    }

ADD_ONE_TILE_RING(2)
ADD_ONE_TILE_RING(3)
ADD_ONE_TILE_RING(4)
