//! `new`: creates a small project that builds, as a starting point.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::{
    process::{output, run as run_command},
    setup,
};

/// A kernel to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Template {
    /// An array, copied by bulk copies
    Scale,
    /// A matrix, by one tensor copy for each block
    Tile,
    /// A matrix, in a pipeline with a producer warp and consumers
    Pipeline,
    /// A product on tensor cores, with a producer and a consumer warpgroup
    Gemm,
}

impl Template {
    /// Returns the device code and the host code.
    const fn sources(self) -> [&'static str; 2] {
        macro_rules! sources {
            ($folder:literal) => {
                [
                    include_str!(concat!("../templates/", $folder, "/gpu/src/lib.rs")),
                    include_str!(concat!("../templates/", $folder, "/src/lib.rs")),
                ]
            };
        }
        match self {
            Self::Scale => sources!("scale"),
            Self::Tile => sources!("tile"),
            Self::Pipeline => sources!("pipeline"),
            Self::Gemm => sources!("gemm"),
        }
    }

    /// Returns the variant of `tma_build::Arch` of the oldest GPUs that run the kernel.
    const fn arch(self) -> &'static str {
        match self {
            Self::Gemm => "Sm90a",
            _ => "Sm90",
        }
    }

    /// Returns further calls of `tma_build::PtxBuilder`.
    const fn options(self) -> &'static str {
        match self {
            // A call of a panic would make ptxas wait for each product.
            Self::Gemm => ".debug_assertions(false).overflow_checks(false)",
            _ => "",
        }
    }

    /// Returns the subject of the project's README.
    const fn subject(self) -> &'static str {
        match self {
            Self::Scale => "A kernel that multiplies numbers by a factor",
            Self::Tile => "A kernel that adds one to a matrix, tile by tile",
            Self::Pipeline => "A kernel that sums the columns of a matrix in a pipeline",
            Self::Gemm => "A kernel that multiplies matrices on tensor cores",
        }
    }

    /// Returns the path and the text of each file.
    fn files(self) -> [(&'static str, &'static str); 9] {
        macro_rules! common {
            ($file:literal) => {
                include_str!(concat!("../templates/common/", $file))
            };
        }
        let [gpu, lib] = self.sources();
        [
            (".gitignore", common!("gitignore")),
            ("Cargo.toml", common!("Cargo.toml.liquid")),
            ("README.md", common!("README.md")),
            ("build.rs", common!("build.rs")),
            ("gpu/Cargo.toml", common!("gpu/Cargo.toml.liquid")),
            ("gpu/src/lib.rs", gpu),
            ("src/lib.rs", lib),
            ("src/main.rs", common!("src/main.rs")),
            ("tests/kernel.rs", common!("tests/kernel.rs")),
        ]
    }
}

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
pub struct Args {
    /// Folder of the project; must be missing or empty
    path: PathBuf,
    /// Package name [default: the folder's name]
    #[arg(long)]
    name: Option<String>,
    /// Kernel to start from
    #[arg(long, value_enum, default_value_t = Template::Pipeline)]
    template: Template,
    /// Only write the files; do not build
    #[arg(long)]
    no_build: bool,
}

/// Runs the verb.
///
/// # Errors
/// The name or the folder is refused, a file cannot be written, or the build fails.
pub fn run(args: &Args) -> Result<ExitCode> {
    let folder = absolute(&args.path)?;
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
    write(&folder, &name, args.template)?;
    say!(
        "{}: a kernel in gpu/, the program that runs it in src/",
        args.path.display()
    );
    if let Some(checkout) = checkout() {
        say!(
            "It depends on the checkout at {}; moving that breaks the build.",
            checkout.display()
        );
    }
    // The name of the project changes the widths of lines. Without rustfmt they stay as they are.
    let _ = output(cargo_in(&folder).args(["fmt", "--all"]));
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

/// Returns the absolute path without `.` and `..`.
fn absolute(path: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(path);
    let absolute = absolute.with_context(|| format!("{} is not a valid path", path.display()))?;
    let mut normal = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => _ = normal.pop(),
            component => normal.push(component),
        }
    }
    Ok(normal)
}

/// Cargo in the project.
fn cargo_in(folder: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // The variable of a workspace that this program was started in.
    cargo.current_dir(folder).env_remove("CUDA_LIBRARY_PATH");
    cargo
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
    Ok(())
}

