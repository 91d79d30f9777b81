//! The PTX of the kernels is that of the golden files; `cargo xtask bless` renews them.

use std::{path::Path, sync::LazyLock};

use libtest_mimic::{Failed, Trial};
use similar::TextDiff;
use tests::{DEVICE_COMPILER, DEVICE_PTX, KERNELS, KERNELS_PTX, Module, golden};
use tests_records::plain::entry_text;

/// The architecture whose PTX the golden files have; for the others they have what is different.
const ARCH: &str = "sm_90a";

static GOLDEN: LazyLock<ptx::Module> = LazyLock::new(|| {
    let module = KERNELS_PTX.iter().find(|module| module.arch == ARCH);
    parse(module.expect("the kernels are built for it"))
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
        let test = move || is_golden(&format!("{entry}.ptx"), one_entry(&GOLDEN, entry)?);
        Trial::test(format!("golden/{entry}"), test).with_ignored_flag(!same_compiler)
    });
    let different = KERNELS_PTX.iter().filter(|module| module.arch != ARCH);
    let different = different.map(|other| {
        let file = format!("{}.diff", other.arch);
        let test = move || is_golden(&file, differences(&GOLDEN, &parse(other))?);
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

fn parse(module: &Module) -> ptx::Module {
    ptx::parse_named(module.arch, module.text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn entries() -> impl Iterator<Item = &'static str> {
    KERNELS.iter().flat_map(|kernel| kernel.golden).copied()
}

fn is_golden(file: &str, text: String) -> Result<(), Failed> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/ptx");
    Ok(golden::check(&folder.join(file), &text)?)
}

/// The lines that every kernel has in the other module and not in this one, and the reverse.
fn differences(this: &ptx::Module, other: &ptx::Module) -> Result<String, Failed> {
    let body = |module: &ptx::Module, entry| {
        let text = one_entry(module, entry)?;
        // The lines that differ in every kernel.
        let lines = text.split_inclusive('\n').filter(|line| {
            ![".target ", ".version "]
                .iter()
                .any(|start| line.starts_with(start))
        });
        Ok::<String, Failed>(lines.collect())
    };
    let mut all = String::new();
    for entry in entries() {
        if other.entries().all(|other| other.name.as_str() != entry) {
            all += &format!("{entry} is not there\n");
            continue;
        }
        let (left, right) = (body(this, entry)?, body(other, entry)?);
        let changes = TextDiff::from_lines(&left, &right);
        let mut changes = changes.unified_diff();
        all += &changes.context_radius(0).header(entry, entry).to_string();
    }
    Ok(all)
}

/// The text of one entry and what it needs, without line numbers, which change with every edit.
fn one_entry(module: &ptx::Module, entry: &str) -> Result<String, Failed> {
    let text = entry_text(module, entry);
    Ok(text.ok_or_else(|| format!("there is no entry `{entry}`"))?)
}

fn prints_as_it_parses(module: Module) -> Result<(), Failed> {
    let parsed = ptx::parse_named(module.arch, module.text)?;
    if parsed.to_string() == module.text {
        Ok(())
    } else {
        Err("printing the parsed text gives another text".into())
    }
}
