//! `new`: creates a small project that builds, as a starting point.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::root,
    process::{cargo_in, run as run_command},
    setup,
};

macro_rules! template {
    ($($path:literal)*) => {
        &[$(($path, include_str!(concat!("../../examples/scale/", $path)))),*]
    };
}

/// The template project under `examples/`, which CI builds and tests.
const TEMPLATE: &[(&str, &str)] = template! {
    ".gitignore"
    "Cargo.lock"
    "Cargo.toml"
    "README.md"
    "build.rs"
    "gpu/Cargo.toml"
    "gpu/src/lib.rs"
    "src/lib.rs"
    "src/main.rs"
    "tests/scale.rs"
};

/// Dependencies of the template, and names it uses: a package with this name would replace them.
const TAKEN: &[&str] = &["emulator", "gpu", "host", "ptx", "tma-build", "tma"];

/// Keywords of Rust.
const KEYWORDS: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue",
    "crate", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if",
    "impl", "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
    "ref", "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates of Rust itself and folders of cargo, which are not valid package names.
const RESERVED: &[&str] = &[
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc_macro",
    "std",
    "test",
];

/// Creates a small project with one kernel and builds it; does not require CUDA
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder of the project; must be missing or empty
    path: PathBuf,
    /// Package name [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Only write the files; do not build
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let folder = std::path::absolute(&args.path)
        .with_context(|| format!("{} is not a valid path", args.path.display()))?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    check_name(&name)?;
    check_folder(&folder)?;
    write(&folder, &name)?;
    say!(
        "{}: a kernel in gpu/, the program that runs it in src/\n{}",
        args.path.display(),
        dependence()
    );
    if !args.no_build {
        setup::ensure_device_compiler()?;
        run_command(cargo_in(&folder).arg("build"))?;
    }
    say!(
        "\nNext: cd {}\n    cargo run              on a GPU, or on the emulator where there is none\n    cargo test             under eight schedules of the emulator; on a GPU too with `-- --include-ignored`\n    cargo run -- --ptx     the kernel's PTX",
        args.path.display()
    );
    Ok(ExitCode::SUCCESS)
}

fn check_name(name: &str) -> Result<()> {
    let letters = name
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    ensure!(
        letters && name.starts_with(|c: char| c.is_ascii_alphabetic()),
        "`{name}` must start with a letter and contain only letters, digits, `-` and `_`; pass a package name with --name"
    );
    let word = name.replace('-', "_");
    ensure!(
        !KEYWORDS.contains(&&*word),
        "`{name}` must not be a Rust keyword, since the project is a crate; pass another name with --name"
    );
    ensure!(
        !RESERVED.contains(&&*word),
        "`{name}` must not be a name reserved by Rust or cargo; pass another name with --name"
    );
    ensure!(
        !TAKEN.iter().any(|taken| taken.replace('-', "_") == word),
        "`{name}` must differ from the packages that the project depends on; pass another name with --name"
    );
    ensure!(
        word == "scale" || !is_in_the_code(&word),
        "`{word}` has another meaning in the template's code, and the kernel has the project's name; pass another name with --name"
    );
    Ok(())
}

fn check_folder(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    let entries = folder.read_dir();
    let mut entries = entries.with_context(|| format!("cannot write to {}", folder.display()))?;
    ensure!(
        entries.next().is_none(),
        "{} is not empty; use another folder",
        folder.display()
    );
    Ok(())
}

