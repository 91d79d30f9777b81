// Textures and surfaces of arrays and memory, compared with the programming guide's formulas.
#include "check.h"
#include <cmath>
#include <cuda.h>
#include <cuda_fp16.h>
#include <vector>

// The result of a fetch at each of the coordinates.
template <int DIMENSIONS>
__global__ void fetch(cudaTextureObject_t texture, const float4* at, float* out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 p = at[i];
    if (DIMENSIONS == 1) out[i] = tex1D<float>(texture, p.x);
    if (DIMENSIONS == 2) out[i] = tex2D<float>(texture, p.x, p.y);
    if (DIMENSIONS == 3) out[i] = tex3D<float>(texture, p.x, p.y, p.z);
    if (DIMENSIONS == 4) out[i] = tex2DLayered<float>(texture, p.x, p.y, int(p.w));
    if (DIMENSIONS == 5) out[i] = tex1DLayered<float>(texture, p.x, int(p.w));
    if (DIMENSIONS == 6) out[i] = texCubemap<float>(texture, p.x, p.y, p.z);
    if (DIMENSIONS == 7) out[i] = tex1Dfetch<float>(texture, int(p.x));
    if (DIMENSIONS == 8) out[i] = tex2DLod<float>(texture, p.x, p.y, 3.0f);
    if (DIMENSIONS == 9) out[i] = tex2Dgather<float4>(texture, p.x, p.y, 0).z;
    if (DIMENSIONS == 10) out[i] = texCubemapLayered<float>(texture, p.x, p.y, p.z, int(p.w));
}

using Points = std::vector<float4>;

template <int DIMENSIONS>
static std::vector<float> fetched(cudaTextureObject_t texture, const Points& at) {
    float4* at_device;
    float* out_device;
    int count = int(at.size());
    std::vector<float> out(count);
    CHECK(cudaMalloc(&at_device, count * sizeof(float4)));
    CHECK(cudaMalloc(&out_device, count * sizeof(float)));
    CHECK(cudaMemcpy(at_device, at.data(), count * sizeof(float4), cudaMemcpyHostToDevice));
    fetch<DIMENSIONS><<<(count + 63) / 64, 64>>>(texture, at_device, out_device, count);
    CHECK(cudaMemcpy(out.data(), out_device, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(at_device));
    CHECK(cudaFree(out_device));
    return out;
}

static const int WIDTH = 13, HEIGHT = 6, DEPTH = 5;

static float value(int x, int y, int z) { return float((x * 37 + y * 11 + z * 53) % 64); }

static std::vector<float> values() {
    std::vector<float> all;
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) all.push_back(value(x, y, z));
    return all;
}

// The index that another one means; -1 is the border.
static int address(int index, int size, cudaTextureAddressMode mode) {
    switch (mode) {
    case cudaAddressModeWrap: return ((index % size) + size) % size;
    case cudaAddressModeMirror: {
        int twice = ((index % (2 * size)) + 2 * size) % (2 * size);
        return twice < size ? twice : 2 * size - 1 - twice;
    }
    case cudaAddressModeBorder: return index < 0 || index >= size ? -1 : index;
    default: return index < 0 ? 0 : index >= size ? size - 1 : index;
    }
}

static double expected(float4 p, int dimensions, const cudaTextureDesc& texture) {
    float at[3] = {p.x, p.y, p.z};
    int sizes[3] = {WIDTH, HEIGHT, DEPTH};
    if (dimensions == 1 && texture.filterMode == cudaFilterModeLinear) {
        // A line is the one row of a plane, whose edge is at 0.
        dimensions = 2;
        at[1] = 0;
        sizes[1] = 1;
    }
    int first[3] = {0, 0, 0};
    double part[3] = {0, 0, 0};
    for (int axis = 0; axis < dimensions; axis++) {
        double x = double(at[axis]) * (texture.normalizedCoords ? sizes[axis] : 1);
        if (texture.filterMode == cudaFilterModeLinear) x -= 0.5;
        first[axis] = int(std::floor(x));
        if (texture.filterMode == cudaFilterModeLinear) part[axis] = x - std::floor(x);
    }
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        int index[3] = {0, 0, 0};
        bool border = false;
        for (int axis = 0; axis < 3; axis++) {
            int second = corner >> axis & 1;
            weight *= second ? part[axis] : 1 - part[axis];
            if (axis >= dimensions) continue;
            index[axis] = address(first[axis] + second, sizes[axis], texture.addressMode[axis]);
            border = border || index[axis] < 0;
        }
        if (weight > 0) sum += weight * (border ? texture.borderColor[0] : value(index[0], index[1], index[2]));
    }
    return sum;
}

