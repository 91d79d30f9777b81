// A program of the driver alone, for the test `record` of `tma-cli`: its functions are found as the runtime finds them,
// by `cuGetProcAddress` of a library that is opened while it runs, and so is its code, a fat binary. Its first argument
// is the fat binary; with a second, a kernel reads past the end of its memory.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static CUresult (*find)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);

static void* address_of(const char* name) {
    void* found = nullptr;
    if (find(name, &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, nullptr) != CUDA_SUCCESS) {
        printf("there is no %s\n", name);
        exit(3);
    }
    return found;
}

// Calls a function of the driver by its name.
#define CALL(name, ...)                                                              \
    do {                                                                             \
        static auto called = reinterpret_cast<decltype(&name)>(address_of(TEXT(name))); \
        CUresult code = called(__VA_ARGS__);                                         \
        if (code != CUDA_SUCCESS) {                                                  \
            printf("%s: error %d\n", TEXT(name), code);                              \
            exit(4);                                                                 \
        }                                                                            \
    } while (0)
// The name without what the header makes of it.
#define TEXT(name) plain(#name)

static const char* plain(const char* name) {
    static char text[64];
    snprintf(text, sizeof text, "%s", name);
    for (char* at = text; *at; at++)
        if (at[0] == '_' && at[1] == 'v') *at = 0;
    return text;
}

static CUdeviceptr allocate(const std::vector<float>& values) {
    CUdeviceptr on = 0;
    CALL(cuMemAlloc, &on, values.size() * sizeof(float));
    CALL(cuMemcpyHtoD, on, values.data(), values.size() * sizeof(float));
    return on;
}

static CUfunction kernel(CUmodule module, const char* name) {
    CUfunction function;
    CALL(cuModuleGetFunction, &function, module, name);
    return function;
}

static void launch(CUfunction function, unsigned blocks, unsigned threads, void** arguments) {
    CALL(cuLaunchKernel, function, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr);
}

static CUarray array(size_t width, size_t height) {
    CUDA_ARRAY3D_DESCRIPTOR description = {};
    description.Width = width;
    description.Height = height;
    description.Format = CU_AD_FORMAT_FLOAT;
    description.NumChannels = 1;
    description.Flags = CUDA_ARRAY3D_SURFACE_LDST;
    CUarray made;
    CALL(cuArray3DCreate, &made, &description);
    return made;
}

// Copies rows of floats between an array and the host.
static void copy(CUmemorytype from, const void* from_host, CUarray from_array, CUmemorytype to, void* to_host,
                 CUarray to_array, size_t width, size_t height) {
    CUDA_MEMCPY3D copied = {};
    copied.srcMemoryType = from;
    copied.srcHost = from_host;
    copied.srcArray = from_array;
    copied.dstMemoryType = to;
    copied.dstHost = to_host;
    copied.dstArray = to_array;
    copied.srcPitch = copied.dstPitch = copied.WidthInBytes = width * sizeof(float);
    copied.srcHeight = copied.dstHeight = copied.Height = height;
    copied.Depth = 1;
    CALL(cuMemcpy3D, &copied);
}

