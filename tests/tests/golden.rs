//! The PTX of the kernels is that of the golden files; `cargo xtask bless` renews them.

use std::{env, fs, path::PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use ptx::Space;
use tests::{DEVICE_COMPILER, KERNELS, KERNELS_PTX, Module, PROBES_PTX, plain};

fn main() {
    let arguments = Arguments::from_args();
    let same_compiler = DEVICE_COMPILER == ptx_builder::TRIED_VERSION.to_string();
    if !same_compiler {
        println!(
            "skipped: the golden files are by rustc {}, the kernels were compiled by {DEVICE_COMPILER}",
            ptx_builder::TRIED_VERSION
        );
    }
    let entries = || KERNELS.iter().flat_map(|kernel| kernel.golden);
    let same = KERNELS_PTX.iter().flat_map(|module| {
        // Those with instructions of one architecture alone are not in the others' modules.
        let is_plain = module.arch.ends_with(|last: char| last.is_ascii_digit());
        let is_there =
            move |entry: &&&str| !is_plain || module.text.contains(&format!(".entry {entry}("));
        entries().filter(is_there).map(|entry| {
            let (module, entry) = (*module, *entry);
            let test = move || is_golden(module, entry);
            Trial::test(format!("golden/{}/{entry}", module.arch), test)
                .with_ignored_flag(!same_compiler)
        })
    });
    let fixed = KERNELS_PTX.iter().chain(PROBES_PTX).map(|module| {
        let module = *module;
        Trial::test(format!("prints_as_it_parses/{}", module.arch), move || {
            prints_as_it_parses(module)
        })
    });
    let trials: Vec<Trial> = same.chain(fixed).collect();
    assert!(!trials.is_empty(), "there is no kernel");
    libtest_mimic::run(&arguments, trials).exit();
}

fn is_golden(module: Module, entry: &str) -> Result<(), Failed> {
    let text = one_entry(module, entry)?;
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden/ptx")
        .join(module.arch);
    let path = folder.join(format!("{entry}.ptx"));
    if env::var_os("BLESS").is_some() {
        fs::create_dir_all(&folder)?;
        fs::write(&path, text)?;
        return Ok(());
    }
    let golden =
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let lines = golden.lines().zip(text.lines()).enumerate();
    let different = lines
        .map(|(index, (left, right))| (index + 1, left, right))
        .find(|(_, left, right)| left != right);
    match different {
        Some((line, golden, now)) => Err(format!(
            "{}:{line} differs; `cargo xtask bless` renews it\n  golden: {golden}\n  now:    {now}",
            path.display()
        )
        .into()),
        None if golden.len() != text.len() => {
            Err(format!("{}: one is longer than the other", path.display()).into())
        }
        None => Ok(()),
    }
}

/// The text of one entry and what it needs, without line numbers, which change with every edit.
fn one_entry(module: Module, entry: &str) -> Result<String, Failed> {
    let module = ptx::parse_named(module.arch, module.text)?;
    let mut one = module
        .extract(entry)
        .ok_or_else(|| format!("there is no entry `{entry}`"))?;
    plain::drop_places(&mut one);
    Ok(plain_names(&one))
}

/// The text with shared variables called as in the source: `shared!` adds a hash of the line, which
/// changes with every edit above it. Labels lose the number of the function in its module, which
/// changes with every kernel that is added.
fn plain_names(module: &ptx::Module) -> String {
    let mut text = module.to_string();
    let shared = module
        .variables()
        .filter(|variable| variable.space == Space::Shared);
    for name in shared
        .flat_map(|variable| &variable.declarators)
        .map(|declarator| declarator.name.as_str())
    {
        if let Some((plain, hash)) = name.rsplit_once('_')
            && hash.len() == 8
            && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        {
            text = text.replace(name, plain);
        }
    }
    plain::without_label_numbers(&text)
}

fn prints_as_it_parses(module: Module) -> Result<(), Failed> {
    let parsed = ptx::parse_named(module.arch, module.text)?;
    if parsed.to_string() == module.text {
        Ok(())
    } else {
        Err("printing the parsed text gives another text".into())
    }
}
