//! The PTX of the kernels equals the golden files; `cargo xtask bless` renews them. For a long entry the file has the
//! head, the count of each instruction and a digest: `cargo xtask inspect` shows the text.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use libtest_mimic::{Failed, Trial};
use similar::TextDiff;
use tests::{DEVICE_COMPILER, DEVICE_PTX, KERNELS, KERNELS_PTX, Module, golden, mutants::module};
use tests_records::{Digest, plain::entry_text};

/// The architecture whose PTX the golden files have; for the others they have the differences.
const ARCH: &str = "sm_90a";

/// An entry of more lines is summarised.
const LONG: usize = 400;

static GOLDEN: LazyLock<&ptx::Module> =
    LazyLock::new(|| module().expect("the kernels are built for it"));

/// The differences of each other architecture's module, in the order of the modules.
static DIFFERENCES: LazyLock<Result<Vec<(&str, String)>, String>> = LazyLock::new(|| {
    let others = KERNELS_PTX.iter().filter(|module| module.arch != ARCH);
    let all = others.map(|other| Ok((other.arch, differences(&GOLDEN, other.parsed()?)?)));
    all.collect()
});

pub(crate) fn trials() -> Vec<Trial> {
    let same_compiler = DEVICE_COMPILER == tma_build::TRIED_VERSION.to_string();
    if !same_compiler {
        println!(
            "skipped: the golden files are by rustc {}, the kernels were compiled by {DEVICE_COMPILER}",
            tma_build::TRIED_VERSION
        );
    }
    let same = entries().map(|entry| {
        let test = move || {
            let text = one_entry(&GOLDEN, entry)?;
            match is_long(&text) {
                true => is_golden(&format!("{entry}.txt"), summary(&text)),
                false => is_golden(&format!("{entry}.ptx"), text),
            }
        };
        Trial::test(format!("golden/{entry}"), test).with_ignored_flag(!same_compiler)
    });
    let others = KERNELS_PTX.iter().filter(|module| module.arch != ARCH);
    let different = others.map(|other| {
        let test = || {
            let all = DIFFERENCES.as_ref().map_err(|failed| failed.clone())?;
            let named = |(arch, _): &&(&str, String)| *arch == other.arch;
            let (_, own) = all.iter().find(named).ok_or("it is not built")?;
            let first = all.iter().find(|(_, text)| text == own);
            let text = match first.filter(|(arch, _)| *arch != other.arch) {
                Some((arch, _)) => format!("the same as {arch}\n"),
                None => own.clone(),
            };
            is_golden(&format!("{}.diff", other.arch), text)
        };
        Trial::test(format!("golden/{}", other.arch), test).with_ignored_flag(!same_compiler)
    });
    let fixed = KERNELS_PTX.iter().chain(DEVICE_PTX).map(|module| {
        let module = *module;
        Trial::test(format!("prints_as_it_parses/{}", module.arch), move || {
            prints_as_it_parses(module)
        })
    });
    same.chain(different).chain(fixed).collect()
}

fn entries() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().flat_map(|kernel| kernel.golden).copied()
}

fn is_golden(file: &str, text: String) -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/ptx");
    Ok(golden::check(&folder.join(file), &text)?)
}

/// Returns the lines that every kernel has in the other module and not in this one, and the reverse.
fn differences(this: &ptx::Module, other: &ptx::Module) -> Result<String, String> {
    let body = |module: &ptx::Module, entry| {
        let text = one_entry(module, entry)?;
        // The lines that differ in every kernel.
        let lines = text.split_inclusive('\n').filter(|line| {
            ![".target ", ".version "]
                .iter()
                .any(|start| line.starts_with(start))
        });
        Ok::<String, String>(lines.collect())
    };
    let mut all = String::new();
    for entry in entries() {
        if other.entries().all(|other| other.name.as_str() != entry) {
            all += &format!("{entry} is not there\n");
            continue;
        }
        let (mut left, mut right) = (body(this, entry)?, body(other, entry)?);
        if is_long(&left) {
            (left, right) = (summary(&left), summary(&right));
        }
        let changes = TextDiff::from_lines(&left, &right);
        let mut changes = changes.unified_diff();
        all += &changes.context_radius(0).header(entry, entry).to_string();
    }
    Ok(all)
}

fn is_long(text: &str) -> bool {
    text.lines().count() > LONG
}

/// The head of an entry, the number of each instruction, and the digest of the text.
fn summary(text: &str) -> String {
    let mut opcodes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut head = String::new();
    for line in text.lines() {
        let mut words = line.split_whitespace().peekable();
        words.next_if(|word| word.starts_with('@'));
        let opcode = words.next().map(|word| word.trim_end_matches(';'));
        let opcode = opcode.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()));
        match opcode {
            Some(opcode) => *opcodes.entry(opcode).or_default() += 1,
            None if opcodes.is_empty() => head += &format!("{line}\n"),
            None => {}
        }
    }
    let counts = opcodes
        .iter()
        .map(|(opcode, count)| format!("{count:>6} {opcode}\n"));
    let counts: String = counts.collect();
    let (lines, digest) = (text.lines().count(), Digest::EMPTY.and(text.as_bytes()));
    format!("{head}{counts}}}\n{lines} lines, digest {digest}\n")
}

/// Returns the text of one entry and its dependencies, without line numbers, which change with every edit.
fn one_entry(module: &ptx::Module, entry: &str) -> Result<String, String> {
    let text = entry_text(module, entry);
    text.ok_or_else(|| format!("there is no entry `{entry}`"))
}

fn prints_as_it_parses(module: Module) -> Result<(), Failed> {
    if module.parsed()?.to_string() == module.text {
        Ok(())
    } else {
        Err("the printed text differs from the parsed one".into())
    }
}
