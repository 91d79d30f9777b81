//! The programs that are run, unchanged, as their authors published them.

mod cccl;
mod cuda_samples;
mod llm_c;

/// Sources of one repository.
pub(super) struct CodeBase {
    pub(super) name: &'static str,
    pub(super) url: &'static str,
    pub(super) commit: &'static str,
    /// The folder that the programs lie in.
    pub(super) folder: &'static str,
    /// Arguments for nvcc, in the folder of the repository; `{NAME}` stands for the folder of another one.
    pub(super) flags: &'static [&'static str],
    /// Folders, whose sources are all of the program, or single sources; behind them arguments.
    pub(super) programs: &'static [&'static str],
    /// Sources of which only the entries are counted; `{here}` stands for the folder of this verb's own.
    pub(super) kernels: &'static [&'static str],
    /// Says what is not in the list.
    pub(super) left_out: &'static str,
}

pub(super) const CODE_BASES: &[CodeBase] = &[
    CodeBase {
        name: "cuda-samples",
        url: "https://github.com/NVIDIA/cuda-samples",
        commit: "c94ff366aed18c797b8a85dfaac7817b0228b420",
        folder: "Samples",
        flags: &[
            "-std=c++17",
            "-I",
            "Common",
            "-I",
            "Samples/5_Domain_Specific/FDTD3d/inc",
        ],
        programs: cuda_samples::PROGRAMS,
        kernels: &[],
        left_out: "the samples with headers of OpenGL, Direct3D, Vulkan, the driver, NVRTC, MPI, OpenMP or a library with \
                   machine code alone, and those with dynamic \
                   parallelism or several processes",
    },
    CodeBase {
        name: "llm.c",
        url: "https://github.com/karpathy/llm.c",
        commit: "f1e2ace651495b74ae22d45d1723443fd00ecd3a",
        folder: "dev/cuda",
        flags: &["-std=c++17", "-O3", "--use_fast_math"],
        programs: llm_c::PROGRAMS,
        kernels: &[],
        left_out: "the programs of `dev/cuda` that call cuBLAS, cuDNN or NCCL, the other kernels of each program, and the rest \
                   of the repository",
    },
    CodeBase {
        name: "libcudacxx",
        url: "https://github.com/NVIDIA/cccl",
        commit: "571f2fc3bc53cd710e306ad43d58995c1fe4219f",
        folder: "libcudacxx/test/libcudacxx",
        flags: &[
            "-std=c++17",
            "-x",
            "cu",
            "-I",
            "libcudacxx/include",
            "-I",
            "libcudacxx/test/support",
            "-include",
            "libcudacxx/test/libcudacxx/force_include.h",
        ],
        programs: cccl::LIBCUDACXX,
        kernels: &[],
        left_out: "the tests of what needs no second thread, and those that only have to compile or are to fail",
    },
    CodeBase {
        name: "CUB",
        url: "https://github.com/NVIDIA/cccl",
        commit: "571f2fc3bc53cd710e306ad43d58995c1fe4219f",
        folder: "cub",
        flags: &[
            "-std=c++17",
            "--extended-lambda",
            "-I",
            "thrust",
            "-I",
            "cub",
            "-I",
            "libcudacxx/include",
            "-I",
            "cub/test",
        ],
        programs: cccl::CUB,
        kernels: &[],
        left_out: "the tests that use Catch2, and examples of memory resources",
    },
    CodeBase {
        name: "Thrust",
        url: "https://github.com/NVIDIA/cccl",
        commit: "571f2fc3bc53cd710e306ad43d58995c1fe4219f",
        folder: "thrust/examples",
        flags: &[
            "-std=c++17",
            "--extended-lambda",
            "-I",
            "thrust",
            "-I",
            "cub",
            "-I",
            "libcudacxx/include",
            "-I",
            "thrust/examples",
        ],
        programs: cccl::THRUST,
        kernels: &[],
        left_out: "examples for other systems than CUDA, and those whose algorithms others have, too",
    },
];
