//! Launch files whose launches overlap.
#![cfg(target_os = "linux")]

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path};

use support::{NO_DRIVER, tma};

const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry leads(.param .u64 data)
{
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [data];
    griddepcontrol.launch_dependents;
    st.global.u32 [%rd1], 5;
    ret;
}
.visible .entry follows(.param .u64 data)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [data];
    ld.global.u32 %r1, [%rd1];
    griddepcontrol.wait;
    st.global.u32 [%rd1+4], %r1;
    ret;
}
";

const FILE: &str = r#"
module = "k.ptx"
buffers.data = { type = "u32", length = 2 }
launch = [
    { entry = "leads", grid = 1, block = 1, arguments = [{ buffer = "data" }] },
    { entry = "follows", grid = 1, block = 1, overlaps = true, arguments = [{ buffer = "data" }] },
]
expect = { buffer = "data", contents = [5, 5] }
"#;

#[test]
fn a_launch_that_overlaps_races_with_the_one_before() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    let path = folder.path().join("k.toml");
    let run = |file: &str| {
        fs::write(&path, file).unwrap();
        let output = tma(
            Path::new(NO_DRIVER),
            &[],
            &["emulate", path.to_str().unwrap()],
        );
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    let (code, said) = run(FILE);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("error[missing-grid-wait]"), "{said}");
    assert!(said.contains("in the launch of `leads` before"), "{said}");
    let (code, said) = run(&FILE.replace("overlaps = true", "overlaps = false"));
    assert_eq!(code, Some(0), "{said}");
}
