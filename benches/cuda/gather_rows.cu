// The CUDA version of kernels-gpu/src/gather_rows.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t row_len = 64;
constexpr uint32_t block_rows = 32;
constexpr uint32_t row_bytes = row_len * sizeof(uint32_t);

extern "C" __global__ void __launch_bounds__(32) gather_rows(
    const __grid_constant__ CUtensorMap table, const uint32_t* indices, uint32_t* output, uint32_t rows) {
    __shared__ alignas(128) uint32_t gathered[block_rows][row_len];
    __shared__ uint64_t bar;
    const uint32_t lane = threadIdx.x;
    const uint32_t first = blockIdx.x * block_rows;
    const uint32_t count = min(rows - first, block_rows);
    if (lane == 0) {
        ptx::mbarrier_init(&bar, count);
    }
    __syncwarp();

    if (lane < count) {
        const int32_t coords[2] = {0, int32_t(indices[first + lane])};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, gathered[lane], &table, coords, &bar);
        expect(&bar, row_bytes);
    }
    wait(&bar, 0);

    if (elect_sync(0xffffffff)) {
        ptx::cp_async_bulk(
            ptx::space_global, ptx::space_shared, output + uint64_t(first) * row_len, gathered, count * row_bytes);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