int main(int count, char** arguments) {
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library || count < 2) return 2;
    find = reinterpret_cast<decltype(find)>(dlsym(library, "cuGetProcAddress_v2"));

    CUdevice device;
    CUcontext context;
    CALL(cuInit, 0);
    CALL(cuDeviceGet, &device, 0);
    CALL(cuDevicePrimaryCtxRetain, &context, device);
    CALL(cuCtxSetCurrent, context);
    CUmodule module;
    CALL(cuModuleLoad, &module, arguments[1]);

    const int columns = 1003;
    std::vector<float> numbers(columns);
    for (int i = 0; i < columns; i++) numbers[i] = i % 17;
    CUdeviceptr first = allocate(numbers), second = allocate(numbers), unreached = allocate(numbers);
    int length = columns;

    if (count > 2) {
        int words = columns;
        CUdeviceptr out = allocate({0});
        void* past[] = {&first, &out, &words};
        launch(kernel(module, "past_the_end"), 1, 1, past);
        CUstream none = nullptr;
        CALL(cuStreamSynchronize, none);
        return 0;
    }

    // 1
    float by = 0.5f;
    void* scaled[] = {&first, &by, &length};
    launch(kernel(module, "scale"), 8, 128, scaled);

    // 2: the same by a buffer of all arguments, in the middle of an allocation.
    struct {
        CUdeviceptr data;
        float by;
        int count;
    } packed = {second + 400, 3, 500};
    size_t bytes = sizeof packed;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                     CU_LAUNCH_PARAM_END};
    CALL(cuLaunchKernel, kernel(module, "scale"), 4, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra);

    // 3
    int kept_count = 7;
    void* kept[] = {&kept_count};
    launch(kernel(module, "negate_kept"), 1, 32, kept);

    // 4: pointers in memory.
    CUdeviceptr rows[2] = {first, second}, table, sums = allocate(std::vector<float>(columns));
    CALL(cuMemAlloc, &table, sizeof rows);
    CALL(cuMemcpyHtoD, table, rows, sizeof rows);
    int row_count = 2;
    void* summed[] = {&table, &row_count, &sums, &length};
    launch(kernel(module, "sum_columns"), 8, 128, summed);

    // 5
    CUdeviceptr words = allocate(std::vector<float>(64));
    void* reversed[] = {&words};
    launch(kernel(module, "reverse"), 1, 64, reversed);

    // 6
    CUdeviceptr ranks = allocate(std::vector<float>(6));
    CUlaunchAttribute cluster = {};
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = 2;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    CUlaunchConfig config = {6, 1, 1, 32, 1, 1, 0, nullptr, &cluster, 1};
    void* ranked[] = {&ranks};
    CALL(cuLaunchKernelEx, &config, kernel(module, "ranks"), ranked, nullptr);

    // 7: memory of the host.
    int* counted = nullptr;
    CALL(cuMemHostAlloc, reinterpret_cast<void**>(&counted), sizeof(int), CU_MEMHOSTALLOC_DEVICEMAP);
    *counted = 1000;
    void* counting[] = {&counted};
    CALL(cuLaunchCooperativeKernel, kernel(module, "count"), 2, 1, 1, 64, 1, 1, 0, nullptr, counting);

    // 8: what is freed is not there.
    CALL(cuMemFree, unreached);
    by = 2;
    launch(kernel(module, "scale"), 8, 128, scaled);

    // 9 and 10: memory of several parts, of which a launch changes a little in the last one.
    std::vector<float> many((20 << 20) / sizeof(float) + 3);
    for (size_t i = 0; i < many.size(); i += 1000) many[i] = 1 + i % 7;
    CUdeviceptr large = allocate(many);
    for (int launched = 0; launched < 2; launched++) {
        CUdeviceptr last = large + (many.size() - 500) * sizeof(float);
        int few = 500;
        void* scaling[] = {&last, &by, &few};
        launch(kernel(module, "scale"), 4, 128, scaling);
    }

    // A process that ends by itself, with copies of all that this one has.
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, nullptr, 0);

    // 11: textures of an array and of memory, and a surface.
    const int width = 7, height = 5;
    CUarray plane = array(width, height), surface = array(width, height);
    std::vector<float> texels(width * height), sums_of_texels(width * height);
    for (int i = 0; i < width * height; i++) texels[i] = i * i;
    copy(CU_MEMORYTYPE_HOST, texels.data(), nullptr, CU_MEMORYTYPE_ARRAY, nullptr, plane, width, height);
    CUdeviceptr memory = allocate(texels), handles;
    CUDA_RESOURCE_DESC resource = {};
    CUDA_TEXTURE_DESC texture = {};
    texture.addressMode[0] = texture.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    texture.filterMode = CU_TR_FILTER_MODE_LINEAR;
    CUtexObject of_plane, of_memory;
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = plane;
    CALL(cuTexObjectCreate, &of_plane, &resource, &texture, nullptr);
    CUsurfObject on_surface;
    resource.res.array.hArray = surface;
    CALL(cuSurfObjectCreate, &on_surface, &resource);
    resource = {};
    resource.resType = CU_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = texels.size() * sizeof(float);
    texture.filterMode = CU_TR_FILTER_MODE_POINT;
    CALL(cuTexObjectCreate, &of_memory, &resource, &texture, nullptr);
    CALL(cuMemAlloc, &handles, sizeof of_memory);
    CALL(cuMemcpyHtoD, handles, &of_memory, sizeof of_memory);
    void* adding[] = {&of_plane, &handles, &on_surface, const_cast<int*>(&width), const_cast<int*>(&height)};
    CALL(cuLaunchKernel, kernel(module, "add_texels"), 1, 1, 1, 8, 8, 1, 0, nullptr, adding, nullptr);
    copy(CU_MEMORYTYPE_ARRAY, nullptr, surface, CU_MEMORYTYPE_HOST, sums_of_texels.data(), nullptr, width, height);
    CALL(cuTexObjectDestroy, of_memory);

    // 12 to 14: the heap of kernels.
    CUdeviceptr left = allocate(std::vector<float>(2)), number = allocate(std::vector<float>(1));
    void* borrowing[] = {&number};
    launch(kernel(module, "borrow"), 1, 1, borrowing);
    void* leaving[] = {&left};
    launch(kernel(module, "leave"), 1, 1, leaving);
    void* taking[] = {&left, &number};
    launch(kernel(module, "take"), 1, 1, taking);

    std::vector<float> out(columns);
    std::vector<unsigned> rank(6);
    CALL(cuMemcpyDtoH, out.data(), sums, columns * sizeof(float));
    CALL(cuMemcpyDtoH, rank.data(), ranks, 6 * sizeof(unsigned));
    printf("%g %g %g, %u %u, %d, %g\n", out[3], out[200], out[1002], rank[4], rank[5], *counted, sums_of_texels[9]);
    return 42;
}
