// The CUDA version of kernels-gpu/src/deform_attn.rs: same algorithms, launches and parameters.
#include <cuda.h>
#include <cuda_fp16.h>

#include "elected.cuh"
#include "ring.cuh"

constexpr uint32_t levels_len = 4;
constexpr uint32_t points = 8;
constexpr uint32_t channels = 32;
constexpr uint32_t warp_queries = 8;
// The channels of a lane, eight at a time.
constexpr uint32_t chunks = channels / 8;
constexpr uint32_t pixel_bytes = channels * 2;

struct Level {
    uint32_t width;
    uint32_t height;
    uint32_t first;
};

// A sample: the upper left of the four pixels around it, what both rows count, and the right column's share of that.
struct Around {
    uint32_t column;
    uint32_t row;
    float upper;
    float lower;
    float right;
};

// The four pixels around a sample, by the upper left one, and what each counts.
struct Corners {
    uint32_t column;
    uint32_t row;
    float weights[4];
};

template <class Value>
__device__ inline Value pick(uint32_t index, Value a, Value b, Value c, Value d) {
    const Value even = index & 2 ? c : a;
    const Value odd = index & 2 ? d : b;
    return index & 1 ? odd : even;
}

struct Problem {
    const uint4* value;
    const uint32_t* locations;
    const __half* weights;
    uint4* output;
    Level levels[levels_len];
    uint32_t batches;
    uint32_t queries;

    __device__ Problem(
        const uint4* value, const uint32_t* locations, const __half* weights, uint4* output, const uint32_t (&shapes)[4],
        uint32_t batches, uint32_t queries)
        : value(value), locations(locations), weights(weights), output(output), batches(batches), queries(queries) {
        uint32_t first = 0;
#pragma unroll
        for (int level = 0; level < levels_len; ++level) {
            levels[level] = {shapes[level] & 0xffff, shapes[level] >> 16, first};
            first += levels[level].width * levels[level].height;
        }
    }

    __device__ uint32_t pixels() const { return levels[3].first + levels[3].width * levels[3].height; }
    __device__ uint32_t groups_of_batch() const { return (queries + warp_queries - 1) / warp_queries; }

    // Chosen without a table in memory.
    __device__ Level level(uint32_t index) const {
        return {
            pick(index, levels[0].width, levels[1].width, levels[2].width, levels[3].width),
            pick(index, levels[0].height, levels[1].height, levels[2].height, levels[3].height),
            pick(index, levels[0].first, levels[1].first, levels[2].first, levels[3].first)};
    }

    __device__ void sample(uint32_t query, uint32_t level, uint32_t point, uint32_t& location, __half& weight) const {
        const uint64_t index = (uint64_t(query) * levels_len + level) * points + point;
        location = locations[index];
        weight = weights[index];
    }

    __device__ void store(uint32_t query, uint32_t chunk, const float (&sums)[8]) const {
        uint4 halves;
        auto pair = [&](int first) {
            const __half2 both = __floats2half2_rn(sums[first], sums[first + 1]);
            return reinterpret_cast<const uint32_t&>(both);
        };
        halves = {pair(0), pair(2), pair(4), pair(6)};
        output[uint64_t(query) * chunks + chunk] = halves;
    }
};

__device__ inline float2 floats(uint32_t halves) {
    return __half22float2(reinterpret_cast<const __half2&>(halves));
}

// A sample outside the image, or at a NaN, counts as zero.
__device__ inline Around around(const Level& level, uint32_t location, __half weight_half) {
    const float2 sample = floats(location);
    float x = fmaf(sample.x, float(level.width - 2), 0.5f);
    float y = fmaf(sample.y, float(level.height - 2), 0.5f);
    const bool inside = x > 0 && y > 0 && x < float(level.width - 1) && y < float(level.height - 1);
    const float weight = inside ? __half2float(weight_half) : 0;
    x = inside ? x : 0;
    y = inside ? y : 0;
    const float column = floorf(x);
    const float row = floorf(y);
    const float down = y - row;
    return {uint32_t(column), uint32_t(row), weight - weight * down, weight * down, x - column};
}

__device__ inline Corners corners_of(const Level& level, uint32_t location, __half weight) {
    const auto [column, row, upper, lower, right] = around(level, location, weight);
    return {column, row, {upper - upper * right, upper * right, lower - lower * right, lower * right}};
}

__device__ inline void accumulate(float (&sums)[8], uint4 pixel, float weight) {
    const uint32_t words[4] = {pixel.x, pixel.y, pixel.z, pixel.w};
#pragma unroll
    for (int word = 0; word < 4; ++word) {
        const float2 both = floats(words[word]);
        sums[2 * word] = fmaf(both.x, weight, sums[2 * word]);
        sums[2 * word + 1] = fmaf(both.y, weight, sums[2 * word + 1]);
    }
}

