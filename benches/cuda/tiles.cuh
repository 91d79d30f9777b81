// Tiles of a matrix, and their copies.
#pragma once
#include <cuda.h>

#include "ring.cuh"

struct Tiles {
    const CUtensorMap* dst;
    const CUtensorMap* src;
    uint32_t tiles_x;
    uint32_t width;
    uint32_t height;
    uint32_t bytes;

    __device__ void load(uint32_t tile, unsigned char* buffer, uint64_t* bar) const {
        const int32_t coords[2] = {int32_t(tile % tiles_x * width), int32_t(tile / tiles_x * height)};
        expect(bar, bytes);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer, src, coords, bar);
    }
    __device__ void store(uint32_t tile, const unsigned char* buffer) const {
        const int32_t coords[2] = {int32_t(tile % tiles_x * width), int32_t(tile / tiles_x * height)};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, dst, coords, buffer);
    }
};
