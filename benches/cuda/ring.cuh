// Stages in dynamic shared memory; after them, for each stage, two barriers and the number of its item.
#pragma once
#include <cstdint>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

extern __shared__ __align__(1024) unsigned char smem[];

template <int stages>
struct Ring {
    uint32_t stage_bytes;

    __device__ unsigned char* data(uint32_t stage) const { return smem + stage * stage_bytes; }
    __device__ uint64_t* full(uint32_t stage) const { return reinterpret_cast<uint64_t*>(data(stages)) + stage; }
    __device__ uint64_t* empty(uint32_t stage) const { return full(stages) + stage; }
    __device__ uint32_t& item(uint32_t stage) const { return reinterpret_cast<uint32_t*>(empty(stages))[stage]; }
};

template <int stages>
struct Turn {
    uint32_t stage = 0;
    uint32_t parity = 0;

    __device__ void advance() {
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

__device__ inline void expect(uint64_t* bar, uint32_t bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}

__device__ inline void arrive(uint64_t* bar) {
    ptx::mbarrier_arrive(bar);
}

__device__ inline void wait(uint64_t* bar, uint32_t parity) {
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, bar, parity)) {
    }
}

// Numbers that blocks draw from a counter, one ahead.
struct Tickets {
    uint32_t* counter;
    uint32_t base;
    uint32_t drawn;

    __device__ Tickets(uint32_t* counter, uint32_t base) : counter(counter), base(base) { draw(); }
    __device__ uint32_t number() const { return base + drawn; }
    __device__ void draw() { drawn = atomicAdd(counter, 1); }
};
