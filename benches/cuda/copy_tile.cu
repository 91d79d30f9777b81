// The CUDA version of kernels-gpu/src/copy_tile.rs: same algorithm, launch and parameters.
#include "stream.cuh"
#include "tiles.cuh"

extern "C" __global__ void __launch_bounds__(32) copy_tile_once(
    const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, const Patch patch) {
    __shared__ uint64_t bar;
    if (!is_elected()) {
        return;
    }
    ptx::mbarrier_init(&bar, 1);
    patch.load(&src, blockIdx.x, blockIdx.y, smem, &bar);
    wait(&bar, 0);
    patch.store(&dst, blockIdx.x, blockIdx.y, smem);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

#define COPY_TILE(stages)                                                                                       \
    extern "C" __global__ void __launch_bounds__(32) copy_tile_##stages(                                        \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, uint32_t patches_x,   \
        uint32_t patches, const Patch patch, uint32_t* counter) {                                               \
        stream<stages>(                                                                                         \
            patch.bytes(), patches, counter,                                                                    \
            [&](uint32_t number, unsigned char* buffer, uint64_t* bar) {                                        \
                patch.load(&src, number % patches_x, number / patches_x, buffer, bar);                          \
            },                                                                                                  \
            [&](uint32_t number, const unsigned char* buffer) {                                                 \
                patch.store(&dst, number % patches_x, number / patches_x, buffer);                              \
            });                                                                                                 \
    }

COPY_TILE(2)
COPY_TILE(3)
COPY_TILE(4)
COPY_TILE(6)
