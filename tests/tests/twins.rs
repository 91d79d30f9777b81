//! The kernels beside their CUDA C++ twins: registers and local memory, no loops around copies, and that
//! both do the same.
//!
//! Needs nvcc and ptxas, which `cargo xtask setup --cuda` installs; without them the test is
//! listed as ignored.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use emulator::EmulatorBackend;
use launch::Ptx;
use libtest_mimic::{Arguments, Failed, Trial};
use ptx_builder::{Arch, Ptxas, Resources, tool_dirs};
use tests::{KERNELS, KERNELS_PTX, Kernel};

/// How many registers more than its twin a kernel may take.
const MORE: f64 = 1.10;
/// With so many, a multiprocessor of 65536 registers and 2048 threads is full: fewer gain nothing.
const FREE: u32 = 32;
/// Their shared memory leaves room for 28 warps of a multiprocessor at most: fewer gain nothing.
const FREE_OF: [(&str, u32); 2] = [("deform_attn_resident", 72), ("deform_attn_tiles", 72)];
/// Here several lanes ask for copies on purpose.
const LOOPS_ALLOWED: [&str; 3] = ["tile_gather_lanes", "gather_rows", "hwc_tile_lanes"];
const CUBIN: &str = "module.cubin";

fn main() {
    let arguments = Arguments::from_args();
    let nvcc = tool_dirs()
        .map(|folder| folder.join("nvcc"))
        .find(|path| path.is_file());
    let tools = Ptxas::find().zip(nvcc);
    if tools.is_none() {
        println!("skipped: no ptxas and nvcc were found; `cargo xtask setup --cuda` installs them");
    }
    let with_twins = KERNELS.iter().filter(|kernel| twin(kernel.name).is_file());
    let trials = with_twins.map(|kernel| {
        let tools = tools.clone();
        let test = move || match &tools {
            Some((ptxas, nvcc)) => is_no_worse(kernel, ptxas, nvcc),
            None => Ok(()),
        };
        Trial::test(kernel.name, test)
    });
    let trials = trials
        .map(|trial| trial.with_ignored_flag(tools.is_none()))
        .collect();
    libtest_mimic::run(&arguments, trials).exit();
}

fn is_no_worse(kernel: &Kernel, ptxas: &Ptxas, nvcc: &Path) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let twin = compile_twin(kernel.name, nvcc, folder.path())?;
    does_the_same(kernel, &fs::read_to_string(&twin)?)?;
    let twins = assemble(ptxas, &twin, folder.path())?;
    has_no_loops(nvcc, folder.path(), &twins)?;
    let module = KERNELS_PTX
        .iter()
        .find(|module| module.arch == "sm_90a")
        .ok_or("no module")?;
    let path = folder.path().join("ours.ptx");
    fs::write(&path, module.text)?;
    let ours = assemble(ptxas, &path, folder.path())?;
    has_no_loops(nvcc, folder.path(), &twins)?;
    if twins.is_empty() {
        return Err("the twin has no kernel".into());
    }
    for (entry, twin) in &twins {
        let ours = ours
            .get(entry)
            .ok_or_else(|| format!("the twin's entry `{entry}` has no kernel"))?;
        println!(
            "{entry}: {} registers, its twin {}",
            ours.registers, twin.registers
        );
        let own = FREE_OF.iter().find(|(name, _)| entry.starts_with(name));
        let free = own.map_or(FREE, |(_, registers)| *registers);
        let most = f64::from(free).max(MORE * f64::from(twin.registers));
        if f64::from(ours.registers) > most {
            return Err(format!(
                "`{entry}` takes {} registers, its twin {}",
                ours.registers, twin.registers
            )
            .into());
        }
        if ours.stack_bytes + ours.spill_store_bytes + ours.spill_load_bytes > 0 {
            return Err(format!("`{entry}` uses local memory: {ours:?}").into());
        }
    }
    Ok(())
}

