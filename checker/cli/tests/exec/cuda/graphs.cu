// Graphs that allocate memory, and graphs whose nodes depend on conditions.
#include "check.h"
#include <cstdint>
#include <utility>

__global__ void square(const int* from, int* to) { to[threadIdx.x] = from[threadIdx.x] * from[threadIdx.x]; }

// Squares 32 numbers in memory that the stream allocates.
static void squares(cudaStream_t stream, const int* from, int* to) {
    int *numbers, *squared;
    const size_t bytes = 32 * sizeof(int);
    CHECK(cudaMallocAsync(&numbers, bytes, stream));
    CHECK(cudaMallocAsync(&squared, bytes, stream));
    CHECK(cudaMemcpyAsync(numbers, from, bytes, cudaMemcpyHostToDevice, stream));
    square<<<1, 32, 0, stream>>>(numbers, squared);
    CHECK(cudaFreeAsync(numbers, stream));
    CHECK(cudaMemcpyAsync(to, squared, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(squared, stream));
}

static uint64_t graph_bytes(cudaGraphMemAttributeType kind) {
    uint64_t bytes;
    CHECK(cudaDeviceGetGraphMemAttribute(0, kind, &bytes));
    return bytes;
}

int graph_memory() {
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int from[32], to[32] = {};
    for (int i = 0; i < 32; i++) from[i] = i;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    squares(stream, from, to);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    if (to[31] != 0 || graph_bytes(cudaGraphMemAttrUsedMemHigh) != 0) return 2;
    for (int times = 0; times < 2; times++) {
        CHECK(cudaGraphLaunch(instance, stream));
        if (to[31] != 961) return 4;
        to[31] = 0;
    }
    if (graph_bytes(cudaGraphMemAttrUsedMemCurrent) != 0 || graph_bytes(cudaGraphMemAttrUsedMemHigh) != 256) return 5;

    // Memory that outlives the launch, for work outside the graph.
    cudaMemAllocNodeParams allocation = {};
    allocation.bytesize = sizeof from;
    allocation.poolProps.allocType = cudaMemAllocationTypePinned;
    allocation.poolProps.location = {cudaMemLocationTypeDevice, {0}};
    cudaGraphNode_t node, copy;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &allocation));
    int* numbers = static_cast<int*>(allocation.dptr);
    CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &node, 1, numbers, from, sizeof from, cudaMemcpyDefault));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    if (cudaMemcpy(to, numbers, sizeof to, cudaMemcpyDefault) != cudaErrorInvalidValue) return 6;
    CHECK(cudaGraphLaunch(instance, stream));
    square<<<1, 32, 0, stream>>>(numbers, numbers);
    CHECK(cudaMemcpy(to, numbers, sizeof to, cudaMemcpyDefault));
    if (to[31] != 961 || graph_bytes(cudaGraphMemAttrReservedMemCurrent) != sizeof from) return 7;
    // Not again while it is allocated, unless the instance frees it.
    if (cudaGraphLaunch(instance, stream) != cudaErrorInvalidValue) return 8;
    CHECK(cudaFree(numbers));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaGraphInstantiate(&instance, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaMemcpy(to, numbers, sizeof to, cudaMemcpyDefault));
    if (to[31] != 31) return 9;
    // A graph that frees the allocation of another.
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, numbers));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaDeviceGraphMemTrim(0));
    return graph_bytes(cudaGraphMemAttrUsedMemCurrent) == 0 ? 0 : 10;
}

// Counts down, and goes on while something is left.
__global__ void count_down(int* left, int* turns, cudaGraphConditionalHandle handle) {
    *turns += 1;
    *left -= 1;
    cudaGraphSetConditional(handle, *left > 0);
}

__global__ void set(const int* value, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, *value); }

__global__ void put(int* to, int value) { *to = value; }

