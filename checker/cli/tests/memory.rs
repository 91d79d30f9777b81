//! Large buffers need little more memory than their own size.

#[path = "../../../crates/ptx/tests/common/counting.rs"]
mod counting;

use std::fs;

use counting::most_bytes;
use tma_cli::emulate::{Emulation, LaunchFile, Verdict};
use tma_emulator::{Config, Session};

const BUFFER_BYTES: usize = 4 << 20;

/// A kernel that adds 5 to the first number.
const MODULE: &str = "\
.version 8.6
.target sm_90a
.address_size 64

.visible .entry k(.param .u64 numbers)
{
\t.reg .b64 %at;
\t.reg .b32 %number;
\tld.param.u64 %at, [numbers];
\tld.global.u32 %number, [%at];
\tadd.u32 %number, %number, 5;
\tst.global.u32 [%at], %number;
\tret;
}
";

/// Returns the peak memory use of a launch file with these lines, as a multiple of its buffer's size.
fn most(contents: &str, lines: &str, verdict: Verdict) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), MODULE).unwrap();
    fs::write(folder.path().join("large"), vec![7; BUFFER_BYTES]).unwrap();
    let length = BUFFER_BYTES / 4;
    let text = format!(
        "module = \"k.ptx\"\n\n[buffers.numbers]\ntype = \"u32\"\nlength = {length}\n\
         contents = {contents}\n\n[[launch]]\nentry = \"k\"\ngrid = 1\nblock = 1\n\
         arguments = [{{ buffer = \"numbers\" }}]\n\n{lines}"
    );
    let bytes = most_bytes(|| {
        let file = LaunchFile::parse("k.toml", &text, folder.path()).unwrap();
        let emulation = Emulation::new(file).unwrap();
        let run = emulation.write(emulation.run(Config::default()).unwrap());
        assert_eq!(run.verdict(), verdict, "{lines}");
    });
    bytes as f64 / BUFFER_BYTES as f64
}

fn expect(contents: &str, first: usize) -> String {
    format!("[[expect]]\nbuffer = \"numbers\"\nfirst = {first}\ncontents = {contents}\n")
}

// A single test, since memory of parallel tests would count too.
#[test]
fn a_large_buffer_takes_little_more_than_its_size() {
    for contents in [
        "\"zeros\"",
        "{ constant = 3 }",
        "\"iota\"",
        "\"random\"",
        "{ file = \"large\" }",
        "{ repeat = [1, 2, 3] }",
    ] {
        let alone = most(contents, "", Verdict::Clean);
        assert!(alone <= 1.3, "{contents}: {alone}");
    }
    for (contents, first, verdict) in [
        ("\"unchanged\"", 1, Verdict::Clean),
        ("\"unchanged\"", 0, Verdict::Findings),
        ("{ iota = { start = 1 } }", 1, Verdict::Clean),
        ("\"iota\"", 1, Verdict::Findings),
        ("{ file = \"large\" }", 0, Verdict::Findings),
        ("{ buffer = \"numbers\", times = 3 }", 1, Verdict::Findings),
    ] {
        let with = most("\"iota\"", &expect(contents, first), verdict);
        assert!(with <= 2.2, "{contents}: {with}");
    }
    // Comparing in parts has the same result as comparing the whole.
    for contents in [
        "\"random\"",
        "{ repeat = [1, 2, 3] }",
        "{ file = \"large\" }",
    ] {
        let lines = expect(contents, 0) + &expect("{ buffer = \"numbers\", plus = 0 }", 1);
        let with = most(contents, &lines, Verdict::Findings);
        assert!(with <= 2.2, "{contents}: {with}");
    }
    let module = format!("{MODULE}.global .b8 large[{BUFFER_BYTES}];\n");
    let bytes = most_bytes(|| {
        let mut session = Session::new(Config::default());
        session.load("k.ptx", &module).unwrap();
    });
    let of_variable = bytes as f64 / BUFFER_BYTES as f64;
    assert!(of_variable <= 1.3, "{of_variable}");
}
