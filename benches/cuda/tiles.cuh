// The CUDA version of kernels-gpu/src/patch/mod.rs: tiles side by side, and their copies.
#pragma once
#include <cuda.h>

#include "ring.cuh"

struct Patch {
    uint32_t width;
    uint32_t height;
    uint32_t box_bytes;
    uint32_t boxes;
    uint32_t tiles;

    __device__ uint32_t bytes() const { return box_bytes * boxes * tiles; }

    // The boxes of the patch in this column and row of patches.
    template <class OfBox>
    __device__ void each(uint32_t column, uint32_t row, OfBox of_box) const {
        const uint32_t first_column = column * tiles * width;
        const uint32_t first_row = row * boxes * height;
        for (uint32_t below = 0; below < boxes; ++below) {
            for (uint32_t beside = 0; beside < tiles; ++beside) {
                const int32_t coords[2] = {
                    int32_t(first_column + beside * width), int32_t(first_row + below * height)};
                of_box((beside * boxes + below) * box_bytes, coords);
            }
        }
    }

    __device__ void load(
        const CUtensorMap* map, uint32_t column, uint32_t row, unsigned char* buffer, uint64_t* bar) const {
        expect(bar, bytes());
        each(column, row, [&](uint32_t offset, const int32_t(&coords)[2]) {
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, buffer + offset, map, coords, bar);
        });
    }

    __device__ void store(const CUtensorMap* map, uint32_t column, uint32_t row, const unsigned char* buffer) const {
        each(column, row, [&](uint32_t offset, const int32_t(&coords)[2]) {
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, coords, buffer + offset);
        });
    }
};
