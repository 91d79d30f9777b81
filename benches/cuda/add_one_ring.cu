// The CUDA version of kernels-gpu/src/add_one_ring.rs: same algorithm, launch and parameters.
#include "add_one.cuh"
#include "chunks.cuh"
#include "pipeline.cuh"

// Bytes that a block draws at once.
constexpr uint32_t drawn_bytes = 12 << 10;

template <int stages, bool drawn>
__device__ inline void ring(unsigned char* dst, const unsigned char* src, uint64_t len_bytes, uint32_t* counter) {
    const Chunks chunks{dst, src, len_bytes, (blockDim.x - 32) * 32};
    const uint32_t run = drawn ? max(drawn_bytes / chunks.chunk_bytes, 1) : 1;
    pipeline<stages, drawn>(
        chunks.chunk_bytes, chunks.count(), run, counter,
        [&](uint32_t chunk, unsigned char* buffer, uint64_t* bar) { chunks.load(chunk, buffer, bar); },
        [&](uint32_t chunk, unsigned char* buffer, uint32_t thread, uint32_t threads) {
            add_one<2>(buffer, chunks.bytes(chunk) / 16, thread, threads);
        },
        [&](uint32_t chunk, const unsigned char* buffer) { chunks.store(chunk, buffer); });
}

#define ADD_ONE_RING(stages)                                                                    \
    extern "C" __global__ void __launch_bounds__(544) add_one_ring_##stages(                    \
        unsigned char* dst, const unsigned char* src, uint64_t len_bytes, uint32_t* counter) { \
        ring<stages, true>(dst, src, len_bytes, counter);                                       \
    }

#define ADD_ONE_RING_STATIC(stages)                                           \
    extern "C" __global__ void __launch_bounds__(544) add_one_ring_static_##stages( \
        unsigned char* dst, const unsigned char* src, uint64_t len_bytes) {  \
        ring<stages, false>(dst, src, len_bytes, nullptr);                    \
    }

ADD_ONE_RING(2)
ADD_ONE_RING(3)
ADD_ONE_RING(4)
ADD_ONE_RING(6)
ADD_ONE_RING(8)
ADD_ONE_RING_STATIC(3)
ADD_ONE_RING_STATIC(4)
ADD_ONE_RING_STATIC(6)