__device__ inline void gather(const Problem& problem) {
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t query_of_warp = lane / chunks;
    const uint32_t own = lane % chunks;
    const uint32_t pixels = problem.pixels();
    const uint32_t groups_of_batch = problem.groups_of_batch();

    const uint32_t warps = gridDim.x * (blockDim.x / 32);
    uint32_t group = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    for (; group < groups_of_batch * problem.batches; group += warps) {
        const uint32_t batch = group / groups_of_batch;
        const uint32_t in_batch = (group - batch * groups_of_batch) * warp_queries + query_of_warp;
        const uint32_t query = batch * problem.queries + min(in_batch, problem.queries - 1);
        const uint64_t first_pixel = uint64_t(batch) * pixels;

        float sums[8] = {};
#pragma unroll 1
        for (uint32_t image = 0; image < levels_len; ++image) {
            const Level level = problem.level(image);
#pragma unroll 1
            for (uint32_t first = 0; first < points; first += chunks) {
                uint32_t location;
                __half weight;
                problem.sample(query, image, first + own, location, weight);
                const Corners corners = corners_of(level, location, weight);
                const uint32_t pixel = level.first + corners.row * level.width + corners.column;
#pragma unroll
                for (int other = 0; other < chunks; ++other) {
                    auto from = [&](auto value) {
                        return __shfl_sync(0xffffffff, value, query_of_warp * chunks + other);
                    };
                    float of_corner[4];
#pragma unroll
                    for (int corner = 0; corner < 4; ++corner) {
                        of_corner[corner] = from(corners.weights[corner]);
                    }
                    const uint4* upper = problem.value + (first_pixel + from(pixel)) * chunks + own;
                    const uint4* lower = upper + level.width * chunks;
                    accumulate(sums, upper[0], of_corner[0]);
                    accumulate(sums, upper[chunks], of_corner[1]);
                    accumulate(sums, lower[0], of_corner[2]);
                    accumulate(sums, lower[chunks], of_corner[3]);
                }
            }
        }
        if (in_batch < problem.queries) {
            problem.store(query, own, sums);
        }
    }
}

constexpr uint32_t tile_bytes = 4 * pixel_bytes;
constexpr uint32_t weights_bytes = 32 * sizeof(float4);
constexpr uint32_t samples_bytes = 32 * sizeof(uint64_t);

constexpr int tiled = 2;
constexpr uint32_t stage_bytes = warp_queries * tiled * tile_bytes + weights_bytes + samples_bytes;

// A warp's groups of queries in one batch.
struct Work {
    uint32_t batch;
    uint32_t group;
    uint32_t end;
    uint32_t step;
};

// The round that is filled next: a point of a group.
struct Next {
    uint32_t group;
    uint32_t point;
    uint32_t location;
    __half weight;
};

// A warp with the shared memory that is its own. A stage has, for one round, the tiles, the weights of
// all 32 samples, and where these are.
template <int stages>
struct Warp {
    const Problem& problem;
    const CUtensorMap* const (&maps)[tiled];
    unsigned char* data;
    uint64_t* barriers;
    unsigned char* images;
    uint32_t lane;
    uint32_t query;
    uint32_t own;
    Level level;
    Turn<stages> to_fill;
    Turn<stages> to_drain;

    __device__ Warp(
        const Problem& problem, const CUtensorMap* const (&maps)[tiled], unsigned char* data, uint64_t* barriers,
        unsigned char* images)
        : problem(problem), maps(maps), data(data), barriers(barriers), images(images), lane(threadIdx.x % 32),
          query(lane / chunks), own(lane % chunks), level(problem.level(own)) {}

    __device__ unsigned char* tiles(uint32_t stage) const { return data + stage * stage_bytes; }
    __device__ float4* weights(uint32_t stage) const {
        return reinterpret_cast<float4*>(tiles(stage) + warp_queries * tiled * tile_bytes);
    }
    __device__ uint64_t* samples(uint32_t stage) const { return reinterpret_cast<uint64_t*>(weights(stage) + 32); }

    __device__ uint32_t in_batch(const Work& work, uint32_t group) const {
        return (group - work.batch * problem.groups_of_batch()) * warp_queries + query;
    }

    __device__ uint32_t query_of(const Work& work, uint32_t group) const {
        return work.batch * problem.queries + min(in_batch(work, group), problem.queries - 1);
    }

