// The CUDA version of kernels-gpu/src/add_one_1d.rs: same algorithm, launch and parameters.
#include <cstdint>
#include <cuda/barrier>
#include <cuda/ptx>

#include "elected.cuh"

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int buf_len = 1024;

extern "C" __global__ void __launch_bounds__(1024) add_one_1d(int* data, uint64_t offset_elems) {
    __shared__ alignas(16) int smem_data[buf_len];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    data += offset_elems + uint64_t(blockIdx.x) * buf_len;

    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
    }
    __syncthreads();

    if (is_elected()) {
        uint64_t* handle = cuda::device::barrier_native_handle(bar);
        ptx::mbarrier_expect_tx(ptx::sem_relaxed, ptx::scope_cta, ptx::space_shared, handle, sizeof(smem_data));
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, smem_data, data, sizeof(smem_data), handle);
    }
    barrier::arrival_token token = bar.arrive();
    bar.wait(std::move(token));

    for (int i = threadIdx.x; i < buf_len; i += blockDim.x) {
        smem_data[i] += 1;
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data, smem_data, sizeof(smem_data));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
