//! PTX of other compilers, finished.

use tma_build::{Arch, Assemble, Error, FinishOptions, FinishedPtx, PtxIsa, finish_ptx};

/// A module for `compute_100a` with a marker, as libNVVM writes it.
const TILE: &str = "\
.version 9.2
.target sm_100a, debug
.address_size 64
.pragma \"tma kernel tile maxntid=128,1,1 reqnctapercluster=2,1,1 grid_constants=1\";
.visible .entry tile(
	.param .u64 tile_param_0,
	.param .align 16 .b8 tile_param_1[128]
)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	.loc 1 7 5
	ld.param.b64 %rd1, [tile_param_0];
	mov.u32 %r1, %cluster_ctarank;
	st.global.b32 [%rd1], %r1;
	ret;
}
.file 1 \"src/tile.rs\"
.section .debug_abbrev { .b8 0 }
";

fn finished(text: &str, options: FinishOptions) -> Result<FinishedPtx, Error> {
    finish_ptx("k.ptx", text, options)
}

const NOT_ASSEMBLED: FinishOptions = FinishOptions::new(Arch::Sm90a).assemble(Assemble::Never);

#[test]
fn a_module_for_compute_100_becomes_one_for_sm_90a() {
    let finished = finished(TILE, NOT_ASSEMBLED).unwrap();
    for present in [
        ".version 8.0\n.target sm_90a\n",
        ".param .align 64 .b8 tile_param_1[128]",
        ".maxntid 128, 1, 1",
        ".explicitcluster\n.reqnctapercluster 2, 1, 1",
        ".loc 1 7 5",
        ".file 1 \"src/tile.rs\"",
    ] {
        assert!(
            finished.text.contains(present),
            "{present} is missing from\n{}",
            finished.text
        );
    }
    assert!(!finished.text.contains("debug"), "{}", finished.text);
    assert_eq!(finished.markers.len(), 1);
    assert!(finished.warnings.is_empty(), "{:?}", finished.warnings);
}

#[test]
fn a_sum_that_hopper_lacks_is_split_for_it_alone() {
    let text = TILE.replace("ret;", "add.rn.f32.f16 %r2, %rs1, %r2;\n\tret;");
    let hopper = finished(&text, NOT_ASSEMBLED).unwrap().text;
    assert!(
        hopper.contains("add.rn.f32 %r2, %wide_rs1, %r2;"),
        "{hopper}"
    );
    let options = FinishOptions::new(Arch::Sm100a).assemble(Assemble::Never);
    let blackwell = finished(&text, options).unwrap().text;
    assert!(blackwell.contains("add.rn.f32.f16"), "{blackwell}");
}

#[test]
fn a_marker_is_refused_with_its_entry_and_line() {
    let text = TILE.replace("kernel tile maxntid", "kernel tale maxntid");
    let error = finished(&text, NOT_ASSEMBLED).unwrap_err().to_string();
    assert!(
        error.contains("k.ptx:4: there is no entry `tale`"),
        "{error}"
    );
    let text = TILE.replace("grid_constants=1", "grid_constants=0");
    let error = finished(&text, NOT_ASSEMBLED).unwrap_err().to_string();
    assert!(error.contains("k.ptx:4: parameter 0 of `tile`"), "{error}");
    let error = finished("ret", NOT_ASSEMBLED).unwrap_err().to_string();
    assert!(error.contains("k.ptx:1:1"), "{error}");
}

#[test]
fn the_version_rises_with_the_instructions_unless_it_is_given() {
    let newer = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r1];\n\tret;";
    let text = TILE.replace("ret;", newer);
    let raised = finished(&text, NOT_ASSEMBLED).unwrap().text;
    assert!(raised.starts_with(".version 8.6\n"), "{raised}");
    let options = NOT_ASSEMBLED.ptx_isa(PtxIsa::new(8, 0));
    let error = finished(&text, options).unwrap_err().to_string();
    assert!(
        error.contains("newer-instruction: in `tile` (src/tile.rs:7)"),
        "{error}"
    );
}

#[test]
fn a_diagnostic_without_a_line_table_has_the_line_of_the_text() {
    let without = TILE.replace("\t.loc 1 7 5\n", "");
    let text = without.replace("ret;", "call gone;\n\tret;");
    let text = format!("{text}.func gone;\n");
    let error = finished(&text, NOT_ASSEMBLED).unwrap_err().to_string();
    assert!(
        error.contains("unresolved-function: in `tile` (k.ptx:15)"),
        "{error}"
    );
}

#[test]
fn local_memory_is_a_warning_where_no_attribute_could_allow_it() {
    let depot = "{\n\t.local .align 8 .b8 __local_depot0[16];\n\t.reg .b64 %SP;\n\tmov.u64 %SP, __local_depot0;\n\tst.local.b32 [%SP], %r1;";
    let with_marker = TILE.replacen('{', depot, 1);
    let error = finished(&with_marker, NOT_ASSEMBLED)
        .unwrap_err()
        .to_string();
    assert!(error.contains("local-memory: in `tile`"), "{error}");
    let text = with_marker.replace("tma kernel tile", "somebody's tile");
    let finished = finished(&text, NOT_ASSEMBLED).unwrap();
    assert!(
        finished.warnings[0].starts_with("local-memory: in `tile`"),
        "{:?}",
        finished.warnings
    );
}
