//! Distinguishes the user's source files from library files.

/// Folders of headers of CUDA, CUTLASS and CCCL. Folders called `cuda` are handled by [`is_of_cuda`].
const FOLDERS: [&str; 8] = [
    "cute",
    "cutlass",
    "cub",
    "thrust",
    "cooperative_groups",
    "crt",
    "nv",
    "libcudacxx",
];

/// Prefixes of CUDA's header names, which share one folder.
const HEADERS: [&str; 17] = [
    "cooperative_groups.h",
    "cuda_awbarrier",
    "cuda_bf16",
    "cuda_device_runtime_api",
    "cuda_fp",
    "cuda_pipeline",
    "cuda_runtime",
    "device_atomic_functions",
    "device_double_functions",
    "device_functions",
    "device_launch_parameters",
    "device_types.h",
    "force_include",
    "math_functions",
    "mma.h",
    "surface_indirect_functions",
    "texture_indirect_functions",
];

/// Returns whether a header is in libcu++'s folder `cuda`: in one of its subfolders, or with a name without
/// extension such as `cuda/barrier`.
fn is_of_cuda(folders: &[&str], name: &str) -> bool {
    let is_inner =
        |pair: &[&str]| pair[0] == "cuda" && (pair[1] == "std" || pair[1].starts_with("__"));
    let is_plain = folders.last() == Some(&"cuda") && !name.contains('.');
    is_plain || folders.windows(2).any(is_inner)
}

/// Returns whether it is a header of instructions of one compute capability, as `sm_30_intrinsics.hpp`.
fn is_of_capability(name: &str) -> bool {
    let rest = name.strip_prefix("sm_").unwrap_or_default();
    let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    ["_atomic_functions.", "_intrinsics.", "_rt."]
        .iter()
        .any(|end| rest.starts_with(end))
}

/// Returns whether a file belongs to a library of the compiler, and not to the kernel's author.
pub(crate) fn is_of_library(path: &str) -> bool {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let (name, folders) = match parts.split_last() {
        Some((name, folders)) => (*name, folders),
        None => return false,
    };
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "cu" | "cpp" | "cc" | "cxx" | "c" | "jl" | "mojo" => false,
        "py" => folders
            .windows(2)
            .any(|pair| pair == ["triton", "language"]),
        "rs" => folders.windows(2).any(|pair| {
            let of_tma = pair[0].strip_prefix("tma");
            let is_tma = of_tma.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with("-0.") || rest.starts_with("-1.")
            });
            pair[0] == "library" && pair[1] == "core" || is_tma && pair[1] == "src"
        }),
        _ => {
            folders.iter().any(|folder| FOLDERS.contains(folder))
                || is_of_cuda(folders, name)
                || is_of_capability(name)
                || HEADERS.iter().any(|header| name.starts_with(header))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_known_by_their_paths() {
        for path in [
            "/usr/local/cuda/include/cuda/std/__atomic/api.h",
            "include/cuda/barrier",
            "/usr/local/cuda/include/cuda/__barrier/barrier.h",
            "/usr/local/cuda/include/cuda_fp16.hpp",
            "/usr/local/cuda/include/device_atomic_functions.hpp",
            "cute/arch/copy_sm90.hpp",
            "/opt/cutlass/include/cutlass/pipeline/sm90_pipeline.hpp",
            "sm_30_intrinsics.hpp",
            "cooperative_groups.h",
            "test/force_include.h",
            "crt/sm_80_rt.hpp",
            "bin/..//include/texture_indirect_functions.h",
            "crates/tma/src/ptx/fence.rs",
            ".cargo/registry/src/index/tma-0.1.0/src/tile.rs",
            "lib/python3.11/site-packages/triton/language/standard.py",
            "rust/library/core/src/ptr/mod.rs",
        ] {
            assert!(is_of_library(path), "{path}");
        }
        for path in [
            "cuda/reduce.cu",
            "proj/cuda/mine.cuh",
            "cuda/kernels/mine.cuh",
            "cuda_helpers.cuh",
            "device_vector_sum.cuh",
            "sm_90_gemm.cuh",
            "/src/cutlass/examples/gemm.cu",
            "kernels/common.cuh",
            "softmax.h",
            "tma/lib.rs",
            "kernels-gpu/src/gemm.rs",
            "softmax.py",
            "triton/softmax.py",
            "triton/language.py",
            "triton/kernels/language.py",
            "src/main.rs",
        ] {
            assert!(!is_of_library(path), "{path}");
        }
    }
}