/// Every case of the kernel holds for its twin, too.
fn does_the_same(kernel: &Kernel, twin: &str) -> Result<(), Failed> {
    let ptx = Ptx {
        name: "the twin",
        text: twin,
    };
    let has = |entry: &str| twin.contains(&format!(".entry {entry}("));
    let mut count = 0;
    for scenario in (kernel.cases)() {
        if !scenario.launches.iter().all(|launch| has(&launch.entry)) {
            continue;
        }
        count += 1;
        let result = scenario.check(&mut EmulatorBackend::new(0), ptx);
        result.map_err(|wrong| format!("{}: {wrong}", scenario.name))?;
    }
    match count {
        0 => Err("the twin has the entries of no case".into()),
        _ => Ok(()),
    }
}

/// Where ptxas does not see that one lane alone asks for a copy, it puts a loop over the lanes around
/// it, which ends with a branch that asks whether any is left.
fn has_no_loops(
    nvcc: &Path,
    folder: &Path,
    twins: &BTreeMap<String, Resources>,
) -> Result<(), Failed> {
    // It calls nvdisasm, which lies beside it.
    let tools = nvcc.parent().ok_or("nvcc lies nowhere")?;
    let paths = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
    let paths = env::join_paths([tools.to_owned()].into_iter().chain(paths))?;
    let output = Command::new(tools.join("cuobjdump"))
        .env("PATH", paths)
        .arg("-sass")
        .arg(folder.join(CUBIN))
        .output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut entry = "";
    let mut seen = BTreeSet::new();
    let mut last_copy = None;
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            entry = name.trim();
            last_copy = None;
        }
        let is_meant = twins.contains_key(entry);
        let is_allowed = LOOPS_ALLOWED.iter().any(|name| entry.starts_with(name));
        if !is_meant || is_allowed {
            continue;
        }
        seen.insert(entry);
        if line.contains("UBLK") || line.contains("UTMA") {
            last_copy = address(line);
        }
        // Other instructions have such loops, too: several lanes that make barriers, for one.
        let target = line.split_once("BRA.U.ANY 0x").map(|(_, rest)| rest);
        if target.is_some_and(|target| last_copy >= hex(target)) {
            return Err(format!("`{entry}` has a loop around a copy").into());
        }
    }
    let is_allowed = |entry: &&String| LOOPS_ALLOWED.iter().any(|name| entry.starts_with(name));
    let mut expected = twins.keys().filter(|entry| !is_allowed(entry));
    match expected.find(|entry| !seen.contains(entry.as_str())) {
        Some(entry) => Err(format!("cuobjdump showed no code of `{entry}`").into()),
        None => Ok(()),
    }
}

/// Of `/*0430*/  @P3 BRA.U.ANY 0x3d0 ;`, where it stands.
fn address(line: &str) -> Option<u64> {
    hex(line.trim_start().strip_prefix("/*")?)
}

/// The hexadecimal number that a text begins with.
fn hex(text: &str) -> Option<u64> {
    let digits = text.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

fn assemble(
    ptxas: &Ptxas,
    path: &Path,
    folder: &Path,
) -> Result<BTreeMap<String, Resources>, Failed> {
    Ok(ptxas.assemble(path, Arch::Sm90a, &folder.join(CUBIN))?)
}

/// The file of a kernel's twin; kernels that are not measured have none.
fn twin(kernel: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches/cuda");
    folder.join(format!("{kernel}.cu"))
}

fn compile_twin(kernel: &str, nvcc: &Path, folder: &Path) -> Result<PathBuf, Failed> {
    let source = twin(kernel);
    let ptx = folder.join("twin.ptx");
    let output = Command::new(nvcc)
        .args(["-std=c++17", "-arch=sm_90a", "-ptx", "-o"])
        .args([&ptx, &source])
        .output()?;
    if output.status.success() {
        Ok(ptx)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}
