// Clusters by attributes, errors of launches and copies, missing functions, and the driver.
#include "check.h"
#include <cooperative_groups.h>
#include <cuda.h>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

// Each block writes the number of the other one of its cluster.
__global__ void neighbours(int* out) {
    __shared__ int own;
    auto cluster = cooperative_groups::this_cluster();
    own = blockIdx.x;
    cluster.sync();
    int* other = cluster.map_shared_rank(&own, cluster.block_rank() ^ 1);
    if (threadIdx.x == 0) out[blockIdx.x] = *other;
    cluster.sync();
}

int cluster() {
    int *on, out[6];
    CHECK(cudaMalloc(&on, sizeof out));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 6;
    config.blockDim = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    int most = 0;
    CHECK(cudaOccupancyMaxActiveClusters(&most, neighbours, &config));
    CHECK(cudaLaunchKernelEx(&config, neighbours, on));
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 6; i++)
        if (out[i] != (i ^ 1)) return 2;
    // Without the attribute a cluster is one block, and there is no other. With it, 6 is no multiple of 4.
    attribute.val.clusterDim.x = 4;
    cudaError_t error = cudaLaunchKernelEx(&config, neighbours, on);
    return most > 0 && error != cudaSuccess ? 0 : 4;
}

__global__ void leads(int* numbers) {
    cudaTriggerProgrammaticLaunchCompletion();
    numbers[threadIdx.x] = 3 * threadIdx.x;
}

__global__ void follows(const int* numbers, int* out, bool waits) {
    if (waits) cudaGridDependencySynchronize();
    out[threadIdx.x] = numbers[threadIdx.x ^ 1] + 1;
}

// A launch that may begin while the one before it ends, unless something comes between the two.
int dependent(const char* how) {
    const int len = 64;
    int *numbers, *on, out[len];
    CHECK(cudaMalloc(&numbers, sizeof out));
    CHECK(cudaMalloc(&on, sizeof out));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    bool waits = strcmp(how, "waits") == 0;
    leads<<<1, len, 0, stream>>>(numbers);
    if (strcmp(how, "synchronised") == 0) CHECK(cudaStreamSynchronize(stream));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = strcmp(how, "serial") != 0;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = len;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, follows, (const int*)numbers, on, waits));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < len; i++)
        if (out[i] != 3 * (i ^ 1) + 1) return 2;
    return 0;
}

// Each block reads the number that its neighbour wrote before the grid's barrier.
__global__ void around(int* all, int* out) {
    auto grid = cooperative_groups::this_grid();
    all[blockIdx.x] = 3 * blockIdx.x;
    grid.sync();
    out[blockIdx.x] = all[(blockIdx.x + 1) % gridDim.x];
}

int cooperative() {
    const int len = 40;
    int *all, *on, out[len];
    CHECK(cudaMalloc(&all, sizeof out));
    CHECK(cudaMalloc(&on, sizeof out));
    void* arguments[] = {&all, &on};
    CHECK(cudaLaunchCooperativeKernel(around, len, 1, arguments, 0, nullptr));
    CHECK(cudaMemcpy(out, on, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < len; i++)
        if (out[i] != 3 * ((i + 1) % len)) return 2;
    cudaError_t error = cudaLaunchCooperativeKernel(around, 1 << 20, 1, arguments, 0, nullptr);
    return error == cudaErrorCooperativeLaunchTooLarge ? 0 : 4;
}

__global__ void dynamic(int* out) {
    extern __shared__ int dynamic_ints[];
    dynamic_ints[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = dynamic_ints[blockDim.x - 1];
}

int errors() {
    int* on;
    CHECK(cudaMalloc(&on, 4));
    dynamic<<<1, 2048, 8192>>>(on);
    if (cudaPeekAtLastError() != cudaErrorInvalidValue) return 2;
    if (cudaGetLastError() != cudaErrorInvalidValue || cudaGetLastError() != cudaSuccess) return 4;
    // A kernel needs an attribute for more than 48 KiB.
    const int bytes = 100 << 10;
    dynamic<<<1, 32, bytes>>>(on);
    if (cudaGetLastError() != cudaErrorInvalidValue) return 5;
    CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, dynamic));
    if (attributes.maxDynamicSharedSizeBytes != bytes) return 6;
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, dynamic, 32, bytes));
    if (blocks != 2) return 7;
    dynamic<<<1, 32, bytes>>>(on);
    CHECK(cudaDeviceSynchronize());
    int out[2];
    if (cudaMemcpy(out, on, 8, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue) return 8;
    CHECK(cudaMemcpy(out, on, 4, cudaMemcpyDeviceToHost));
    if (out[0] != 31 || cudaSetDevice(1) != cudaErrorInvalidDevice) return 9;
    // Past the end of memory of both sides, and a second time.
    int* pinned;
    CHECK(cudaMallocHost(&pinned, 4));
    if (cudaMemcpy(pinned, on, 5, cudaMemcpyDefault) != cudaErrorInvalidValue) return 12;
    CHECK(cudaFreeHost(pinned));
    if (cudaFreeHost(pinned) != cudaErrorInvalidValue || cudaFree(out) != cudaErrorInvalidValue) return 14;
    // After a fault every call fails.
    dynamic<<<1, 32, 128>>>(nullptr);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress) return 10;
    return cudaMalloc(&on, 4) == cudaErrorIllegalAddress ? 0 : 11;
}

