//! `docs/support-matrix.md` is what the tables and the results say; `cargo xtask bless` renews it.

use std::path::Path;

use tests::{golden, matrix::page, semantics::results::Results};

#[test]
fn the_support_matrix_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = Results::of_folder(&here.join("data/semantics")).unwrap();
    let page = page(&results).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    golden::check(&here.join("../docs/support-matrix.md"), &page)
        .unwrap_or_else(|it| panic!("{it}"));
}
