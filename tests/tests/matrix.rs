//! `docs/support-matrix.md` and the figures of the pages are what the tables and the records say;
//! `cargo xtask bless` renews them.

use std::{fs, path::Path};

use tests::{figures, golden, matrix::page, semantics::results::Results};

#[test]
fn the_support_matrix_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = Results::of_folder(&here.join("data/semantics")).unwrap();
    let page = page(&results).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    golden::check(&here.join("../docs/support-matrix.md"), &page)
        .unwrap_or_else(|it| panic!("{it}"));
}

#[test]
fn every_figure_is_counted_or_recorded() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = here.join("data");
    for page in ["benchmarks", "gemm", "verification", "tensor-cores"] {
        let path = here.join(format!("../docs/{page}.md"));
        let text = fs::read_to_string(&path).unwrap();
        let now = figures::renewed(&text, &data).unwrap();
        golden::check(&path, &now).unwrap_or_else(|it| panic!("{it}"));
    }
    let page = fs::read_to_string(here.join("../docs/verification.md")).unwrap();
    assert_eq!(figures::typed_by_hand(&page), [""; 0]);
}