int unsupported() {
    int* on;
    cudaIpcMemHandle_t handle;
    CHECK(cudaMalloc(&on, 4));
    if (cudaIpcGetMemHandle(&handle, on) != cudaErrorNotSupported) return 2;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphNodeParams child = {cudaGraphNodeTypeGraph};
    CHECK(cudaGraphCreate(&graph, 0));
    return cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &child) == cudaErrorNotSupported ? 0 : 4;
}

// An instruction that the emulator lacks.
__global__ void absolute_sum(int* out) {
    int sum;
    asm volatile("vabsdiff.s32.s32.s32.add %0, %1, %2, %3;" : "=r"(sum) : "r"(out[0]), "r"(7), "r"(1));
    out[0] = sum;
}

int lacks() {
    int* on;
    CHECK(cudaMalloc(&on, 4));
    absolute_sum<<<1, 1>>>(on);
    return cudaGetLastError() == cudaErrorNotSupported && cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}

int properties() {
    cudaDeviceProp all;
    CHECK(cudaGetDeviceProperties(&all, 0));
    int count = 0, value = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count != 1 || all.major != 9 || all.minor != 0 || all.multiProcessorCount != 132) return 2;
    // Fields from the beginning to the end, each as the attribute that is the same.
    const struct {
        cudaDeviceAttr number;
        size_t field;
    } same[] = {
        {cudaDevAttrMaxSharedMemoryPerBlock, all.sharedMemPerBlock},
        {cudaDevAttrWarpSize, size_t(all.warpSize)},
        {cudaDevAttrMaxGridDimY, size_t(all.maxGridSize[1])},
        {cudaDevAttrTotalConstantMemory, all.totalConstMem},
        {cudaDevAttrTextureAlignment, all.textureAlignment},
        {cudaDevAttrMultiProcessorCount, size_t(all.multiProcessorCount)},
        {cudaDevAttrCanMapHostMemory, size_t(all.canMapHostMemory)},
        {cudaDevAttrSurfaceAlignment, all.surfaceAlignment},
        {cudaDevAttrAsyncEngineCount, size_t(all.asyncEngineCount)},
        {cudaDevAttrGlobalMemoryBusWidth, size_t(all.memoryBusWidth)},
        {cudaDevAttrL2CacheSize, size_t(all.l2CacheSize)},
        {cudaDevAttrMaxThreadsPerMultiProcessor, size_t(all.maxThreadsPerMultiProcessor)},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, all.sharedMemPerMultiprocessor},
        {cudaDevAttrManagedMemory, size_t(all.managedMemory)},
        {cudaDevAttrComputePreemptionSupported, size_t(all.computePreemptionSupported)},
        {cudaDevAttrCooperativeLaunch, size_t(all.cooperativeLaunch)},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, all.sharedMemPerBlockOptin},
        {cudaDevAttrMaxBlocksPerMultiprocessor, size_t(all.maxBlocksPerMultiProcessor)},
        {cudaDevAttrReservedSharedMemoryPerBlock, all.reservedSharedMemPerBlock},
        {cudaDevAttrMemoryPoolsSupported, size_t(all.memoryPoolsSupported)},
        {cudaDevAttrClusterLaunch, size_t(all.clusterLaunch)},
        {cudaDevAttrMaxTexture1DWidth, size_t(all.maxTexture1D)},
        {cudaDevAttrMaxTexture2DGatherHeight, size_t(all.maxTexture2DGather[1])},
        {cudaDevAttrMaxTexture3DDepthAlt, size_t(all.maxTexture3DAlt[2])},
        {cudaDevAttrMaxTexture1DLayeredLayers, size_t(all.maxTexture1DLayered[1])},
        {cudaDevAttrMaxTexture2DLayeredWidth, size_t(all.maxTexture2DLayered[0])},
        {cudaDevAttrMaxTexture2DLayeredLayers, size_t(all.maxTexture2DLayered[2])},
        {cudaDevAttrMaxTextureCubemapLayeredLayers, size_t(all.maxTextureCubemapLayered[1])},
        {cudaDevAttrMaxTexture2DLinearPitch, size_t(all.maxTexture2DLinear[2])},
        {cudaDevAttrMaxTexture2DMipmappedHeight, size_t(all.maxTexture2DMipmap[1])},
        {cudaDevAttrMaxSurface1DWidth, size_t(all.maxSurface1D)},
        {cudaDevAttrMaxSurface2DHeight, size_t(all.maxSurface2D[1])},
        {cudaDevAttrMaxSurfaceCubemapLayeredLayers, size_t(all.maxSurfaceCubemapLayered[1])},
        {cudaDevAttrHostRegisterSupported, size_t(all.hostRegisterSupported)},
        {cudaDevAttrCanUseHostPointerForRegisteredMem, size_t(all.canUseHostPointerForRegisteredMem)},
        {cudaDevAttrMaxPersistingL2CacheSize, size_t(all.persistingL2CacheMaxSize)},
        {cudaDevAttrMaxAccessPolicyWindowSize, size_t(all.accessPolicyMaxWindowSize)},
        {cudaDevAttrNumaId, size_t(all.deviceNumaId)},
    };
    for (auto [number, field] : same) {
        CHECK(cudaDeviceGetAttribute(&value, number, 0));
        if (field != size_t(value)) {
            printf("attribute %d is %d, and %zu in the properties\n", number, value, field);
            return 4;
        }
    }
    return 0;
}

