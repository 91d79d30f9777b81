// Pieces of a stretch of memory, the last one shorter, and their copies.
#pragma once
#include "ring.cuh"

struct Chunks {
    unsigned char* dst;
    const unsigned char* src;
    uint64_t len_bytes;
    uint32_t chunk_bytes;

    __device__ uint32_t count() const { return (len_bytes + chunk_bytes - 1) / chunk_bytes; }
    __device__ uint64_t start(uint32_t chunk) const { return uint64_t(chunk) * chunk_bytes; }
    __device__ uint32_t bytes(uint32_t chunk) const {
        return min(len_bytes - start(chunk), uint64_t(chunk_bytes));
    }
    __device__ void load(uint32_t chunk, unsigned char* buffer, uint64_t* bar) const {
        expect(bar, bytes(chunk));
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, buffer, src + start(chunk), bytes(chunk), bar);
    }
    __device__ void store(uint32_t chunk, const unsigned char* buffer) const {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, dst + start(chunk), buffer, bytes(chunk));
    }
};