fn check_folder(folder: &Path) -> Result<()> {
    if let Some(checkout) = checkout()
        && let Ok(inside) = folder.strip_prefix(&checkout)
    {
        ensure!(
            inside.starts_with("target"),
            "the project must be outside of the checkout {}; use a folder beside it",
            checkout.display()
        );
    }
    if !folder.exists() {
        return Ok(());
    }
    let entries = folder.read_dir();
    let mut entries = entries.with_context(|| format!("cannot write to {}", folder.display()))?;
    ensure!(
        entries.next().is_none(),
        "{} must be empty; use another folder",
        folder.display()
    );
    Ok(())
}

/// Writes the files of a project.
///
/// # Errors
/// A file cannot be written.
pub fn write(folder: &Path, name: &str, template: Template) -> Result<()> {
    let adapted = template
        .files()
        .map(|(path, text)| (path, adapt(text, name, template)));
    let texts = adapted
        .each_ref()
        .map(|(path, text)| (*path, text.as_str()));
    write_texts(folder, &texts)
}

/// Writes the files of a project that depends on the checkout, and its `Cargo.lock`.
///
/// # Errors
/// A file cannot be written.
pub fn write_texts(folder: &Path, texts: &[(&str, &str)]) -> Result<()> {
    let write = |path: &str, text: &[u8]| {
        let to = folder.join(path);
        let parent = to.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .with_context(|| format!("cannot create {}", parent.display()))?;
        fs::write(&to, text).with_context(|| format!("cannot write {}", to.display()))
    };
    for (path, text) in texts {
        write(path, text.as_bytes())?;
    }
    // Cargo keeps the versions of the checkout, which are built and fetched, and drops the rest.
    if let Some(lock) = checkout().and_then(|checkout| fs::read(checkout.join("Cargo.lock")).ok()) {
        write("Cargo.lock", &lock)?;
    }
    Ok(())
}

/// Returns the checkout that this program was built in, if it is still there. A program that was built from packages has
/// none.
pub fn checkout() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
    let is_there =
        checkout.join("host/Cargo.toml").is_file() && checkout.join("Cargo.lock").is_file();
    is_there.then(|| checkout.to_owned())
}

/// Returns the source of a dependency: its folder in the checkout, or else its version.
fn source(folder: &str) -> String {
    match checkout() {
        Some(checkout) => {
            let path = checkout.join(folder).display().to_string();
            format!("path = \"{}\"", path.replace('\\', "/"))
        }
        None => format!("version = \"{}\"", env!("CARGO_PKG_VERSION")),
    }
}

/// Fills the placeholders of a template.
fn adapt(text: &str, name: &str, template: Template) -> String {
    let values = [
        ("{{project-name}}", name.to_owned()),
        ("{{crate_name}}", name.replace('-', "_")),
        ("{{kernel_name}}", kernel_name(name, template)),
        ("{{arch}}", template.arch().to_owned()),
        ("{{options}}", template.options().to_owned()),
        ("{{what}}", template.subject().to_owned()),
    ];
    let values = values.into_iter();
    values.fold(with_sources(text), |text, (key, value)| {
        text.replace(key, &value)
    })
}

