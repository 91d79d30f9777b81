// The CUDA version of kernels-gpu/src/add_one_tile_ring.rs: same algorithm, launch and parameters.
#include "add_one.cuh"
#include "pipeline.cuh"
#include "tiles.cuh"

#define ADD_ONE_TILE_RING(stages)                                                                               \
    extern "C" __global__ void __launch_bounds__(544) add_one_tile_ring_##stages(                               \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, uint32_t patches_x,   \
        uint32_t patches, const Patch patch, uint32_t* counter) {                                               \
        pipeline<stages, true>(                                                                                 \
            (blockDim.x - 32) * 64, patches, 1, counter,                                                        \
            [&](uint32_t number, unsigned char* buffer, uint64_t* bar) {                                        \
                patch.load(&src, number % patches_x, number / patches_x, buffer, bar);                          \
            },                                                                                                  \
            [&](uint32_t, unsigned char* buffer, uint32_t thread, uint32_t threads) {                           \
                add_one<4>(buffer, 4 * threads, thread, threads);                                               \
            },                                                                                                  \
            [&](uint32_t number, const unsigned char* buffer) {                                                 \
                patch.store(&dst, number % patches_x, number / patches_x, buffer);                              \
            });                                                                                                 \
    }

ADD_ONE_TILE_RING(2)
ADD_ONE_TILE_RING(3)
ADD_ONE_TILE_RING(4)
