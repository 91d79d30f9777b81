//! `bundle`: programs for a GPU server with only a driver installed.

use std::{
    collections::BTreeSet,
    env::consts::{ARCH, OS},
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, bail, ensure};
use tma_build::{Assemble, PtxBuilder};

use crate::{
    bench,
    paths::{root, target_dir},
    process::{output, programs},
    ptx, setup,
};

/// Size limit of a bundle, to keep copying it practical.
const MOST_BYTES: u64 = 384 << 20;

/// Host tests that run on a GPU if there is one.
const HOST_TESTS: [&str; 4] = ["device", "gpu", "jobs", "tensor_maps"];

/// Names of the host's tests in the bundle, and flags of their build.
const HOST_FEATURES: [(&str, &[&str]); 2] = [("host", &[]), ("host-cust", &["--features=cust"])];

/// Libraries that are present on every Linux.
const SYSTEM_LIBRARIES: &[&str] = &[
    "libc.so",
    "libm.so",
    "libgcc_s.so",
    "libdl.so",
    "libpthread.so",
    "librt.so",
    "ld-linux",
];

const README: &str = "\
For {os} on {arch}. Needs an NVIDIA driver for CUDA 12.3 or later (Blackwell: 12.8) and {glibc};
no CUDA toolkit and no Rust.

    ./run                     run the kernels and check their results, a line each
    ./run --list              list the kernels
    ./cases --device gpu --out FILE
                              all test cases; fails without a GPU; FILE belongs in tests/data/cases
    ./semantics --device gpu --out FILE
                              all instruction forms; FILE belongs in tests/data/semantics
    TMA_DEVICE=gpu ./misuse   invalid launches are refused before they start
    TMA_DEVICE=gpu ./calls    products, attention and norms as library calls on buffers
    TMA_DEVICE=gpu ./collectives
                              collectives of two GPUs, and two handles of one GPU
    TMA_DEVICE=gpu ./host-NAME
    TMA_DEVICE=gpu ./host-cust-NAME
                              the host's own tests: device, gpu, jobs, tensor_maps; without and with `cust`
    ./failures                launches that must fail, with a check of their messages
    ./copy-differential --record FILE
                              random copies, compared byte by byte with the emulator's; FILE belongs in tests/data/copies-*.z
    ./map-differential --sample FILE
                              random tensor maps, compared with the driver's; FILE belongs in tests/data/maps-*.z
    ./mma-differential --out FILE
                              products of matrices, compared bit by bit with the emulator's (--unsettled: includes
                              products that it refuses, with plain rules)
    ./math-differential --out FILE
                              functions of all 2^32 inputs, compared with the host's and double precision
    ./bench --out FOLDER      compare the kernels with CUDA C++ versions by nvcc; a table, JSON and a chart
    python3 gemm.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare products of matrices with cuBLASLt; needs PyTorch
    python3 gemm_fp8.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare products of scaled e4m3 with cuBLASLt; needs PyTorch
    python3 attention.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare attention with cuDNN and flash attention; needs PyTorch
    python3 attention_backward.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare the gradients of attention with cuDNN and flash attention; needs PyTorch
    python3 attention_decode.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare attention to a paged cache with cuDNN and a copy; needs PyTorch
    python3 gemm_step.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              measure the optimization steps of a product; FILE is benches/records/gemm-step-h200.json
    python3 norms.py --ptx kernels/sm_90a.ptx --compiled compiled.json --out FILE
                              compare row normalisations and softmax with PyTorch and a copy; needs PyTorch
    python3 counters.py --bench ./bench --deform-attn ./deform_attn
                              find the bottlenecks of bench rows and deformable attention; needs Nsight Compute
    python3 performance.py --run ./run --ptx kernels/sm_90a.ptx
                              compare the emulator's counts of bank conflicts and sectors; needs Nsight Compute
    ./deform_attn             deformable attention with ordinary loads and with tiles
    ./peers                   compare two-GPU kernels with NCCL and the driver's copy
    ./bench --sweep           find the best stages, sizes and blocks for this GPU
    ./tma devices             list the GPUs
    ./tma record PROGRAM      record the launches of a CUDA program for ./tma replay
    ./tma --help              list all verbs
