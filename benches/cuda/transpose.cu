// The CUDA version of kernels-gpu/src/transpose.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t tile = 32;
constexpr uint32_t threads = 256;
constexpr uint32_t steps = tile * tile / threads;

struct Element {
    uint32_t row;
    uint32_t column;
};

// In each step the lanes read and write in 32 different banks.
__device__ inline Element element_of(uint32_t lane, uint32_t step) {
    const uint32_t diagonal = lane >> 4;
    const uint32_t beside = step & 1;
    return {(step >> 1 & 3) * 8 + diagonal * 4 + (lane & 3), (step >> 3) * 8 + (diagonal ^ beside) * 4 + (lane >> 2 & 3)};
}

__device__ inline uint32_t swizzled(uint32_t row, uint32_t column) {
    return row * tile + ((column / 4) ^ (row % 8)) * 4 + column % 4;
}

extern "C" __global__ void __launch_bounds__(256)
    transpose(const __grid_constant__ CUtensorMap source, const __grid_constant__ CUtensorMap target) {
    __shared__ alignas(1024) uint32_t tile_in[tile * tile];
    __shared__ alignas(1024) uint32_t tile_out[tile * tile];
    __shared__ uint64_t bar;
    const int32_t column = blockIdx.x * tile;
    const int32_t row = blockIdx.y * tile;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        const int32_t coords[2] = {column, row};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile_in, &source, coords, &bar);
        expect(&bar, sizeof(tile_in));
    }
    wait(&bar, 0);

    const uint32_t first = threadIdx.x / 32 * steps;
#pragma unroll
    for (uint32_t step = 0; step < steps; ++step) {
        const Element element = element_of(threadIdx.x % 32, first + step);
        tile_out[swizzled(element.column, element.row)] = tile_in[swizzled(element.row, element.column)];
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        const int32_t coords[2] = {row, column};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &target, coords, tile_out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

constexpr uint32_t wide_tile = 64;
// A thread transposes squares of four rows and columns in registers.
constexpr uint32_t squares = wide_tile / 4;

extern "C" __global__ void __launch_bounds__(256)
    transpose_wide(const __grid_constant__ CUtensorMap source, const __grid_constant__ CUtensorMap target) {
    __shared__ alignas(128) uint4 tile_in[wide_tile * squares];
    __shared__ alignas(128) uint4 tile_out[wide_tile * squares];
    __shared__ uint64_t bar;
    const int32_t row = blockIdx.x * wide_tile;
    const int32_t column = blockIdx.y * wide_tile;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
        const int32_t coords[2] = {column, row};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile_in, &source, coords, &bar);
        expect(&bar, sizeof(tile_in));
    }
    wait(&bar, 0);

    const uint32_t own = threadIdx.x % squares;
    const uint32_t beside = (own + threadIdx.x / squares) % squares;
    const uint4* from = tile_in + beside * 4 * squares + own;
    uint4* to = tile_out + own * 4 * squares + beside;
    const uint4 a = from[0];
    const uint4 b = from[squares];
    const uint4 c = from[2 * squares];
    const uint4 d = from[3 * squares];
    to[0] = {a.x, b.x, c.x, d.x};
    to[squares] = {a.y, b.y, c.y, d.y};
    to[2 * squares] = {a.z, b.z, c.z, d.z};
    to[3 * squares] = {a.w, b.w, c.w, d.w};

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
        const int32_t coords[2] = {row, column};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &target, coords, tile_out);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