// Inside, between and outside, by whole and other parts of a texel.
static Points points(bool normalized) {
    const float texels[] = {0.5f, 3.25f, -0.75f, 5.125f, 17.5f, 2.8f, -9.375f, 7.0f, 12.9f, -3.3f, 0.0625f, 26.75f};
    const int count = sizeof texels / sizeof *texels;
    Points all;
    for (int i = 0; i < 3 * count; i++) {
        float x = texels[i % count], y = texels[(i * 5 + 2) % count] * 0.5f + 0.015625f, z = texels[(i * 7 + 5) % count] * 0.25f;
        if (normalized) x /= WIDTH, y /= HEIGHT, z /= DEPTH;
        all.push_back(make_float4(x, y, z, 0));
    }
    return all;
}

// A point is left out if it is so near the edge of a texel that the rounding of its coordinate decides.
static bool is_near_an_edge(float4 p, int dimensions, const cudaTextureDesc& texture) {
    if (texture.filterMode == cudaFilterModeLinear) return false;
    const int sizes[3] = {WIDTH, HEIGHT, DEPTH};
    const float at[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < dimensions; axis++) {
        double x = double(at[axis]) * (texture.normalizedCoords ? sizes[axis] : 1);
        if (texture.normalizedCoords && std::fabs(x - std::round(x)) < 1e-3) return true;
    }
    return false;
}

static cudaTextureObject_t make(cudaResourceDesc resource, cudaTextureDesc texture) {
    cudaTextureObject_t handle;
    CHECK(cudaCreateTextureObject(&handle, &resource, &texture, nullptr));
    return handle;
}

static cudaResourceDesc of_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

// The weights of linear filtering have 8 bits of fraction: each dimension is wrong by up to a 256th of the values' range.
static const double FILTERED = 3 * 64.0 / 256, EXACT = 1e-4;

template <int DIMENSIONS>
static bool sampled_well(const cudaResourceDesc& resource, bool clamp_only) {
    const int dimensions = DIMENSIONS == 8 ? 2 : DIMENSIONS;
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    for (int linear = 0; linear < 2; linear++)
        for (int normalized = 0; normalized < 2; normalized++)
            for (int mode = 0; mode < 4; mode++) {
                // Others are for normalized coordinates.
                if (clamp_only || !normalized) mode = mode < 1 ? 1 : 3;
                cudaTextureDesc texture = {};
                for (int axis = 0; axis < 3; axis++)
                    texture.addressMode[axis] = modes[normalized ? (mode + axis) % 4 : mode];
                texture.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                texture.normalizedCoords = normalized;
                texture.borderColor[0] = 100;
                cudaTextureObject_t handle = make(resource, texture);
                Points at = points(normalized);
                std::vector<float> out = fetched<DIMENSIONS>(handle, at);
                for (size_t i = 0; i < at.size(); i++) {
                    if (is_near_an_edge(at[i], dimensions, texture)) continue;
                    double wanted = expected(at[i], dimensions, texture);
                    // The border is further from the values.
                    if (std::fabs(out[i] - wanted) > (linear ? 2 * FILTERED : EXACT)) {
                        printf("%d dimensions, mode %d, linear %d, normalized %d: %f for %f at %f %f %f\n", DIMENSIONS,
                               mode, linear, normalized, out[i], wanted, at[i].x, at[i].y, at[i].z);
                        return false;
                    }
                }
                CHECK(cudaDestroyTextureObject(handle));
            }
    return true;
}