";

/// Builds a folder of programs that run and test the kernels on a machine with only a driver
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Output folder [default: target/bundle]
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    let out = args
        .out
        .clone()
        .unwrap_or_else(|| target_dir().join("bundle"));
    let mut built = programs(&[
        "build",
        "--release",
        "--package=tma-cli",
        "--bin=tma",
        "--package=kernel-cases",
        "--bin=run",
        "--package=tests",
        "--bin=copy-differential",
        "--bin=map-differential",
        "--bin=math-differential",
        "--bin=mma-differential",
        "--package=bench",
        "--bin=bench",
        "--bin=deform_attn",
        "--bin=peers",
    ])?;
    built.extend(programs(&[
        "test",
        "--release",
        "--no-run",
        "--package=tests",
        "--test=cases",
        "--test=semantics",
        "--test=failures",
        "--test=misuse",
        "--package=kernels-host",
        "--test=calls",
        "--test=collectives",
    ])?);
    for (prefix, features) in HOST_FEATURES {
        let tests = HOST_TESTS.map(|name| format!("--test={name}"));
        let mut host = vec!["test", "--release", "--no-run", "--package=tma-host"];
        host.extend(tests.iter().map(String::as_str));
        host.extend(features);
        let host = programs(&host)?.into_iter();
        built.extend(host.map(|(name, path)| (format!("{prefix}-{name}"), path)));
    }
    let kernels = out.join("kernels");
    fs::create_dir_all(&kernels).with_context(|| format!("cannot create {}", kernels.display()))?;
    let mut total = 0;
    let mut glibc = Vec::new();
    let programs = [
        "tma",
        "run",
        "cases",
        "semantics",
        "failures",
        "misuse",
        "calls",
        "collectives",
        "copy-differential",
        "map-differential",
        "math-differential",
        "mma-differential",
        "bench",
        "deform_attn",
        "peers",
    ]
    .map(str::to_owned);
    let host_tests = HOST_FEATURES.iter().flat_map(|(prefix, _)| {
        let named = |name| format!("{prefix}-{name}");
        HOST_TESTS.map(named)
    });
    for name in programs.into_iter().chain(host_tests) {
        let from = built.iter().find(|(built, _)| *built == name);
        let (_, from) = from.with_context(|| format!("cargo built no program `{name}`"))?;
        let program = out.join(&name);
        put(from, &program)?;
        glibc.push(requirements(&program)?);
        total += fs::metadata(&program)
            .with_context(|| format!("cannot read {}", program.display()))?
            .len();
    }
    let tma = built.iter().find(|(built, _)| built == "tma");
    if let Some(folder) = tma.and_then(|(_, tma)| tma.parent()) {
        // `tma record` looks for the library next to the command.
        let name = "libcuda_recorder.so";
        put(&folder.join("deps").join(name), &out.join(name))?;
    }
    for name in [
        "attention.py",
        "attention_backward.py",
        "attention_decode.py",
        "beside.py",
        "cublaslt.py",
        "gemm.py",
        "gemm_fp8.py",
        "gemm_step.py",
        "norms.py",
    ] {
        let script = out.join(name);
        fs::copy(root().join("benches/torch").join(name), &script)
            .with_context(|| format!("cannot write {}", script.display()))?;
    }
    for name in ["counters.py", "performance.py"] {
        let script = out.join(name);
        fs::copy(root().join("benches/ncu").join(name), &script)
            .with_context(|| format!("cannot write {}", script.display()))?;
    }
    bench::write_compiled(&out.join("bench"))?;
    bench::write_commit(&out.join("bench"))?;
    for arch in ptx::TESTED {
        let builder = PtxBuilder::new(root().join("kernels-gpu")).arch(*arch);
        let file = kernels.join(format!("{arch}.ptx"));
        let built = builder.assemble(Assemble::Never).copy_to(file).build();
        built.map_err(anyhow::Error::msg)?;
    }
    let readme = out.join("README.txt");
    let text = README
        .replace("{os}", OS)
        .replace("{arch}", ARCH)
        .replace("{glibc}", &glibc_needed(&glibc));
    fs::write(&readme, text).with_context(|| format!("cannot write {}", readme.display()))?;
    ensure!(
        total <= MOST_BYTES,
        "the bundle has {} MiB, more than {}",
        mib(total),
        mib(MOST_BYTES)
    );
    say!(
        "{}  {} MiB: copy it to a machine with a GPU and type ./run",
        out.display(),
        mib(total)
    );
    Ok(ExitCode::SUCCESS)
}

