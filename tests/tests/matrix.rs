//! `docs/support-matrix.md` is what the tables and the results say; `cargo xtask bless` renews it.

use std::{env, fs, path::Path};

use tests::{matrix::page, semantics::results::Results};

#[test]
fn the_support_matrix_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = Results::of_folder(&here.join("data/semantics")).unwrap();
    let page = page(&results).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    let path = here.join("../docs/support-matrix.md");
    if env::var_os("BLESS").is_some() {
        return fs::write(path, page).unwrap();
    }
    let is = fs::read_to_string(path).unwrap_or_default();
    let line = is
        .lines()
        .zip(page.lines())
        .position(|(is, should)| is != should);
    assert!(
        is == page,
        "docs/support-matrix.md is not up to date from line {} on; `cargo xtask bless` renews it",
        1 + line.unwrap_or_else(|| is.lines().count().min(page.lines().count()))
    );
}
