// Calls that a GPU refuses, what errors are called, and the log of a compiler.
#include "check.h"
#include <cstring>
#include <cuda.h>

__global__ void three(int* out) { out[threadIdx.x] = 3; }

// How often a call had another result than it should have.
static int wrong;

#define EXPECT(wanted, call)                                                                     \
    do {                                                                                         \
        cudaError_t error = (call);                                                              \
        if (error != (wanted)) printf("%s: %s\n", #call, cudaGetErrorName(error)), wrong++;      \
    } while (0)

// Passes memory of the host where memory of the device is required, and unmapped addresses.
int sides() {
    const cudaError_t invalid = cudaErrorInvalidValue;
    int own[4] = {}, other[4] = {}, *on, *pinned, *managed;
    CHECK(cudaMalloc(&on, sizeof own));
    CHECK(cudaMallocHost(&pinned, sizeof own));
    CHECK(cudaMallocManaged(&managed, sizeof own));
    EXPECT(invalid, cudaMemset(own, 1, sizeof own));
    EXPECT(invalid, cudaMemset2D(own, 8, 1, 4, 2));
    EXPECT(invalid, cudaMemcpy(own, on, sizeof own, cudaMemcpyHostToDevice));
    EXPECT(invalid, cudaMemcpy(on, own, sizeof own, cudaMemcpyDeviceToHost));
    EXPECT(invalid, cudaMemcpy(own, other, sizeof own, cudaMemcpyDeviceToDevice));
    EXPECT(invalid, cudaMemcpyAsync(own, on, sizeof own, cudaMemcpyDeviceToDevice));
    EXPECT(invalid, cudaMemcpy2D(own, 8, on, 8, 8, 2, cudaMemcpyHostToDevice));
    if (cuMemcpyDtoH(own, reinterpret_cast<CUdeviceptr>(other), 4) != CUDA_ERROR_INVALID_VALUE) return 2;
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(own, on, 4, static_cast<cudaMemcpyKind>(7)));
    void* nowhere = reinterpret_cast<void*>(0x1234567);
    EXPECT(invalid, cudaMemset(nowhere, 0, 16));
    EXPECT(invalid, cudaMemcpy(nowhere, on, 16, cudaMemcpyDefault));
    EXPECT(invalid, cudaMemcpy(on, nowhere, 16, cudaMemcpyHostToDevice));
    // Managed memory is on both sides, zero bytes match any direction, and device memory passes as host memory.
    EXPECT(cudaSuccess, cudaMemcpy(on, on + 2, 8, cudaMemcpyHostToHost));
    EXPECT(cudaSuccess, cudaMemcpy(on, on + 2, 8, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemset(pinned, 1, sizeof own));
    EXPECT(cudaSuccess, cudaMemcpy(managed, pinned, sizeof own, cudaMemcpyDeviceToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(own, managed, sizeof own, cudaMemcpyDeviceToHost));
    EXPECT(cudaSuccess, cudaMemcpy(other, own, sizeof own, cudaMemcpyHostToHost));
    EXPECT(cudaSuccess, cudaMemcpy(own, other, 0, cudaMemcpyDeviceToDevice));
    return wrong == 0 && other[3] == 0x01010101 ? 0 : 4;
}

// Requests more than this machine has, again and again: each request fails and allocates no memory.
int refused_memory() {
    size_t before, after, total;
    CHECK(cudaMemGetInfo(&before, &total));
    void* none;
    for (int i = 0; i < 8; i++) {
        if (cudaMalloc(&none, total + 1) != cudaErrorMemoryAllocation) return 2;
        // A successful allocation is freed again.
        if (cudaMalloc(&none, before) == cudaSuccess) CHECK(cudaFree(none));
    }
    CHECK(cudaMemGetInfo(&after, &total));
    return after == before ? 0 : 4;
}

// Text that is no PTX, and an instruction that PTX lacks.
int broken_ptx() {
    const char* texts[] = {".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret;",
                           ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { foo; ret; }",
                           ".version 8.7\n.target sm_100a\n.address_size 64\n.visible .entry k() { ret; }"};
    CUdevice device;
    CUcontext context;
    CUmodule module;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    for (const char* text : texts) {
        for (size_t room : {200, 8, 0}) {
            char log[201];
            memset(log, '#', sizeof log);
            CUjit_option options[] = {CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                                      CU_JIT_ERROR_LOG_BUFFER};
            void* values[] = {reinterpret_cast<void*>(4), reinterpret_cast<void*>(room), log};
            if (cuModuleLoadDataEx(&module, text, 3, options, values) != CUDA_ERROR_INVALID_PTX) return 2;
            if (log[room] != '#' || (room > 0 && strlen(log) >= room)) return 4;
            const size_t written = room == 0 ? 0 : strlen(log);
            if (room > 0 && static_cast<unsigned>(reinterpret_cast<size_t>(values[1])) != written) return 14;
            const char* says = strstr(text, "sm_100a") ? "sm_100a" : ".ptx:4:";
            if (room == 200 && strstr(log, says) == nullptr) return 5;
        }
        if (cuModuleLoadData(&module, text) != CUDA_ERROR_INVALID_PTX) return 6;
    }
    if (cuModuleLoadData(&module, "hello world") != CUDA_ERROR_INVALID_IMAGE) return 15;
    const char* right = ".version 8.0\n.target sm_80\n.address_size 64\n.entry a() { ret; }\n.entry b() { ret; }";
    CUlibrary library;
    CUkernel kernels[3] = {};
    unsigned count = 0;
    if (cuLibraryLoadData(&library, right, nullptr, nullptr, 0, nullptr, nullptr, 0) != CUDA_SUCCESS) return 9;
    if (cuLibraryGetKernelCount(&count, library) != CUDA_SUCCESS || count != 2) return 10;
    if (cuLibraryEnumerateKernels(kernels, 3, library) != CUDA_SUCCESS || kernels[2] != nullptr) return 11;
    const char* name = nullptr;
    if (cuKernelGetName(&name, kernels[1]) != CUDA_SUCCESS || strcmp(name, "b") != 0) return 12;
    if (cuModuleLoad(&module, "/there/is/none") != CUDA_ERROR_FILE_NOT_FOUND) return 13;
    const auto unknown = static_cast<CUresult>(cudaErrorInsufficientDriver);
    if (cuGetErrorName(unknown, &name) != CUDA_ERROR_INVALID_VALUE) return 7;
    return strcmp(cudaGetErrorName(cudaErrorInsufficientDriver), "cudaErrorInsufficientDriver") ? 8 : 0;
}

// Nodes of a graph that was captured, and of one that is put together.
int graph_nodes() {
    int *on, out[4] = {};
    CHECK(cudaMalloc(&on, sizeof out));
    cudaStream_t stream;
    cudaGraph_t graph, outer;
    cudaGraphExec_t instance;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(on, 0, sizeof out, stream));
    three<<<1, 2, 0, stream>>>(on);
    if (cudaStreamSynchronize(stream) != cudaErrorStreamCaptureUnsupported) return 10;
    CHECK(cudaMemcpyAsync(out, on, sizeof out, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    cudaGraphNode_t nodes[5], again[5], inner, empty;
    size_t count = 5;
    CHECK(cudaGraphGetNodes(graph, nodes, &count));
    CHECK(cudaGraphGetNodes(graph, again, &count));
    if (count != 3 || nodes[3] != nullptr || memcmp(nodes, again, 3 * sizeof *nodes) != 0) return 2;
    const cudaGraphNodeType kinds[] = {cudaGraphNodeTypeMemset, cudaGraphNodeTypeKernel, cudaGraphNodeTypeMemcpy};
    for (int i = 0; i < 3; i++) {
        cudaGraphNodeType kind;
        CHECK(cudaGraphNodeGetType(nodes[i], &kind));
        if (kind != kinds[i]) return 4;
    }
    // More threads from now on: in the graph, and by an update in the instance.
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    void* arguments[] = {&on};
    cudaKernelNodeParams kernel = {};
    kernel.func = reinterpret_cast<void*>(three);
    kernel.gridDim = 1;
    kernel.blockDim = 3;
    kernel.kernelParams = arguments;
    CHECK(cudaGraphKernelNodeSetParams(nodes[1], &kernel));
    cudaKernelNodeParams told;
    CHECK(cudaGraphKernelNodeGetParams(nodes[1], &told));
    if (told.func != kernel.func || told.blockDim.x != 3 || *static_cast<int**>(told.kernelParams[0]) != on) return 9;
    CHECK(cudaGraphKernelNodeSetParams(nodes[1], &told));
    CHECK(cudaGraphLaunch(instance, stream));
    if (out[1] != 3 || out[2] != 0) return 5;
    cudaGraphExecUpdateResultInfo result;
    CHECK(cudaGraphExecUpdate(instance, graph, &result));
    CHECK(cudaGraphLaunch(instance, stream));
    if (result.result != cudaGraphExecUpdateSuccess || out[2] != 3 || out[3] != 0) return 6;
    // The whole as a node of another graph, which keeps it as it is now.
    CHECK(cudaGraphCreate(&outer, 0));
    CHECK(cudaGraphAddChildGraphNode(&inner, outer, nullptr, 0, graph));
    CHECK(cudaGraphAddEmptyNode(&empty, outer, nullptr, 0));
    CHECK(cudaGraphAddDependencies(outer, &inner, &empty, nullptr, 1));
    if (cudaGraphExecUpdate(instance, outer, &result) != cudaErrorGraphExecUpdateFailure) return 7;
    kernel.blockDim = 4;
    CHECK(cudaGraphKernelNodeSetParams(nodes[1], &kernel));
    CHECK(cudaGraphInstantiate(&instance, outer, 0));
    memset(out, 0, sizeof out);
    CHECK(cudaGraphLaunch(instance, stream));
    return out[2] == 3 && out[3] == 0 ? 0 : 8;
}

// A box that a stream sets, attributes of streams, and the name of a kernel.
int hints() {
    cudaStream_t stream, other;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    cudaPitchedPtr box;
    CHECK(cudaMalloc3D(&box, make_cudaExtent(8, 3, 2)));
    CHECK(cudaMemset3D(box, 1, make_cudaExtent(8, 3, 2)));
    CHECK(cudaMemset3DAsync(box, 2, make_cudaExtent(4, 2, 2), stream));
    char bytes[2][3][8];
    CHECK(cudaMemcpy2D(bytes, 8, box.ptr, box.pitch, 8, 6, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 48; i++)
        if (bytes[i / 24][i / 8 % 3][i % 8] != (i % 8 < 4 && i / 8 % 3 < 2 ? 2 : 1)) return 2;
    cudaStreamAttrValue value = {};
    CHECK(cudaStreamGetAttribute(stream, cudaStreamAttributeMemSyncDomainMap, &value));
    if (value.memSyncDomainMap.default_ != 0 || value.memSyncDomainMap.remote != 1) return 4;
    value.syncPolicy = cudaSyncPolicyYield;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    CHECK(cudaStreamCopyAttributes(other, stream));
    value.syncPolicy = cudaSyncPolicySpin;
    CHECK(cudaStreamGetAttribute(other, cudaStreamAttributeSynchronizationPolicy, &value));
    const char* name;
    CHECK(cudaFuncGetName(&name, reinterpret_cast<const void*>(three)));
    return value.syncPolicy == cudaSyncPolicyYield && strcmp(name, "_Z5threePi") == 0 ? 0 : 5;
}