/// Fills the placeholders `{{tma}}`, `{{tma-build}}` and `{{tma-host}}` with the sources of these dependencies.
pub fn with_sources(text: &str) -> String {
    let values = [
        ("{{tma}}", "crates/tma"),
        ("{{tma-build}}", "crates/tma-build"),
        ("{{tma-host}}", "host"),
    ];
    let values = values.into_iter();
    values.fold(text.to_owned(), |text, (key, folder)| {
        text.replace(key, &source(folder))
    })
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the name of the kernel: the project's, with `_kernel` if it has another meaning in the template's code.
fn kernel_name(project: &str, template: Template) -> String {
    let word = project.replace('-', "_");
    match is_in_the_code(&word, template) {
        true => word + "_kernel",
        false => word,
    }
}

/// Returns whether the template's code contains this word.
fn is_in_the_code(word: &str, template: Template) -> bool {
    let files = template.files();
    let sources = files.iter().filter(|(path, _)| path.ends_with(".rs"));
    let code = sources.flat_map(|(_, text)| text.lines());
    let mut code = code.map(|line| line.split("//").next().unwrap_or(line));
    code.any(|line| line.split(|c| !is_of_a_word(c)).any(|found| found == word))
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_placeholder_is_filled_and_the_project_depends_on_this_checkout() {
        let checkout = checkout().unwrap();
        for template in Template::value_variants() {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "my-kernels", *template).unwrap();
            let read = |path: &str| fs::read_to_string(folder.path().join(path)).unwrap();
            for (path, _) in template.files() {
                assert!(!read(path).contains("{{"), "{path}");
            }
            let manifest = read("Cargo.toml");
            assert!(manifest.contains("name = \"my-kernels\""), "{manifest}");
            assert!(manifest.contains(&format!("\"{}/host\"", checkout.display())));
            assert!(manifest.contains("gpu = { package = \"my-kernels-gpu\", path = \"gpu\" }"));
            assert!(read("gpu/Cargo.toml").contains("name = \"my-kernels-gpu\""));
            assert!(read("gpu/src/lib.rs").contains("pub unsafe fn my_kernels("));
            assert!(read("src/main.rs").contains("use my_kernels::{PTX, check};"));
            let refused = check_folder(folder.path()).unwrap_err().to_string();
            assert!(
                refused.ends_with("must be empty; use another folder"),
                "{refused}"
            );
        }
    }

    #[test]
    fn the_script_of_cargo_generate_knows_the_same_values() {
        let script = include_str!("../templates/new.rhai");
        let taken: Vec<String> = TAKEN
            .iter()
            .map(|name| format!("\"{}\"", name.replace('-', "_")))
            .collect();
        assert!(script.contains(&format!("let taken = [{}];", taken.join(", "))));
        assert!(script.contains(&format!("version = \\\"{}\\\"", env!("CARGO_PKG_VERSION"))));
        let config = include_str!("../templates/cargo-generate.toml");
        for template in Template::value_variants() {
            let name = template.to_possible_value().unwrap();
            let name = name.get_name();
            assert!(config.contains(&format!("\"{name}\"")), "{name}");
            assert!(script.contains(&format!("{name}: \"{}\",", template.subject())));
            assert!(script.contains(&format!("arch = \"{}\";", template.arch())));
            assert!(script.contains(&format!("options = \"{}\";", template.options())));
        }
        // The script moves each file of a project, the folders of the template at once.
        for (path, _) in Template::Pipeline.files() {
            let moved = ["src/lib.rs", "gpu/src/lib.rs", "tests/kernel.rs"].contains(&path)
                || script.contains(&format!("\"{path}\""));
            assert!(moved, "{path}");
        }
    }

    #[test]
    fn a_project_inside_the_checkout_is_refused() {
        let checkout = checkout().unwrap();
        let refused = check_folder(&checkout.join("mine"))
            .unwrap_err()
            .to_string();
        assert!(refused.ends_with("use a folder beside it"), "{refused}");
        assert!(check_folder(&checkout.join("target/mine")).is_ok());
        let beside = absolute(&checkout.join("a/../../mine")).unwrap();
        assert_eq!(beside, checkout.with_file_name("mine"));
        assert!(check_folder(&beside).is_ok());
    }

    #[test]
    fn names_are_checked() {
        let check = check_name;
        for name in ["my-kernels_2", "scale", "copy"] {
            assert!(check(name).is_ok(), "{name}");
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
        ] {
            assert!(check(name).is_err(), "{name}");
        }
        for (name, why) in [
            ("fn", "keyword"),
            ("Self", "keyword"),
            ("std", "reserved by Rust or cargo"),
            ("proc-macro", "reserved by Rust or cargo"),
            ("tma", "depends on"),
        ] {
            let refused = check(name).unwrap_err().to_string();
            assert!(refused.contains(why), "{refused}");
        }
        for (name, kernel) in [
            ("sums", "sums_kernel"),
            ("my-sums", "my_sums"),
            ("check", "check_kernel"),
        ] {
            assert_eq!(kernel_name(name, Template::Pipeline), kernel);
        }
        // The name is checked before a folder is created.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fn");
        let args = Args {
            path: path.clone(),
            name: None,
            template: Template::Scale,
            no_build: true,
        };
        assert!(run(&args).is_err() && !path.exists());
    }
}
