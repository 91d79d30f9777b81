// The CUDA version of kernels-gpu/src/add_one_bulk.rs: same algorithm, launch and parameters.
#include "add_one.cuh"
#include "chunks.cuh"
#include "elected.cuh"

template <int vectors>
__device__ inline void add_one_to_chunk(unsigned char* dst, const unsigned char* src, uint64_t len_bytes) {
    __shared__ uint64_t bar;
    const Chunks tiles{dst, src, len_bytes, blockDim.x * vectors * 16};

    if (is_elected()) {
        ptx::mbarrier_init(&bar, 1);
        tiles.load(blockIdx.x, smem, &bar);
    }
    __syncthreads();
    wait(&bar, 0);

    add_one<vectors>(smem, tiles.bytes(blockIdx.x) / 16, threadIdx.x, blockDim.x);

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        tiles.store(blockIdx.x, smem);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

#define ADD_ONE_BULK(vectors)                                                                 \
    extern "C" __global__ void __launch_bounds__(1024) add_one_bulk_##vectors(                \
        unsigned char* dst, const unsigned char* src, uint64_t len_bytes) {                   \
        add_one_to_chunk<vectors>(dst, src, len_bytes);                                       \
    }

ADD_ONE_BULK(1)
ADD_ONE_BULK(2)
ADD_ONE_BULK(4)
