//! The kernels compared with their CUDA C++ references: registers, local memory, no loops around copies, and equal
//! results.
//!
//! Needs nvcc and ptxas, which `cargo xtask setup --cuda` installs; without them, and without `--long`, the test is
//! listed as ignored.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use libtest_mimic::{Failed, Trial};
use tests::{KERNELS, KERNELS_PTX, Kernel, is_complete_run};
use tma_build::{Arch, Ptxas, Resources, tool_dirs};
use tma_host::{Device, Jobs};
use tma_launch::Ptx;

/// Number of registers by which a kernel may exceed its reference.
const MORE: f64 = 1.10;
/// The register count with which a multiprocessor of 65536 registers and 2048 threads is full: fewer do not help.
const FREE: u32 = 32;
/// `deform_attn` has shared memory for at most 28 warps of a multiprocessor, `deform_attn_pairs` for 24: fewer
/// gain nothing.
/// `histogram_lanes` keeps the addresses of all counts of a bin in registers, and takes less time than its reference.
const FREE_OF: [(&str, u32); 3] = [
    ("deform_attn_pairs", 80),
    ("deform_attn_resident", 72),
    ("histogram_lanes", 64),
];
/// Kernels in which several lanes issue copies on purpose.
const LOOPS_ALLOWED: [&str; 3] = ["tile_gather_lanes", "gather_rows", "hwc_tile_lanes"];

pub(crate) fn trials() -> Vec<Trial> {
    let tools = Tools::find();
    if tools.is_none() {
        println!("skipped: no ptxas and nvcc were found; `cargo xtask setup --cuda` installs them");
    }
    let with_references = KERNELS
        .iter()
        .filter(|kernel| source(kernel.name).is_file());
    let trials = with_references.map(|kernel| {
        let tools = tools.clone();
        let test = move || match &tools {
            Some(tools) => is_no_worse(kernel, tools),
            None => Ok(()),
        };
        Trial::test(format!("reference/{}", kernel.name), test)
    });
    trials
        .map(|trial| trial.with_ignored_flag(tools.is_none() || !is_complete_run()))
        .collect()
}

fn is_no_worse(kernel: &Kernel, tools: &Tools) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let reference = compile(kernel.name, tools, folder.path())?;
    does_the_same(kernel, &fs::read_to_string(&reference)?)?;
    let reference = tools.assemble(&reference)?;
    let ours = OURS.get_or_init(|| {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("ours.ptx");
        let module = KERNELS_PTX.iter().find(|module| module.arch == "sm_90a");
        fs::write(&path, module.ok_or("there is no module")?.text)
            .map_err(|error| error.to_string())?;
        tools.assemble(&path).map_err(|error| format!("{error:?}"))
    });
    let ours = ours.as_ref()?;
    if reference.resources.is_empty() {
        return Err("the reference has no kernel".into());
    }
    for (entry, theirs) in &reference.resources {
        reference.has_no_loop(entry)?;
        ours.has_no_loop(entry)?;
        let ours = ours.resources.get(entry);
        let ours = ours.ok_or_else(|| format!("the reference's `{entry}` has no kernel"))?;
        println!(
            "{entry}: {} registers, its reference {}",
            ours.registers, theirs.registers
        );
        let own = FREE_OF.iter().find(|(name, _)| entry.starts_with(name));
        let free = own.map_or(FREE, |(_, registers)| *registers);
        let most = f64::from(free).max(MORE * f64::from(theirs.registers));
        if f64::from(ours.registers) > most {
            return Err(format!(
                "`{entry}` takes {} registers, its reference {}",
                ours.registers, theirs.registers
            )
            .into());
        }
        if ours.stack_bytes + ours.spill_store_bytes + ours.spill_load_bytes > 0 {
            return Err(format!("`{entry}` uses local memory: {ours:?}").into());
        }
    }
    Ok(())
}

