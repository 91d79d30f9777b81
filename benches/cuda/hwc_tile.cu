// The CUDA version of kernels-gpu/src/hwc_tile.rs: same algorithms, launches and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t lanes = 8;
constexpr uint32_t tile_words = 32 * 2 * 2 / 2;
constexpr uint32_t tile_bytes = 4 * tile_words;

extern "C" __global__ void __launch_bounds__(128)
    hwc_tile(const __grid_constant__ CUtensorMap map, uint32_t* output, int32_t c, int32_t w, int32_t h) {
    __shared__ alignas(128) uint32_t tile[tile_words];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        const int32_t coords[3] = {c, w, h};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, coords, &bar);
        expect(&bar, tile_bytes);
    }
    wait(&bar, 0);

    if (threadIdx.x < tile_words) {
        output[threadIdx.x] = tile[threadIdx.x];
    }
}

extern "C" __global__ void __launch_bounds__(32)
    hwc_tile_lanes(const __grid_constant__ CUtensorMap map, const int32_t* coords, uint32_t* output) {
    __shared__ alignas(128) uint32_t tiles[lanes * tile_words];
    __shared__ uint64_t bar;
    const uint32_t lane = threadIdx.x;
    const uint64_t first = uint64_t(blockIdx.x) * lanes;
    if (lane == 0) {
        ptx::mbarrier_init(&bar, uint32_t(lanes));
    }
    __syncwarp();

    if (lane < lanes) {
        const int32_t* corner = coords + (first + lane) * 2;
        const int32_t start[3] = {0, corner[0], corner[1]};
        ptx::cp_async_bulk_tensor(
            ptx::space_cluster, ptx::space_global, tiles + lane * tile_words, &map, start, &bar);
        expect(&bar, tile_bytes);
    }
    wait(&bar, 0);

    for (uint32_t i = lane; i < lanes * tile_words; i += 32) {
        output[first * tile_words + i] = tiles[i];
    }
}
