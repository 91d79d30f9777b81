// The CUDA version of kernels-gpu/src/ring.rs: same algorithm, launch and parameters.
//
// Waits acquire in the cluster, as there; the guide's acquire in the block, which is too little.
#include <cooperative_groups.h>

#include "ring.cuh"

constexpr uint32_t blocks = 8;

__device__ inline void wait_for_cluster(uint64_t* bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, bar, parity)) {
    }
}

extern "C" __global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(1024) ring(uint32_t* output, uint32_t rounds) {
    __shared__ uint32_t buffer[1024];
    __shared__ uint64_t filled;
    __shared__ uint64_t ready;
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t tid = threadIdx.x;

    if (tid == 0) {
        ptx::mbarrier_init(&filled, 1);
        ptx::mbarrier_init(&ready, blockDim.x);
    }
    cluster.sync();

    const uint32_t rank = cluster.block_rank();
    uint32_t* buffer_next = cluster.map_shared_rank(&buffer[tid], (rank + 1) % blocks);
    uint64_t* filled_next = cluster.map_shared_rank(&filled, (rank + 1) % blocks);
    uint64_t* ready_prev = cluster.map_shared_rank(&ready, (rank + blocks - 1) % blocks);

    const uint32_t index = blockIdx.x * blockDim.x + tid;
    uint32_t number = index;
    uint32_t parity = 0;
    for (uint32_t round = 0; round < rounds; ++round) {
        ptx::st_async(buffer_next, number, filled_next);
        if (tid == 0) {
            expect(&filled, blockDim.x * 4);
        }
        wait_for_cluster(&filled, parity);
        number = buffer[tid] + 1;
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, ready_prev);
        wait_for_cluster(&ready, parity);
        parity ^= 1;
    }
    if (index < gridDim.x * blockDim.x) {
        output[index] = number;
    }
}
