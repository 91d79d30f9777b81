// The CUDA version of kernels-gpu/src/gemm_mma.rs for A as it is and B transposed: same algorithm, launch and
// parameters.
#include <cuda.h>
#include <cuda_bf16.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t box = 64;
constexpr uint32_t rows = 128;
constexpr uint32_t columns = 256;
constexpr uint32_t warps = 8;
constexpr uint32_t row_bytes = 2 * box;
constexpr uint32_t box_bytes = box * row_bytes;
constexpr uint32_t stage_bytes = (rows + columns) / box * box_bytes;

// A number to divide by, as a factor and a shift.
struct Divisor {
    uint32_t divisor;
    uint32_t factor;
    uint32_t shift;

    // Quotient and remainder.
    __device__ uint2 divide(uint32_t number) const {
        const uint32_t quotient = uint64_t(number) * factor >> shift;
        return {quotient, number - quotient * divisor};
    }
};

struct Tiling {
    uint32_t tiles[2];
    uint32_t last_boxes[2];
    uint32_t stages;
    Divisor group;
    Divisor last_group;
    Divisor in_group;

    // Row and column of the first element of a tile.
    __device__ uint2 origin(uint32_t tile) const {
        const uint2 in = in_group.divide(tile);
        const uint32_t first_row = in.x * group.divisor;
        const uint2 at = (tiles[0] - first_row < group.divisor ? last_group : group).divide(in.y);
        return {(first_row + at.y) * rows, at.x * columns};
    }
};

struct Results {
    uint64_t row_stride;
    uint32_t extents[2];
};

// 64 rows of A or columns of B, and 16 elements along K.
struct Fragment {
    uint32_t parts[4][4];

    __device__ void load(uint32_t first, uint32_t step) {
        const uint32_t from = first ^ 32 * step;
#pragma unroll
        for (uint32_t part = 0; part < 4; ++part) {
            uint32_t* to = parts[part];
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                         : "r"(from + part * 16 * row_bytes)
                         : "memory");
        }
    }
};

