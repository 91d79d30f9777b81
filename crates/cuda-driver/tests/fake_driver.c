/* A driver of a few functions, written from the driver API manual rather than from the Rust
   declarations. Each answers with a code of its own if its arguments are not those expected. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int CUresult;
typedef struct { unsigned char bytes[128]; } CUtensorMap;
enum { OK = 0, INVALID_VALUE = 1, INVALID_PTX = 218 };

CUresult cuInit(unsigned flags) { return (CUresult)flags; }

CUresult cuDriverGetVersion(int *version) {
    *version = 12080;
    return OK;
}

CUresult cuGetErrorName(CUresult code, const char **text) {
    *text = code == 1 || code == 912 ? "NAME_OF_THE_FAKE_DRIVER" : NULL;
    return *text ? OK : INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult code, const char **text) {
    *text = code == 1 || code == 912 ? "sentence of the fake driver" : NULL;
    return *text ? OK : INVALID_VALUE;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, int device) {
    *value = 1000 * device + attribute;
    return OK;
}

CUresult cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
    for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(device + i);
    return OK;
}

/* Device 1 reaches device 2, with atomic operations; device 2 does not reach device 1. */
CUresult cuDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = device == 1 && peer == 2;
    return OK;
}

enum { CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3 };

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer) {
    if (attribute != CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED) return INVALID_VALUE;
    *value = device == 1 && peer == 2;
    return OK;
}

CUresult cuCtxEnablePeerAccess(void *peer, unsigned flags) {
    static int enabled = 0;
    if (peer != (void *)48 || flags != 0) return 217;
    return enabled++ ? 704 : OK;
}

CUresult cuMemsetD16_v2(unsigned long long address, unsigned short value, size_t count) {
    return address == 0x123456789abcULL && value == 0xbeef && count == 0x1122334455ULL ? OK : 716;
}

CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                        unsigned bz, unsigned shared, void *stream, void **parameters, void **extra) {
    int grid = gx == 1 && gy == 2 && gz == 3, block = bx == 4 && by == 5 && bz == 6;
    int rest = f == (void *)16 && shared == 7 && stream == (void *)32 && extra == NULL;
    return grid && block && rest && *(int *)parameters[0] == 42 ? OK : 701;
}

typedef enum { CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC = 6 } CUlaunchAttributeID;
typedef union {
    char pad[64];
    struct { unsigned x, y, z; } clusterDim;
    int programmaticStreamSerializationAllowed;
    void *pointer;
} CUlaunchAttributeValue;
typedef struct {
    CUlaunchAttributeID id;
    char pad[8 - sizeof(CUlaunchAttributeID)];
    CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void *hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

static int as_expected(const CUlaunchConfig *c) {
    if (c->gridDimX != 1 || c->gridDimY != 2 || c->gridDimZ != 3) return 0;
    if (c->blockDimX != 4 || c->blockDimY != 5 || c->blockDimZ != 6) return 0;
    if (c->sharedMemBytes != 7 || c->hStream != (void *)32 || c->numAttrs != 2) return 0;
    const CUlaunchAttribute *cluster = &c->attrs[0], *serial = &c->attrs[1];
    return cluster->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION && cluster->value.clusterDim.x == 8 &&
           cluster->value.clusterDim.y == 9 && cluster->value.clusterDim.z == 10 &&
           serial->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC &&
           serial->value.programmaticStreamSerializationAllowed == 1;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, void *f, void **parameters, void **extra) {
    if (config->numAttrs == 0) return 912;
    return as_expected(config) && f == (void *)16 && *(int *)parameters[0] == 42 && !extra ? OK : 701;
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, void *f, const CUlaunchConfig *config) {
    *clusters = 66;
    return as_expected(config) && f == (void *)16 ? OK : 701;
}

CUresult cuFuncSetAttribute(void *f, int attribute, int value) {
    return f == (void *)16 && attribute == 8 && value == 232448 ? OK : INVALID_VALUE;
}

CUresult cuFuncGetAttribute(int *value, int attribute, void *f) {
    *value = 100 + attribute;
    return f == (void *)16 ? OK : INVALID_VALUE;
}

CUresult cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
    char *info = NULL, *error = NULL;
    size_t info_bytes = 0, error_bytes = 0;
    int verbose = 0;
    for (unsigned i = 0; i < count; i++) switch (options[i]) {
        case 3: info = values[i]; break;
        case 4: info_bytes = (size_t)values[i]; break;
        case 5: error = values[i]; break;
        case 6: error_bytes = (size_t)values[i]; break;
        case 12: verbose = (int)(size_t)values[i]; break;
        default: return INVALID_VALUE;
    }
    if (!info || !error || info_bytes != error_bytes || !verbose) return INVALID_VALUE;
    memset(info, 'i', info_bytes / 2);
    if (strcmp(image, "good") == 0) return *module = (void *)64, OK;
    memset(error, 'e', error_bytes);
    return INVALID_PTX;
}

/* The first byte says which function wrote; then every argument, in order. */
struct writer { unsigned char *at; };
static void put(struct writer *w, const void *from, size_t bytes) {
    memcpy(w->at, from, bytes);
    w->at += bytes;
}
#define PUT(value) put(&w, &(value), sizeof(value))
#define PUT_ALL(array, count) put(&w, (array), (count) * sizeof *(array))

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, int type, uint32_t rank, void *address,
                                const uint64_t *dim, const uint64_t *strides, const uint32_t *box,
                                const uint32_t *element_strides, int interleave, int swizzle,
                                int l2, int oob) {
    struct writer w = {map->bytes};
    if ((uintptr_t)map % 64 || rank != 3) return INVALID_VALUE;
    PUT(type); PUT(rank); PUT(address); PUT_ALL(dim, rank); PUT_ALL(strides, rank - 1);
    PUT_ALL(box, rank); PUT_ALL(element_strides, rank);
    PUT(interleave); PUT(swizzle); PUT(l2); PUT(oob);
    return OK;
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, int type, uint32_t rank, void *address,
                                 const uint64_t *dim, const uint64_t *strides, const int *lower,
                                 const int *upper, uint32_t channels, uint32_t pixels,
                                 const uint32_t *element_strides, int interleave, int swizzle,
                                 int l2, int oob) {
    struct writer w = {map->bytes};
    if ((uintptr_t)map % 64 || rank != 3) return INVALID_VALUE;
    PUT(type); PUT(rank); PUT(address); PUT_ALL(dim, rank); PUT_ALL(strides, rank - 1);
    PUT_ALL(lower, rank - 2); PUT_ALL(upper, rank - 2); PUT(channels); PUT(pixels);
    PUT_ALL(element_strides, rank); PUT(interleave); PUT(swizzle); PUT(l2); PUT(oob);
    return OK;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
    struct writer w = {map->bytes + 8};
    PUT(address);
    return OK;
}

/* cuTensorMapEncodeIm2colWide is missing, as it is from drivers before CUDA 12.8. */
