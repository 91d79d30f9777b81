//! `docs/support-matrix.md` and the figures of the pages equal the tables and the records;
//! `cargo xtask bless` renews them.

use std::{fs, path::Path};

use tests::{
    figures, golden,
    matrix::SupportMatrix,
    semantics::{form_cases, results::Results},
};

#[test]
fn the_support_matrix_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let results = Results::of_folder(&here.join("../data/semantics")).unwrap();
    let matrix =
        SupportMatrix::new(&results).unwrap_or_else(|wrong| panic!("{}", wrong.join("\n")));
    golden::check(&here.join("../../docs/support-matrix.md"), &matrix.page())
        .unwrap_or_else(|it| panic!("{it}"));
    assert_eq!(matrix.rows(None).count(), ptx_isa::forms().count());
    assert!(
        matrix
            .rows(Some("mbarrier"))
            .all(|row| row.form.starts_with("mbarrier."))
    );
    assert_eq!(matrix.rows(Some("no_family")).count(), 0);
}

/// A driver of CUDA 13.0 loads no form of a PTX ISA after 9.0.
#[test]
fn a_record_lacks_later_forms_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/semantics");
    let cases = form_cases();
    for results in Results::of_folder(&folder).unwrap() {
        assert!(
            results.driver.starts_with("CUDA 13.0,"),
            "{}",
            results.driver
        );
        for case in cases.iter().filter(|case| case.is_on_hopper()) {
            let is_recorded = results.forms.contains_key(case.form());
            assert_ne!(is_recorded, case.support.form.is_later(), "{}", case.form());
        }
    }
}

#[test]
#[cfg_attr(not(complete_run), ignore = "minutes")]
fn every_figure_is_counted_or_recorded() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let data = here.join("../data");
    for page in ["benchmarks", "gemm", "verification", "tensor-cores"] {
        let path = here.join(format!("../../docs/{page}.md"));
        let text = fs::read_to_string(&path).unwrap();
        let now = figures::renewed(&text, &data).unwrap();
        golden::check(&path, &now).unwrap_or_else(|it| panic!("{it}"));
    }
    let page = fs::read_to_string(here.join("../../docs/verification.md")).unwrap();
    assert_eq!(figures::typed_by_hand(&page), [""; 0]);
}
