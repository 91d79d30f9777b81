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

constexpr uint32_t columns = 2;
constexpr uint32_t rows = 4;
constexpr uint32_t threads_of_tiles = 512;

extern "C" __global__ void __launch_bounds__(512)
    transpose_tiles(const __grid_constant__ CUtensorMap source, const __grid_constant__ CUtensorMap target) {
    __shared__ uint64_t bar;
    uint32_t* tiles_in = reinterpret_cast<uint32_t*>(smem);
    uint32_t* tiles_out = tiles_in + columns * rows * tile * tile;
    const uint32_t first_column = columns * blockIdx.x;
    const uint32_t first_row = rows * blockIdx.y;

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncthreads();

    if (is_elected()) {
#pragma unroll
        for (uint32_t number = 0; number < columns * rows; ++number) {
            const int32_t coords[2] = {
                int32_t((first_column + number % columns) * tile), int32_t((first_row + number / columns) * tile)};
            ptx::cp_async_bulk_tensor(
                ptx::space_cluster, ptx::space_global, tiles_in + number * tile * tile, &source, coords, &bar);
        }
        expect(&bar, columns * rows * sizeof(uint32_t) * tile * tile);
    }
    wait(&bar, 0);

    constexpr uint32_t ahead = tile / 4;
    for (uint32_t part = threadIdx.x / 32; part < columns * rows * (tile / 8); part += threads_of_tiles / 32) {
        const uint32_t number = part / (tile / 8);
        const uint32_t first = part % (tile / 8) * ahead;
        const uint32_t* from = tiles_in + number * tile * tile;
        uint32_t* to = tiles_out + (number % columns * rows + number / columns) * tile * tile;
        uint32_t elements[ahead];
#pragma unroll
        for (uint32_t step = 0; step < ahead; ++step) {
            const Element element = element_of(threadIdx.x % 32, first + step);
            elements[step] = from[swizzled(element.row, element.column)];
        }
#pragma unroll
        for (uint32_t step = 0; step < ahead; ++step) {
            const Element element = element_of(threadIdx.x % 32, first + step);
            to[swizzled(element.column, element.row)] = elements[step];
        }
    }

    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();

    if (is_elected()) {
#pragma unroll
        for (uint32_t number = 0; number < columns * rows; ++number) {
            const int32_t coords[2] = {
                int32_t((first_row + number % rows) * tile), int32_t((first_column + number / rows) * tile)};
            ptx::cp_async_bulk_tensor(
                ptx::space_global, ptx::space_shared, &target, coords, tiles_out + number * tile * tile);
        }
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}
