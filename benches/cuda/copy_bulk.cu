// The CUDA version of kernels-gpu/src/copy_bulk.rs: same algorithm, launch and parameters.
#include "chunks.cuh"
#include "stream.cuh"

template <int stages>
__device__ inline void copy(const Chunks& chunks, uint32_t* counter) {
    stream<stages>(
        chunks.chunk_bytes, chunks.count(), counter,
        [&](uint32_t chunk, unsigned char* buffer, uint64_t* bar) { chunks.load(chunk, buffer, bar); },
        [&](uint32_t chunk, const unsigned char* buffer) { chunks.store(chunk, buffer); });
}

extern "C" __global__ void __launch_bounds__(256)
    copy_bulk_once(unsigned char* dst, const unsigned char* src, uint64_t len_bytes, uint32_t chunk_bytes) {
    __shared__ uint64_t bar;
    const Chunks chunks{dst, src, len_bytes, chunk_bytes};
    if (!is_elected()) {
        return;
    }
    ptx::mbarrier_init(&bar, 1);
    chunks.load(blockIdx.x, smem, &bar);
    wait(&bar, 0);
    chunks.store(blockIdx.x, smem);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

#define COPY_BULK(stages)                                                                                      \
    extern "C" __global__ void __launch_bounds__(32) copy_bulk_##stages(                                       \
        unsigned char* dst, const unsigned char* src, uint64_t len_bytes, uint32_t chunk_bytes, uint32_t* counter) { \
        copy<stages>({dst, src, len_bytes, chunk_bytes}, counter);                                             \
    }

COPY_BULK(2)
COPY_BULK(3)
COPY_BULK(4)
COPY_BULK(6)
COPY_BULK(8)
