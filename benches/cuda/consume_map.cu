// The CUDA version of kernels-gpu/src/consume_map.rs: same algorithm, launch and parameters.
#ifndef CONSUME_MAP
#define CONSUME_MAP
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

template <int rank, uint32_t bytes>
__device__ inline void consume(const CUtensorMap* maps, uint32_t* output, const int32_t (&coords)[rank]) {
    __shared__ alignas(128) uint32_t box[bytes / 4];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        const CUtensorMap* map = maps + blockIdx.x;
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>());
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, map, coords, &bar);
        expect(&bar, bytes);
    }
    wait(&bar, 0);

    uint32_t* to = output + uint64_t(blockIdx.x) * (bytes / 4);
    for (uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x) {
        to[i] = box[i];
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    consume_map(const CUtensorMap* maps, uint32_t* output, int32_t x, int32_t y) {
    consume<2, 128 * 4>(maps, output, {x, y});
}

extern "C" __global__ void __launch_bounds__(1024)
    consume_map_5d(const CUtensorMap* maps, uint32_t* output, int32_t x, int32_t y) {
    consume<5, 16 * 16>(maps, output, {x, y, y, y, y});
}
#endif
