//! The machine code of kernels and CUDA versions: registers from ptxas, and instruction counts.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use tma_build::{Arch, Ptxas, tool_dirs};

use crate::modules::{Built, DEVICE_COMPILER, NVCC};

/// The machine code by entry.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Compiled {
    pub(crate) arch: String,
    pub(crate) rustc: String,
    pub(crate) nvcc: String,
    pub(crate) ptxas: String,
    pub(crate) kernels: BTreeMap<String, Code>,
    /// The digest of each kernel's PTX.
    #[serde(default)]
    pub(crate) digests: BTreeMap<String, String>,
    pub(crate) cuda: BTreeMap<String, Code>,
}

/// The machine code of one entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Code {
    pub(crate) registers: u32,
    pub(crate) spill_bytes: u32,
    pub(crate) stack_bytes: u32,
    pub(crate) shared_bytes: u32,
    /// Number of instructions, excluding padding.
    pub(crate) instructions: u32,
    /// Number of instructions that start a copy of the TMA unit.
    pub(crate) copies: u32,
    /// Number of loops over lanes that ptxas added around such instructions.
    pub(crate) loops: u32,
    /// Number of loads and stores of local memory.
    pub(crate) local_accesses: u32,
}

/// The file in a bundle, next to the program.
pub(crate) const FILE: &str = "compiled.json";

/// Prefixes of the TMA unit's instructions.
const COPIES: [&str; 6] = [
    "UBLKCP", "UBLKRED", "UBLKPF", "UTMALDG", "UTMASTG", "UTMAREDG",
];

impl Compiled {
    /// Compiles both versions to machine code.
    pub(crate) fn make(built: &Built) -> Result<Self> {
        let arch: Arch = built.arch.parse().map_err(anyhow::Error::msg)?;
        let ptxas = Ptxas::find_for(arch).map_err(anyhow::Error::msg)?;
        let folder = tempfile::tempdir()?;
        let code = |name: &str, text: &str| -> Result<BTreeMap<String, Code>> {
            let ptx = folder.path().join(format!("{name}.ptx"));
            let cubin = ptx.with_extension("cubin");
            fs::write(&ptx, text)?;
            let resources = ptxas
                .assemble(&ptx, arch, &cubin)
                .map_err(anyhow::Error::msg)?;
            let sass = disassemble(&cubin)?;
            let entries = resources.iter().map(|(entry, resources)| {
                let code = Code {
                    registers: resources.registers,
                    spill_bytes: resources.spill_store_bytes + resources.spill_load_bytes,
                    stack_bytes: resources.stack_bytes,
                    shared_bytes: resources.shared_bytes,
                    ..sass.get(entry).copied().unwrap_or_default()
                };
                (entry.clone(), code)
            });
            Ok(entries.collect())
        };
        let text = ptx::parse(built.kernels)?;
        let entries = text.entries().map(|entry| entry.name.to_string());
        let digest = |entry: String| Ok((entry.clone(), Built::digest(&text, &entry)?));
        let digests: Result<BTreeMap<String, String>> = entries.map(digest).collect();
        Ok(Self {
            digests: digests?,
            arch: built.arch.to_owned(),
            rustc: DEVICE_COMPILER.to_owned(),
            nvcc: NVCC.to_owned(),
            ptxas: version(ptxas.path()),
            kernels: {
                let mut kernels = code("kernels", built.kernels)?;
                kernels.extend(code("helpers", built.helpers)?);
                kernels
            },
            cuda: built
                .cuda
                .map(|cuda| code("CUDA", cuda))
                .transpose()?
                .unwrap_or_default(),
        })
    }

    /// Returns the result for the same architecture that was made together with the bundle.
    pub(crate) fn beside_program(arch: &str) -> Option<Self> {
        let path = env::current_exe().ok()?.with_file_name(FILE);
        let all: Vec<Self> = serde_json::from_str(&fs::read_to_string(path).ok()?).ok()?;
        all.into_iter().find(|compiled| compiled.arch == arch)
    }

    /// Returns complaints about kernels with a CUDA version: local memory that only the kernel uses, and loops
    /// around copies in either.
    ///
    /// For some architectures ptxas itself needs some stack for each tensor copy.
    pub(crate) fn complaints(&self, allowed_loops: &[&str]) -> Vec<String> {
        let mut complaints = Vec::new();
        for (entry, cuda) in &self.cuda {
            let code = self.kernels.get(entry).copied().unwrap_or_default();
            if code.uses_local_memory() && !cuda.uses_local_memory() {
                complaints.push(format!("{entry} uses local memory: {code:?}"));
            }
            if allowed_loops.iter().any(|name| entry.starts_with(name)) {
                continue;
            }
            for (whose, loops) in [("", code.loops), ("the CUDA version of ", cuda.loops)] {
                if loops > 0 {
                    complaints.push(format!("{whose}{entry} has {loops} loops around copies"));
                }
            }
        }
        complaints
    }
}

impl Code {
    fn uses_local_memory(&self) -> bool {
        self.spill_bytes + self.stack_bytes + self.local_accesses > 0
    }
}

