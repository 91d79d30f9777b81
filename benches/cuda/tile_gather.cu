// The CUDA version of kernels-gpu/src/tile_gather.rs: same algorithm, launch and parameters.
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t round_tiles = 8;
constexpr uint32_t tile_bytes = 256;
constexpr uint32_t round_bytes = round_tiles * tile_bytes;

// Eight lanes hold the positions of the next round of a warp.
struct Queue {
    const uint32_t* positions;
    uint32_t round;
    uint32_t rounds;
    uint32_t step;
    uint32_t ahead;

    __device__ void read() { ahead = positions[uint64_t(round) * round_tiles + threadIdx.x % round_tiles]; }

    template <bool elected, class Copy>
    __device__ void ask(unsigned char* buffer, uint64_t* bar, Copy copy) {
        if (round >= rounds) {
            return;
        }
        if constexpr (elected) {
            uint32_t position[round_tiles];
#pragma unroll
            for (int tile = 0; tile < round_tiles; ++tile) {
                position[tile] = __shfl_sync(0xffffffff, ahead, tile);
            }
            if (elect_sync(0xffffffff)) {
                expect(bar, round_bytes);
#pragma unroll
                for (int tile = 0; tile < round_tiles; ++tile) {
                    copy(buffer + tile * tile_bytes, position[tile], bar);
                }
            }
        } else {
            const uint32_t lane = threadIdx.x % 32;
            if (lane == 0) {
                expect(bar, round_bytes);
            }
            if (lane < round_tiles) {
                copy(buffer + lane * tile_bytes, ahead, bar);
            }
        }
        round += step;
        if (round < rounds) {
            read();
        }
    }
};

template <int stages, bool elected, class Copy>
__device__ inline void gather(const uint32_t* positions, uint32_t rounds, uint4* sums, Copy copy) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t block_warps = blockDim.x / 32;
    const uint32_t warp = warp_index();
    const uint32_t warps = gridDim.x * block_warps;
    uint4& own = sums[uint64_t(blockIdx.x) * blockDim.x + threadIdx.x];

    auto data = [&](uint32_t stage) { return smem + (warp * stages + stage) * round_bytes; };
    auto bar = [&](uint32_t stage) {
        return reinterpret_cast<uint64_t*>(smem + block_warps * stages * round_bytes) + warp * stages + stage;
    };
    if (lane == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(bar(stage), 1);
        }
    }
    __syncwarp();

    uint32_t round = blockIdx.x * block_warps + warp;
    if (round >= rounds) {
        own = uint4{0, 0, 0, 0};
        return;
    }
    Queue queue{positions, round, rounds, warps, 0};
    queue.read();
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) {
        queue.ask<elected>(data(stage), bar(stage), copy);
    }

    uint4 sum{0, 0, 0, 0};
    Turn<stages> turn;
    for (; round < rounds; round += warps) {
        wait(bar(turn.stage), turn.parity);
#pragma unroll
        for (int part = 0; part < round_bytes / 16 / 32; ++part) {
            const uint4 vector = reinterpret_cast<const uint4*>(data(turn.stage))[lane + part * 32];
            sum.x = sum.x * 31 + vector.x;
            sum.y = sum.y * 31 + vector.y;
            sum.z = sum.z * 31 + vector.z;
            sum.w = sum.w * 31 + vector.w;
        }
        __syncwarp();
        queue.ask<elected>(data(turn.stage), bar(turn.stage), copy);
        turn.advance();
    }
    own = sum;
}

template <int stages, bool elected>
__device__ inline void gather_boxes(
    const CUtensorMap* map, const uint32_t* positions, uint32_t rounds, uint4* sums) {
    gather<stages, elected>(positions, rounds, sums, [&](unsigned char* buffer, uint32_t position, uint64_t* bar) {
        const int32_t coords[3] = {0, int16_t(position), int32_t(position) >> 16};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, coords, bar);
    });
}

template <int stages>
__device__ inline void gather_view(
    const CUtensorMap* map, const uint32_t* positions, uint32_t rounds, uint4* sums) {
    gather<stages, true>(positions, rounds, sums, [&](unsigned char* buffer, uint32_t position, uint64_t* bar) {
        const int32_t coords[2] = {int16_t(position) * 32, int32_t(position) >> 16};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, map, coords, bar);
    });
}

#define TILE_GATHER(name, call)                                                                              \
    extern "C" __global__ void __launch_bounds__(1024)                                                       \
        name(const __grid_constant__ CUtensorMap map, const uint32_t* positions, uint32_t rounds, uint4* sums) { \
        call(&map, positions, rounds, sums);                                                                 \
    }

#define ALL_OF(stages)                                                        \
    TILE_GATHER(tile_gather_##stages, (gather_boxes<stages, true>))           \
    TILE_GATHER(tile_gather_lanes_##stages, (gather_boxes<stages, false>))    \
    TILE_GATHER(tile_gather_view_##stages, (gather_view<stages>))

ALL_OF(1)
ALL_OF(2)
ALL_OF(4)
