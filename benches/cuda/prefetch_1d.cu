// The CUDA version of kernels-gpu/src/prefetch_1d.rs: same algorithm, launch and parameters.
#include <cstdint>
#include <cuda/ptx>

#include "elected.cuh"

namespace ptx = cuda::ptx;

template <int stages>
__device__ inline void prefetch(int* global_out, const int* global_in, uint32_t batches) {
    extern __shared__ __align__(1024) int shared[];
    const uint32_t tid = threadIdx.x;
    const uint32_t block_size = blockDim.x;
    const uint32_t bytes = block_size * sizeof(int);

    auto stage_data = [&](uint32_t stage) { return shared + stage * block_size; };
    auto bar = [&](uint32_t stage) { return reinterpret_cast<uint64_t*>(stage_data(stages)) + stage; };
    auto block_batch = [&](uint32_t batch) {
        uint64_t grid_size = uint64_t(gridDim.x) * block_size;
        return uint64_t(blockIdx.x) * block_size + grid_size * batch;
    };

    if (tid == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(bar(stage), 1);
        }
    }
    __syncthreads();

    auto fetch = [&](uint32_t batch, uint32_t stage) {
        ptx::cp_async_bulk(
            ptx::space_cluster, ptx::space_global, stage_data(stage), global_in + block_batch(batch), bytes, bar(stage));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar(stage), bytes);
    };

    if (is_elected()) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            if (stage < batches) {
                fetch(stage, stage);
            }
        }
    }

    uint32_t stage = 0;
    uint32_t parity = 0;
    for (uint32_t compute_batch = 0; compute_batch < batches; ++compute_batch) {
        while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar(stage), parity)) {
        }
        global_out[block_batch(compute_batch) + tid] = 3 * stage_data(stage)[tid] + 1;
        __syncthreads();

        uint32_t fetch_batch = compute_batch + stages;
        // One condition in the other, or else ptxas wraps the copy in a loop over the lanes.
        if (fetch_batch < batches && warp_index() == 0) {
            if (elect_sync(0xffffffff)) {
                fetch(fetch_batch, stage);
            }
        }

        ++stage;
        if (stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
}

#define PREFETCH(stages)                                                                    \
    extern "C" __global__ void __launch_bounds__(1024)                                      \
        prefetch_1d_##stages(int* global_out, const int* global_in, uint32_t batches) {     \
        prefetch<stages>(global_out, global_in, batches);                                   \
    }

PREFETCH(1)
PREFETCH(2)
PREFETCH(3)
PREFETCH(4)
PREFETCH(5)
PREFETCH(6)
PREFETCH(7)
PREFETCH(8)
