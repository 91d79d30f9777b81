// The CUDA version of kernels-gpu/src/producer_consumer.rs: same algorithms, launches and parameters.
#include <cuda_pipeline_primitives.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t buffers = 2;
constexpr uint32_t producers = 32;

struct Block {
    const float* input;
    float* output;
    uint64_t first;
    uint32_t buffer_len;

    __device__ Block(const float* input, float* output, uint32_t batches, uint32_t buffer_len)
        : input(input), output(output), first(uint64_t(blockIdx.x) * batches * buffer_len), buffer_len(buffer_len) {}

    __device__ float* buffer(uint32_t stage) const { return reinterpret_cast<float*>(smem) + stage * buffer_len; }

    __device__ void produce(float* buffer, uint32_t batch) const {
        const float* from = input + first + uint64_t(batch) * buffer_len;
        for (uint32_t i = threadIdx.x; i < buffer_len; i += producers) {
            __pipeline_memcpy_async(buffer + i, from + i, sizeof(float));
        }
    }

    __device__ void consume(const float* buffer, uint32_t batch) const {
        float* to = output + first + uint64_t(batch) * buffer_len;
        for (uint32_t i = threadIdx.x - producers; i < buffer_len; i += blockDim.x - producers) {
            to[i] = 2 * buffer[i] + 1;
        }
    }
};

// cuda::ptx::cp_async_mbarrier_arrive_noinc, which in CUDA 13.0 gives a shared address for a generic one.
__device__ inline void arrive_after_copies(uint64_t* bar) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];"
                 :
                 : "r"(uint32_t(__cvta_generic_to_shared(bar)))
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(1024)
    producer_consumer_ring(const float* input, float* output, uint32_t batches, uint32_t buffer_len) {
    __shared__ uint64_t full[buffers];
    __shared__ uint64_t empty[buffers];
    const Block block(input, output, batches, buffer_len);
    if (threadIdx.x == 0) {
#pragma unroll
        for (int stage = 0; stage < buffers; ++stage) {
            ptx::mbarrier_init(&full[stage], uint32_t(producers));
            ptx::mbarrier_init(&empty[stage], blockDim.x - producers);
        }
    }
    __syncthreads();

    Turn<buffers> turn;
    if (warp_index() == 0) {
        for (uint32_t batch = 0; batch < batches; ++batch) {
            wait(&empty[turn.stage], turn.parity ^ 1);
            block.produce(block.buffer(turn.stage), batch);
            arrive_after_copies(&full[turn.stage]);
            turn.advance();
        }
    } else {
        for (uint32_t batch = 0; batch < batches; ++batch) {
            wait(&full[turn.stage], turn.parity);
            block.consume(block.buffer(turn.stage), batch);
            arrive(&empty[turn.stage]);
            turn.advance();
        }
    }
}

__device__ inline void arrive_and_wait(uint64_t* bar) {
    const uint64_t token = ptx::mbarrier_arrive(bar);
    while (!ptx::mbarrier_try_wait(bar, token)) {
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    producer_consumer_barriers(const float* input, float* output, uint32_t batches, uint32_t buffer_len) {
    __shared__ uint64_t ready[2];
    __shared__ uint64_t filled[2];
    const Block block(input, output, batches, buffer_len);
    if (threadIdx.x < 4) {
        ptx::mbarrier_init((threadIdx.x < 2 ? ready : filled) + threadIdx.x % 2, blockDim.x);
    }
    __syncthreads();

    if (warp_index() == 0) {
        for (uint32_t i = 0; i < batches; ++i) {
            arrive_and_wait(&ready[i % 2]);
            block.produce(block.buffer(i % 2), i);
            __pipeline_arrive_on(&filled[i % 2]);
            arrive(&filled[i % 2]);
        }
    } else {
        arrive(&ready[0]);
        arrive(&ready[1]);
        for (uint32_t i = 0; i < batches; ++i) {
            arrive_and_wait(&filled[i % 2]);
            block.consume(block.buffer(i % 2), i);
            arrive(&ready[i % 2]);
        }
    }
}