fn mib(bytes: u64) -> u64 {
    bytes.div_ceil(1 << 20)
}

/// Describes the newest glibc that any program needs.
fn glibc_needed(programs: &[Option<(u32, u32)>]) -> String {
    let all: Option<Vec<_>> = programs.iter().copied().collect();
    match all.and_then(|all| all.into_iter().max()) {
        Some((major, minor)) => format!("glibc {major}.{minor} or later"),
        None => "a glibc at least as new as on the machine that built this".into(),
    }
}

/// Copies a program without its debug information.
fn put(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot write {}", to.display()))?;
    if let Err(error) = output(Command::new("strip").arg("--strip-debug").arg(to)) {
        complain!(
            "warning: debug information stays in {}: {error:#}",
            to.display()
        );
    }
    Ok(())
}

/// Returns the glibc that a program needs, or an error if it needs a library that some Linux systems lack.
fn requirements(program: &Path) -> Result<Option<(u32, u32)>> {
    let dynamic = output(
        Command::new("readelf")
            .args(["--dynamic", "--version-info", "--wide"])
            .arg(program),
    );
    let dynamic = match dynamic {
        Ok(text) => text,
        Err(error) => {
            complain!(
                "warning: cannot check which libraries {} needs: {error:#}",
                program.display()
            );
            return Ok(None);
        }
    };
    let foreign = foreign_libraries(&dynamic);
    if !foreign.is_empty() {
        bail!(
            "{} needs {}, which may be missing on a machine with only a driver",
            program.display(),
            foreign.join(", ")
        );
    }
    Ok(newest_glibc(&dynamic))
}

/// Parses lines such as `0x1 (NEEDED)  Shared library: [libc.so.6]`.
fn foreign_libraries(dynamic: &str) -> Vec<&str> {
    let needed = dynamic.lines().filter(|line| line.contains("(NEEDED)"));
    let names = needed.filter_map(|line| line.split_once('[')?.1.split(']').next());
    names
        .filter(|name| {
            !SYSTEM_LIBRARIES
                .iter()
                .any(|system| name.starts_with(system))
        })
        .collect()
}

/// Parses words such as `GLIBC_2.34`.
fn newest_glibc(dynamic: &str) -> Option<(u32, u32)> {
    let words = dynamic
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("GLIBC_"));
    let versions: BTreeSet<(u32, u32)> = words.filter_map(version).collect();
    versions.last().copied()
}

fn version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readelf_says_is_read() {
        let text = "\
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x0000000000000001 (NEEDED)             Shared library: [libcuda.so.1]
  0x0050:   Name: GLIBC_2.9  Flags: none  Version: 4
  0x0060:   Name: GLIBC_2.34  Flags: none  Version: 3";
        assert_eq!(foreign_libraries(text), ["libcuda.so.1"]);
        assert_eq!(newest_glibc(text), Some((2, 34)));
    }

    #[test]
    fn a_program_that_was_not_looked_at_makes_the_glibc_unknown() {
        let (old, new) = (Some((2, 9)), Some((2, 34)));
        assert_eq!(glibc_needed(&[old, new]), "glibc 2.34 or later");
        assert!(glibc_needed(&[new, None]).contains("at least as new"));
    }
}
