//! `site`: the checker as a page in a browser. The page's texts are taken from the kernels of this repository.

mod data;
mod wasm;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, ensure};

use crate::{
    paths::{root, target_dir},
    process::{first_line, programs, run as run_command},
    test::Counts,
};

/// Builds the playground and the course, a static page that runs the checker in a browser, below `target/site`
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also run the tests in Node and in Chromium
    #[arg(long)]
    test: bool,
}

/// Limit of the compressed module, in bytes.
const MOST_COMPRESSED_BYTES: usize = 4 << 20;

/// Names under which Chromium is installed.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let site = build()?;
    say!(
        "{}; `python3 -m http.server --directory {0}` serves it",
        site.display()
    );
    if args.test {
        let mut counts = Counts::default();
        test(&site, &mut counts)?;
        ensure!(
            counts.skipped == 0,
            "tests need Node 20 and Chromium; Debian: apt-get install nodejs npm chromium"
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// The step of CI.
pub(crate) fn check(counts: &mut Counts) -> Result<()> {
    let site = build()?;
    test(&site, counts)
}

/// Writes the page and returns its folder.
fn build() -> Result<PathBuf> {
    let site = target_dir().join("site");
    // Nothing of an earlier build stays.
    if site.exists() {
        fs::remove_dir_all(&site).with_context(|| format!("cannot renew {}", site.display()))?;
    }
    fs::create_dir_all(site.join("data"))?;
    let pages = root().join("site");
    for entry in pages.read_dir().context("the checkout has no `site`")? {
        let path = entry?.path();
        let is_page = path.extension().is_some_and(|extension| {
            ["html", "css", "js", "svg"]
                .iter()
                .any(|it| extension == *it)
        });
        if let (true, Some(name)) = (is_page, path.file_name()) {
            fs::copy(&path, site.join(name))?;
        }
    }
    fs::write(site.join("data/examples.json"), data::examples()?)?;
    fs::write(site.join("data/levels.json"), data::levels()?)?;
    let module = wasm::build()?;
    fs::copy(&module, site.join("checker.wasm"))?;
    Ok(site)
}

fn test(site: &Path, counts: &mut Counts) -> Result<()> {
    let major = first_line("node", &["--version"]).and_then(|version| {
        let digits = version.trim_start_matches('v').split('.').next()?;
        digits.parse::<u32>().ok()
    });
    if major.is_none_or(|major| major < 20) || first_line("npm", &["--version"]).is_none() {
        say!("skipped: Node 20 with npm is not installed; Debian: apt-get install nodejs npm");
        counts.skipped += 1;
        return Ok(());
    }
    let tests = root().join("site/tests");
    let command = programs(&["build", "--package", "tma-cli", "--bin", "tma"])?;
    let (_, command) = command.first().context("cargo built no `tma`")?;
    let mut node = node(site, &["module.test.mjs", "course.test.mjs"]);
    node.env("TMA", command)
        .env("MOST_COMPRESSED_BYTES", MOST_COMPRESSED_BYTES.to_string());
    run_command(&mut node)?;
    let Some(browser) = BROWSERS
        .into_iter()
        .find(|it| first_line(it, &["--version"]).is_some())
    else {
        say!("skipped: Chromium is not installed; Debian: apt-get install chromium");
        counts.skipped += 1;
        return Ok(());
    };
    let modules = target_dir().join("site-tests");
    fs::create_dir_all(&modules)?;
    for name in ["package.json", "package-lock.json"] {
        fs::copy(tests.join(name), modules.join(name))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--silent"]);
    run_command(npm.current_dir(&modules))?;
    let mut node = self::node(site, &["browser.test.mjs"]);
    node.env("CHROMIUM", browser)
        .env("MODULES", modules.join("package.json"));
    run_command(&mut node)
}

/// Node's test runner over tests of the page.
fn node(site: &Path, tests: &[&str]) -> Command {
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec"])
        .args(tests)
        .current_dir(root().join("site/tests"))
        .env("SITE", site);
    node
}