pub(crate) fn write(folder: &Path, name: &str) -> Result<()> {
    for (path, text) in TEMPLATE {
        let to = folder.join(named(path, name));
        let parent = to.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        fs::write(&to, adapt(path, text, name))
            .with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

/// Returns the path of the checkout as written in manifests.
fn checkout() -> String {
    root().display().to_string().replace('\\', "/")
}

/// Returns a warning about the paths in the manifests.
fn dependence() -> String {
    format!(
        "It depends on the checkout at {}; moving that breaks the build.",
        checkout()
    )
}

/// Returns the template's text with the project's name, and with dependencies on this checkout.
fn adapt(path: &str, text: &str, name: &str) -> String {
    let checkout = checkout();
    match path {
        "Cargo.toml" => packages(text, name).replace("\"../../", &format!("\"{checkout}/")),
        "Cargo.lock" => packages(text, name),
        "gpu/Cargo.toml" => packages(text, name).replace("\"../../../", &format!("\"{checkout}/")),
        "README.md" => {
            let text = text.replacen("# scale", &format!("# {name}"), 1);
            format!("{}\n{}\n", named(&text, name), dependence())
        }
        _ => named(text, name),
    }
}

/// Replaces the names of the template's two packages.
fn packages(text: &str, name: &str) -> String {
    text.replace("\"scale\"", &format!("\"{name}\""))
        .replace("\"scale-gpu\"", &format!("\"{name}-gpu\""))
}

/// Replaces the template's name with the project's name in Rust spelling, where it is a whole word.
fn named(text: &str, name: &str) -> String {
    let name = name.replace('-', "_");
    let mut adapted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("scale") {
        let (before, found) = rest.split_at(at);
        let (word, after) = found.split_at("scale".len());
        let is_word = !before.ends_with(is_of_a_word) && !after.starts_with(is_of_a_word);
        adapted.push_str(before);
        adapted.push_str(if is_word { &name } else { word });
        rest = after;
    }
    adapted + rest
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns whether the template's code contains this word, so that the project must not be named so.
fn is_in_the_code(word: &str) -> bool {
    let sources = TEMPLATE.iter().filter(|(path, _)| path.ends_with(".rs"));
    let code = sources.flat_map(|(_, text)| text.lines());
    let mut code = code.map(|line| line.split("//").next().unwrap_or(line));
    code.any(|line| line.split(|c| !is_of_a_word(c)).any(|found| found == word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_file_of_the_template_is_written_and_depends_on_this_checkout() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "my-kernels").unwrap();
        let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
        let manifest = read("Cargo.toml");
        assert!(manifest.contains("name = \"my-kernels\"") && !manifest.contains("\"../"));
        assert!(!read("gpu/Cargo.toml").contains("\"../"));
        assert!(root().join("host/Cargo.toml").is_file());
        assert!(manifest.contains(&format!("\"{}/host\"", root().display())));
        assert!(manifest.contains("gpu = { package = \"my-kernels-gpu\", path = \"gpu\" }"));
        assert!(read("gpu/Cargo.toml").contains("name = \"my-kernels-gpu\""));
        let readme = read("README.md");
        assert!(readme.starts_with("# my-kernels\n") && readme.contains(&checkout()));
        assert!(read("src/main.rs").contains("use my_kernels::{PTX, my_kernels};"));
        assert!(read("tests/my_kernels.rs").contains("use my_kernels::my_kernels;"));
        assert!(read("src/lib.rs").contains("gpu::my_kernels(&data"));
        assert!(read("gpu/src/lib.rs").contains("pub unsafe fn my_kernels(data: *mut f32"));
        assert!(readme.contains("`tests/my_kernels.rs`"));
        assert!(manifest.contains("[profile.dev.package.tma-emulator]\nopt-level = 2\n"));
        assert!(manifest.contains("[profile.dev]\ndebug = \"line-tables-only\"\n"));
        assert!(
            check_folder(folder.path())
                .unwrap_err()
                .to_string()
                .ends_with("is not empty; use another folder")
        );
    }

    #[test]
    fn no_file_of_the_example_is_left_out() {
        let embedded: BTreeSet<PathBuf> = TEMPLATE
            .iter()
            .map(|(path, _)| PathBuf::from(path))
            .collect();
        let mut there = BTreeSet::new();
        list(&root().join("examples/scale"), Path::new(""), &mut there);
        assert_eq!(embedded, there);
    }

    fn list(base: &Path, below: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in base.join(below).read_dir().unwrap().flatten() {
            let path = below.join(entry.file_name());
            if !entry.path().is_dir() {
                found.insert(path);
            } else if path != Path::new("target") {
                list(base, &path, found);
            }
        }
    }

    #[test]
    fn only_whole_words_are_renamed() {
        let text = "scale(scaled, rescale, a_scale); // scale: it scales";
        assert_eq!(
            named(text, "a-b"),
            "a_b(scaled, rescale, a_scale); // a_b: it scales"
        );
    }

    #[test]
    fn names_are_checked() {
        for name in ["my-kernels_2", "scale", "copy"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "2d",
            "a b",
            "tma",
            "tma_build",
            "-x",
            "ünï",
            "loop",
            "fn",
            "main",
            "numbers",
        ] {
            assert!(check_name(name).is_err(), "{name}");
        }
        for (name, why) in [
            ("fn", "keyword"),
            ("Self", "keyword"),
            ("std", "reserved by Rust or cargo"),
            ("proc-macro", "reserved by Rust or cargo"),
            ("tma", "depends on"),
        ] {
            let refused = check_name(name).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        // The name is checked before a folder is created.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fn");
        let args = Args {
            path: path.clone(),
            name: None,
            no_build: true,
        };
        assert!(run(&args).is_err() && !path.exists());
    }
}
