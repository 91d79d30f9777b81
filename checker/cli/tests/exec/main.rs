//! Programs of `checker/cli/tests/exec/cuda`, built by nvcc and run by `tma exec`.
//!
//! Needs nvcc, which `cargo xtask setup --cuda` installs; without it the tests are listed as ignored.

mod programs;
mod schedules;

use std::{
    collections::HashSet,
    env, fs,
    io::Read,
    path::Path,
    process::{Command, Stdio},
    sync::LazyLock,
};

use libtest_mimic::{Arguments, Failed, Trial};
use programs::{FLAGS, Programs, clean, exec, library, nvcc, text, wanted};
use schedules::every_schedule_is_run;
use serde_json::Value;

type Test = fn(&Programs) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("right_programs_are_clean", right_programs_are_clean),
    ("exit_codes_are_kept", exit_codes_are_kept),
    (
        "a_missing_barrier_is_reported",
        a_missing_barrier_is_reported,
    ),
    (
        "launches_that_overlap_are_checked",
        launches_that_overlap_are_checked,
    ),
    (
        "tiles_of_several_warps_are_checked",
        tiles_of_several_warps_are_checked,
    ),
    ("freed_memory_is_named", freed_memory_is_named),
    ("seeds_and_codes", seeds_and_codes),
    ("every_schedule_is_run", every_schedule_is_run),
    ("findings_are_suppressed", findings_are_suppressed),
    ("findings_are_in_report_files", findings_are_in_report_files),
    ("wrong_calls_are_told", wrong_calls_are_told),
    (
        "calls_that_cannot_use_memory_are_refused",
        calls_that_cannot_use_memory_are_refused,
    ),
    (
        "calls_of_any_size_are_refused",
        calls_of_any_size_are_refused,
    ),
    ("broken_modules_are_told", broken_modules_are_told),
    ("what_is_missing_is_named", what_is_missing_is_named),
    ("what_kernels_lack_is_named", what_kernels_lack_is_named),
    ("a_program_can_be_ended", a_program_can_be_ended),
    ("kernels_print_in_order", kernels_print_in_order),
    ("modules_are_written", modules_are_written),
    ("packed_ptx_is_read", packed_ptx_is_read),
    (
        "machine_code_alone_is_refused",
        machine_code_alone_is_refused,
    ),
    ("every_function_is_there", every_function_is_there),
];