static cudaArray_t volume(unsigned flags, int height, int depth) {
    std::vector<float> all = values();
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, height, depth), flags));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(all.data(), WIDTH * sizeof(float), WIDTH, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(WIDTH, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static int dimensions() {
    std::vector<float> all = values();
    cudaArray_t line = volume(0, 0, 0), plane, box = volume(0, HEIGHT, DEPTH);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocArray(&plane, &format, WIDTH, HEIGHT));
    CHECK(cudaMemcpy2DToArray(plane, 0, 0, all.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    if (!sampled_well<1>(of_array(line), false)) return 2;
    if (!sampled_well<2>(of_array(plane), false)) return 3;
    if (!sampled_well<3>(of_array(box), false)) return 4;
    // Rows in memory.
    float* rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, WIDTH * 4, HEIGHT));
    CHECK(cudaMemcpy2D(rows, pitch, all.data(), WIDTH * 4, WIDTH * 4, HEIGHT, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    if (!sampled_well<2>(resource, true)) return 5;
    if (!sampled_well<8>(of_array(plane), true)) return 6;
    // Memory without rows: outside there are zeros.
    float* flat;
    CHECK(cudaMalloc(&flat, all.size() * 4));
    CHECK(cudaMemcpy(flat, all.data(), all.size() * 4, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = flat;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = 40 * 4;
    cudaTextureObject_t handle = make(resource, {});
    std::vector<float> out = fetched<7>(handle, {{3, 0, 0, 0}, {39, 0, 0, 0}, {40, 0, 0, 0}, {-1, 0, 0, 0}});
    if (out != std::vector<float>{all[3], all[39], 0, 0}) return 7;
    CHECK(cudaDestroyTextureObject(handle));
    CHECK(cudaFree(rows));
    CHECK(cudaFree(flat));
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(plane));
    CHECK(cudaFreeArray(box));
    return 0;
}

// Layers are not mixed, and faces are found by a direction.
static int layers() {
    cudaTextureDesc linear = {};
    linear.filterMode = cudaFilterModeLinear;
    linear.addressMode[0] = linear.addressMode[1] = cudaAddressModeClamp;
    cudaArray_t planes = volume(cudaArrayLayered, HEIGHT, DEPTH), lines = volume(cudaArrayLayered, 0, 4);
    cudaTextureObject_t handle = make(of_array(planes), linear);
    std::vector<float> out = fetched<4>(handle, {{2.5f, 3.0f, 0, 3}, {12.5f, 0.5f, 0, 0}, {4.0f, 5.5f, 0, 4}});
    float wanted[3] = {(value(2, 2, 3) + value(2, 3, 3)) / 2, value(12, 0, 0), (value(3, 5, 4) + value(4, 5, 4)) / 2};
    for (int i = 0; i < 3; i++)
        if (std::fabs(out[i] - wanted[i]) > EXACT) return 12;
    CHECK(cudaDestroyTextureObject(handle));
    // The layers of lines are the rows of the first plane.
    handle = make(of_array(lines), linear);
    out = fetched<5>(handle, {{6.5f, 0, 0, 2}, {1.0f, 0, 0, 3}});
    if (out[0] != value(6, 2, 0) || std::fabs(out[1] - (value(0, 3, 0) + value(1, 3, 0)) / 2) > EXACT) return 13;
    CHECK(cudaDestroyTextureObject(handle));

    const int size = 2;
    for (int cubes = 1; cubes <= 2; cubes++) {
        std::vector<float> faces;
        for (int i = 0; i < size * size * 6 * cubes; i++) faces.push_back(float(i));
        cudaArray_t cube;
        cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        unsigned flags = cudaArrayCubemap | (cubes > 1 ? cudaArrayLayered : 0);
        CHECK(cudaMalloc3DArray(&cube, &format, make_cudaExtent(size, size, 6 * cubes), flags));
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(faces.data(), size * sizeof(float), size, size);
        copy.dstArray = cube;
        copy.extent = make_cudaExtent(size, size, 6 * cubes);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
        cudaTextureDesc texture = {};
        texture.normalizedCoords = 1;
        handle = make(of_array(cube), texture);
        float last = float(cubes - 1);
        Points at = {{2, 1, -1, last}, {-2, 1, -1, last}, {1, 2, 1.5f, last}, {1, -2, 1.5f, last}, {-0.5f, -0.5f, 3, last},
                     {-0.5f, 0.5f, -3, last}};
        // Face, row and column by the table of the guide.
        float texels[] = {0 + 1, 4 + 0, 8 + 3, 12 + 1, 16 + 2, 20 + 1};
        out = cubes > 1 ? fetched<10>(handle, at) : fetched<6>(handle, at);
        for (int i = 0; i < 6; i++)
            if (out[i] != texels[i] + 24 * last) {
                printf("direction %d of %d cubes: %f\n", i, cubes, out[i]);
                return 14;
            }
        CHECK(cudaDestroyTextureObject(handle));
        CHECK(cudaFreeArray(cube));
    }
    CHECK(cudaFreeArray(planes));
    CHECK(cudaFreeArray(lines));
    return 0;
}

__global__ void read_bytes(cudaTextureObject_t elements, cudaTextureObject_t fractions, cudaTextureObject_t halves,
                           int4* integers, float4* floats, float2* gathered) {
    uchar4 four = tex2D<uchar4>(elements, 1.5f, 1.5f);
    integers[0] = make_int4(four.x, four.y, four.z, four.w);
    floats[0] = tex2D<float4>(fractions, 1.5f, 1.5f);
    floats[1] = tex2D<float4>(fractions, 1.0f, 1.5f);
    gathered[0] = tex2D<float2>(halves, 0.5f, 1.5f);
}

// Elements of all sizes, read as they are and as fractions; copies of all kinds.
static int formats() {
    unsigned char bytes[2][2][4] = {{{1, 2, 3, 4}, {5, 6, 7, 8}}, {{10, 0, 255, 51}, {20, 100, 0, 102}}};
    cudaArray_t array, other, halves;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>(), found;
    CHECK(cudaMallocArray(&array, &format, 2, 2));
    CHECK(cudaMallocArray(&other, &format, 2, 2));
    // Row after row; then one texel from one array to another.
    CHECK(cudaMemcpy2DToArray(array, 0, 0, bytes, 8, 8, 2, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArray(other, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArrayAsync(other, 0, 1, bytes, 8, 4, 1, cudaMemcpyHostToDevice, 0));
    CHECK(cudaMemcpy2DArrayToArray(other, 4, 1, array, 4, 1, 4, 1));
    cudaExtent extent;
    unsigned flags = 9;
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, other));
    if (found.x != 8 || found.w != 8 || found.f != cudaChannelFormatKindUnsigned || extent.width != 2 ||
        extent.height != 2 || extent.depth != 0 || flags != 0)
        return 22;
    CHECK(cudaGetChannelDesc(&found, other));
    if (found.y != 8) return 23;
    __half2 pairs[2][1] = {{__floats2half2_rn(1, 2)}, {__floats2half2_rn(-3.5f, 0.25f)}};
    format = cudaCreateChannelDescHalf2();
    CHECK(cudaMallocArray(&halves, &format, 1, 2));
    CHECK(cudaMemcpy2DToArray(halves, 0, 0, pairs, 4, 4, 2, cudaMemcpyHostToDevice));
    cudaTextureDesc texture = {}, again;
    cudaTextureObject_t elements = make(of_array(other), texture), of_halves = make(of_array(halves), texture);
    texture.readMode = cudaReadModeNormalizedFloat;
    texture.filterMode = cudaFilterModeLinear;
    texture.addressMode[0] = cudaAddressModeBorder;
    cudaTextureObject_t fractions = make(of_array(array), texture);
    CHECK(cudaGetTextureObjectTextureDesc(&again, fractions));
    cudaResourceDesc resource;
    CHECK(cudaGetTextureObjectResourceDesc(&resource, fractions));
    if (again.addressMode[0] != cudaAddressModeBorder || again.readMode != cudaReadModeNormalizedFloat ||
        resource.resType != cudaResourceTypeArray || resource.res.array.array != array)
        return 24;
    int4* integers;
    float4* floats;
    float2* gathered;
    CHECK(cudaMallocManaged(&integers, sizeof *integers));
    CHECK(cudaMallocManaged(&floats, 2 * sizeof *floats));
    CHECK(cudaMallocManaged(&gathered, sizeof *gathered));
    read_bytes<<<1, 1>>>(elements, fractions, of_halves, integers, floats, gathered);
    CHECK(cudaDeviceSynchronize());
    if (integers->x != 20 || integers->y != 100 || integers->z != 0 || integers->w != 102) return 25;
    const float tolerance = 1.0f / 256;
    if (std::fabs(floats[0].x - 20 / 255.0f) > 1e-6f || std::fabs(floats[0].w - 0.4f) > 1e-6f) return 26;
    // Rounded once, as on an H200.
    if (floats[1].x != 15 / 255.0f || std::fabs(floats[1].z - 0.5f) > tolerance) return 27;
    if (gathered->x != -3.5f || gathered->y != 0.25f) return 28;
    for (cudaTextureObject_t handle : {elements, fractions, of_halves}) CHECK(cudaDestroyTextureObject(handle));
    for (cudaArray_t one : {array, other, halves}) CHECK(cudaFreeArray(one));
    return 0;
}

static int gathers() {
    cudaArray_t plane = volume(cudaArrayTextureGather, HEIGHT, 0);
    cudaTextureDesc texture = {};
    texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t handle = make(of_array(plane), texture);
    // The third is the one with the larger x and the smaller y.
    std::vector<float> out = fetched<9>(handle, {{2.25f, 1.75f, 0, 0}, {12.75f, 0.25f, 0, 0}});
    if (out != std::vector<float>{value(2, 1, 0), value(12, 0, 0)}) return 32;
    CHECK(cudaDestroyTextureObject(handle));
    CHECK(cudaFreeArray(plane));
    return 0;
}

__global__ void fill(cudaSurfaceObject_t plane, cudaSurfaceObject_t box, cudaSurfaceObject_t layered) {
    int x = threadIdx.x, y = blockIdx.x;
    // x counts bytes.
    surf2Dwrite(make_float2(x + 100 * y, -x), plane, x * 8, y);
    surf3Dwrite((unsigned char)(x + 16 * y), box, x, y, 2);
    surf2DLayeredwrite(short(-x - 16 * y), layered, x * 2, y, 1);
    // Outside the surface: no write, and a write to the nearest texel.
    surf2Dwrite(make_float2(7, 7), plane, -8, y, cudaBoundaryModeZero);
    if (x == 0) surf3Dwrite((unsigned char)77, box, 1000, y, 5, cudaBoundaryModeClamp);
}

__global__ void turn(cudaSurfaceObject_t plane, cudaTextureObject_t texture, float* out) {
    int x = threadIdx.x, y = blockIdx.x;
    float2 own = surf2Dread<float2>(plane, x * 8, y);
    float2 outside = surf2Dread<float2>(plane, 1 << 20, y, cudaBoundaryModeZero);
    float2 fetched = tex2D<float2>(texture, x + 0.5f, y + 0.5f);
    out[y * blockDim.x + x] = own.x + fetched.y + outside.x;
}

static int surfaces() {
    const int width = 12, height = 5;
    cudaArray_t plane, box, layered;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    CHECK(cudaMallocArray(&plane, &format, width, height, cudaArraySurfaceLoadStore));
    format = cudaCreateChannelDesc<unsigned char>();
    CHECK(cudaMalloc3DArray(&box, &format, make_cudaExtent(width, height, 3), cudaArraySurfaceLoadStore));
    format = cudaCreateChannelDesc<short>();
    CHECK(cudaMalloc3DArray(&layered, &format, make_cudaExtent(width, height, 2),
                            cudaArraySurfaceLoadStore | cudaArrayLayered));
    cudaSurfaceObject_t handles[3];
    cudaArray_t arrays[3] = {plane, box, layered};
    for (int i = 0; i < 3; i++) {
        cudaResourceDesc resource = of_array(arrays[i]);
        CHECK(cudaCreateSurfaceObject(&handles[i], &resource));
    }
    // The part after the filled part of the volume is written now.
    std::vector<unsigned char> filler(width * height * 3, 9);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(filler.data(), width, width, height);
    copy.dstArray = box;
    copy.extent = make_cudaExtent(width, height, 3);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    fill<<<height, width - 1>>>(handles[0], handles[1], handles[2]);
    float2 rows[height][width - 1];
    CHECK(cudaMemcpy2DFromArray(rows, sizeof rows[0], plane, 0, 0, sizeof rows[0], height, cudaMemcpyDeviceToHost));
    std::vector<unsigned char> bytes(width * height * 3);
    cudaMemcpy3DParms back = {};
    back.srcArray = box;
    back.dstPtr = make_cudaPitchedPtr(bytes.data(), width, width, height);
    back.extent = make_cudaExtent(width, height, 3);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    short shorts[height][width];
    back = {};
    back.srcArray = layered;
    back.srcPos = make_cudaPos(0, 0, 1);
    back.dstPtr = make_cudaPitchedPtr(shorts, sizeof shorts[0], width, height);
    back.extent = make_cudaExtent(width, height, 1);
    back.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&back));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            bool is_last = x == width - 1;
            if (bytes[(2 * height + y) * width + x] != (is_last ? 77 : x + 16 * y)) return 42;
            if (bytes[(height + y) * width + x] != 9) return 43;
            if (is_last) continue;
            if (rows[y][x].x != x + 100 * y || rows[y][x].y != -x) return 44;
            if (shorts[y][x] != -x - 16 * y) return 45;
        }
    cudaTextureObject_t texture = make(of_array(plane), {});
    float *on, out[height * (width - 1)];
    CHECK(cudaMalloc(&on, sizeof out));
    turn<<<height, width - 1>>>(handles[0], texture, on);
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < height * (width - 1); i++)
        if (out[i] != 100 * (i / (width - 1))) return 46;
    CHECK(cudaDestroyTextureObject(texture));
    for (int i = 0; i < 3; i++) {
        CHECK(cudaDestroySurfaceObject(handles[i]));
        CHECK(cudaFreeArray(arrays[i]));
    }
    CHECK(cudaFree(on));
    return 0;
}

