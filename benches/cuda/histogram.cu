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

// Each lane of the block's warps counts in one bank.
extern "C" __global__ void __launch_bounds__(1024) histogram_lanes(const uint8_t* data, uint32_t len, uint32_t* counts) {
    constexpr uint32_t lanes = 32;
    __shared__ alignas(16) uint32_t of_lanes[bins * lanes];
    __shared__ alignas(16) uint32_t sums[bins];
    for (uint32_t i = threadIdx.x; i < bins * lanes; i += blockDim.x) {
        of_lanes[i] = 0;
    }
    __syncthreads();

    const uint32_t lane = threadIdx.x % lanes;
    const auto count = [&](uint32_t byte) { atomicAdd_block(&of_lanes[(byte & 0xff) * lanes + lane], 1); };
    const auto count_word = [&](uint32_t word) {
        count(word);
        count(word >> 8);
        count(word >> 16);
        count(word >> 24);
    };
    const auto count_vector = [&](const uint4& vector) {
        count_word(vector.x);
        count_word(vector.y);
        count_word(vector.z);
        count_word(vector.w);
    };
    const uint32_t vectors = len / 16;
    const auto load = [&](uint64_t index) { return __ldg(reinterpret_cast<const uint4*>(data) + index); };
    const uint64_t of_grid = uint64_t(gridDim.x) * blockDim.x;
    uint64_t index = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; index + of_grid < vectors; index += 2 * of_grid) {
        const uint4 first = load(index), second = load(index + of_grid);
        count_vector(first);
        count_vector(second);
    }
    if (index < vectors) {
        count_vector(load(index));
    }
    const uint32_t rest = vectors * 16 + threadIdx.x;
    if (blockIdx.x == 0 && rest < len) {
        count(data[rest]);
    }
    __syncthreads();

    for (uint32_t bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        uint32_t sum = 0;
#pragma unroll 8
        for (uint32_t i = 0; i < lanes; ++i) {
            sum += of_lanes[bin * lanes + (bin + i) % lanes];
        }
        sums[bin] = sum;
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        ptx::cp_reduce_async_bulk(
            ptx::space_global, ptx::space_shared, ptx::op_add, counts, sums, uint32_t(sizeof(sums)));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
