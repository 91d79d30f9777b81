//! Launch files with textures and surfaces.

use std::fs;

use tma_cli::emulate::{Emulation, LaunchFile, Verdict};
use tma_emulator::Config;

/// Thread `t` fetches layer 1 at x = t + 1.0, between two texels, and y = 1.5. It stores the second channel,
/// rounded, to a column of the surface.
const PTX: &str = "
.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 picture, .param .u64 to)
{
    .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<8>;
    ld.param.u64 %rd1, [picture];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %tid.x;
    cvt.rn.f32.u32 %f1, %r1;
    add.f32 %f1, %f1, 0f3F800000;
    mov.f32 %f2, 0f3FC00000;
    mov.u32 %r2, 1;
    tex.a2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%r2, %f1, %f2, %f2}];
    mul.f32 %f4, %f4, 0f437F0000;
    cvt.rni.u32.f32 %r3, %f4;
    shl.b32 %r4, %r1, 2;
    sust.b.1d.b32.trap [%rd2, {%r4}], {%r3};
    ret;
}
";

const FILE: &str = r#"
module = "k.ptx"

[buffers.bytes]
type = "u8"
length = 24
contents = { iota = { step = 10 } }

[buffers.out]
type = "u32"
length = 3

[textures.picture]
buffer = "bytes"
channels = 2
dims = [3, 2, 2]
layered = true
filter = "linear"
address_modes = ["border", "clamp"]
border = [0.25, 0]
read_mode = "normalized_float"

[textures.out]
buffer = "out"

[[launch]]
entry = "k"
grid = 1
block = 3
arguments = [{ texture = "picture" }, { surface = "out" }]

[[expect]]
buffer = "out"
# Texels are (180, 190), (200, 210), (220, 230), and the border has 0.
contents = [200, 220, 115]
"#;

fn parse(text: &str) -> Result<LaunchFile, String> {
    let folder = tempfile::tempdir().expect("there is a folder");
    fs::write(folder.path().join("k.ptx"), PTX).expect("it is written");
    let file = LaunchFile::parse("k.toml", text, folder.path());
    let file = file.map_err(|violations| violations.to_string())?;
    // The module is read here, while the folder exists.
    Emulation::new(file.clone()).map_err(|stopped| stopped.to_string())?;
    Ok(file)
}

#[test]
fn textures_and_surfaces_of_buffers() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("k.ptx"), PTX).unwrap();
    let file = LaunchFile::parse("k.toml", FILE, folder.path()).unwrap();
    let emulation = Emulation::new(file).unwrap();
    for checks in [true, false] {
        let config = Config {
            checks,
            ..Config::default()
        };
        let run = emulation.write(emulation.run(config).unwrap());
        assert_eq!(run.verdict(), Verdict::Clean, "{:?}", run.diagnostics);
    }
    let other = FILE.replace("contents = [200, 220, 115]", "contents = [200, 220, 116]");
    let file = LaunchFile::parse("k.toml", &other, folder.path()).unwrap();
    let emulation = Emulation::new(file).unwrap();
    let run = emulation.write(emulation.run(Config::default()).unwrap());
    assert_eq!(run.verdict(), Verdict::Findings);
}

#[test]
fn what_is_wrong_with_a_texture_is_said() {
    let cases = [
        (
            "dims = [3, 2, 2]",
            "dims = [3, 3, 2]",
            "36 bytes of texels exceed the 24 bytes of buffer `bytes`",
        ),
        (
            "channels = 2",
            "channels = 3",
            "a texel has 3 channels; it must have 1, 2 or 4",
        ),
        (
            "dims = [3, 2, 2]\n",
            "",
            "texels with several channels need `dims`, in texels",
        ),
        (
            "layered = true",
            "cube = true",
            "a face of a cube map is 3 texels wide and 2 high",
        ),
        (
            "dims = [3, 2, 2]",
            "dims = [3]",
            "`dims` has length 1; a texture must have one to three dimensions",
        ),
        (
            "\"normalized_float\"",
            "\"element\"",
            "the filter mode is linear, but the texture returns integers",
        ),
        (
            "\"border\", \"clamp\"",
            "\"border\", \"clam\"",
            "unknown value `clam`: did you mean `clamp`?",
        ),
        (
            "surface = \"out\"",
            "surface = \"picture2\"",
            "there is no texture `picture2`",
        ),
        (
            "surface = \"out\"",
            "surface = \"out\", u32 = 1",
            "`{ surface = \"x\" }`",
        ),
        (
            "layered = true",
            "layered = true\npitch_bytes = 64",
            "`pitch_bytes` requires two dimensions",
        ),
        (
            "type = \"u32\"",
            "type = \"u64\"",
            "of `u64`, which are not valid texels",
        ),
    ];
    for (from, to, part) in cases {
        let text = FILE.replacen(from, to, 1);
        assert_ne!(text, FILE, "{from}");
        let says = parse(&text).expect_err(to);
        assert!(says.contains(part), "{says}");
    }
}