#define DRIVER(call)                                       \
    do {                                                   \
        CUresult result = (call);                          \
        if (result != CUDA_SUCCESS) {                      \
            printf("%s: %d\n", #call, result);             \
            return 3;                                      \
        }                                                  \
    } while (0)

// A module from a text, by functions of the driver.
int driver(const char* path) {
    std::ifstream file(path);
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr on;
    DRIVER(cuInit(0));
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxSetCurrent(context));
    DRIVER(cuModuleLoadData(&module, text.c_str()));
    DRIVER(cuModuleGetFunction(&function, module, "put"));
    DRIVER(cuMemAlloc(&on, 8));
    DRIVER(cuMemsetD32(on, 0xabcd, 2));
    unsigned value = 77, out[2];
    void* arguments[] = {&on, &value};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    DRIVER(cuMemcpyDtoH(out, on, sizeof out));
    if (out[0] != 77 || out[1] != 0xabcd) return 2;
    // The same by a buffer of all arguments.
    struct {
        CUdeviceptr to;
        unsigned value;
    } packed = {on + 4, 78};
    size_t bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
    DRIVER(cuMemcpyDtoH(out, on, sizeof out));
    CUdeviceptr variable;
    DRIVER(cuModuleGetGlobal(&variable, &bytes, module, "seen"));
    unsigned seen = 0;
    DRIVER(cuMemcpyDtoH(&seen, variable, bytes));
    const char* name;
    DRIVER(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &name));
    if (out[1] != 78 || seen != 78 || std::string(name) != "CUDA_ERROR_NOT_FOUND") return 4;
    if (cuModuleGetFunction(&function, module, "nothing") != CUDA_ERROR_NOT_FOUND) return 5;
    // And by the runtime's name for it.
    cudaLibrary_t library;
    cudaKernel_t kernel;
    CHECK(cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "put"));
    size_t offset = 0;
    CHECK(cudaFuncGetParamInfo(kernel, 1, &offset, &bytes));
    value = 79;
    CHECK(cudaLaunchKernel(kernel, 1, 1, arguments, 0, nullptr));
    CHECK(cudaMemcpy(out, reinterpret_cast<void*>(on), sizeof out, cudaMemcpyDeviceToHost));
    if (out[0] != 79 || offset != 8 || bytes != 4) return 7;
    CHECK(cudaLibraryUnload(library));
    DRIVER(cuModuleUnload(module));
    return cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE ? 0 : 6;
}