fn main() {
    let arguments = Arguments::from_args();
    let has_nvcc = nvcc().is_some();
    if !has_nvcc {
        println!("skipped: no nvcc was found; `cargo xtask setup --cuda` installs it");
    }
    static PROGRAMS: LazyLock<Result<Programs, String>> = LazyLock::new(Programs::build);
    let trials = TESTS.iter().map(|(name, test)| {
        let run = || match &*PROGRAMS {
            Ok(programs) => test(programs),
            Err(why) => Err(why.into()),
        };
        Trial::test(*name, run).with_ignored_flag(!has_nvcc)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn right_programs_are_clean(programs: &Programs) -> Result<(), Failed> {
    let programs_and_launches = [
        ("vector_add", "1 launch", "1003 sums\n"),
        ("symbols", "2 launches", ""),
        ("memory", "5 launches", ""),
        ("tensor_copy", "1 launch", ""),
        ("streams", "2 launches", ""),
        ("graphs", "5 launches", ""),
        ("conditionals", "21 launches", ""),
        ("properties", "0 launches", ""),
        ("textures", "62 launches", ""),
        ("graph_nodes", "3 launches", ""),
        ("hints", "0 launches", ""),
    ];
    for (name, launches, out) in programs_and_launches {
        let output = programs.run(&[], &[name])?;
        // Neither the program nor the loader prints anything else.
        let failed = |failed: Failed| format!("{name}: {}", failed.message().unwrap_or_default());
        wanted(&output, 0, out, &[]).map_err(failed)?;
        if text(&output.stderr) != clean(launches) {
            return Err(format!("{name}: {}", text(&output.stderr)).into());
        }
    }
    let ptx = programs.folder.path().join("put.ptx");
    fs::write(&ptx, PUT)?;
    let output = programs.run(&[], &["driver", &ptx.display().to_string()])?;
    wanted(&output, 0, "", &[&clean("3 launches")])
}

/// A module for an earlier GPU, with a variable.
const PUT: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 seen;
.visible .entry put(.param .u64 to, .param .u32 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [to];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    st.global.u32 [seen], %r1;
    ret;
}
";

fn exit_codes_are_kept(programs: &Programs) -> Result<(), Failed> {
    wanted(&programs.run(&[], &["exit"])?, 42, "", &[])?;
    // A shell's exit code after a signal: 128 plus its number.
    let crashed = programs.run(&[], &["crash"])?;
    let code = crashed.status.code().unwrap_or_default();
    if code <= 128 {
        return Err(format!("a program that a signal ended has the code {code}").into());
    }
    let missing = exec(&[], Path::new("/there/is/none"), &[])?;
    wanted(&missing, 2, "", &["error: cannot run `/there/is/none`"])?;
    let source = programs.folder.path().join("asks.cu");
    fs::write(&source, ASKS)?;
    let asks = programs.compile(&[source], FLAGS, "asks")?;
    wanted(&exec(&[], &asks, &[])?, 11, "", &[&clean("0 launches")])?;
    let other = exec(&[], Path::new("/bin/sh"), &["-c", "exit 3"])?;
    wanted(&other, 3, "", &["made no CUDA calls"])
}

fn a_missing_barrier_is_reported(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&[], &["reverse"])?;
    let parts = [
        "error[data-race]",
        "arithmetic.cu:45",
        "arithmetic.cu:44",
        "  = launch: number 1, `_Z10reverse_64Pi`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads, seed 0\n",
        "tma exec: 2 launches checked under seed 0: 1 error, 0 warnings, 1 not shown again\n",
    ];
    wanted(&output, 0, "", &parts)?;
    let output = programs.run(&["--no-check"], &["reverse"])?;
    wanted(
        &output,
        0,
        "",
        &["tma exec: 2 launches not checked: 0 errors, 0 warnings\n"],
    )
}

fn launches_that_overlap_are_checked(programs: &Programs) -> Result<(), Failed> {
    for how in ["waits", "synchronised", "serial"] {
        let output = programs.run(&[], &["dependent", how])?;
        wanted(&output, 0, "", &[&clean("2 launches")])?;
    }
    let output = programs.run(&[], &["dependent", "races"])?;
    let parts = [
        "error[missing-grid-wait]",
        "launches.cu:52",
        "launches.cu:47",
        "in the launch of `_Z5leadsPi` before",
        "2 launches checked under seed 0: 1 error, 0 warnings\n",
    ];
    wanted(&output, 0, "", &parts)
}

/// PTX ISA 9.7.9.6: a shuffle does not order memory, but in a reduction it passes on the synchronization of one
/// lane.
fn tiles_of_several_warps_are_checked(programs: &Programs) -> Result<(), Failed> {
    let run = |how| programs.run(&["--error-exitcode", "9"], &["tiles", how]);
    wanted(&run("sync")?, 0, "", &[&clean("1 launch")])?;
    let parts = [
        "warning[order-by-collective]",
        "tiles.cu:27",
        "1 launch checked under seed 0: 0 errors, 1 warning\n",
    ];
    wanted(&run("sum")?, 0, "", &parts)?;
    let parts = [
        "error[data-race]",
        "tiles.cu:19",
        "tiles.cu:17",
        "1 launch checked under seed 0: 1 error, 0 warnings\n",
    ];
    wanted(&run("nothing")?, 9, "", &parts)
}

/// The report names the freed allocation and the call that freed it.
fn freed_memory_is_named(programs: &Programs) -> Result<(), Failed> {
    let cases = [
        (
            "graph",
            "`cudaMalloc 2`",
            "`cudaFree` after launch number 1",
        ),
        (
            "memory",
            "`cudaMallocAsync 2`",
            "`cudaFreeAsync` after launch number 1",
        ),
        (
            "pool",
            "`cudaMallocFromPoolAsync 2`",
            "`cudaFreeAsync` before the first launch",
        ),
        (
            "driver",
            "`cuMemAlloc 2`",
            "`cuMemFree` before the first launch",
        ),
        (
            "host",
            "`cudaHostAlloc 2`",
            "`cudaFreeHost` before the first launch",
        ),
        (
            "registered",
            "`cudaHostRegister 0x",
            "`cudaHostUnregister` before the first launch",
        ),
        (
            "array",
            "`cudaMallocArray 2`",
            "`cudaFreeArray` before the first launch",
        ),
        (
            "by a graph",
            "`memory of a graph 2`",
            "`cudaFreeAsync` before the first launch",
        ),
    ];
    for (how, allocation, by) in cases {
        let output = programs.run(&["--seeds", "0..8"], &["freed", how])?;
        let named = format!(" of {allocation}");
        let freed = format!("which was freed by {by}\n");
        let parts = [
            "error[use-after-free]",
            "freed.cu:",
            &named,
            &freed,
            "1 error, 0 warnings",
        ];
        wanted(&output, 0, "", &parts)?;
    }
    let output = programs.run(&["--seeds", "0..8"], &["freed_map"])?;
    let parts = [
        "error[use-after-free]",
        "tensor.cu:",
        "fails: the copy's 32 bytes at 0x",
        " of `cudaMalloc 1` (560 bytes), which was freed by `cudaFree` after launch number 1\n",
        "1 error, 0 warnings",
    ];
    wanted(&output, 0, "", &parts)?;
    let output = programs.run(&[], &["freed", "program"])?;
    let freed = "byte 0 of `cudaMalloc 2` (256 bytes), which was freed by `cudaFree` before the first launch\n";
    let parts = [
        &format!(" was already freed: {freed}"),
        &format!(" are in freed memory: {freed}"),
        "0 launches checked under seed 0: 2 errors",
    ];
    wanted(&output, 0, "", &parts)
}

fn seeds_and_codes(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&["--seeds", "0..3", "--error-exitcode", "9"], &["reverse"])?;
    let last = "2 launches checked under 3 seeds: 1 error, 0 warnings, 5 not shown again\n";
    wanted(&output, 9, "", &[last])?;
    let output = programs.run(&["--seeds", "0..3", "--error-exitcode", "9"], &["symbols"])?;
    wanted(
        &output,
        0,
        "",
        &["2 launches checked under 3 seeds: 0 errors, 0 warnings\n"],
    )
}

fn findings_are_suppressed(programs: &Programs) -> Result<(), Failed> {
    let path = programs.folder.path().join("accepted.toml");
    let one = |function: &str| {
        format!(
            "[[suppression]]\nkind = \"data-race\"\nfunction = \"{function}\"\nreason = \"a test\"\n"
        )
    };
    fs::write(&path, one("other") + &one("_Z10reverse*"))?;
    let path = path.display().to_string();
    let output = programs.run(
        &["--error-exitcode", "9", "--suppressions", &path],
        &["reverse"],
    )?;
    let parts = [
        "warning: unused suppression of data-race in `other`: a test\n",
        "suppressed: 2 findings of data-race in `_Z10reverse*`: a test\n",
        &clean("2 launches"),
    ];
    wanted(&output, 0, "", &parts)
}

fn findings_are_in_report_files(programs: &Programs) -> Result<(), Failed> {
    let file = |name: &str| programs.folder.path().join(name).display().to_string();
    let (sarif, junit) = (file("tma.sarif"), file("tma.xml"));
    let flags = ["--seeds", "2..4", "--sarif", &sarif, "--junit", &junit];
    programs.run(&flags, &["reverse"])?;
    let log: Value = serde_json::from_str(&fs::read_to_string(&sarif)?)?;
    let results = &log["runs"][0]["results"];
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{results:#}");
    let result = &results[0];
    assert_eq!(result["ruleId"], "data-race");
    // The second launch has the same finding.
    assert_eq!(result["properties"]["runs"], 2);
    let again = format!("tma exec --seed 2 {} reverse", file("programs"));
    assert_eq!(result["properties"]["again"], again);
    let place = &result["locations"][0]["physicalLocation"];
    let uri = place["artifactLocation"]["uri"].as_str();
    assert!(
        uri.is_some_and(|uri| uri.ends_with("arithmetic.cu")),
        "{place}"
    );
    let xml = fs::read_to_string(&junit)?;
    assert!(
        xml.contains("tests=\"2\" failures=\"2\" errors=\"0\""),
        "{xml}"
    );
    let parts = [
        "name=\"launch number 1, `_Z10reverse_64Pi`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads\">",
        "name=\"launch number 2, `_Z10reverse_64Pi`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads\">",
        "  = launch: number 1, `_Z10reverse_64Pi`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads, seed 2\n",
    ];
    assert!(parts.iter().all(|part| xml.contains(part)), "{xml}");

    programs.run(&flags, &["errors"])?;
    let xml = fs::read_to_string(&junit)?;
    let calls = "name=\"calls\">\n      <failure type=\"invalid-call\"";
    assert!(xml.contains(calls), "{xml}");
    programs.run(&["--no-check", "--sarif", &sarif], &["errors"])?;
    let log: Value = serde_json::from_str(&fs::read_to_string(&sarif)?)?;
    let results = log["runs"][0]["results"].as_array();
    let kinds = results.into_iter().flatten();
    let kinds: HashSet<_> = kinds.map(|result| result["ruleId"].as_str()).collect();
    let expected = ["fault", "invalid-call"].map(Some);
    assert_eq!(kinds, expected.into_iter().collect());
    Ok(())
}

fn wrong_calls_are_told(programs: &Programs) -> Result<(), Failed> {
    let parts = [
        "block-threads: block is 2048 x 1 x 1",
        "dynamic shared memory is 102400 bytes; the kernel's limit is 49152",
        "error: cudaMemcpy: 8 bytes at",
        "error[out-of-bounds]",
        "error: cudaFreeHost: 0x300000000000 was already freed: byte 0 of `cudaHostAlloc 2` (4 bytes)",
        "2 launches checked under seed 0: 7 errors",
    ];
    wanted(&programs.run(&[], &["errors"])?, 0, "", &parts)?;
    let parts = [
        "error: number 2, `_Z7dynamicPi`",
        "CUDA_ERROR_ILLEGAL_ADDRESS",
        "2 launches not checked: 7 errors",
    ];
    wanted(&programs.run(&["--no-check"], &["errors"])?, 0, "", &parts)?;
    let parts = [
        "cudaMallocArray: a texel has 3 channels; it must have 1, 2 or 4",
        "cudaMallocArray: extents[0] of an array of two dimensions is 1048576; it must be from 1 to 131072",
        "cudaMemcpy2DToArray: 5 from 2 on exceed the 6 bytes of a row of the array",
        "cudaCreateTextureObject: the filter mode is linear, but the texture returns integers",
        "cudaCreateTextureObject of sRGB is not supported",
        "cudaMallocMipmappedArray is not supported",
        "0x4d is not the handle of a texture",
    ];
    wanted(&programs.run(&[], &["wrong_textures"])?, 0, "", &parts)?;
    let parts = [
        "cudaMemcpy: ",
        "allocated by the previous launch of the graph, was not freed",
        "3 launches checked under seed 0: 2 errors",
    ];
    wanted(&programs.run(&[], &["graph_memory"])?, 0, "", &parts)?;
    let parts = ["error[data-race]", "`call.uni", "graphs.cu:"];
    wanted(&programs.run(&[], &["conditional_race"])?, 0, "", &parts)?;
    let parts = ["whole-clusters", "1 launch checked under seed 0: 1 error"];
    wanted(&programs.run(&[], &["cluster"])?, 0, "", &parts)?;
    let parts = [
        "cuTensorMapEncodeTiled",
        "strides_bytes[0] = 76: must be a multiple of 16",
    ];
    wanted(&programs.run(&[], &["broken_map"])?, 7, "", &parts)
}

fn calls_that_cannot_use_memory_are_refused(programs: &Programs) -> Result<(), Failed> {
    let parts = [
        "error: cudaMemset: the device cannot use the memory at 0x",
        "error: cudaMemcpy with cudaMemcpyHostToDevice: the device cannot use the memory at 0x",
        "error: cudaMemcpy with cudaMemcpyDeviceToDevice: the device cannot use the memory at 0x",
        "error: cuMemcpyDtoH: the device cannot use the memory at 0x",
        "; use memory from cudaMalloc, ",
        "error: cudaMemcpy: the 16 bytes at 0x1234567 are neither device memory nor host memory",
        "tma exec: 0 launches checked under seed 0: 10 errors, 0 warnings, 1 not shown again\n",
    ];
    wanted(&programs.run(&[], &["sides"])?, 0, "", &parts)?;
    wanted(&programs.run(&[], &["refused_memory"])?, 0, "", &[])
}

fn calls_of_any_size_are_refused(programs: &Programs) -> Result<(), Failed> {
    let parts = [
        "block-dimension: block.x is 4294967295; the device's limit is 1024; use 1024",
        "block-dimension: block.x is 134217728;",
        "its fat binary claims 64 bytes, more than are in memory",
        "the wrapper of a fat binary contains another wrapper",
        "tma exec: 1 launch checked under seed 0: ",
    ];
    let output = programs.run(&[], &["extremes"])?;
    wanted(&output, 0, "", &parts)?;
    match text(&output.stderr).contains("panicked") {
        true => Err("a call has panicked".into()),
        false => Ok(()),
    }
}

fn broken_modules_are_told(programs: &Programs) -> Result<(), Failed> {
    let parts = [
        "there is no instruction `foo` (PTX ISA 9.7)",
        "error[unsupported]: programs.ptx: load: ",
    ];
    wanted(&programs.run(&[], &["broken_ptx"])?, 0, "", &parts)
}

fn what_is_missing_is_named(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&["--error-exitcode", "9"], &["unsupported"])?;
    let parts = [
        "error[unsupported]: cudaIpcGetMemHandle",
        "unsupported: cudaIpcGetMemHandle, once\n",
        "unsupported: cudaGraphAddNode with a node of this kind, once\n",
        ", 2 unsupported\n",
    ];
    wanted(&output, 9, "", &parts)
}

fn what_kernels_lack_is_named(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&[], &["lacks"])?;
    let parts = [
        "error[unsupported]: _Z12absolute_sumPi: ",
        "`vabsdiff.s32.s32.s32.add` is not supported",
        "tma exec: 0 launches checked under seed 0: 0 errors, 0 warnings, 1 unsupported\n",
    ];
    wanted(&output, 0, "", &parts)
}