/// Every case of the kernel holds for its reference, too.
fn does_the_same(kernel: &Kernel, reference: &str) -> Result<(), Failed> {
    let ptx = Ptx {
        name: "the reference",
        text: reference,
    };
    let has = |entry: &str| reference.contains(&format!(".entry {entry}("));
    let mut count = 0;
    let mut backend = Jobs::new(Device::emulator(0));
    for scenario in (kernel.cases)() {
        if !scenario.launches.iter().all(|launch| has(&launch.entry)) {
            continue;
        }
        count += 1;
        // SAFETY: the device is the emulator: a kernel reaches only its own memory (1).
        let result = unsafe { scenario.check(&mut backend, ptx) };
        result.map_err(|wrong| format!("{}: {wrong}", scenario.name))?;
    }
    match count {
        0 => Err("the reference has the entries of no case".into()),
        _ => Ok(()),
    }
}

#[derive(Clone)]
struct Tools {
    ptxas: Ptxas,
    nvcc: PathBuf,
}

/// The output of ptxas for a module.
struct Assembled {
    resources: BTreeMap<String, Resources>,
    /// True for each kernel with a loop around a copy.
    loops: BTreeMap<String, bool>,
}

/// Our module is assembled once for all kernels.
static OURS: OnceLock<Result<Assembled, String>> = OnceLock::new();

impl Tools {
    fn find() -> Option<Self> {
        let mut paths = tool_dirs().map(|folder| folder.join("nvcc"));
        let nvcc = paths.find(|path| path.is_file())?;
        let ptxas = Ptxas::find()?;
        Some(Self { ptxas, nvcc })
    }

    fn assemble(&self, path: &Path) -> Result<Assembled, Failed> {
        let cubin = path.with_extension("cubin");
        let resources = self.ptxas.assemble(path, Arch::Sm90a, &cubin)?;
        // cuobjdump calls nvdisasm from its own folder.
        let tools = self.nvcc.parent().ok_or("nvcc lies nowhere")?;
        let paths = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect::<Vec<_>>();
        let paths = env::join_paths([tools.to_owned()].into_iter().chain(paths))?;
        let output = Command::new(tools.join("cuobjdump"))
            .env("PATH", paths)
            .arg("-sass")
            .arg(cubin)
            .output()?;
        Ok(Assembled {
            resources,
            loops: loops(&String::from_utf8_lossy(&output.stdout)),
        })
    }
}

impl Assembled {
    fn has_no_loop(&self, entry: &str) -> Result<(), Failed> {
        let is_allowed = LOOPS_ALLOWED.iter().any(|name| entry.starts_with(name));
        match self.loops.get(entry) {
            Some(true) if !is_allowed => Err(format!("`{entry}` has a loop around a copy").into()),
            Some(_) => Ok(()),
            None => Err(format!("cuobjdump showed no code of `{entry}`").into()),
        }
    }
}

/// ptxas puts a loop over the lanes around a copy, unless it can prove that only one lane issues
/// it. The loop ends with a branch on whether any lane is left.
fn loops(text: &str) -> BTreeMap<String, bool> {
    let mut loops = BTreeMap::new();
    let mut entry = "";
    let mut last_copy = None;
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            entry = name.trim();
            last_copy = None;
            loops.insert(entry.to_owned(), false);
        }
        if line.contains("UBLK") || line.contains("UTMA") {
            last_copy = address(line);
        }
        // Other instructions have such loops, too: for example, several lanes that initialise barriers.
        let target = line.split_once("BRA.U.ANY 0x").map(|(_, rest)| rest);
        if target.is_some_and(|target| last_copy >= hex(target)) {
            loops.insert(entry.to_owned(), true);
        }
    }
    loops
}

/// Returns the address of `/*0430*/  @P3 BRA.U.ANY 0x3d0 ;`.
fn address(line: &str) -> Option<u64> {
    hex(line.trim_start().strip_prefix("/*")?)
}

/// The hexadecimal number that a text begins with.
fn hex(text: &str) -> Option<u64> {
    let digits = text.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}

/// Returns the file of a kernel's reference; kernels that are not measured have none.
fn source(kernel: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/cuda");
    folder.join(format!("{kernel}.cu"))
}

fn compile(kernel: &str, tools: &Tools, folder: &Path) -> Result<PathBuf, Failed> {
    let ptx = folder.join("reference.ptx");
    let output = Command::new(&tools.nvcc)
        .args(["-std=c++17", "-arch=sm_90a", "-ptx", "-o"])
        .args([&ptx, &source(kernel)])
        .output()?;
    if output.status.success() {
        Ok(ptx)
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }
}
