// The thread of the block's first warp that issues copies.
#pragma once
#include <cstdint>

// cuda::ptx::elect_sync, which CUDA 13.0's libcu++ does not have yet.
__device__ inline bool elect_sync(uint32_t members) {
    uint32_t elected;
    asm volatile(
        "{ .reg .pred p; elect.sync _|p, %1; selp.b32 %0, 1, 0, p; }" : "=r"(elected) : "r"(members) : "memory");
    return elected;
}

// The broadcast makes it uniform for ptxas.
__device__ inline uint32_t warp_index() {
    return __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
}

__device__ inline bool is_elected() {
    return warp_index() == 0 && elect_sync(0xffffffff);
}