/// The program receives SIGTERM, and its launches are still counted.
fn a_program_can_be_ended(programs: &Programs) -> Result<(), Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    command
        .arg("exec")
        .arg(programs.folder.path().join("programs"));
    command
        .arg("wait")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut running = command.spawn()?;
    let mut line = [0; 10];
    running
        .stdout
        .as_mut()
        .ok_or("no output")?
        .read_exact(&mut line)?;
    let process = running.id().to_string();
    Command::new("kill").args(["-TERM", &process]).status()?;
    let output = running.wait_with_output()?;
    wanted(&output, 128 + 15, "", &[&clean("1 launch")])
}

fn kernels_print_in_order(programs: &Programs) -> Result<(), Failed> {
    let output = programs.run(&[], &["heap"])?;
    wanted(
        &output,
        0,
        "before\nlist[3] is 9\nafter\n",
        &[&clean("3 launches")],
    )
}

fn modules_are_written(programs: &Programs) -> Result<(), Failed> {
    let folder = programs.folder.path().join("modules");
    programs.run(&["--ptx", &folder.display().to_string()], &["symbols"])?;
    let written = fs::read_to_string(folder.join("programs.ptx"))?;
    match written.contains(".target sm_90a") && written.contains(".const .align 4 .b8 table[16]") {
        true => Ok(()),
        false => Err(written.into()),
    }
}