    __device__ void look(const Work& work, Next& next) const {
        if (next.group < work.end) {
            problem.sample(query_of(work, next.group), own, next.point, next.location, next.weight);
        }
    }

    __device__ void fill(const Work& work, Next& next) {
        const Corners corners = corners_of(level, next.location, next.weight);
        const bool is_tiled = own < tiled;
        // Two queries read pixels at the same time: one left before right, the other right before left.
        const uint32_t swap = (query & 1) ^ (is_tiled ? 0 : corners.column & 1);
        const float(&of_corner)[4] = corners.weights;
        uint64_t sample;
        if (is_tiled) {
            sample = uint64_t(corners.column * channels) | uint64_t(corners.row) << 32;
        } else {
            const uint32_t first = problem.levels[tiled].first;
            const uint32_t pixel = level.first - first + corners.row * level.width + corners.column + swap;
            sample = (uint32_t(__cvta_generic_to_shared(images)) + pixel * pixel_bytes) | swap;
        }
        weights(to_fill.stage)[lane] = swap ? float4{of_corner[1], of_corner[0], of_corner[3], of_corner[2]}
                                            : float4{of_corner[0], of_corner[1], of_corner[2], of_corner[3]};
        samples(to_fill.stage)[lane] = sample;
        __syncwarp();
        if (elect_sync(0xffffffff)) {
            uint64_t* bar = barriers + to_fill.stage;
#pragma unroll
            for (int image = 0; image < tiled; ++image) {
                // All of an image before the first copy, which no read passes.
                uint64_t sample[warp_queries];
#pragma unroll
                for (int query = 0; query < warp_queries; ++query) {
                    sample[query] = samples(to_fill.stage)[query * chunks + image];
                }
#pragma unroll
                for (int query = 0; query < warp_queries; ++query) {
                    const int32_t coords[3] = {
                        int32_t(sample[query]), int32_t(sample[query] >> 32), int32_t(work.batch)};
                    ptx::cp_async_bulk_tensor(
                        ptx::space_cluster, ptx::space_global,
                        tiles(to_fill.stage) + (image * warp_queries + query) * tile_bytes, maps[image], coords, bar);
                }
            }
            expect(bar, tiled * warp_queries * tile_bytes);
        }
        to_fill.advance();
        if (++next.point == points) {
            next.point = 0;
            next.group += work.step;
        }
        look(work, next);
    }

    __device__ void drain(float (&sums)[8]) {
        const uint32_t stage = to_drain.stage;
        wait(barriers + stage, to_drain.parity);
        const uint32_t offset = own * sizeof(uint4);
        auto pixel = [&](const unsigned char* data, float weight) {
            accumulate(sums, *reinterpret_cast<const uint4*>(data), weight);
        };
        auto at = [](uint32_t address) {
            return static_cast<const unsigned char*>(__cvta_shared_to_generic(address));
        };
#pragma unroll
        for (int image = 0; image < tiled; ++image) {
            const float4 of_corner = weights(stage)[query * chunks + image];
            const unsigned char* tile = tiles(stage) + (image * warp_queries + query) * tile_bytes + offset;
            const unsigned char* first = tile + (query & 1) * pixel_bytes;
            const unsigned char* second = tile + (~query & 1) * pixel_bytes;
            pixel(first, of_corner.x);
            pixel(second, of_corner.y);
            pixel(first + 2 * pixel_bytes, of_corner.z);
            pixel(second + 2 * pixel_bytes, of_corner.w);
        }
#pragma unroll
        for (int image = tiled; image < levels_len; ++image) {
            const float4 of_corner = weights(stage)[query * chunks + image];
            const uint32_t sample = samples(stage)[query * chunks + image];
            const uint32_t swap = sample & 1;
            const unsigned char* first = at((sample ^ swap) + offset);
            const unsigned char* second = at((sample ^ swap) + offset + pixel_bytes - 2 * pixel_bytes * swap);
            const uint32_t below = problem.levels[image].width * pixel_bytes;
            pixel(first, of_corner.x);
            pixel(second, of_corner.y);
            pixel(first + below, of_corner.z);
            pixel(second + below, of_corner.w);
        }
        to_drain.advance();
        __syncwarp();
    }

    __device__ void attend(const Work& work) {
        const uint32_t rounds =
            work.group < work.end ? (work.end - work.group + work.step - 1) / work.step * points : 0;
        if (rounds == 0) {
            return;
        }
        Next next{work.group, 0, 0, __half()};
        look(work, next);
        uint32_t filled = 0;
        for (; filled < stages && filled < rounds; ++filled) {
            fill(work, next);
        }
        for (uint32_t group = work.group; group < work.end; group += work.step) {
            float sums[8] = {};
#pragma unroll 1
            for (uint32_t point = 0; point < points; ++point) {
                drain(sums);
                if (filled < rounds) {
                    fill(work, next);
                    ++filled;
                }
            }
            if (in_batch(work, group) < problem.queries) {
                problem.store(query_of(work, group), own, sums);
            }
        }
    }
};

