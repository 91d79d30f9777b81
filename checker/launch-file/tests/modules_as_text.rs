//! Launch files whose modules are texts, as on a page.

use launch_file::{Emulation, LaunchFile, Verdict};
use ptx_source::Source;
use tma_emulator::Config;

const PTX: &str = ".version 8.6\n.target sm_90a\n.address_size 64\n\
    .visible .entry k(.param .u64 to) {\n.reg .b64 %to;\nld.param.u64 %to, [to];\n\
    st.global.u32 [%to], 5;\nret;\n}\n";

const FILE: &str = r#"
module = "k.ptx"
buffers.numbers = { type = "u32", dims = [4, 2], contents = "iota" }
maps.tile = { buffer = "numbers", box_dims = [4, 2] }
launch = { entry = "k", grid = 1, block = 1, arguments = [{ buffer = "numbers" }] }
expect = { buffer = "numbers", contents = [5, 1, 2, 3, 4, 5, 6, 7] }
"#;

#[test]
fn a_launch_runs_without_files_and_returns_its_memory() {
    let file = LaunchFile::parse_with("k.toml", FILE, &["k.ptx"]).unwrap();
    let shapes: Vec<_> = file.shapes().map(|(ty, dims)| (ty.name(), dims)).collect();
    assert_eq!(shapes, [("u32", &[4, 2][..])]);
    let maps: Vec<_> = file.maps().map(|(name, _)| name).collect();
    assert_eq!(maps, ["tile"]);
    let source = Source::parse("k.ptx", PTX).unwrap();
    let emulation = Emulation::with_sources(file, vec![source]).unwrap();
    let (run, buffers) = emulation.run_in_memory(Config::default()).unwrap();
    assert_eq!(run.verdict(), Verdict::Clean);
    assert_eq!(
        buffers[0].to_vec::<u32>().unwrap(),
        [5, 1, 2, 3, 4, 5, 6, 7]
    );
}

#[test]
fn other_modules_are_refused_with_the_nearest_name() {
    let refused = LaunchFile::parse_with("k.toml", FILE, &["kk.ptx"]).unwrap_err();
    let text = refused.to_string();
    assert!(
        text.starts_with("k.toml:2:10: `module`: there is no PTX `k.ptx`: did you mean `kk.ptx`?"),
        "{text}"
    );
}