fn packed_ptx_is_read(programs: &Programs) -> Result<(), Failed> {
    let source = programs.folder.path().join("small.cu");
    fs::write(&source, SMALL)?;
    for mode in ["none", "speed", "size"] {
        // The older PTX does not use this GPU's own features, so the newer one is chosen.
        let flags = format!(
            "{FLAGS} -gencode arch=compute_80,code=compute_80 -gencode arch=compute_100,code=compute_100 \
             --compress-mode={mode}"
        );
        let program = programs.compile(std::slice::from_ref(&source), &flags, mode)?;
        wanted(
            &exec(&[], &program, &[])?,
            0,
            "900\n",
            &[&clean("1 launch")],
        )?;
    }
    Ok(())
}

/// A program without kernels.
const ASKS: &str = "
#include <cuda_runtime.h>
int main() {
    int count = 0;
    cudaGetDeviceCount(&count);
    return 10 + count;
}
";

/// Prints the architecture that its kernel was compiled for.
const SMALL: &str = "
#include <cstdio>
__global__ void arch(int* out) {
#ifdef __CUDA_ARCH__
    *out = __CUDA_ARCH__;
#endif
}
int main() {
    int *on, out = 0;
    cudaMalloc(&on, sizeof out);
    arch<<<1, 1>>>(on);
    cudaError_t error = cudaMemcpy(&out, on, sizeof out, cudaMemcpyDeviceToHost);
    printf(\"%d\\n\", out);
    return error;
}
";

fn machine_code_alone_is_refused(programs: &Programs) -> Result<(), Failed> {
    let source = programs.folder.path().join("small.cu");
    fs::write(&source, SMALL)?;
    let flags = "-cudart shared -gencode arch=compute_90a,code=sm_90a";
    let program = programs.compile(std::slice::from_ref(&source), flags, "cubin")?;
    let parts = [
        "no PTX for compute capability 9.0, but machine code for sm_90",
        FLAGS,
    ];
    wanted(&exec(&[], &program, &[])?, 0, "0\n", &parts)?;
    let flags = "-cudart static -gencode arch=compute_90a,code=compute_90a";
    let program = programs.compile(std::slice::from_ref(&source), flags, "static")?;
    let flags_of_parts = format!("{FLAGS} -rdc=true");
    let parts = programs.compile(std::slice::from_ref(&source), &flags_of_parts, "parts")?;
    let why = "error[unsupported]: parts: its parts were compiled with `-rdc=true`";
    wanted(&exec(&[], &parts, &[])?, 0, "0\n", &[why])?;
    let output = exec(&[], &program, &[])?;
    let told = text(&output.stderr);
    match told.contains("the program is linked with its own runtime") && told.contains(FLAGS) {
        true => Ok(()),
        false => Err(told.into()),
    }
}

/// Checks that every function declared in the headers is exported.
fn every_function_is_there(programs: &Programs) -> Result<(), Failed> {
    let bytes = fs::read(library()?)?;
    let names: HashSet<&[u8]> = bytes.split(|byte| *byte == 0).collect();
    let is_there = |name: &str| names.contains(name.as_bytes());
    let mut missing = Vec::new();
    for (header, mark, prefix) in [
        ("cuda_runtime_api.h", "CUDARTAPI ", "cuda"),
        ("cuda.h", "CUDAAPI ", "cu"),
    ] {
        let header = fs::read_to_string(programs.toolkit.join("include").join(header))?;
        for rest in header.split(mark).skip(1) {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (name, behind) = rest.split_at(end.unwrap_or_default());
            if name.starts_with(prefix) && behind.starts_with('(') && !is_there(name) {
                missing.push(name.to_owned());
            }
        }
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!("{} are not there: {missing:?}", missing.len()).into()),
    }
}
