// Twin of kernels-gpu/src/multicast_tile.rs: same algorithm, launch and parameters.
#include <cooperative_groups.h>
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t blocks = 4;
constexpr uint32_t width = 64;
constexpr uint32_t height = 32;
constexpr uint32_t slice_rows = height / blocks;

extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(1024)
    multicast_tile(const __grid_constant__ CUtensorMap map, int* output, int32_t x, int32_t y) {
    __shared__ alignas(128) int tile[height * width];
    __shared__ uint64_t bar;
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();
    const uint32_t number = blockIdx.x / blocks;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        expect(&bar, sizeof(tile));
    }
    cluster.sync();

    if (is_elected()) {
        const int32_t coords[2] = {x + int32_t(number * width), y + int32_t(rank * slice_rows)};
        ptx::cp_async_bulk_tensor(
            ptx::space_cluster, ptx::space_global, tile + rank * slice_rows * width, &map, coords, &bar,
            uint16_t((1 << blocks) - 1));
    }
    wait(&bar, 0);

    int* to = output + uint64_t(blockIdx.x) * (height * width);
    for (uint32_t i = threadIdx.x; i < height * width; i += blockDim.x) {
        to[i] = tile[i] + int(rank);
    }
}
