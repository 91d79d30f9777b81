// The CUDA version of kernels-gpu/src/multicast_tile.rs: same algorithm, launch and parameters.
#include <cooperative_groups.h>
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t blocks = 4;
constexpr uint32_t width = 64;
constexpr uint32_t height = 32;
constexpr uint32_t slice_rows = height / blocks;

// cuda::ptx has this copy, but in CUDA 13.0 not for every architecture.
__device__ inline void load_for_cluster(
    void* to, const CUtensorMap* map, const int32_t (&coords)[2], uint64_t* bar, uint16_t ranks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster"
        " [%0], [%1, {%2, %3}], [%4], %5;"
        :
        : "r"(uint32_t(__cvta_generic_to_shared(to))), "l"(map), "r"(coords[0]), "r"(coords[1]),
          "r"(uint32_t(__cvta_generic_to_shared(bar))), "h"(ranks)
        : "memory");
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024)
    multicast_tile(const __grid_constant__ CUtensorMap map, int* output, int32_t x, int32_t y) {
    __shared__ alignas(128) int tile[height * width];
    __shared__ uint64_t bar;
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();
    const uint32_t number = blockIdx.x / blocks;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        expect(&bar, sizeof(tile));
    }
    cluster.sync();

    if (is_elected()) {
        const int32_t coords[2] = {x + int32_t(number * width), y + int32_t(rank * slice_rows)};
        load_for_cluster(tile + rank * slice_rows * width, &map, coords, &bar, (1 << blocks) - 1);
    }
    wait(&bar, 0);

    int* to = output + uint64_t(blockIdx.x) * (height * width);
    for (uint32_t i = threadIdx.x; i < height * width; i += blockDim.x) {
        to[i] = tile[i] + int(rank);
    }
}

constexpr uint32_t tiles_of_cluster = 4;

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024) multicast_tiles(
    const __grid_constant__ CUtensorMap map, uint32_t* output, int32_t x, int32_t y, uint32_t tiles) {
    __shared__ uint64_t loaded[tiles_of_cluster];
    constexpr uint32_t tile_elems = width * height;
    int* buffer = reinterpret_cast<int*>(smem);
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();
    const uint32_t first = blockIdx.x / blocks * tiles_of_cluster;
    const uint32_t count = min(tiles - first, tiles_of_cluster);

    if (threadIdx.x == 0) {
        for (uint32_t number = 0; number < tiles_of_cluster; ++number) {
            ptx::mbarrier_init(&loaded[number], 1);
        }
    }
    __syncthreads();
    cluster.sync();

    if (is_elected()) {
        for (uint32_t number = 0; number < count; ++number) {
            expect(&loaded[number], tile_elems * sizeof(int));
            const int32_t coords[2] = {x + int32_t((first + number) * width), y + int32_t(rank * slice_rows)};
            int* to = buffer + number * tile_elems + rank * slice_rows * width;
            load_for_cluster(to, &map, coords, &loaded[number], (1 << blocks) - 1);
        }
    }
    for (uint32_t number = 0; number < count; ++number) {
        wait(&loaded[number], 0);
        const uint4* from = reinterpret_cast<const uint4*>(buffer + number * tile_elems);
        uint4* to = reinterpret_cast<uint4*>(output + uint64_t((first + number) * blocks + rank) * tile_elems);
        for (uint32_t i = threadIdx.x; i < tile_elems / 4; i += blockDim.x) {
            const uint4 vector = from[i];
            to[i] = {vector.x + rank, vector.y + rank, vector.z + rank, vector.w + rank};
        }
    }
}