#define DRIVER(call)                                       \
    do {                                                   \
        CUresult result = (call);                          \
        if (result != CUDA_SUCCESS) {                      \
            printf("%s: %d\n", #call, int(result));        \
            return 52;                                     \
        }                                                  \
    } while (0)

// The same objects by the driver.
static int by_driver() {
    std::vector<float> all = values();
    CUDA_ARRAY3D_DESCRIPTOR description = {};
    description.Width = WIDTH;
    description.Height = HEIGHT;
    description.Depth = DEPTH;
    description.Format = CU_AD_FORMAT_FLOAT;
    description.NumChannels = 1;
    CUarray box, plane;
    DRIVER(cuArray3DCreate(&box, &description));
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = all.data();
    copy.srcPitch = WIDTH * 4;
    copy.srcHeight = HEIGHT;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = box;
    copy.WidthInBytes = WIDTH * 4;
    copy.Height = HEIGHT;
    copy.Depth = DEPTH;
    DRIVER(cuMemcpy3D(&copy));
    CUDA_ARRAY_DESCRIPTOR flat = {};
    flat.Width = WIDTH;
    flat.Height = HEIGHT;
    flat.Format = CU_AD_FORMAT_FLOAT;
    flat.NumChannels = 1;
    DRIVER(cuArrayCreate(&plane, &flat));
    // The layer with the number 3.
    CUDA_MEMCPY3D layer = {};
    layer.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    layer.srcArray = box;
    layer.srcZ = 3;
    layer.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    layer.dstArray = plane;
    layer.WidthInBytes = WIDTH * 4;
    layer.Height = HEIGHT;
    layer.Depth = 1;
    DRIVER(cuMemcpy3D(&layer));
    float row[WIDTH];
    CUDA_MEMCPY2D back = {};
    back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    back.srcArray = plane;
    back.srcY = 4;
    back.dstMemoryType = CU_MEMORYTYPE_HOST;
    back.dstHost = row;
    back.dstPitch = sizeof row;
    back.WidthInBytes = WIDTH * 4;
    back.Height = 1;
    DRIVER(cuMemcpy2D(&back));
    for (int x = 0; x < WIDTH; x++)
        if (row[x] != value(x, 4, 3)) return 53;
    CUDA_RESOURCE_DESC resource = {};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = box;
    CUDA_TEXTURE_DESC texture = {};
    for (CUaddress_mode& mode : texture.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
    texture.filterMode = CU_TR_FILTER_MODE_POINT;
    CUtexObject handle;
    DRIVER(cuTexObjectCreate(&handle, &resource, &texture, nullptr));
    std::vector<float> out = fetched<3>(handle, {{2.5f, 3.5f, 1.5f, 0}, {12.5f, 90.5f, 4.5f, 0}});
    if (out != std::vector<float>{value(2, 3, 1), value(12, 5, 4)}) return 54;
    DRIVER(cuTexObjectDestroy(handle));
    DRIVER(cuArray3DGetDescriptor(&description, box));
    if (description.Depth != DEPTH || description.Format != CU_AD_FORMAT_FLOAT) return 55;
    DRIVER(cuArrayDestroy(box));
    DRIVER(cuArrayDestroy(plane));
    return 0;
}

int textures() {
    for (int (*part)() : {dimensions, layers, formats, gathers, surfaces, by_driver})
        if (int code = part()) return code;
    return 0;
}

__global__ void fetch_none(cudaTextureObject_t texture, float* out) { *out = tex2D<float>(texture, 1, 1); }

// Errors of textures are reported.
int wrong_textures() {
    cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    cudaArray_t array;
    if (cudaMallocArray(&array, &three, 4, 4) != cudaErrorInvalidChannelDescriptor) return 2;
    if (cudaMallocArray(&array, &bytes, 1 << 20, 4) != cudaErrorInvalidValue) return 3;
    CHECK(cudaMallocArray(&array, &bytes, 6, 4));
    char row[8] = {};
    if (cudaMemcpy2DToArray(array, 2, 0, row, 8, 5, 1, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) return 4;
    cudaResourceDesc resource = of_array(array);
    cudaSurfaceObject_t surface;
    if (cudaCreateSurfaceObject(&surface, &resource) != cudaSuccess) return 5;
    cudaTextureDesc linear = {};
    linear.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture;
    if (cudaCreateTextureObject(&texture, &resource, &linear, nullptr) != cudaErrorInvalidFilterSetting) return 6;
    linear.readMode = cudaReadModeNormalizedFloat;
    linear.sRGB = 1;
    if (cudaCreateTextureObject(&texture, &resource, &linear, nullptr) != cudaErrorNotSupported) return 7;
    cudaMipmappedArray_t levels;
    if (cudaMallocMipmappedArray(&levels, &bytes, make_cudaExtent(4, 4, 0), 2) != cudaErrorNotSupported) return 8;
    float* out;
    CHECK(cudaMalloc(&out, 4));
    fetch_none<<<1, 1>>>(77, out);
    return cudaDeviceSynchronize() == cudaErrorIllegalInstruction ? 0 : 9;
}