__device__ inline void multiply(float* sums, const uint32_t* a, const uint32_t* b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// For each 16 rows and 16 columns of 64 two products of 16 by 8.
struct Sums {
    float parts[4][4][2][4];

    __device__ void add(const Fragment& a, const Fragment& b) {
#pragma unroll
        for (uint32_t row = 0; row < 4; ++row) {
#pragma unroll
            for (uint32_t column = 0; column < 4; ++column) {
                multiply(parts[row][column][0], a.parts[row], b.parts[column]);
                multiply(parts[row][column][1], a.parts[row], b.parts[column] + 2);
            }
        }
    }
};

struct Step {
    Fragment a;
    Fragment b;
};

// Returns the offset of the 16 bytes in a box that begins at a multiple of 1024.
__device__ inline uint32_t swizzled(uint32_t row, uint32_t chunk) {
    return row * row_bytes + (chunk ^ row % 8) * 16;
}

template <int stages>
__device__ inline void gemm_mma(
    const CUtensorMap* a, const CUtensorMap* b, const Tiling& tiling, const Results& results, __nv_bfloat16* c) {
    const Ring<stages> ring{stage_bytes};
    if (threadIdx.x == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(ring.full(stage), 1);
            ptx::mbarrier_init(ring.empty(stage), uint32_t{warps});
        }
    }
    __syncthreads();

    const uint32_t warp = warp_index();
    const uint32_t tiles = tiling.tiles[0] * tiling.tiles[1];
    Turn<stages> filling;
    uint32_t next_tile = blockIdx.x;
    uint32_t next_stage = tiling.stages;
    uint2 origin;
    auto load_ahead = [&] {
        if (next_stage == tiling.stages) {
            if (next_tile >= tiles || tiling.stages == 0) {
                return;
            }
            origin = tiling.origin(next_tile);
            next_tile += gridDim.x;
            next_stage = 0;
        }
        if (warp == 0 && elect_sync(0xffffffff)) {
            wait(ring.empty(filling.stage), filling.parity ^ 1);
            uint64_t* full = ring.full(filling.stage);
            unsigned char* data = ring.data(filling.stage);
            auto load = [&](const CUtensorMap* map, uint32_t number, uint32_t first, uint32_t last) {
                const int32_t coords[2] = {int32_t(next_stage * box), int32_t(min(first, last))};
                ptx::cp_async_bulk_tensor(
                    ptx::space_cluster, ptx::space_global, data + number * box_bytes, map, coords, full);
            };
#pragma unroll
            for (uint32_t number = 0; number < rows / box; ++number) {
                load(a, number, origin.x + number * box, tiling.last_boxes[0]);
            }
#pragma unroll
            for (uint32_t number = 0; number < columns / box; ++number) {
                load(b, rows / box + number, origin.y + number * box, tiling.last_boxes[1]);
            }
            expect(full, stage_bytes);
        }
        ++next_stage;
        filling.advance();
    };
#pragma unroll
    for (int ahead = 1; ahead < stages; ++ahead) {
        load_ahead();
    }

    const uint32_t lane = threadIdx.x % 32;
    const uint32_t down = warp % (rows / box);
    const uint32_t along = warp / (rows / box);
    const uint32_t data = __cvta_generic_to_shared(smem);
    const uint32_t first_of_a = data + down * box_bytes + swizzled(lane % 16, lane / 16);
    const uint32_t first_of_b =
        data + (rows / box + along) * box_bytes + swizzled(lane / 16 * 8 + lane % 8, lane / 8 % 2);
    Turn<stages> draining;
    auto load_step = [&](Step& step, uint32_t number) {
        step.a.load(first_of_a + draining.stage * stage_bytes, number);
        step.b.load(first_of_b + draining.stage * stage_bytes, number);
    };
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        Sums sums = {};
        Step even, odd;
        auto add = [&](const Step& step) { sums.add(step.a, step.b); };
        if (tiling.stages != 0) {
            wait(ring.full(draining.stage), draining.parity);
            load_step(even, 0);
            for (uint32_t left = tiling.stages;;) {
                load_step(odd, 1);
                load_ahead();
                add(even);
                load_step(even, 2);
                add(odd);
                load_step(odd, 3);
                add(even);
                __syncwarp();
                if (lane == 0) {
                    arrive(ring.empty(draining.stage));
                }
                draining.advance();
                if (--left == 0) {
                    add(odd);
                    break;
                }
                wait(ring.full(draining.stage), draining.parity);
                load_step(even, 0);
                add(odd);
            }
        }

        const uint2 at = tiling.origin(tile);
        const uint32_t first_row = at.x + down * box + lane / 4;
        const uint32_t first_column = at.y + along * box + lane % 4 * 2;
#pragma unroll
        for (uint32_t part = 0; part < 32; ++part) {
            const float* own = sums.parts[part / 8][part / 2 % 4][part % 2];
#pragma unroll
            for (uint32_t half = 0; half < 2; ++half) {
                const uint32_t row = first_row + part / 8 * 16 + half * 8;
                const uint32_t column = first_column + part % 8 * 8;
                if (row < results.extents[0] && column < results.extents[1]) {
                    const auto pair = __floats2bfloat162_rn(own[2 * half], own[2 * half + 1]);
                    *reinterpret_cast<__nv_bfloat162*>(c + row * results.row_stride + column) = pair;
                }
            }
        }
    }
}

#define GEMM_MMA(stages)                                                                                    \
    extern "C" __global__ void __launch_bounds__(256, 1) gemm_mma_bf16_true_true_##stages(                  \
        const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const Tiling tiling,  \
        const Results results, __nv_bfloat16* c) {                                                          \
        gemm_mma<stages>(&a, &b, tiling, results, c);                                                       \
    }

GEMM_MMA(2)
GEMM_MMA(4)
