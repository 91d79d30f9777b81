// The CUDA version of kernels-gpu/src/pipelines/add_one.rs.
#pragma once
#include <cstdint>

__device__ inline uint4 one_more(uint4 vector) {
    return {vector.x + 1, vector.y + 1, vector.z + 1, vector.w + 1};
}

template <int vectors_of_thread>
__device__ inline void add_one(unsigned char* data, uint32_t vectors, uint32_t thread, uint32_t threads) {
    uint4* at = reinterpret_cast<uint4*>(data) + thread;
    if (vectors == vectors_of_thread * threads) {
        uint4 loaded[vectors_of_thread];
#pragma unroll
        for (int turn = 0; turn < vectors_of_thread; ++turn) {
            loaded[turn] = at[turn * threads];
        }
#pragma unroll
        for (int turn = 0; turn < vectors_of_thread; ++turn) {
            at[turn * threads] = one_more(loaded[turn]);
        }
        return;
    }
#pragma unroll
    for (int turn = 0; turn < vectors_of_thread; ++turn) {
        if (thread + turn * threads < vectors) {
            at[turn * threads] = one_more(at[turn * threads]);
        }
    }
}
