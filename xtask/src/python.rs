//! The step `python` of CI, which builds the Python package as users install it and checks its types and tests; and
//! `wheel`, which builds it for a release.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::{root, target_dir},
    process::{first_line, run, status},
    test::{Counts, LONG_VARIABLE},
};

/// Packages needed to build and test.
const PACKAGES: [&str; 5] = ["maturin>=1.9,<2", "ml_dtypes", "mypy", "numpy", "pytest>=8"];

/// The Triton version of the tests, about 200 MB.
const TRITON: &str = "triton==3.9.*";

/// Packages needed to build a wheel that runs on other distributions than this machine's: zig links against their glibc.
const WHEEL_PACKAGES: [&str; 2] = ["maturin>=1.9,<2", "ziglang"];

/// The oldest glibc of the wheel, 2.17 of 2012.
const PLATFORM: &str = "manylinux_2_17";

/// Builds the wheel of the Python package for Linux distributions since 2014, and tests it in an environment of its own
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folder for the wheel
    #[arg(long, default_value = "target/wheels")]
    out: PathBuf,
}

pub(crate) fn wheel(args: &Args) -> Result<ExitCode> {
    let python = find_python().context(NO_PYTHON)?;
    let folder = target_dir().join("python");
    let builder = Environment::new(python, &folder.join("wheel-builder"))?;
    run(builder.install().args(WHEEL_PACKAGES))?;
    let out = std::path::absolute(&args.out).context("the folder is not a valid path")?;
    let mut build = builder.module("maturin");
    build.args([
        "build",
        "--release",
        "--zig",
        "--compatibility",
        PLATFORM,
        "--out",
    ]);
    run(build.arg(&out))?;
    let wheel = only_wheel(&out)?;
    let user = Environment::new(python, &folder.join("wheel-user"))?;
    run(user
        .install()
        .args(["--force-reinstall", "pytest>=8", "ml_dtypes"])
        .arg(&wheel))?;
    run(user
        .module("pytest")
        .args(["-q", "-p", "no:cacheprovider", "tests"]))?;
    say!("{}", wheel.display());
    Ok(ExitCode::SUCCESS)
}

const NO_PYTHON: &str = "there is no python3 with venv; Debian: apt-get install python3-venv";

fn find_python() -> Option<&'static str> {
    let makes_environments = ["-c", "import ensurepip, venv; print('yes')"];
    let mut pythons = ["python3", "python"].into_iter();
    pythons.find(|it| first_line(it, &makes_environments).is_some())
}

/// A virtual environment.
struct Environment(PathBuf);

impl Environment {
    /// Creates the environment unless it exists.
    fn new(python: &str, folder: &Path) -> Result<Self> {
        if !program(folder).is_file() {
            run(Command::new(python).args(["-m", "venv"]).arg(folder))?;
        }
        Ok(Self(folder.to_owned()))
    }

    /// Returns the command that runs a module in the package's folder.
    fn module(&self, name: &str) -> Command {
        let program = program(&self.0);
        let mut command = Command::new(&program);
        command.args(["-m", name]).current_dir(package());
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        // maturin finds zig through the `python3` that is first on the path.
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = program.parent().map(Path::to_owned).into_iter();
        if let Ok(path) = env::join_paths(folders.chain(env::split_paths(&path))) {
            command.env("PATH", path);
        }
        command
    }

    fn install(&self) -> Command {
        let mut pip = self.module("pip");
        pip.args(["--disable-pip-version-check", "install", "--quiet"]);
        pip
    }
}

/// Returns the wheel in a folder.
fn only_wheel(folder: &Path) -> Result<PathBuf> {
    let files =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = files.flatten().map(|file| file.path());
    let mut wheels = paths.filter(|path| path.extension().is_some_and(|it| it == "whl"));
    let wheel = wheels.next().context("maturin built no wheel")?;
    ensure!(
        wheels.next().is_none(),
        "{} must contain one wheel; remove the old ones",
        folder.display()
    );
    Ok(wheel)
}

/// Builds the wheel, installs it into its own environment and tests it there. Counts as skipped if Python cannot
/// create an environment or the packages cannot be downloaded.
pub(crate) fn check(counts: &mut Counts) -> Result<()> {
    let Some(python) = find_python() else {
        say!("skipped: {NO_PYTHON}");
        counts.skipped += 1;
        return Ok(());
    };
    let folder = target_dir().join("python");
    let environment = Environment::new(python, &folder.join("venv"))?;
    let is_long = env::var_os(LONG_VARIABLE).is_some();
    let triton = is_long.then_some(TRITON);
    if let Err(error) = run(environment.install().args(PACKAGES).args(triton)) {
        say!("skipped: {error}; is there a network?");
        counts.skipped += 1;
        return Ok(());
    }
    let wheels = folder.join("wheels");
    if wheels.exists() {
        fs::remove_dir_all(&wheels)
            .with_context(|| format!("cannot remove {}", wheels.display()))?;
    }
    // The same profile as the workspace's tests, so that the crates are already built.
    let mut build = environment.module("maturin");
    build.args(["build", "--quiet", "--profile=dev", "--out"]);
    run(build.arg(&wheels))?;
    run(environment
        .install()
        .args(["--no-deps", "--force-reinstall"])
        .arg(only_wheel(&wheels)?))?;
    run(environment
        .module("mypy")
        .arg("--cache-dir")
        .arg(folder.join("mypy")))?;
    // mypy writes its cache to its folder.
    run(environment
        .module("mypy.stubtest")
        .arg("tma_emulator._native")
        .current_dir(&folder))?;
    let report = folder.join("tests.xml");
    let mut tests = environment.module("pytest");
    tests.args(["-q", "-rs", "-p", "no:cacheprovider", "--junitxml"]);
    let passed = status(tests.arg(&report).arg("tests"))?.success();
    let report = fs::read_to_string(&report).context("pytest wrote no report")?;
    let counted = counted(&report).context("pytest's report has no counts")?;
    *counts += counted.clone();
    ensure!(passed && counted.is_good(), "{counted}");
    Ok(())
}

/// Returns the folder of the package.
fn package() -> PathBuf {
    root().join("checker").join("python")
}

/// Returns the Python executable of an environment.
fn program(environment: &Path) -> PathBuf {
    match cfg!(windows) {
        true => environment.join("Scripts").join("python.exe"),
        false => environment.join("bin").join("python"),
    }
}

/// Parses `<testsuite name="pytest" errors="0" failures="1" skipped="2" tests="9" …>`.
fn counted(report: &str) -> Option<Counts> {
    let (_, suite) = report.split_once("<testsuite ")?;
    let (attributes, _) = suite.split_once('>')?;
    let number = |name: &str| {
        let (_, value) = attributes.split_once(&format!(" {name}=\""))?;
        value.split('"').next()?.parse::<u64>().ok()
    };
    let (failed, skipped) = (number("errors")? + number("failures")?, number("skipped")?);
    Some(Counts {
        passed: number("tests")?.checked_sub(failed + skipped)?,
        failed,
        skipped,
        ..Counts::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_pytest_are_read() {
        let report = "<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\" errors=\"1\" failures=\"2\" \
            skipped=\"3\" tests=\"10\" time=\"1.0\"><testcase tests=\"7\"/></testsuite></testsuites>";
        let expected = Counts {
            passed: 4,
            failed: 3,
            skipped: 3,
            ..Counts::default()
        };
        assert_eq!(counted(report), Some(expected));
        assert_eq!(counted(&report.replace("skipped", "left-out")), None);
        assert_eq!(counted("<testsuites></testsuites>"), None);
    }
}
