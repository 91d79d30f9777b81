// The CUDA version of kernels-gpu/src/tile_2d.rs: same algorithm, launch and parameters.
#include <cstdint>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>

#include "elected.cuh"

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int smem_width = 64;
constexpr int smem_height = 16;

__device__ inline void load_add_store(
    const CUtensorMap* load_map, const CUtensorMap* store_map, int load_x, int load_y, int store_x, int store_y) {
    __shared__ alignas(128) int smem_buffer[smem_height * smem_width];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int block_x = blockIdx.x * smem_width;
    int block_y = blockIdx.y * smem_height;

    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();

    barrier::arrival_token token;
    if (is_elected()) {
        int32_t coords[2] = {load_x + block_x, load_y + block_y};
        ptx::cp_async_bulk_tensor(
            ptx::space_cluster, ptx::space_global, smem_buffer, load_map, coords,
            cuda::device::barrier_native_handle(bar));
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_buffer));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));

    for (int i = threadIdx.x; i < smem_height * smem_width; i += blockDim.x) {
        smem_buffer[i] += i;
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        int32_t coords[2] = {store_x + block_x, store_y + block_y};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, store_map, coords, smem_buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }

    if (threadIdx.x == 0) {
        (&bar)->~barrier();
    }
}

extern "C" __global__ void __launch_bounds__(1024) tile_2d(const __grid_constant__ CUtensorMap map, int x, int y) {
    load_add_store(&map, &map, x, y, x, y);
}

extern "C" __global__ void __launch_bounds__(1024) tile_2d_to(
    const __grid_constant__ CUtensorMap load_map, const __grid_constant__ CUtensorMap store_map, int load_x,
    int load_y, int store_x, int store_y) {
    load_add_store(&load_map, &store_map, load_x, load_y, store_x, store_y);
}
