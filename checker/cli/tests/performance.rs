//! `tma emulate --performance`: the kernel `transpose` has no bank conflicts, and one without its swizzle has.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{
    fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use support::{NO_DRIVER, PTXAS, emulate, ends, folder, tma, wait_until};

/// Transposes tiles of 32 x 32 words: each warp reads rows and writes columns of 128 bytes.
const WITHOUT_SWIZZLE: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry transpose(.param .align 64 .b8 source[128], .param .align 64 .b8 target[128])
{
    .shared .align 128 .b8 tile_in[4096]; .shared .align 128 .b8 tile_out[4096]; .shared .align 8 .b64 bar;
    .reg .pred %p<4>; .reg .b32 %r<24>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0;
    mov.u32 %r2, %ctaid.x; shl.b32 %r2, %r2, 5; mov.u32 %r3, %ctaid.y; shl.b32 %r3, %r3, 5;
    mov.u32 %r4, tile_in; mov.u32 %r5, tile_out; mov.u32 %r6, bar;
    cvta.param.u64 %rd1, source; cvta.param.u64 %rd2, target;
    @%p1 bra READY;
    mbarrier.init.shared::cta.b64 [%r6], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r6], 4096;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r4], [%rd1, {%r2, %r3}], [%r6];
READY:
    bar.sync 0;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r6], 0;
    @!%p2 bra WAIT;
    and.b32 %r7, %r1, 31; shr.u32 %r8, %r1, 5; shl.b32 %r8, %r8, 2; mov.u32 %r9, 0;
NEXT:
    add.u32 %r10, %r8, %r9;
    mad.lo.u32 %r11, %r10, 128, %r4; mad.lo.u32 %r11, %r7, 4, %r11;
    mad.lo.u32 %r12, %r7, 128, %r5; mad.lo.u32 %r12, %r10, 4, %r12;
    ld.shared.u32 %r13, [%r11];
    st.shared.u32 [%r12], %r13;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 4; @%p3 bra NEXT;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    @%p1 bra DONE;
    cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd2, {%r3, %r2}], [%r5];
    cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE:
    ret;
}
";

/// 256 columns and 192 rows, in 48 tiles.
const FILE: &str = r#"
module = "k.ptx"
[buffers.source]
type = "u32"
dims = [256, 192]
contents = "iota"
[buffers.target]
type = "u32"
dims = [192, 256]
contents = "poison"
[maps.source]
buffer = "source"
box_dims = [32, 32]
[maps.target]
buffer = "target"
box_dims = [32, 32]
[[launch]]
entry = "transpose"
grid = [8, 6]
block = 256
arguments = [{ map = "source" }, { map = "target" }]
[[expect]]
buffer = "target"
count = 4
contents = [0, 256, 512, 768]
"#;

fn count(path: &Path, more: &[&str]) -> Output {
    emulate(path, &[&["--performance"], more].concat())
}

/// Returns the sum of a count over the lines of a table.
fn sum(report: &Value, table: &str, count: &str) -> u64 {
    let lines = report["performance"][table].as_array().unwrap();
    let counts = lines.iter().map(|line| line[count].as_u64().unwrap());
    counts.sum()
}

#[test]
fn the_kernel_transpose_has_no_bank_conflicts() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/ptx/transpose.ptx");
    let ptx = fs::read_to_string(golden).unwrap();
    let file = FILE.replace("[32, 32]", "[32, 32]\nswizzle = \"128b\"");
    let (_folder, path) = folder(&ptx, &file);
    let report: Value = serde_json::from_str(&ends(&count(&path, &["--json"]), 0)).unwrap();
    // 48 blocks of 8 warps, each with 4 loads and 4 stores.
    let counts = ["requests", "wavefronts", "ideal"].map(|count| sum(&report, "shared", count));
    assert_eq!(counts, [3072; 3]);
    assert_eq!(report["verdict"], "clean");
}

#[test]
fn columns_of_128_bytes_have_32_way_conflicts() {
    let (_folder, path) = folder(WITHOUT_SWIZZLE, FILE);
    let text = ends(&count(&path, &[]), 0);
    let row = "      1536       49152   1536  96.9 %     32-way  k.ptx:28 `st.shared.u32` in `transpose`\n";
    assert!(text.contains(row), "{text}");
    let row = "      1536        1536   1536   0.0 %          -  k.ptx:27 `ld.shared.u32` in `transpose`\n";
    assert!(text.contains(row), "{text}");
    assert!(
        text.contains("  = help: lanes need different words of one bank"),
        "{text}"
    );
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("clean: seed 0, "), "{text}");

    // The page shows the first table and the last line.
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/performance-lint.md");
    let page = fs::read_to_string(page).unwrap();
    let table = text.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n");
    for shown in [table.as_str(), last] {
        let shown = shown.replace("k.ptx", "transpose.ptx");
        assert!(page.contains(&shown), "{shown}");
    }

    let report: Value = serde_json::from_str(&ends(&count(&path, &["--json"]), 0)).unwrap();
    let store = &report["performance"]["shared"][0];
    let path = path.with_file_name("k.ptx");
    let expected = json!({
        "kernel": "transpose",
        "instruction": "st.shared.u32",
        "instructions": 1,
        "file": path.to_str().unwrap(),
        "line": 28,
        "column": 5,
        "source": null,
        "requests": 1536,
        "wavefronts": 49152,
        "ideal": 1536,
        "ways": 32,
    });
    assert_eq!(*store, expected);
    // 48 boxes of 4096 bytes are loaded, and stored.
    let counts = ["copies", "box_bytes", "inside_bytes", "sector_bytes"];
    let counts = counts.map(|count| sum(&report, "copies", count));
    assert_eq!(counts, [96, 393_216, 393_216, 393_216]);
    assert_eq!(sum(&report, "in_flight", "block_bytes"), 4096);
}