__device__ inline uint32_t share(uint32_t count, uint32_t part, uint32_t parts) {
    return uint64_t(count) * part / parts;
}

template <int stages>
__device__ inline void by_tiles(const Problem& problem, const CUtensorMap* const (&maps)[tiled], uint32_t waves) {
    constexpr uint32_t warp_bytes = stages * stage_bytes;
    const uint32_t warps = blockDim.x / 32;
    const uint32_t warp_number = warp_index();
    const uint32_t resident_first = problem.levels[tiled].first;
    const uint32_t resident_bytes = (problem.pixels() - resident_first) * pixel_bytes;
    unsigned char* data = smem + (resident_bytes + 127) / 128 * 128;
    uint64_t* barriers = reinterpret_cast<uint64_t*>(data + warps * warp_bytes);
    uint64_t* images_barrier = barriers + warps * stages;
    Warp<stages> warp(
        problem, maps, data + warp_number * warp_bytes, barriers + warp_number * stages, smem);
    if (warp.lane == 0) {
#pragma unroll
        for (int stage = 0; stage < stages; ++stage) {
            ptx::mbarrier_init(warp.barriers + stage, 1);
        }
        if (warp_number == 0) {
            ptx::mbarrier_init(images_barrier, 1);
        }
    }
    // No __syncthreads: a warp synchronises before it uses its barriers, all threads before they use that of
    // the images.
    uint32_t images_parity = 0;

    const uint32_t groups_of_batch = problem.groups_of_batch();
    for (uint32_t wave = 0; wave < waves; ++wave) {
        const uint32_t first = share(problem.batches, wave, waves) * groups_of_batch;
        const uint32_t groups = share(problem.batches, wave + 1, waves) * groups_of_batch - first;
        uint32_t group = first + share(groups, blockIdx.x, gridDim.x);
        const uint32_t end = first + share(groups, blockIdx.x + 1, gridDim.x);
        while (group < end) {
            const uint32_t batch = group / groups_of_batch;
            const uint32_t end_of_batch = min(end, (batch + 1) * groups_of_batch);
            // All reads of the previous batch's images are done.
            __syncthreads();
            // One condition in the other, or else ptxas wraps the copy in a loop over the lanes.
            if (warp_number == 0) {
                if (elect_sync(0xffffffff)) {
                    const uint64_t pixel = uint64_t(batch) * problem.pixels() + resident_first;
                    ptx::cp_async_bulk(
                        ptx::space_cluster, ptx::space_global, smem, problem.value + pixel * chunks,
                        resident_bytes, images_barrier);
                    expect(images_barrier, resident_bytes);
                }
            }
            wait(images_barrier, images_parity);
            images_parity ^= 1;
            warp.attend({batch, group + warp_number, end_of_batch, warps});
            group = end_of_batch;
        }
    }
}

#include "deform_attn_pairs.inl"

#define OPERATOR                                                                                               \
    const uint32_t *locations, const __half *weights, uint4 *output, uint32_t shape_0, uint32_t shape_1,       \
        uint32_t shape_2, uint32_t shape_3, uint32_t batches, uint32_t queries

#define PROBLEM(value) \
    const Problem problem(value, locations, weights, output, {shape_0, shape_1, shape_2, shape_3}, batches, queries)

extern "C" __global__ void __launch_bounds__(256, 4) deform_attn_gather(const uint4* value, OPERATOR) {
    PROBLEM(value);
    gather(problem);
}

#define DEFORM_ATTN_RESIDENT(stages)                                                                           \
    extern "C" __global__ void __launch_bounds__(896) deform_attn_resident_##stages(                           \
        const __grid_constant__ CUtensorMap map_0, const __grid_constant__ CUtensorMap map_1,                  \
        const uint4* value, OPERATOR, uint32_t waves) {                                                        \
        PROBLEM(value);                                                                                        \
        const CUtensorMap* const maps[2] = {&map_0, &map_1};                                                   \
        by_tiles<stages>(problem, maps, waves);                                                                \
    }

DEFORM_ATTN_RESIDENT(1)
DEFORM_ATTN_RESIDENT(2)

extern "C" __global__ void __launch_bounds__(768) deform_attn_pairs(const uint4* value, OPERATOR, uint32_t waves) {
    PROBLEM(value);
    by_pairs(problem, waves);
}
