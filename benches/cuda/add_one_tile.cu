// The CUDA version of kernels-gpu/src/add_one_tile.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "add_one.cuh"
#include "elected.cuh"
#include "ring.cuh"

template <int vectors>
__device__ inline void add_one_to_tile(
    const CUtensorMap* dst, const CUtensorMap* src, uint32_t width, uint32_t height) {
    __shared__ uint64_t bar;
    const int32_t coords[2] = {int32_t(blockIdx.x * width), int32_t(blockIdx.y * height)};

    if (is_elected()) {
        ptx::mbarrier_init(&bar, 1);
        expect(&bar, 16 * vectors * blockDim.x);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, smem, src, coords, &bar);
    }
    __syncthreads();
    wait(&bar, 0);

    add_one<vectors>(smem, vectors * blockDim.x, threadIdx.x, blockDim.x);

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, dst, coords, smem);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

#define ADD_ONE_TILE(vectors)                                                             \
    extern "C" __global__ void __launch_bounds__(1024) add_one_tile_##vectors(            \
        const __grid_constant__ CUtensorMap dst, const __grid_constant__ CUtensorMap src, \
        uint32_t tile_width_elems, uint32_t tile_height_elems) {                          \
        add_one_to_tile<vectors>(&dst, &src, tile_width_elems, tile_height_elems);        \
    }

ADD_ONE_TILE(1)
ADD_ONE_TILE(2)
ADD_ONE_TILE(4)
