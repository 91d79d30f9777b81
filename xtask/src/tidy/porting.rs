//! The page about porting has a section for each kernel, a link to each numbered program and a word on
//! each call of NVIDIA's guide, and what it calls things in Rust is so.

use super::{Breach, File};

const PAGE: &str = "docs/porting.md";
const KERNELS: &str = "kernels-gpu/src";
const INSTRUCTIONS: &str = "crates/tma/src/ptx";

/// Modules and types of the device library that the page names, and the files of what is in them.
const NAMES: &[(&str, &str)] = &[
    ("cluster", "crates/tma/src/cluster.rs"),
    ("float", "crates/tma/src/float.rs"),
    ("thread", "crates/tma/src/thread.rs"),
    ("warp", "crates/tma/src/warp.rs"),
    ("Barrier", "crates/tma/src/barrier.rs"),
    ("Ring", "crates/tma/src/ring.rs"),
    ("TensorMap", "crates/tensor-map/src/map.rs"),
];

pub(super) fn check(files: &[File], breaches: &mut Vec<Breach>) {
    let Some(page) = files.iter().find(|file| file.path == PAGE) else {
        return;
    };
    let mut breach = |line, says: String| breaches.push(Breach::new(page, line, says));
    for kernel in files.iter().filter_map(kernel) {
        let title = format!("`{kernel}`");
        let section = page
            .lines()
            .find(|(_, line)| line.starts_with("### ") && line.contains(&title));
        match section {
            None => breach(1, format!("has no section on the kernel {title}")),
            Some((number, _)) => {
                let link = format!("](../{KERNELS}/{kernel}.rs)");
                let after = page.lines().skip(number);
                let mut section = after.take_while(|(_, line)| !line.starts_with('#'));
                if !section.any(|(_, line)| line.contains(&link)) {
                    breach(
                        number,
                        format!("the section on {title} has no link to its file"),
                    );
                }
            }
        }
    }
    for program in files.iter().filter(|file| is_numbered(file)) {
        let link = format!("](../{})", program.path);
        if !page.lines().any(|(_, line)| line.contains(&link)) {
            breach(1, format!("has no link to {}", program.path));
        }
    }
    for call in CALLS {
        if !page.lines().any(|(_, line)| has_word(line, call)) {
            breach(1, format!("says nothing of `{call}`"));
        }
    }
    for (number, line) in page.lines() {
        for path in paths(line) {
            if let Some(file) = missing(files, &path) {
                breach(number, format!("`{}` is not in {file}", path.join("::")));
            }
        }
    }
}

/// The name of the kernel that is in this file.
fn kernel(file: &File) -> Option<&str> {
    let name = file.path.strip_prefix(KERNELS)?.strip_prefix('/')?;
    let name = name.strip_suffix(".rs")?;
    (name != "lib" && !name.contains('/')).then_some(name)
}

/// Is it one of the programs that show the host side?
fn is_numbered(file: &File) -> bool {
    let name = file.path.strip_prefix("host/examples/");
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_digit()))
}

const fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c| !is_word(c)).any(|other| other == word)
}

/// Names joined by `::`, one at least.
fn paths(line: &str) -> impl Iterator<Item = Vec<&str>> {
    line.split(|c| !is_word(c) && c != ':')
        .map(|path| path.split("::").filter(|name| !name.is_empty()).collect())
        .filter(|path: &Vec<&str>| path.len() > 1)
}

/// The file in which the item of this path should be and is not.
fn missing(files: &[File], path: &[&str]) -> Option<String> {
    let is_instruction = path.first() == Some(&"ptx");
    let path = path.strip_prefix(&["ptx"]).unwrap_or(path);
    let (module, item) = (path.first()?, path.get(1)?);
    let named = NAMES.iter().find(|(name, _)| name == module);
    let path = named.map_or_else(
        || format!("{INSTRUCTIONS}/{module}.rs"),
        |(_, path)| (*path).to_owned(),
    );
    let Some(file) = files.iter().find(|file| file.path == path) else {
        // Names of C++ and of the standard library are no paths of ours.
        return is_instruction.then_some(path);
    };
    let is_there = file.lines().any(|(_, line)| has_word(line, item));
    (!is_there).then_some(path)
}

