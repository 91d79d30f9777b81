//! `tma finish` without ptxas.

#[allow(dead_code, reason = "other tests use the rest")]
mod support;

use std::{fs, path::Path, process::Output};

use support::{NO_DRIVER, printed, refused, tma, unreadable};

const KERNELS: &str = "\
.version 9.2
.target sm_100a
.address_size 64
.pragma \"tma kernel tile maxntid=64,1,1 grid_constants=0\";
.visible .entry tile(.param .align 16 .b8 tile_param_0[128])
{
	ret;
}
";

/// Runs `tma finish` in a folder with `in.ptx`, which has this text; returns the written text, too.
fn finish(text: &str, arguments: &[&str]) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    let [input, output] = ["in.ptx", "out.ptx"].map(|name| folder.path().join(name));
    fs::write(&input, text).unwrap();
    let (input, output) = (input.to_str().unwrap(), output.to_str().unwrap());
    let fixed = ["finish", input, "--output", output, "--ptxas", "never"];
    let arguments = [&fixed, arguments].concat();
    let result = tma(Path::new(NO_DRIVER), &[], &arguments);
    (result, fs::read_to_string(output).unwrap_or_default())
}

#[test]
fn a_module_is_finished_for_another_architecture() {
    let (output, text) = finish(KERNELS, &["--arch", "sm_90a"]);
    let said = printed(&output);
    assert!(
        said.ends_with("out.ptx: finished for sm_90a, 1 kernels with markers\nnot assembled\n"),
        "{said}"
    );
    assert!(text.starts_with(".version 8.0\n.target sm_90a\n"), "{text}");
    assert!(
        text.contains(".maxntid 64, 1, 1") && text.contains(".align 64 .b8"),
        "{text}"
    );
    let (_, text) = finish(KERNELS, &["--arch", "sm_120a", "--ptx-isa", "8.8"]);
    assert!(
        text.starts_with(".version 8.8\n.target sm_120a\n"),
        "{text}"
    );
}

#[test]
fn mistakes_have_the_exit_codes_of_the_other_verbs() {
    let invalid = KERNELS.replace("tma kernel tile", "tma kernel tale");
    let (output, text) = finish(&invalid, &["--arch", "sm_90a"]);
    let said = unreadable(&output);
    assert!(
        said.contains("in.ptx:4: there is no entry `tale`"),
        "{said}"
    );
    assert_eq!(text, "");
    let wrong = KERNELS.replace("ret;", "call gone;") + ".func gone;\n";
    let (output, text) = finish(&wrong, &["--arch", "sm_90a"]);
    let said = refused(&output);
    assert!(
        said.contains("unresolved-function: in `tile`") && said.contains("in.ptx:7"),
        "{said}"
    );
    assert_eq!(text, "");
    for arguments in [
        &["--arch", "sm_80"][..],
        &["--arch", "sm_90a", "--ptx-isa", "8"],
    ] {
        unreadable(&finish(KERNELS, arguments).0);
    }
}
