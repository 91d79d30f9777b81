// The CUDA version of kernels-gpu/src/persistent_tiles.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t width = 64;
constexpr uint32_t height = 32;
constexpr uint32_t tile_elems = width * height;
constexpr uint32_t tile_bytes = 4 * tile_elems;
constexpr uint32_t outputs = 2;

__device__ inline void workers_sync(uint32_t workers) {
    asm volatile("bar.sync 1, %0;" ::"r"(workers) : "memory");
}

template <int stages>
__device__ inline void persistent_tiles(
    const CUtensorMap* source, const CUtensorMap* target, uint32_t tiles_x, uint32_t tiles_y) {
    auto stage_data = [](uint32_t stage) { return reinterpret_cast<float*>(smem) + stage * tile_elems; };
    auto output = [&](uint32_t number) { return stage_data(stages + number); };
    auto full = [&](uint32_t stage) { return reinterpret_cast<uint64_t*>(stage_data(stages + outputs)) + stage; };
    auto empty = [&](uint32_t stage) { return full(stages) + stage; };
    const uint32_t workers = blockDim.x - 32;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(full(stage), 1);
            ptx::mbarrier_init(empty(stage), workers);
        }
    }
    __syncthreads();

    Turn<stages> turn;
    const uint32_t tiles = tiles_x * tiles_y;
    auto column = [&](uint32_t tile) { return int32_t(tile % tiles_x * width); };
    auto row = [&](uint32_t tile) { return int32_t(tile / tiles_x * height); };
    const uint32_t warp = warp_index();

    if (warp == 0) {
        if (elect_sync(0xffffffff)) {
            for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
                wait(empty(turn.stage), turn.parity ^ 1);
                const int32_t coords[2] = {column(tile), row(tile)};
                ptx::cp_async_bulk_tensor(
                    ptx::space_cluster, ptx::space_global, stage_data(turn.stage), source, coords, full(turn.stage));
                expect(full(turn.stage), tile_bytes);
                turn.advance();
            }
        }
        return;
    }

    const uint32_t worker = threadIdx.x - 32;
    uint32_t number = 0;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        // The store before the last has read this output tile.
        if (warp == 1 && elect_sync(0xffffffff)) {
            ptx::cp_async_bulk_wait_group_read(ptx::n32_t<outputs - 1>());
        }
        workers_sync(workers);

        wait(full(turn.stage), turn.parity);
        const float* from = stage_data(turn.stage);
        float* to = output(number);
        for (uint32_t i = worker; i < tile_elems; i += workers) {
            to[i] = 2 * from[i] + 1;
        }
        arrive(empty(turn.stage));

        ptx::fence_proxy_async(ptx::space_shared);
        workers_sync(workers);
        if (warp == 1 && elect_sync(0xffffffff)) {
            const int32_t coords[2] = {column(tile), row(tile)};
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, target, coords, to);
            ptx::cp_async_bulk_commit_group();
        }
        number = (number + 1) % outputs;
        turn.advance();
    }
    if (warp == 1 && elect_sync(0xffffffff)) {
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

#define PERSISTENT_TILES(stages)                                                                              \
    extern "C" __global__ void __launch_bounds__(288) persistent_tiles_##stages(                              \
        const __grid_constant__ CUtensorMap source, const __grid_constant__ CUtensorMap target, uint32_t tiles_x, \
        uint32_t tiles_y) {                                                                                   \
        persistent_tiles<stages>(&source, &target, tiles_x, tiles_y);                                         \
    }

PERSISTENT_TILES(2)
PERSISTENT_TILES(3)
PERSISTENT_TILES(4)
