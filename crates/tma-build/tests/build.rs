//! Builds small GPU crates, good and bad; needs a device compiler, and ptxas for some.

use std::{env, path::PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use tma_build::{
    Arch, Assemble, DeviceCompiler, Error, LibNvvm, PtxBuilder, PtxIsa, Ptxas, RustCuda,
};

#[path = "build/any_ptx.rs"]
mod any_ptx;
#[path = "build/checks.rs"]
mod checks;
#[path = "build/crates.rs"]
mod crates;
#[path = "build/freshness.rs"]
mod freshness;
#[path = "build/libnvvm.rs"]
mod libnvvm;
#[path = "build/lost_speed.rs"]
mod lost_speed;
#[path = "build/refusals.rs"]
mod refusals;
#[path = "build/rust_cuda.rs"]
mod rust_cuda;
#[path = "build/stand_ins.rs"]
mod stand_ins;

use crates::{Crate, contains, holds, refused, text};

type Test = fn() -> Result<(), Failed>;

const NEED_COMPILER: &[(&str, Test)] = &[
    (
        "a_backend_that_no_rustc_loads_is_refused",
        rust_cuda::refused,
    ),
    ("the_compiler_passes_the_self_test", self_test),
    ("directives_are_what_the_attribute_says", directives),
    (
        "what_has_not_changed_is_not_compiled_again",
        freshness::unchanged,
    ),
    (
        "an_edited_library_reaches_every_architecture",
        freshness::edited_library,
    ),
    ("an_error_names_the_rust_line", compile_error),
    ("a_barrier_in_asm_is_found_twice", duplicated_barrier),
    (
        "a_barrier_that_the_compiler_copies_is_found",
        duplicated_by_the_compiler,
    ),
    ("a_barrier_of_the_library_is_not", single_barrier),
    (
        "an_aligned_instruction_of_the_library_is_not",
        single_aligned_instruction,
    ),
    ("barriers_of_an_unrolled_loop_are_not", unrolled_barrier),
    ("local_memory_is_refused_unless_asked_for", local_memory),
    (
        "what_a_gpu_cannot_have_is_refused_at_its_line",
        refusals::refused_at_its_line,
    ),
    (
        "a_call_through_a_pointer_is_warned_of",
        refusals::indirect_call,
    ),
    (
        "a_call_in_a_kernel_with_wgmma_is_refused_before_ptxas",
        refusals::call_beside_wgmma,
    ),
    ("what_core_lacks_is_answered_with_advice", refusals::advice),
    ("a_build_script_tells_an_error_once", refusals::told_once),
    (
        "a_ptxas_that_is_too_old_is_passed_over",
        stand_ins::old_ptxas,
    ),
    (
        "what_ptxas_took_is_not_assembled_again",
        stand_ins::ptxas_once,
    ),
    (
        "an_instruction_newer_than_the_module_is_refused",
        newer_instruction,
    ),
    ("const_arguments_out_of_range_are_refused", const_arguments),
    (
        "a_wrapper_that_the_architecture_lacks_is_refused_where_it_is_called",
        missing_instruction,
    ),
    (
        "an_architecture_that_llvm_does_not_know_is_named_in_the_module",
        refusals::later_architecture,
    ),
    (
        "conditions_are_checked_with_debug_assertions_alone",
        debug_assertions,
    ),
    ("overflow_is_checked_where_asked_for", checks::overflow),
    ("every_instance_of_a_generic_kernel_is_an_entry", instances),
    ("kernels_can_be_compiled_by_name", by_name),
    (
        "shared_memory_in_a_macro_is_its_own_each_time",
        shared_in_a_macro,
    ),
    ("the_ptx_does_not_say_where_it_was_built", no_absolute_paths),
];

const NEED_PTXAS: &[(&str, Test)] = &[
    ("ptxas_complains_with_the_rust_line", ptxas_error),
    ("resources_are_reported", resources),
    ("ptx_of_another_compiler_is_assembled", any_ptx::assembled),
    ("what_loses_speed_is_found", lost_speed::messages),
    (
        "what_loses_speed_is_refused_unless_it_is_allowed",
        lost_speed::refused_unless_allowed,
    ),
];

const NEED_LIBNVVM: &[(&str, Test)] = &[
    (
        "libnvvm_takes_the_same_steps_for_hopper",
        libnvvm::same_steps,
    ),
    ("libnvvm_compiles_for_blackwell", libnvvm::blackwell),
];

const NEED_RUST_CUDA: &[(&str, Test)] = &[(
    "rust_cuda_takes_the_same_steps_for_hopper",
    rust_cuda::same_steps,
)];

const NEED_NOTHING: &[(&str, Test)] = &[
    (
        "a_code_generator_that_does_not_exist_is_refused",
        libnvvm::unknown,
    ),
    (
        "a_message_without_a_kernel_is_about_those_that_it_fits",
        lost_speed::named_function,
    ),
    ("a_folder_without_a_crate_is_refused", no_crate),
    ("an_older_compiler_is_refused", stand_ins::old_compiler),
    ("a_compiler_without_core_is_refused", stand_ins::no_core),
];

/// Tests that compile `tma` again, for other architectures or with other flags: CI and `cargo xtask test --long` run them.
const COMPILE_TMA_AGAIN: &[&str] = &[
    "an_edited_library_reaches_every_architecture",
    "a_barrier_that_the_compiler_copies_is_found",
    "local_memory_is_refused_unless_asked_for",
    "a_call_in_a_kernel_with_wgmma_is_refused_before_ptxas",
    "const_arguments_out_of_range_are_refused",
    "a_wrapper_that_the_architecture_lacks_is_refused_where_it_is_called",
    "an_architecture_that_llvm_does_not_know_is_named_in_the_module",
    "conditions_are_checked_with_debug_assertions_alone",
    "overflow_is_checked_where_asked_for",
    "libnvvm_compiles_for_blackwell",
];

fn main() {
    let is_short = env::var_os("TMA_LONG_TESTS").is_none();
    let compiler = DeviceCompiler::find();
    if let Err(error) = &compiler {
        eprintln!("skipped: {error}");
    }
    let ptxas = Ptxas::find();
    if ptxas.is_none() {
        eprintln!("skipped: no ptxas was found; `cargo xtask setup --cuda` installs one");
    }
    let nvvm = compiler.as_ref().map(LibNvvm::find_for);
    if let Ok(Err(error)) = &nvvm {
        eprintln!("skipped: {error}");
    }
    let rust_cuda = RustCuda::find(None);
    if let Err(error) = &rust_cuda {
        eprintln!("skipped: {error}");
    }
    let trials = |tests: &[(&'static str, Test)], ignored: bool| -> Vec<Trial> {
        let trial = |(name, test): &(&'static str, Test)| {
            let is_left_out = is_short && COMPILE_TMA_AGAIN.contains(name);
            Trial::test(*name, *test).with_ignored_flag(ignored || is_left_out)
        };
        tests.iter().map(trial).collect()
    };
    let mut all = trials(NEED_NOTHING, false);
    all.extend(trials(NEED_COMPILER, compiler.is_err()));
    all.extend(trials(NEED_PTXAS, compiler.is_err() || ptxas.is_none()));
    all.extend(trials(NEED_RUST_CUDA, rust_cuda.is_err()));
    all.extend(trials(NEED_LIBNVVM, !matches!(nvvm, Ok(Ok(_)))));
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

fn self_test() -> Result<(), Failed> {
    Ok(DeviceCompiler::find()?.self_test()?)
}

fn directives() -> Result<(), Failed> {
    let good = Crate::new(
        "#[kernel(max_threads = [64, 2], min_blocks = 3, cluster = 2)]\n\
         pub unsafe fn k(data: *mut u32, #[grid_constant] map: &tma::TensorMap) { unsafe { *data = map.words()[0] as u32 } }",
    )?;
    let ptx = text(&good.builder().build()?)?;
    contains(
        &ptx,
        &[
            ".version 8.0\n.target sm_90a\n",
            ".maxntid 64, 2, 1",
            ".minnctapersm 3",
            ".explicitcluster\n.reqnctapercluster 2, 1, 1",
            ".param .align 64 .b8 k_param_1[128]",
            ".loc ",
        ],
    )?;
    holds(
        !ptx.contains("tma kernel") && !ptx.contains(".section"),
        ptx,
    )
}

fn compile_error() -> Result<(), Failed> {
    let wrong = Crate::new("#[kernel]\npub unsafe fn k(data: *mut u32) {\n    *data = 1.5;\n}")?;
    let error = refused(&wrong.builder())?;
    contains(
        &error,
        &[
            "does not compile for sm_90a",
            "mismatched types",
            "lib.rs:7:13",
        ],
    )?;
    holds(!error.contains("Ctarget-feature"), error)
}

/// Work on both sides of a barrier for the same threads: what LLVM likes to merge.
const TWO_SIDES: &str = "#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe {\n    let first = thread_idx().x == 0;\n    \
     if first { *data += 1; }\n    BARRIER;\n    if first { *data += 1; }\n} }";

fn duplicated_barrier() -> Result<(), Failed> {
    let wrong = Crate::new(&TWO_SIDES.replace("BARRIER", "asm!(\"bar.sync 0;\")"))?;
    let error = refused(&wrong.builder())?;
    contains(
        &error,
        &[
            "duplicated-barrier: in `k`",
            "lib.rs:9)",
            "once in the source and 2 times in the PTX",
            "LLVM copies `asm!`",
        ],
    )
}

/// The reported line is the user's, not the library's, with the pass that copies barriers.
fn duplicated_by_the_compiler() -> Result<(), Failed> {
    let wrong = Crate::new(&TWO_SIDES.replace("BARRIER", "sync_threads()"))?;
    let error = refused(
        &wrong
            .builder()
            .rustflag("-Zmir-enable-passes=+JumpThreading"),
    )?;
    contains(
        &error,
        &["duplicated-barrier: in `k`", "lib.rs:9)", "move it out"],
    )
}

fn single_barrier() -> Result<(), Failed> {
    let good = Crate::new(&TWO_SIDES.replace("BARRIER", "sync_threads()"))?;
    let ptx = text(&good.builder().build()?)?;
    holds(ptx.matches("bar.sync").count() == 1, ptx)
}

/// LLVM has no intrinsic for it.
fn single_aligned_instruction() -> Result<(), Failed> {
    let fence = "tma::ptx::tensormap_cp_fenceproxy::global_shared_cta_release::<tma::ptx::Gpu>(\
                 data.cast(), tma::shared::dynamic::<_, 128>())";
    let good = Crate::new(&TWO_SIDES.replace("BARRIER", fence))?;
    let ptx = text(&good.builder().build()?)?;
    holds(ptx.matches("tensormap.cp_fenceproxy").count() == 1, ptx)
}

fn unrolled_barrier() -> Result<(), Failed> {
    let good = Crate::new(
        "#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe {\n    for i in 0..3 {\n        \
         data.add(i * 32 + thread_idx().x as usize).write_volatile(1);\n        sync_threads();\n    }\n} }",
    )?;
    let ptx = text(&good.builder().build()?)?;
    holds(
        ptx.matches("bar.sync").count() == 3,
        format!("the loop was not unrolled:\n{ptx}"),
    )
}

fn local_memory() -> Result<(), Failed> {
    let body = "#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe {\n    let mut table = [0_u32; 64];\n    \
                for i in 0..64 { table[*data.add(i) as usize & 63] += i as u32; }\n    \
                *data = table[*data.add(64) as usize & 63];\n} }";
    let refused_crate = Crate::new(body)?;
    let found = "local-memory: in `k` (src/lib.rs:7): 256 bytes of local memory for each thread";
    contains(&refused(&refused_crate.builder())?, &[found])?;
    let ptx = checks::checked(refused_crate.builder()).build()?;
    contains(
        &ptx.warnings.join("\n"),
        &[found, "builds without debug assertions refuse this"],
    )?;
    Crate::new(&body.replace("#[kernel]", "#[kernel(local_memory)]"))?
        .builder()
        .build()?;
    Ok(())
}

fn newer_instruction() -> Result<(), Failed> {
    let body = "\npub unsafe fn k() {\n    unsafe { asm!(\"fence.acquire.cluster;\") }\n}";
    let newer = Crate::bare(body)?;
    let error = refused(&newer.builder().ptx_isa(PtxIsa::new(8, 0)))?;
    contains(
        &error,
        &[
            "newer-instruction: in `k`",
            "lib.rs:7)",
            "needs PTX ISA 8.6, the module has 8.0",
            "PtxIsa::new(8, 6)",
        ],
    )?;
    let lowered = newer.builder().ptx_isa(PtxIsa::new(9, 0));
    contains(&text(&lowered.build()?)?, &[".version 9.0\n"])?;
    // Untold, the version is the one that the instruction needs.
    contains(&text(&newer.builder().build()?)?, &[".version 8.6\n"])
}

/// Each at the location of its call, all at once.
fn const_arguments() -> Result<(), Failed> {
    let cases = [
        (
            "cp_async::shared_cta_global::<Ca, 12>(s, data)",
            "`cp.async` copies 4, 8 or 16 bytes",
        ),
        (
            "cp_async::shared_cta_global::<Cg, 8>(s, data)",
            "`cp.async.cg` copies 16 bytes",
        ),
        (
            "cp_async::shared_cta_global_l2::<Ca, 4, 32>(s, data)",
            "`cp.async` prefetches 64, 128 or 256 bytes into L2",
        ),
        (
            "cp_async_bulk_tensor::global_shared_cta_tile(map, [0; 6], s)",
            "a tensor has 1 to 5 dimensions",
        ),
        (
            "cp_reduce_async_bulk_tensor::global_shared_cta_im2col_no_offs::<Add, 2>(map, [0; 2], s)",
            "a tensor in an im2col mode has 3 to 5 dimensions",
        ),
        (
            "cp_async_bulk_prefetch_tensor::l2_global_im2col(map, [0; 4], [0; 3])",
            "im2col takes an offset for each dimension but channels and images",
        ),
        (
            "cp_async_bulk_prefetch_tensor::l2_global_tile_gather4(map, [0; 4])",
            "a gather or scatter takes a column and four rows",
        ),
        (
            "cp_async_bulk_tensor::shared_cta_global_tile_cta_group::<1, 3>(s, map, [0], s.cast())",
            "`.cta_group` is 1 or 2",
        ),
        (
            "tensormap_replace::tile_box_dim::<5>(map.cast_mut(), 1)",
            "the dimension is 0 to 4",
        ),
        (
            "tensormap_replace::tile_global_stride::<4>(map.cast_mut(), 1)",
            "the dimension is 0 to 3",
        ),
        (
            "tensormap_replace::tile_fill_mode::<2>(map.cast_mut())",
            "the value is 0 to 1",
        ),
        (
            "setmaxnreg::inc_sync_aligned::<100>()",
            "`setmaxnreg` takes multiples of 8 from 24 to 256",
        ),
        (
            "clusterlaunchcontrol::try_cancel_async_shared_cta::<u64>(s.cast(), s.cast())",
            "an answer has 16 bytes",
        ),
    ];
    let calls: String = cases
        .iter()
        .map(|(call, _)| format!("    {call};\n"))
        .collect();
    let wrong = Crate::new(&format!(
        "use tma::ptx::*;\n#[kernel]\npub unsafe fn k(data: *mut u8) {{ unsafe {{\n    \
         let (s, map) = (tma::SharedPtr::<u8>::from_address(0), data.cast_const().cast());\n{calls}}} }}"
    ))?;
    let error = refused(&wrong.builder().arch(Arch::Sm100a))?;
    for (index, (call, message)) in cases.iter().enumerate() {
        contains(
            &error,
            &[
                &format!("evaluation panicked: {message}\n"),
                &format!("src/lib.rs:{}:", index + 9),
                call,
            ],
        )?;
    }
    Ok(())
}

fn missing_instruction() -> Result<(), Failed> {
    let body = "#[kernel]\npub unsafe fn k(bytes: u64) {\n    \
                unsafe { tma::ptx::st_bulk::weak_shared_cta(tma::SharedPtr::<u8>::from_address(0), bytes) }\n}";
    let wrong = Crate::new(body)?;
    let error = refused(&wrong.builder())?;
    contains(
        &error,
        &[
            "`tma::ptx::st_bulk::weak_shared_cta` needs sm_100",
            "src/lib.rs:7:",
        ],
    )?;
    let ptx = text(&wrong.builder().arch(Arch::Sm100a).build()?)?;
    contains(&ptx, &["st.bulk.weak.shared::cta ["])
}

fn debug_assertions() -> Result<(), Failed> {
    let copies = Crate::new(
        "tma::shared! { static BAR: tma::ptx::mbarrier::Mbarrier; static DATA: [u8; 256] align 128; }\n\
         #[kernel]\npub unsafe fn k(data: *mut u8, count: u32, bytes: u32) {\n    \
         unsafe { tma::Barrier::init(BAR::ptr(), count) };\n    \
         let bar = unsafe { tma::Barrier::assume_init(BAR::ptr()) };\n    \
         let mut load = bar.transaction();\n    \
         unsafe { load.bulk(DATA::ptr().cast(), data, bytes) };\n    \
         let token = load.arrive();\n    bar.wait(token);\n    \
         let mut stores = tma::Stores::new();\n    \
         unsafe { stores.bulk(data, DATA::ptr().cast(), bytes) };\n    \
         stores.commit().wait();\n}",
    )?;
    let plain = text(&copies.builder().build()?)?;
    let traps = |ptx: &str| ptx.contains("trap;") || ptx.contains("panicking");
    holds(!traps(&plain), plain)?;
    let checked = text(&checks::checked(copies.builder()).build()?)?;
    holds(traps(&checked), checked)
}

fn instances() -> Result<(), Failed> {
    let generic = Crate::new(
        "#[kernel(max_threads = 32, instances(N = 1, 5))]\n\
         pub unsafe fn k<const N: u32>(data: *mut u32) { unsafe { *data = N } }",
    )?;
    let ptx = text(&generic.builder().build()?)?;
    contains(
        &ptx,
        &[".visible .entry k_1(", ".visible .entry k_5(", ", 5;"],
    )?;
    holds(ptx.matches(".maxntid 32, 1, 1").count() == 2, ptx)
}

fn no_absolute_paths() -> Result<(), Failed> {
    let good = Crate::new(
        "#[kernel]\npub unsafe fn k(data: *mut u32) { unsafe { *data = thread_idx().x } }",
    )?;
    let ptx = text(&good.builder().build()?)?;
    let files: Vec<&str> = ptx
        .lines()
        .filter(|line| line.starts_with(".file"))
        .collect();
    let own = PathBuf::from("src/lib.rs").display().to_string();
    holds(
        files
            .iter()
            .any(|line| line.ends_with(&format!("\"{own}\""))),
        format!("{files:?}"),
    )
}

fn ptxas_error() -> Result<(), Failed> {
    let wrong = Crate::new(
        "#[kernel]\npub unsafe fn k() {\n    unsafe { asm!(\"frobnicate.b32 7;\") }\n}",
    )?;
    let error = refused(&wrong.builder().assemble(Assemble::Always))?;
    contains(
        &error,
        &[
            "ptxas refuses the PTX for sm_90a",
            "frobnicate.b32 7;",
            "from src/lib.rs:7",
        ],
    )
}

/// One `shared!` in a macro, expanded twice, is two variables.
fn by_name() -> Result<(), Failed> {
    let both = Crate::new(
        "#[kernel(instances(N = 1, 5))]\n\
         pub unsafe fn left<const N: u32>(data: *mut u32) { unsafe { *data = N } }\n\
         #[kernel]\npub unsafe fn right(data: *mut u32) { unsafe { *data = 3 } }",
    )?;
    let entries = |builder: PtxBuilder| -> Result<Vec<String>, Failed> {
        let text = text(&builder.build()?)?;
        let entries = text.lines().filter_map(|line| line.split_once(".entry "));
        Ok(entries
            .map(|(_, name)| name.trim_end_matches('(').to_owned())
            .collect())
    };
    let named = entries(both.builder().only("left"))?;
    holds(named == ["left_1", "left_5"], named.join(" "))?;
    // The name of the file.
    let all = entries(both.builder().only("lib"))?;
    holds(
        all.len() == 3 && all == entries(both.builder())?,
        all.join(" "),
    )?;
    // The name of the folder that a file is in.
    let apart =
        Crate::new("pub mod outer { pub mod inner; }\n#[kernel]\npub unsafe fn other() {}")?;
    let outer = apart.folder.path().join("src/outer");
    std::fs::create_dir(&outer)?;
    std::fs::write(
        outer.join("inner.rs"),
        "#[tma::kernel]\npub unsafe fn within(data: *mut u32) { unsafe { *data = 3 } }",
    )?;
    let named = entries(apart.builder().only("outer"))?;
    holds(named == ["within"], named.join(" "))?;
    let error = refused(&both.builder().only("middle"))?;
    contains(
        &error,
        &["no kernel and no file of kernels is called `middle`"],
    )
}

fn shared_in_a_macro() -> Result<(), Failed> {
    let good = Crate::new(
        "macro_rules! kernels { ($($k:ident)*) => { $(\n#[kernel]\npub unsafe fn $k(data: *mut u32) {\n    \
         shared! { static S: [u32; 8]; }\n    unsafe { *data = S::ptr().at(1).address() }\n})* } }\n\
         kernels! { first second }",
    )?;
    let ptx = text(&good.builder().build()?)?;
    let declared: Vec<&str> = ptx
        .lines()
        .filter(|line| line.starts_with(".shared"))
        .collect();
    holds(
        declared.len() == 2 && declared[0] != declared[1],
        format!("{declared:?}"),
    )
}

fn resources() -> Result<(), Failed> {
    let good = Crate::new(
        "#[kernel]\npub unsafe fn k(data: *mut u32) {\n    shared! { static S: [u32; 100]; }\n    unsafe {\n        \
         S::ptr().at(thread_idx().x).write(1);\n        sync_threads();\n        *data = S::ptr().at(3).read();\n    }\n}",
    )?;
    let ptx = good.builder().assemble(Assemble::Always).build()?;
    let resources = ptx.resources.ok_or("ptxas printed nothing")?;
    let k = resources.get("k").ok_or("nothing about `k`")?;
    holds(
        k.registers > 0 && k.shared_bytes == 400 && k.stack_bytes == 0,
        format!("{k:?}"),
    )
}

fn no_crate() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let builder = PtxBuilder::new(folder.path().join("nothing"));
    match builder.build() {
        Err(Error::NoCrate { path }) => {
            holds(path.ends_with("nothing"), path.display().to_string())
        }
        // A missing device compiler is reported first.
        Err(Error::NoCompiler { .. }) => Ok(()),
        other => Err(format!("{other:?}").into()),
    }
}