/// What the samples of the guide, older and newer, and the driver's page on tensor maps call.
const CALLS: &[&str] = &[
    // Kernels, parameters, threads.
    "__global__",
    "__device__",
    "__shared__",
    "__constant__",
    "__grid_constant__",
    "__cluster_dims__",
    "__launch_bounds__",
    "__CUDA_MINIMUM_ARCH__",
    "static_assert",
    "static_var_with_dynamic_init",
    "alignas",
    "constexpr",
    "assert",
    "printf",
    "asm",
    "threadIdx",
    "blockIdx",
    "blockDim",
    "gridDim",
    "this_thread_block",
    "this_thread",
    "this_grid",
    "this_cluster",
    "thread_rank",
    "group_index",
    "__syncthreads",
    "__syncwarp",
    "__shfl_sync",
    "elect_sync",
    "invoke_one",
    "block_rank",
    "map_shared_rank",
    // Barriers.
    "init",
    "arrive",
    "wait",
    "arrive_and_wait",
    "arrival_token",
    "thread_scope_block",
    "thread_scope_thread",
    "barrier_arrive_tx",
    "barrier_expect_tx",
    "barrier_native_handle",
    "mbarrier_init",
    "mbarrier_arrive",
    "mbarrier_arrive_expect_tx",
    "mbarrier_expect_tx",
    "mbarrier_try_wait_parity",
    "__mbarrier_t",
    "__mbarrier_token_t",
    "__mbarrier_init",
    "__mbarrier_arrive",
    "__mbarrier_try_wait",
    "sem_acquire",
    "sem_release",
    "scope_cta",
    "scope_cluster",
    "scope_gpu",
    "scope_sys",
    "space_shared",
    "space_cluster",
    "space_global",
    "n32_t",
    // Pipelines and LDGSTS.
    "make_pipeline",
    "pipeline_shared_state",
    "producer_acquire",
    "producer_commit",
    "consumer_wait",
    "consumer_release",
    "pipeline_consumer_wait_prior",
    "memcpy_async",
    "aligned_size_t",
    "wait_prior",
    "__pipeline_memcpy_async",
    "__pipeline_commit",
    "__pipeline_wait_prior",
    "__pipeline_arrive_on",
    // Bulk and tensor copies, STAS.
    "memcpy_async_tx",
    "cp_async_bulk",
    "cp_async_bulk_tensor",
    "cp_async_bulk_commit_group",
    "cp_async_bulk_wait_group_read",
    "cp_async_bulk_tensor_2d_global_to_shared",
    "cp_async_bulk_tensor_2d_shared_to_global",
    "fence_proxy_async",
    "fence_proxy_async_shared_cta",
    "st_async",
    "__as_ptr_smem",
    // Tensor maps.
    "fence_proxy_tensormap_generic",
    "tensormap_cp_fenceproxy",
    "tensormap_copy_fenceproxy",
    "tensormap_replace_global_address",
    "tensormap_replace_rank",
    "tensormap_replace_box_dim",
    "tensormap_replace_global_dim",
    "tensormap_replace_global_stride",
    "tensormap_replace_element_size",
    "tensormap_replace_elemtype",
    "tensormap_replace_interleave_layout",
    "tensormap_replace_swizzle_mode",
    "tensormap_replace_fill_mode",
    "tensormap_params",
    "make_tensormap_template",
    "CUtensorMap",
    "CUtensorMapDataType",
    "CUtensorMapInterleave",
    "CUtensorMapSwizzle",
    "CUtensorMapL2promotion",
    "CUtensorMapFloatOOBfill",
    "cuTensorMapEncodeTiled",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapReplaceAddress",
    // The host.
    "cudaGetDriverEntryPointByVersion",
    "cudaDriverEntryPointQueryResult",
    "PFN_cuTensorMapEncodeTiled_v12000",
    "cudaMalloc",
    "cudaMemcpy",
    "cudaMemcpyHostToDevice",
    "cudaMemcpyToSymbol",
    "cudaDeviceSynchronize",
    "CUresult",
    "CU_CHECK",
    "CUDA_CHECK",
];

#[cfg(test)]
mod tests {
    use super::super::testing::{checked, file};
    use super::*;

    #[test]
    fn every_kernel_and_every_call_must_be_there() {
        let calls = CALLS.join(" ");
        let kernels = ["copy", "ring", "tile", "lib", "copy/parts"];
        let mut files: Vec<File> = kernels
            .map(|name| file(&format!("{KERNELS}/{name}.rs"), ""))
            .into();
        let text = format!(
            "{calls}\n### `copy`: one\n[a](../kernels-gpu/src/copy.rs)\n### `ring` and more\n## Next\n"
        );
        files.push(file(PAGE, &text.replace("st_async", "st_asyncs")));
        files.push(file("host/examples/01_first.rs", ""));
        let expected = [
            "docs/porting.md:4: the section on `ring` has no link to its file",
            "docs/porting.md:1: has no section on the kernel `tile`",
            "docs/porting.md:1: has no link to host/examples/01_first.rs",
            "docs/porting.md:1: says nothing of `st_async`",
        ];
        assert_eq!(checked(check, &files), expected);
    }

    #[test]
    fn what_is_named_must_be_there() {
        let text = "`ptx::fence::proxy_async()` `fence::gone::<Sys>(a)` `Barrier::init(B)` `Barrier::quit`\n\
            `cuda::ptx::fence(a)` `std::fence::x`\n";
        let files = [
            file(PAGE, &format!("{}\n{text}", CALLS.join(" "))),
            file(
                "crates/tma/src/ptx/fence.rs",
                "pub unsafe fn proxy_async() {}",
            ),
            file("crates/tma/src/barrier.rs", "pub unsafe fn init() {}"),
        ];
        let expected = [
            "docs/porting.md:2: `fence::gone` is not in crates/tma/src/ptx/fence.rs",
            "docs/porting.md:2: `Barrier::quit` is not in crates/tma/src/barrier.rs",
        ];
        assert_eq!(checked(check, &files), expected);
    }
}
