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
