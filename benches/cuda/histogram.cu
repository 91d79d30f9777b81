// The CUDA version of kernels-gpu/src/histogram.rs: same algorithm, launch and parameters.
#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t bins = 256;

extern "C" __global__ void __launch_bounds__(1024) histogram(const uint8_t* data, uint32_t len, uint32_t* counts) {
    __shared__ alignas(16) uint32_t block_counts[bins];
    for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        block_counts[bin] = 0;
    }
    __syncthreads();

    const uint64_t step = uint64_t(gridDim.x) * blockDim.x;
    for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < len; i += step) {
        atomicAdd_block(&block_counts[data[i]], 1);
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        ptx::cp_reduce_async_bulk(
            ptx::space_global, ptx::space_shared, ptx::op_add, counts, block_counts, uint32_t(sizeof(block_counts)));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
