// Tiles of cooperative groups that have several warps.
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstring>

namespace groups = cooperative_groups;

const int TILE = 64, THREADS = 3 * TILE;

// Each thread reads the number of a thread of the other warp of its tile, and gets the sum from the tile's last thread.
__global__ void around_tiles(int* out, bool waits) {
    __shared__ groups::block_tile_memory<THREADS> memory;
    __shared__ int all[THREADS];
    auto tile = groups::tiled_partition<TILE>(groups::this_thread_block(memory));
    int first = tile.meta_group_rank() * TILE, rank = tile.thread_rank();
    all[first + rank] = 5 * (first + rank);
    if (waits) tile.sync();
    int sum = all[first + (rank + 33) % TILE] + rank;
    out[threadIdx.x] = sum + 1000 * tile.shfl(sum, TILE - 1);
}

// The warps of a tile hand their sums on in its memory.
__global__ void sum_tiles(int* out) {
    __shared__ groups::block_tile_memory<THREADS> memory;
    auto tile = groups::tiled_partition<TILE>(groups::this_thread_block(memory));
    out[threadIdx.x] = groups::reduce(tile, int(threadIdx.x) * 7 % 31, groups::plus<int>());
}

int tiles(const char* how) {
    int *on, out[THREADS];
    CHECK(cudaMalloc(&on, sizeof out));
    bool sums = !strcmp(how, "sum"), waits = !strcmp(how, "sync");
    if (sums)
        sum_tiles<<<1, THREADS>>>(on);
    else
        around_tiles<<<1, THREADS>>>(on, waits);
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        int first = i / TILE * TILE, rank = i % TILE, sum = 0;
        for (int j = first; j < first + TILE; j++) sum += j * 7 % 31;
        int last = 5 * (first + 32) + TILE - 1;
        int around = 5 * (first + (rank + 33) % TILE) + rank + 1000 * last;
        if (sums && out[i] != sum || waits && out[i] != around) return 2;
    }
    return 0;
}