/// Runs with a ptxas, or a path without one.
fn count_with(ptxas: &str, path: &Path, more: &[&str]) -> String {
    let path = path.to_str().unwrap();
    let all = [&["emulate", path, "--performance"], more].concat();
    ends(&tma(Path::new(NO_DRIVER), &[("TMA_PTXAS", ptxas)], &all), 0)
}

#[test]
fn registers_come_from_ptxas() {
    // The stand-in for ptxas reports 32 registers for a kernel of this name.
    let [ptx, file] = [WITHOUT_SWIZZLE, FILE].map(|text| text.replace("transpose", "tile"));
    let (_folder, path) = folder(&ptx, &file);
    let head = "  threads  shared memory  registers  barriers  blocks  warps          limited by  kernel\n";
    let row = "      256           8200         32         1       8     64  threads, registers  `tile`\n";
    let text = count_with(PTXAS, &path, &[]);
    assert!(text.contains(&format!("{head}{row}")), "{text}");
    assert!(!text.contains("are unknown"), "{text}");
    let report: Value = serde_json::from_str(&count_with(PTXAS, &path, &["--json"])).unwrap();
    let expected = json!([{
        "kernel": "tile",
        "threads": 256,
        "shared_bytes": 8200,
        "registers": 32,
        "barriers": 1,
        "blocks": 8,
        "warps": 64,
        "limited_by": ["threads", "registers"],
    }]);
    assert_eq!(report["performance"]["occupancy"], expected);
    assert_eq!(report["performance"]["registers_unknown"], Value::Null);

    let text = count_with("/nowhere/ptxas", &path, &[]);
    let row = "      256           8200          -         -       8     64     threads  `tile`\n";
    let note = "  = note: registers and barriers are unknown and may allow fewer blocks: ";
    let row = text
        .split_once(row)
        .and_then(|(_, rest)| rest.strip_prefix(note));
    assert!(
        row.is_some_and(|reason| reason.contains("/nowhere/ptxas")),
        "{text}"
    );
    let report = count_with("/nowhere/ptxas", &path, &["--json"]);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert!(report["performance"]["registers_unknown"].is_string());
}

#[test]
fn registers_are_those_of_the_launched_module() {
    // The stand-in reports 32 registers for `tile` in every module, and nothing else.
    let [ptx, file] = [WITHOUT_SWIZZLE, FILE].map(|text| text.replace("transpose", "tile"));
    let file = file.replace("module = \"k.ptx\"", "modules = [\"k.ptx\", \"other.ptx\"]");
    let (folder, path) = folder(
        &ptx,
        &file.replace("entry", "module = \"other.ptx\"\nentry"),
    );
    fs::write(folder.path().join("other.ptx"), &ptx).unwrap();
    let text = count_with(PTXAS, &path, &[]);
    assert!(
        text.contains(" 32         1       8     64  threads, registers  `tile`\n"),
        "{text}"
    );

    let (_folder, path) = self::folder(WITHOUT_SWIZZLE, FILE);
    let text = count_with(PTXAS, &path, &[]);
    let note = "may allow fewer blocks: ptxas reports no registers of `transpose`\n";
    assert!(text.contains(note), "{text}");
}

#[test]
fn an_interruption_while_ptxas_runs_is_no_verdict() {
    let (_folder, path) = folder(WITHOUT_SWIZZLE, FILE);
    let child = Command::new(env!("CARGO_BIN_EXE_tma"))
        .args(["emulate", path.to_str().unwrap(), "--performance"])
        .env(
            "TMA_PTXAS",
            concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/support/ptxas_that_hangs"
            ),
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let group = child.id();
    wait_until(|| {
        let children = fs::read_to_string(format!("/proc/{group}/task/{group}/children")).unwrap();
        children.split_whitespace().any(|child| {
            fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|name| name == "sleep\n")
        })
    });
    // As a terminal does.
    let sent = Command::new("kill")
        .args(["-INT", "--", &format!("-{group}")])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("interrupted: ") && !said.contains("occupancy"),
        "{said}"
    );
}

#[test]
fn findings_keep_their_exit_code() {
    let racy = WITHOUT_SWIZZLE.replace("    fence.proxy.async.shared::cta;\n    bar.sync 0;\n", "");
    let (_folder, path) = folder(&racy, FILE);
    let text = ends(&count(&path, &[]), 1);
    assert!(text.contains("error[missing-proxy-fence]"), "{text}");
    assert!(text.contains("96.9 %     32-way"), "{text}");
    let plain = emulate(&path, &[]);
    assert!(!ends(&plain, 1).contains("32-way"));
}

#[test]
fn counts_are_of_one_seed() {
    let (_folder, path) = folder(WITHOUT_SWIZZLE, FILE);
    for other in [&["--seeds", "0..4"][..], &["--all-schedules"]] {
        let output = count(&path, other);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("cannot be used with"), "{error}");
    }
}
