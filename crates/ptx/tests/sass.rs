//! ptxas makes the same machine code of a text and of its print.
//!
//! Needs ptxas, where `tma-build` looks for one; without it each case is listed as ignored.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use common::Fixture;
use libtest_mimic::{Arguments, Failed, Trial};
use ptx::{Item, Module};
use tma_build::{Arch, Ptxas};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let ptxas = find_ptxas();
    if ptxas.is_none() {
        eprintln!(
            "ignored: no ptxas was found (`cargo xtask setup --cuda` installs one), so no machine code can be compared"
        );
    }
    let missing = ptxas.is_none();
    let trial = |fixture: Fixture| {
        let ptxas = ptxas.clone();
        let name = fixture.name.clone();
        let run = move || ptxas.map_or(Err("no ptxas".into()), |ptxas| compare(&ptxas, &fixture));
        Trial::test(name, run).with_ignored_flag(missing)
    };
    let mut trials: Vec<Trial> = common::modules().into_iter().map(trial).collect();
    let noticed = ptxas.clone();
    let run = move || {
        noticed
            .as_deref()
            .map_or(Err("no ptxas".into()), a_changed_instruction_is_noticed)
    };
    trials.push(Trial::test("a_changed_instruction_is_noticed", run).with_ignored_flag(missing));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn find_ptxas() -> Option<PathBuf> {
    let ptxas = Ptxas::find_for(Arch::Sm90a);
    ptxas.ok().map(|ptxas| ptxas.path().to_owned())
}

fn compare(ptxas: &Path, fixture: &Fixture) -> Result<(), Failed> {
    let mut text = fixture.text.clone();
    let mut module = ptx::parse_named(&fixture.name, &text)?;
    if fixture.name.starts_with("rustc/") {
        text = as_ptxas_takes_it(&text);
        finish(&mut module);
    }
    let before = sections(&assemble(ptxas, &text)?);
    let after = sections(&assemble(ptxas, &module.to_string())?);
    same(&before, &after)?;
    for entry in module.entries() {
        let alone = module
            .extract(entry.name.as_str())
            .ok_or("an entry is missing")?;
        assemble(ptxas, &alone.to_string())
            .map_err(|e| format!("{} alone: {}", entry.name, e.message().unwrap_or("")))?;
    }
    Ok(())
}

/// Checks the comparison itself: another instruction makes other sections.
fn a_changed_instruction_is_noticed(ptxas: &Path) -> Result<(), Failed> {
    let module = |opcode: &str| {
        let head = ".version 9.0\n.target sm_90a\n.address_size 64\n";
        let body = format!(
            ".reg .b32 %r<3>; mov.u32 %r1, %tid.x; {opcode} %r2, %r1, 5; st.shared.u32 [%r1], %r2; ret;"
        );
        format!("{head}.visible .entry k() {{ {body} }}")
    };
    let sections_of = |opcode: &str| Ok::<_, Failed>(sections(&assemble(ptxas, &module(opcode))?));
    same(&sections_of("add.u32")?, &sections_of("add.u32")?)?;
    match same(&sections_of("add.u32")?, &sections_of("xor.b32")?) {
        Ok(()) => Err("the same sections for two programs".into()),
        Err(_) => Ok(()),
    }
}

/// Removes the three things in the device compiler's output that ptxas rejects: the DWARF sections, which come last
/// and have labels between them, `debug` without them, and unknown pragmas.
fn as_ptxas_takes_it(text: &str) -> String {
    let code = text
        .split("\t.section")
        .next()
        .unwrap_or(text)
        .replace(", debug", "");
    let lines = code
        .lines()
        .filter(|line| !line.starts_with(".pragma \"tma "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Like [`as_ptxas_takes_it`], on the tree.
fn finish(module: &mut Module) {
    module
        .items
        .retain(|item| !matches!(item, Item::Section(_) | Item::Label(_) | Item::Pragma(_)));
    module.target.names.retain(|name| *name != "debug");
}

fn same(
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
) -> Result<(), Failed> {
    if !before.keys().any(|name| name.starts_with(".text.")) {
        return Err("the cubin has no code".into());
    }
    if before.keys().ne(after.keys()) {
        return Err(format!(
            "sections differ: {:?} and {:?}",
            before.keys(),
            after.keys()
        )
        .into());
    }
    match before.iter().find(|(name, bytes)| after[*name] != **bytes) {
        Some((name, _)) => Err(format!("section {name} differs").into()),
        None => Ok(()),
    }
}

/// Runs ptxas in a folder of its own, with the same file names each time, since they end up in the
/// output. `-c` because some fixtures call functions of other modules.
fn assemble(ptxas: &Path, text: &str) -> Result<Vec<u8>, Failed> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("module.ptx"), text)?;
    let output = Command::new(ptxas)
        .args(["-arch=sm_90a", "-c", "module.ptx", "-o", "module.cubin"])
        .current_dir(folder.path())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(fs::read(folder.path().join("module.cubin"))?)
}

/// The sections of an ELF64 file by name, without debug information, symbols and strings: those hold
/// lines and a hash of the PTX text.
fn sections(elf: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let number = |at: usize, bytes: usize| {
        elf[at..at + bytes]
            .iter()
            .rev()
            .fold(0_usize, |value, byte| value << 8 | usize::from(*byte))
    };
    assert_eq!(&elf[..5], b"\x7fELF\x02");
    let (headers, size) = (number(0x28, 8), number(0x3a, 2));
    let (count, names_index) = (number(0x3c, 2), number(0x3e, 2));
    let header = |index: usize| {
        let at = headers + index * size;
        (number(at, 4), number(at + 0x18, 8), number(at + 0x20, 8))
    };
    let (_, names, _) = header(names_index);
    let all = (0..count).map(|index| {
        let (name, start, length) = header(index);
        let name = elf[names + name..]
            .split(|byte| *byte == 0)
            .next()
            .unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        // Shared memory has a size and no bytes.
        let bytes = match name.starts_with(".nv.shared") {
            true => length.to_le_bytes().to_vec(),
            false => elf[start..start + length].to_vec(),
        };
        (name, bytes)
    });
    let follows_text =
        |name: &str| name.contains("debug") || name.ends_with("strtab") || name == ".symtab";
    all.filter(|(name, _)| !follows_text(name)).collect()
}
