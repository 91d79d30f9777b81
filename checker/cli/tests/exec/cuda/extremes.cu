// Calls with the largest numbers that there are, and with memory that ends too soon.
#include "check.h"
#include <cstring>
#include <cuda.h>
#include <sys/mman.h>
#include <unistd.h>

__global__ void nothing() {}

// How often a call had another result than it should have.
static int wrong;

#define REFUSED(wanted, call)                                                     \
    do {                                                                          \
        const int code = static_cast<int>(call);                                  \
        if (code != (wanted)) printf("%s: %d\n", #call, code), wrong++;           \
    } while (0)

// The last bytes before a page that cannot be read.
static char* before_guard(size_t bytes) {
    const size_t page = sysconf(_SC_PAGESIZE);
    const auto start = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto guard = static_cast<char*>(start) + page;
    if (start == MAP_FAILED || mprotect(guard, page, PROT_NONE) != 0) exit(5);
    return guard - bytes;
}

static void sets_and_copies(CUdeviceptr on, void* own) {
    const size_t all = ~size_t(0), half = all / 2 + 1;
    for (const size_t count : {all, half, half + 1, half / 2, size_t(17)}) {
        REFUSED(1, cuMemsetD8(on, 1, count));
        REFUSED(1, cuMemsetD16(on, 1, count));
        REFUSED(1, cuMemsetD32(on, 1, count));
        REFUSED(1, cudaMemset(reinterpret_cast<void*>(on), 1, count));
    }
    for (const size_t bytes : {all, half, half / 2, size_t(1) << 47}) {
        REFUSED(1, cuMemcpyHtoD(on, own, bytes));
        REFUSED(1, cuMemcpyDtoH(own, on, bytes));
        REFUSED(1, cudaMemcpy(own, own, bytes, cudaMemcpyHostToHost));
        REFUSED(1, cuMemHostRegister(own, bytes, 0));
        REFUSED(2, cuMemAlloc(&on, bytes));
        void* none;
        REFUSED(2, cudaMallocHost(&none, bytes));
        REFUSED(2, cudaMallocManaged(&none, bytes));
    }
    const auto pointer = reinterpret_cast<void*>(on);
    REFUSED(1, cudaMemset2D(pointer, half, 1, 1, 5));
    REFUSED(1, cudaMemset2D(pointer, 0, 1, 1, all));
    REFUSED(0, cudaMemset2D(pointer, 0, 1, 0, all));
    REFUSED(1, cudaMemcpy2D(pointer, half, own, half, 1, 5, cudaMemcpyDefault));
    REFUSED(0, cudaMemcpy2D(pointer, half, own, half, 0, all, cudaMemcpyDefault));
    REFUSED(1, cudaMemset3D(make_cudaPitchedPtr(pointer, all, 1, 1), 1, make_cudaExtent(1, 1, all)));
    REFUSED(1, cudaMemset3D(make_cudaPitchedPtr(pointer, 0, 1, 1), 1, make_cudaExtent(1, 1, all)));
    REFUSED(1, cudaMemset3D(make_cudaPitchedPtr(pointer, 1, 1, 0), 1, make_cudaExtent(1, 1, all)));
    CUDA_MEMCPY3D box = {};
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = box.dstDevice = on;
    box.srcPitch = box.dstPitch = half;
    box.WidthInBytes = box.Height = 1;
    box.Depth = all;
    REFUSED(1, cuMemcpy3D(&box));
    box.srcHeight = box.dstHeight = 3;
    REFUSED(1, cuMemcpy3D(&box));
    box.srcZ = all;
    REFUSED(1, cuMemcpy3D(&box));
    box.Height = 0;
    REFUSED(0, cuMemcpy3D(&box));
}

static void launches() {
    void* none[] = {nullptr};
    const dim3 most(~0u, ~0u, ~0u);
    REFUSED(1, cudaLaunchKernel(nothing, 1, most, none, 0, nullptr));
    REFUSED(1, cudaLaunchKernel(nothing, most, 1, none, 0, nullptr));
    REFUSED(1, cudaLaunchKernel(nothing, 1, dim3(1u << 27, 1, 1), none, 0, nullptr));
    int blocks;
    REFUSED(0, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nothing, 64, ~size_t(0)));
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    // As a number of 32 bits, 64 threads.
    config.blockDim = dim3(1u << 16, (1u << 16) + 1, 64);
    REFUSED(1, cudaOccupancyMaxActiveClusters(&blocks, nothing, &config));
}

static void graphs() {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams memory = {};
    memory.bytesize = ~size_t(0);
    REFUSED(2, cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &memory));
    size_t count = ~size_t(0);
    REFUSED(1, cudaGraphGetNodes(graph, &node, &count));
}

// Text and binaries that have no end, each before a page that cannot be read.
static void images() {
    CUmodule module;
    const auto text = before_guard(64);
    memset(text, ' ', 64);
    REFUSED(200, cuModuleLoadData(&module, text));
    // Magic number, version and length of a header, and more bytes than there are.
    const unsigned header[] = {0xba55ed50, 1 | 16 << 16, 0, 0};
    for (const unsigned long long bytes : {48ull, 1ull << 29, 1ull << 30, ~0ull}) {
        const auto binary = before_guard(sizeof header);
        memcpy(binary, header, sizeof header);
        memcpy(binary + 8, &bytes, sizeof bytes);
        REFUSED(200, cuModuleLoadData(&module, binary));
    }
    // A wrapper around itself.
    const auto wrapper = before_guard(24);
    const unsigned magic[] = {0x466243b1, 1};
    memcpy(wrapper, magic, sizeof magic);
    memcpy(wrapper + 8, &wrapper, sizeof wrapper);
    REFUSED(200, cuModuleLoadData(&module, wrapper));
    REFUSED(301, cuModuleLoad(&module, "/dev/zero"));
    const auto guard = before_guard(0);
    REFUSED(200, cuModuleLoadData(&module, guard));
    REFUSED(1, cuModuleLoad(&module, guard));
    REFUSED(1, cudaMemcpy(guard - 4, guard, 4, cudaMemcpyHostToHost));
    REFUSED(1, cudaMemcpy(guard, guard - 4, 4, cudaMemcpyHostToHost));
    REFUSED(1, cudaGetDevice(reinterpret_cast<int*>(guard)));
    void* kernel_arguments = guard;
    REFUSED(1, cuMemcpy3D(reinterpret_cast<CUDA_MEMCPY3D*>(kernel_arguments)));
}

int extremes() {
    CUdeviceptr on;
    char own[16] = {};
    cuInit(0);
    if (cuMemAlloc(&on, 16) != CUDA_SUCCESS) return 2;
    sets_and_copies(on, own);
    launches();
    graphs();
    images();
    // The program goes on, and so does its device.
    nothing<<<1, 1>>>();
    if (cudaDeviceSynchronize() != cudaSuccess || cuMemcpyDtoH(own, on, 16) != CUDA_SUCCESS) return 4;
    return wrong == 0 && own[0] == 0 ? 0 : 6;
}
