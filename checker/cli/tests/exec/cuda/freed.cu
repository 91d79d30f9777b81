// Kernels that use memory which the program has freed: the argument selects the keeper of its address and the way of freeing.
#include "check.h"
#include <cstring>
#include <cuda.h>

__global__ void doubled(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

__device__ int* kept;

__global__ void keep(int* in) { kept = in; }

__global__ void doubled_kept(int* out) { out[threadIdx.x] = 2 * kept[threadIdx.x]; }

__global__ void fetched(cudaTextureObject_t texture, int* out) { out[threadIdx.x] = tex2D<int>(texture, threadIdx.x, 0); }

static int *in, *out;

static cudaTextureObject_t texture_of(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

// A captured graph keeps the address of memory that is freed when more of it is needed.
static void in_a_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc(&in, 256));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    doubled<<<1, 64, 0, stream>>>(in, out);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, stream));
    CHECK(cudaFree(in));
    CHECK(cudaMalloc(&in, 4096));
    CHECK(cudaGraphLaunch(instance, stream));
}

static void in_memory() {
    CHECK(cudaMallocAsync(&in, 256, nullptr));
    keep<<<1, 1>>>(in);
    CHECK(cudaFreeAsync(in, nullptr));
    doubled_kept<<<1, 64>>>(out);
}

static void of_a_pool() {
    cudaMemPool_t pool;
    cudaMemPoolProps properties = {};
    CHECK(cudaMemPoolCreate(&pool, &properties));
    CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&in), 256, pool, nullptr));
    CHECK(cudaFreeAsync(in, nullptr));
    CHECK(cudaMemPoolDestroy(pool));
    doubled<<<1, 64>>>(in, out);
}

static void of_the_driver() {
    CUdeviceptr other;
    if (cuMemAlloc(&other, 256) != CUDA_SUCCESS || cuMemFree(other) != CUDA_SUCCESS) exit(4);
    doubled<<<1, 64>>>(reinterpret_cast<int*>(other), out);
}

static void of_the_host() {
    CHECK(cudaMallocHost(&in, 256));
    CHECK(cudaFreeHost(in));
    doubled<<<1, 64>>>(in, out);
}

static void registered() {
    in = static_cast<int*>(calloc(64, sizeof *in));
    CHECK(cudaHostRegister(in, 256, cudaHostRegisterDefault));
    CHECK(cudaHostUnregister(in));
    doubled<<<1, 64>>>(in, out);
}

static void as_an_array() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &format, 64, 1));
    cudaTextureObject_t texture = texture_of(array);
    CHECK(cudaFreeArray(array));
    fetched<<<1, 64>>>(texture, out);
}

// Both calls return an error.
static void by_the_program() {
    CHECK(cudaMalloc(&in, 256));
    CHECK(cudaFree(in));
    cudaFree(in);
    cudaMemcpy(out, in, 256, cudaMemcpyDeviceToDevice);
}

// A graph frees its own allocation before its last node.
static void by_a_graph() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t instance;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMallocAsync(&in, 256, stream));
    CHECK(cudaFreeAsync(in, stream));
    doubled<<<1, 64, 0, stream>>>(in, out);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&instance, graph, 0));
    CHECK(cudaGraphLaunch(instance, stream));
}

int freed(const char* how) {
    auto is = [how](const char* other) { return strcmp(how, other) == 0; };
    CHECK(cudaMalloc(&out, 256));
    if (is("graph")) in_a_graph();
    if (is("memory")) in_memory();
    if (is("pool")) of_a_pool();
    if (is("driver")) of_the_driver();
    if (is("host")) of_the_host();
    if (is("registered")) registered();
    if (is("array")) as_an_array();
    if (is("program")) by_the_program();
    if (is("by a graph")) by_a_graph();
    return 0;
}