// Adds a conditional node to a graph.
static cudaGraphNodeParams conditional(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                                       cudaGraphConditionalNodeType kind, unsigned bodies) {
    cudaGraphNode_t node;
    cudaGraphNodeParams all = {cudaGraphNodeTypeConditional};
    all.conditional.handle = handle;
    all.conditional.type = kind;
    all.conditional.size = bodies;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &all));
    return all;
}

template <typename... T>
static void add_kernel(cudaGraph_t graph, void (*function)(T...), T... values) {
    void* arguments[] = {&values...};
    cudaGraphNodeParams all = {cudaGraphNodeTypeKernel};
    all.kernel.func = reinterpret_cast<void*>(function);
    all.kernel.gridDim = all.kernel.blockDim = dim3(1);
    all.kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &all));
}

// The number that a graph leaves when its condition has a value.
static int chosen(cudaGraphExec_t instance, int* on, int value) {
    const int start[2] = {value, -1};
    int chosen;
    CHECK(cudaMemcpy(on, start, sizeof start, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(instance, nullptr));
    CHECK(cudaMemcpy(&chosen, on + 1, sizeof chosen, cudaMemcpyDeviceToHost));
    return chosen;
}

int conditionals() {
    int *on, numbers[2] = {5, 0};
    CHECK(cudaMalloc(&on, sizeof numbers));
    CHECK(cudaMemcpy(on, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    cudaStream_t stream;
    cudaGraph_t graph, captured;
    cudaGraphExec_t instance;
    cudaGraphConditionalHandle handle;
    // A loop whose body is captured; it begins since the condition is 1 at each launch.
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    auto loop = conditional(graph, handle, cudaGraphCondTypeWhile, 1);
    CHECK(cudaStreamCreate(&stream));
    auto mode = cudaStreamCaptureModeGlobal;
    CHECK(cudaStreamBeginCaptureToGraph(stream, loop.conditional.phGraph_out[0], nullptr, nullptr, 0, mode));
    count_down<<<1, 1, 0, stream>>>(on, on + 1, handle);
    cudaStreamCaptureStatus status;
    CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &captured, nullptr, nullptr, nullptr));
    if (status != cudaStreamCaptureStatusActive || captured != loop.conditional.phGraph_out[0]) return 2;
    CHECK(cudaStreamUpdateCaptureDependencies(stream, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies));
    CHECK(cudaStreamEndCapture(stream, nullptr));
    CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, nullptr, nullptr, nullptr));
    if (status != cudaStreamCaptureStatusNone) return 4;
    size_t nodes;
    CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int turns : {5, 6}) {
        CHECK(cudaGraphLaunch(instance, nullptr));
        CHECK(cudaMemcpy(numbers, on, sizeof numbers, cudaMemcpyDeviceToHost));
        // The second loop begins with a count of zero, and ends after its first turn.
        if (numbers[1] != turns || nodes != 1) return 5;
    }
    // One of two bodies, and one of three or none.
    for (auto [kind, bodies] : {std::pair{cudaGraphCondTypeIf, 2u}, std::pair{cudaGraphCondTypeSwitch, 3u}}) {
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
        add_kernel<const int*, cudaGraphConditionalHandle>(graph, set, on, handle);
        auto choice = conditional(graph, handle, kind, bodies);
        for (unsigned i = 0; i < bodies; i++)
            add_kernel<int*, int>(choice.conditional.phGraph_out[i], put, on + 1, i);
        CHECK(cudaGraphInstantiate(&instance, graph, 0));
        for (int value = 0; value < 4; value++) {
            const int expected = kind == cudaGraphCondTypeIf ? value == 0 : value < 3 ? value : -1;
            if (chosen(instance, on, value) != expected) return 6;
        }
    }
    return 0;
}

// 64 threads set one condition without any order.
int conditional_race() {
    int* on;
    cudaGraph_t graph;
    cudaGraphConditionalHandle handle;
    CHECK(cudaMalloc(&on, 4));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    set<<<1, 64>>>(on, handle);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
