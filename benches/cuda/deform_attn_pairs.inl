// The pairs of deform_attn.cu, which includes this behind what both use.
#pragma once

// Pixels two at a time: those of the finer images by ordinary loads, of the coarser ones from shared memory.
constexpr uint32_t pair_lanes = 2 * chunks;
constexpr uint32_t pair_queries = 32 / pair_lanes;
constexpr uint32_t fine = 2;

struct Pairs {
    const Problem& problem;
    uint32_t own;
    // The query's samples: where the upper left pixel is, what both rows count, the right column's share.
    uint4* samples;

    __device__ void place(
        const Level& level, uint32_t origin, uint2 locations, __half2 weights) const {
        auto one = [&](uint32_t index, uint32_t location, __half weight) {
            const Around sample = around(level, location, weight);
            const uint32_t pixel = level.first + sample.row * level.width + sample.column;
            samples[2 * own + index] = {
                origin + pixel * pixel_bytes, __float_as_uint(sample.upper), __float_as_uint(sample.lower),
                __float_as_uint(sample.right)};
        };
        one(0, locations.x, __low2half(weights));
        one(1, locations.y, __high2half(weights));
    }

    template <class Rows>
    __device__ void add(float (&sums)[8], uint32_t image, Rows rows) const {
        const float least = own < chunks ? 1 : 0;
        const float factor = own < chunks ? -1 : 1;
#pragma unroll
        for (uint32_t point = 0; point < points; ++point) {
            const uint4 sample = samples[image * points + point];
            const float share = least + factor * __uint_as_float(sample.w);
            uint4 above;
            uint4 below;
            rows(sample.x + own * uint32_t(sizeof(uint4)), above, below);
            accumulate(sums, above, __uint_as_float(sample.y) * share);
            accumulate(sums, below, __uint_as_float(sample.z) * share);
        }
    }
};

__device__ inline void by_pairs(const Problem& problem, uint32_t waves) {
    const uint32_t warps = blockDim.x / 32;
    const uint32_t warp_number = warp_index();
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t query_of_warp = lane / pair_lanes;
    const uint32_t own = lane % pair_lanes;
    const uint32_t coarse_first = problem.levels[fine].first;
    const uint32_t coarse_bytes = (problem.pixels() - coarse_first) * pixel_bytes;
    uint4* samples = reinterpret_cast<uint4*>(smem + (coarse_bytes + 127) / 128 * 128);
    constexpr uint32_t query_samples = fine * points;
    uint64_t* bar = reinterpret_cast<uint64_t*>(samples + warps * pair_queries * query_samples);
    const Pairs pairs{problem, own, samples + (warp_number * pair_queries + query_of_warp) * query_samples};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, 1);
    }
    uint32_t parity = 0;

    const uint32_t groups_of_batch = (problem.queries + pair_queries - 1) / pair_queries;
    for (uint32_t wave = 0; wave < waves; ++wave) {
        const uint32_t first = share(problem.batches, wave, waves) * groups_of_batch;
        const uint32_t groups = share(problem.batches, wave + 1, waves) * groups_of_batch - first;
        uint32_t part = first + share(groups, blockIdx.x, gridDim.x);
        const uint32_t end_of_part = first + share(groups, blockIdx.x + 1, gridDim.x);
        while (part < end_of_part) {
            const uint32_t batch = part / groups_of_batch;
            const uint32_t end = min(end_of_part, (batch + 1) * groups_of_batch);
            const uint64_t first_pixel = uint64_t(batch) * problem.pixels();
            // All reads of the previous batch's images are done.
            __syncthreads();
            if (warp_number == 0) {
                if (elect_sync(0xffffffff)) {
                    ptx::cp_async_bulk(
                        ptx::space_cluster, ptx::space_global, smem,
                        problem.value + (first_pixel + coarse_first) * chunks, coarse_bytes, bar);
                    expect(bar, coarse_bytes);
                }
            }
            const unsigned char* value = reinterpret_cast<const unsigned char*>(problem.value + first_pixel * chunks);
            auto in_batch = [&](uint32_t group) {
                return (group - batch * groups_of_batch) * pair_queries + query_of_warp;
            };
            auto query_of = [&](uint32_t group) {
                return batch * problem.queries + min(in_batch(group), problem.queries - 1);
            };
            uint2 locations[2];
            __half2 weights[2];
            auto look = [&](uint32_t group) {
#pragma unroll
                for (uint32_t half = 0; half < 2; ++half) {
                    const uint64_t index =
                        (uint64_t(query_of(group)) * levels_len + half * fine + own / 4) * (points / 2) + own % 4;
                    locations[half] = reinterpret_cast<const uint2*>(problem.locations)[index];
                    weights[half] = reinterpret_cast<const __half2*>(problem.weights)[index];
                }
            };
            uint32_t group = part + warp_number;
            part = end;
            if (group < end) {
                look(group);
            }
            while (group < end) {
                const uint2 of_fine = locations[0];
                const uint2 of_coarse = locations[1];
                const __half2 fine_weights = weights[0];
                const __half2 coarse_weights = weights[1];
                const uint32_t query = query_of(group);
                const bool is_there = in_batch(group) < problem.queries;
                group += warps;
                if (group < end) {
                    look(group);
                }
                float sums[8] = {};
                pairs.place(problem.level(own / 4), 0, of_fine, fine_weights);
                __syncwarp();
#pragma unroll
                for (uint32_t image = 0; image < fine; ++image) {
                    const uint32_t below_bytes = problem.level(image).width * pixel_bytes;
                    pairs.add(sums, image, [&](uint32_t offset, uint4& above, uint4& below) {
                        above = *reinterpret_cast<const uint4*>(value + offset);
                        below = *reinterpret_cast<const uint4*>(value + offset + below_bytes);
                    });
                }
                __syncwarp();
                pairs.place(
                    problem.level(fine + own / 4), 0u - coarse_first * pixel_bytes, of_coarse, coarse_weights);
                wait(bar, parity);
                __syncwarp();
#pragma unroll
                for (uint32_t image = 0; image < fine; ++image) {
                    const uint32_t below_bytes = problem.level(fine + image).width * pixel_bytes;
                    pairs.add(sums, image, [&](uint32_t offset, uint4& above, uint4& below) {
                        above = *reinterpret_cast<const uint4*>(smem + offset);
                        below = *reinterpret_cast<const uint4*>(smem + offset + below_bytes);
                    });
                }
                __syncwarp();
#pragma unroll
                for (int sum = 0; sum < 8; ++sum) {
                    sums[sum] += __shfl_xor_sync(0xffffffff, sums[sum], chunks);
                }
                if (is_there && own < chunks) {
                    problem.store(query, own, sums);
                }
            }
            parity ^= 1;
        }
    }
}
