// The CUDA version of kernels-gpu/src/add_one_tile.rs: same algorithm, launch and parameters.
#include "add_one.cuh"
#include "elected.cuh"
#include "tiles.cuh"

template <int vectors>
__device__ inline void add_one_to_tile(const CUtensorMap* dst, const CUtensorMap* src, const Patch& patch) {
    __shared__ uint64_t bar;

    if (is_elected()) {
        ptx::mbarrier_init(&bar, 1);
        patch.load(src, blockIdx.x, blockIdx.y, smem, &bar);
    }
    __syncthreads();
    wait(&bar, 0);

    add_one<vectors>(smem, vectors * blockDim.x, threadIdx.x, blockDim.x);

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        patch.store(dst, blockIdx.x, blockIdx.y, smem);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

#define ADD_ONE_TILE(vectors)                                                             \
    extern "C" __global__ void __launch_bounds__(1024) add_one_tile_##vectors(            \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, \
        const Patch patch) {                                                              \
        add_one_to_tile<vectors>(&dst, &src, patch);                                      \
    }

ADD_ONE_TILE(1)
ADD_ONE_TILE(2)
ADD_ONE_TILE(4)
