// The CUDA versions of benches/gpu/src/latency.rs: same algorithms, launches and parameters.
#include <cooperative_groups.h>
#include <cuda.h>

#include "elected.cuh"
#include "ring.cuh"

extern "C" __global__ void __launch_bounds__(32) load_latency(
    const unsigned char* src, uint32_t bytes, uint32_t stride_bytes, uint32_t count, uint32_t* cycles) {
    __shared__ uint64_t bar;
    if (!is_elected()) {
        return;
    }
    ptx::mbarrier_init(&bar, 1);
    for (uint32_t load = 0; load < count; ++load) {
        const uint64_t from = uint64_t(load) * stride_bytes;
        const uint64_t start = clock64();
        expect(&bar, bytes);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, smem, src + from, bytes, &bar);
        wait(&bar, load & 1);
        cycles[load] = clock64() - start;
    }
}

extern "C" __global__ void __launch_bounds__(32) box_latency(
    const __grid_constant__ CUtensorMap map, const uint32_t* positions, uint32_t count, uint32_t* cycles) {
    __shared__ uint64_t bar;
    __shared__ alignas(128) uint32_t data[64];
    if (!is_elected()) {
        return;
    }
    ptx::mbarrier_init(&bar, 1);
    // Unrolled as LLVM unrolls the kernel's loop.
#pragma unroll 4
    for (uint32_t load = 0; load < count; ++load) {
        const uint32_t position = positions[load];
        const int32_t coords[3] = {0, int16_t(position), int32_t(position) >> 16};
        const uint64_t start = clock64();
        expect(&bar, sizeof(data));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, data, &map, coords, &bar);
        wait(&bar, load & 1);
        cycles[load] = clock64() - start;
    }
}

// cuda::ptx::tensormap_replace_global_address, which CUDA 13.0's libcu++ has not for every architecture.
__device__ inline void replace_address(CUtensorMap* map, uint64_t address) {
    asm volatile("tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%0], %1;"
                 :
                 : "r"(uint32_t(__cvta_generic_to_shared(map))), "l"(address)
                 : "memory");
}

extern "C" __global__ void __launch_bounds__(32) replace_latency(
    const __grid_constant__ CUtensorMap source, uint64_t tensor, uint32_t stride_bytes, CUtensorMap* map,
    uint32_t count, uint32_t* cycles, uint32_t* firsts) {
    __shared__ uint64_t bar;
    __shared__ alignas(128) CUtensorMap edited;
    const uint32_t lane = threadIdx.x;
    reinterpret_cast<uint32_t*>(&edited)[lane] = reinterpret_cast<const uint32_t*>(&source)[lane];
    if (lane == 0) {
        ptx::mbarrier_init(&bar, 1);
    }
    __syncwarp();

    for (uint32_t round = 0; round < count; ++round) {
        const uint64_t address = tensor + uint64_t(round) * stride_bytes;
        const uint64_t start = clock64();
        if (elect_sync(0xffffffff)) {
            replace_address(&edited, address);
        }
        __syncwarp();
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, &edited, ptx::n32_t<128>());
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
        if (elect_sync(0xffffffff)) {
            const int32_t coords[2] = {0, 0};
            expect(&bar, 64 * 64 * 4);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, smem, map, coords, &bar);
        }
        wait(&bar, round & 1);
        const uint64_t took = clock64() - start;
        if (lane == 0) {
            cycles[round] = took;
            firsts[round] = *reinterpret_cast<const uint32_t*>(smem);
        }
        __syncwarp();
    }
}

extern "C" __global__ void __launch_bounds__(32) ring_latency(uint32_t rounds, uint64_t* result) {
    __shared__ uint64_t bar;
    __shared__ uint64_t tokens[256];
    auto cluster = cooperative_groups::this_cluster();
    const uint32_t rank = cluster.block_rank();
    const uint32_t blocks = cluster.num_blocks();
    const bool elected = elect_sync(0xffffffff);
    if (elected) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        expect(&bar, sizeof(uint64_t));
    }
    cluster.sync();

    if (elected) {
        const uint32_t next = (rank + 1) % blocks;
        uint64_t* to = cluster.map_shared_rank(tokens, next);
        uint64_t* at = cluster.map_shared_rank(&bar, next);
        const uint64_t start = clock64();
        uint64_t token = 0;
        if (rank == 0) {
            ptx::st_async(to, token, at);
        }
        for (uint32_t round = 0; round < rounds; ++round) {
            while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, round & 1)) {
            }
            token = tokens[round] + 1;
            if (round + 1 < rounds) {
                expect(&bar, sizeof(uint64_t));
            }
            if (rank != 0) {
                ptx::st_async(to + round, token, at);
            } else if (round + 1 < rounds) {
                ptx::st_async(to + round + 1, token, at);
            }
        }
        if (rank == 0) {
            result[0] = clock64() - start;
            result[1] = token;
        }
    }
    cluster.sync();
}
