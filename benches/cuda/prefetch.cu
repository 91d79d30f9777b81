// The CUDA version of kernels-gpu/src/prefetch.rs: same algorithm, launch and parameters.
#include <cstdint>
#include <cuda_pipeline_primitives.h>

template <int stages>
__device__ inline void prefetch(int* global_out, const int* global_in, uint32_t batches) {
    extern __shared__ __align__(1024) int shared[];
    const uint32_t tid = threadIdx.x;
    const uint32_t block_size = blockDim.x;

    auto stage_data = [&](uint32_t stage) { return shared + stage * block_size; };
    auto block_batch = [&](uint32_t batch) {
        uint64_t grid_size = uint64_t(gridDim.x) * block_size;
        return uint64_t(blockIdx.x) * block_size + grid_size * batch;
    };
    // A group for every batch, also for those that are not there.
    auto fetch = [&](uint32_t batch, uint32_t stage) {
        if (batch < batches) {
            __pipeline_memcpy_async(stage_data(stage) + tid, global_in + block_batch(batch) + tid, sizeof(int));
        }
        __pipeline_commit();
    };

#pragma unroll
    for (int stage = 0; stage < stages; ++stage) {
        fetch(stage, stage);
    }

    uint32_t stage = 0;
    for (uint32_t compute_batch = 0; compute_batch < batches; ++compute_batch) {
        __pipeline_wait_prior(stages - 1);
        __syncthreads();
        const int number = stage_data(stage)[tid];
        const int next = stage_data(stage)[(tid + 1) % block_size];
        global_out[block_batch(compute_batch) + tid] = 3 * number + next;
        __syncthreads();
        fetch(compute_batch + stages, stage);
        stage = stage + 1 == stages ? 0 : stage + 1;
    }
}

#define PREFETCH(stages)                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024)                                                        \
        prefetch_##stages(int* global_out, const int* global_in, uint32_t batches) {                          \
        prefetch<stages>(global_out, global_in, batches);                                                     \
    }

PREFETCH(1)
PREFETCH(2)
PREFETCH(3)
PREFETCH(4)
PREFETCH(8)
