// The names of cuBLAS that programs mention whose kernels do not need it. Each call succeeds and does nothing; that
// header, too, brings these.
#ifndef RUST_TMA_CUBLAS
#define RUST_TMA_CUBLAS
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

typedef int cublasStatus_t;
typedef int cublasComputeType_t;
typedef int cublasMath_t;
typedef void *cublasHandle_t;
typedef void *cublasLtHandle_t;

enum { CUBLAS_STATUS_SUCCESS, CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32 };
enum { CUBLAS_DEFAULT_MATH, CUBLAS_TF32_TENSOR_OP_MATH };

static inline cublasStatus_t cublasCreate(cublasHandle_t *) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasDestroy(cublasHandle_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t) { return CUBLAS_STATUS_SUCCESS; }

enum cublasOperation_t { CUBLAS_OP_N, CUBLAS_OP_T };
enum { CUBLAS_GEMM_DEFAULT = -1, CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99 };

static inline const char *cublasGetStatusString(cublasStatus_t) { return ""; }
static inline cublasStatus_t cublasSetStream(cublasHandle_t, cudaStream_t) { return CUBLAS_STATUS_SUCCESS; }
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t, void *, size_t) { return CUBLAS_STATUS_SUCCESS; }
template <class... Arguments> static cublasStatus_t cublasGemmEx(Arguments...) { return CUBLAS_STATUS_SUCCESS; }
#endif