fn disassemble(cubin: &Path) -> Result<BTreeMap<String, Code>> {
    let cuobjdump =
        tool("cuobjdump").context("no cuobjdump: cargo xtask setup --cuda installs it")?;
    // The tool calls nvdisasm, which is next to it.
    let mut command = Command::new(&cuobjdump);
    command.arg("-sass").arg(cubin);
    if let Some(folder) = cuobjdump.parent() {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [folder.to_owned()]
            .into_iter()
            .chain(env::split_paths(&path));
        command.env("PATH", env::join_paths(folders)?);
    }
    let output = command
        .output()
        .with_context(|| format!("cannot run {}", cuobjdump.display()))?;
    if !output.status.success() {
        bail!(
            "cuobjdump failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(count(&String::from_utf8_lossy(&output.stdout)))
}

fn tool(name: &str) -> Option<PathBuf> {
    tool_dirs()
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn version(ptxas: &Path) -> String {
    let output = Command::new(ptxas).arg("--version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let version = text
        .split(", V")
        .nth(1)
        .and_then(|rest| rest.split_whitespace().next());
    version.unwrap_or("of unknown version").to_owned()
}

/// Counts the instructions of each function in the output of cuobjdump.
fn count(text: &str) -> BTreeMap<String, Code> {
    let mut functions: BTreeMap<String, Code> = BTreeMap::new();
    let mut current = None;
    let mut copies_at = Vec::new();
    for line in text.lines() {
        if let Some((_, name)) = line.split_once("Function : ") {
            current = Some(functions.entry(name.trim().to_owned()).or_default());
            copies_at.clear();
            continue;
        }
        let (Some(code), Some(words)) = (&mut current, instruction(line)) else {
            continue;
        };
        let opcode = words
            .iter()
            .find(|word| !word.starts_with('@'))
            .copied()
            .unwrap_or_default();
        let target = words.last().copied().unwrap_or_default();
        let address_of_itself = target == address(line);
        if opcode == "NOP" || opcode == "BRA" && address_of_itself {
            continue;
        }
        code.instructions += 1;
        if COPIES.iter().any(|copy| opcode.starts_with(copy)) {
            code.copies += 1;
            copies_at.push(number(&address(line)));
        }
        // Other instructions also have such loops, for example when several lanes initialise barriers.
        let is_inside = copies_at.last() >= Some(&number(target));
        code.loops += u32::from(opcode == "BRA.U.ANY" && is_inside);
        code.local_accesses +=
            u32::from(["LDL", "STL"].iter().any(|name| opcode.starts_with(name)));
    }
    functions
}

/// Returns the words of an instruction, from `/*0430*/  @P3 BRA.U.ANY 0x3d0 ;  /* 0x… */`.
fn instruction(line: &str) -> Option<Vec<&str>> {
    let rest = line.trim_start().strip_prefix("/*")?;
    let (digits, rest) = rest.split_once("*/")?;
    let is_address = digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (text, _) = rest.split_once(';')?;
    is_address.then(|| text.split_whitespace().collect())
}

/// Returns an instruction's address in the form used by branches.
fn address(line: &str) -> String {
    let digits = line.trim_start().trim_start_matches("/*");
    let digits = digits
        .split("*/")
        .next()
        .unwrap_or_default()
        .trim_start_matches('0');
    format!("0x{digits}")
}

/// Parses an address.
fn number(address: &str) -> u64 {
    u64::from_str_radix(address.trim_start_matches("0x"), 16).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SASS: &str = "
		Function : gather
	.headerflags	@\"EF_CUDA_SM90\"
        /*03d0*/               @P3 ELECT P2, URZ, PT ;                             /* 0x1 */
                                                                                   /* 0x2 */
        /*0430*/                   @!UP1 UTMALDG.3D [UR8], [UR4] ;                 /* 0x1 */
        /*0440*/               @P3 BRA.U.ANY 0x3d0 ;                               /* 0x1 */
        /*0448*/               @P3 BRA.U.ANY 0x440 ;                               /* 0x1 */
        /*0450*/                   STL [R1], R2 ;                                  /* 0x1 */
        /*0460*/                   EXIT ;                                          /* 0x1 */
        /*0470*/                   BRA 0x470;                                      /* 0x1 */
        /*0480*/                   NOP;                                            /* 0x1 */
		Function : empty
        /*0000*/                   EXIT ;                                          /* 0x1 */
";

    #[test]
    fn machine_code_is_counted() {
        let functions = count(SASS);
        let expected = Code {
            instructions: 6,
            copies: 1,
            loops: 1,
            local_accesses: 1,
            ..Code::default()
        };
        assert_eq!(functions["gather"], expected);
        assert_eq!(functions["empty"].instructions, 1);
    }

    #[test]
    fn loops_and_local_memory_are_complained_about() {
        let mut compiled = Compiled {
            kernels: count(SASS),
            ..Compiled::default()
        };
        assert_eq!(compiled.complaints(&[]), [""; 0]);
        compiled.cuda.insert("gather".to_owned(), Code::default());
        assert_eq!(compiled.complaints(&[]).len(), 2);
        assert_eq!(compiled.complaints(&["gather"]).len(), 1);
        // As in both.
        compiled.cuda = count(SASS);
        assert_eq!(compiled.complaints(&["gather"]), [""; 0]);
        assert_eq!(compiled.complaints(&[]).len(), 2);
    }
}
