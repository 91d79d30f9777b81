//! The corpus that the search begins with: the PTX, launch files and maps of the repository.

use std::{env, fs, path::PathBuf};

use tensor_map::{DataType, Im2col, Interleave, Params, Swizzle, Tiled};

use crate::{Rng, Target, targets::HEADER_BYTES};

/// The repository, or the folder that `TMA_FUZZ_ROOT` names, with the files of the corpus in their places.
pub fn root() -> PathBuf {
    let repository = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    env::var_os("TMA_FUZZ_ROOT").map_or(repository.into(), PathBuf::from)
}

/// The inputs of a target.
pub fn seeds(target: Target) -> Vec<Vec<u8>> {
    match target {
        Target::Ptx => modules().into_iter().map(String::into_bytes).collect(),
        Target::Launch => launches(),
        Target::LaunchFile => launch_files().into_iter().map(String::into_bytes).collect(),
        Target::Protocol => protocols(),
        Target::TensorMap => maps(),
        Target::Archive => archives(),
        Target::FatBinary => binaries(),
        Target::Driver => calls(),
        Target::Flags => flags(),
    }
}

/// Headers of archives, each with a kernel: a line, and PTX.
fn archives() -> Vec<Vec<u8>> {
    const ADDRESS: u64 = 0x7f00_0000_0000;
    let mut all = Vec::new();
    for text in texts("examples/emulate", "ptx") {
        let Ok(module) = ptx::parse(&text) else {
            continue;
        };
        for entry in module.entries() {
            let arguments = entry.parameters.iter().map(|parameter| {
                let bytes = parameter.size_bytes().unwrap_or(0) as usize;
                let mut value = vec![0; bytes];
                if bytes == 8 {
                    value.copy_from_slice(&ADDRESS.to_le_bytes());
                }
                value
            });
            let launch = launch_archive::Launch {
                program: "p".to_owned(),
                number: 1,
                entry: entry.name.as_str().to_owned(),
                grid: [1; 3],
                block: [32, 1, 1],
                cluster: Some([1; 3]),
                shared_bytes: 1024,
                arguments: arguments.collect(),
                device: "gpu".to_owned(),
                driver: 13000,
                gaps: vec!["something".to_owned()],
                ..Default::default()
            };
            let region = |name: &str, kind: &str, address: u64| {
                serde_json::json!({
                    "name": name, "kind": kind, "address": address, "bytes": 4096, "has_after": true,
                })
            };
            let memory = [
                region("cuMemAlloc 1", "allocation", ADDRESS),
                region("cuArrayCreate 2", "array", 0x55),
            ];
            let header = serde_json::json!({ "launch": launch, "memory": memory });
            all.push(format!("{header}\n{text}").into_bytes());
        }
    }
    all
}

/// Texts, and fat binaries and wrappers with one entry.
fn binaries() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let mut texts = texts("examples/emulate", "ptx");
    texts.push(".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { ret; }\n".to_owned());
    for text in texts.iter().filter(|text| text.len() < 1 << 15) {
        all.push([text.as_bytes(), &[0]].concat());
        let payload = text.len().next_multiple_of(8);
        let mut entry = vec![0; 64];
        entry[0..2].copy_from_slice(&1_u16.to_le_bytes());
        entry[4..8].copy_from_slice(&64_u32.to_le_bytes());
        entry[8..16].copy_from_slice(&(payload as u64).to_le_bytes());
        entry[28..32].copy_from_slice(&90_u32.to_le_bytes());
        entry[56..64].copy_from_slice(&(text.len() as u64).to_le_bytes());
        entry.extend(text.as_bytes());
        entry.resize(64 + payload, 0);
        let mut binary = 0xba55_ed50_u32.to_le_bytes().to_vec();
        binary.extend([1, 0, 16, 0]);
        binary.extend((entry.len() as u64).to_le_bytes());
        binary.extend(entry);
        let mut wrapper = 0x4662_43b1_u32.to_le_bytes().to_vec();
        wrapper.extend(1_u32.to_le_bytes());
        wrapper.extend([0; 8]);
        all.push([wrapper, binary.clone()].concat());
        all.push(binary);
    }
    all
}

/// Choices of calls.
fn calls() -> Vec<Vec<u8>> {
    let mut rng = Rng(3);
    let mut choices = || (0..16 * 8).map(|_| rng.draw() as u8).collect();
    (0..256).map(|_| choices()).collect()
}

/// Flags as they are used, one a line.
fn flags() -> Vec<Vec<u8>> {
    let lines = [
        "emulate\nadd_one.toml\n--seed\n3",
        "emulate\nadd_one.toml\n--seeds\n0..3\n--jobs\n2\n--fail-fast",
        "emulate\nadd_one.toml\n--max-steps\n1000\n--max-printed\n7\n--strict\n--json",
        "emulate\nadd_one.toml\n--no-check\n--trace\nout.json",
        "emulate\nadd_one.toml\n--suppressions\nadd_one.toml",
        "emulate\n/dev/zero",
        "replay\nadd_one.toml\n--ptx\nfolder\n--seeds\n0..=2",
        "inspect\nadd_one.ptx\n--json",
        "inspect\nadd_one.ptx\n--entry\nadd_one",
        "map\nexplain\n--type\nf16\n--dims\n64,32\n--box\n16,8\n--swizzle\n128B",
        "map\ncheck\n--type\nf32\n--dims\n64,32,7\n--box\n16,8,1\n--strides\n256,8192\n--json",
        "map\ndraw\n--type\nf32\n--dims\n64,32\n--box\n16,8\n--at\n-1,2\n-o\nmap.svg",
        "map\ndiff\n--type\nu8\n--dims\n64\n--box\n16\n--address\n0x1000",
        "exec\n--seed\n-1\n--error-exitcode\n9\n/bin/true",
        "devices\n--json",
    ];
    lines.iter().map(|line| line.as_bytes().to_vec()).collect()
}

/// Choices of a generator.
fn protocols() -> Vec<Vec<u8>> {
    let mut rng = Rng(0);
    let mut choices = || (0..16).map(|_| rng.draw() as u8).collect();
    (0..32).map(|_| choices()).collect()
}

/// Texts of all files below a folder that end so.
fn texts(folder: &str, extension: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut folders = vec![root().join(folder)];
    let mut paths: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => paths.push(path),
            }
        }
    }
    paths.sort();
    for path in paths {
        if path.extension().is_some_and(|found| found == extension) {
            all.extend(fs::read_to_string(path).ok());
        }
    }
    all
}

/// Modules, whole and one kernel at a time.
fn modules() -> Vec<String> {
    let mut all = Vec::new();
    for folder in ["tests/fixtures/ptx", "tests/golden/ptx", "examples/emulate"] {
        for text in texts(folder, "ptx") {
            if let Ok(module) = ptx::parse(&text) {
                let entries = module.entries();
                let kernels = entries.filter_map(|entry| module.extract(entry.name.as_str()));
                all.extend(kernels.map(|kernel| kernel.to_string()));
            }
            all.push(text);
        }
    }
    all
}

/// An instruction of each form.
pub fn forms() -> Vec<String> {
    ptx_isa::forms().map(|form| form.example()).collect()
}

/// A kernel around some lines, with initialised registers.
pub fn around(body: &str) -> String {
    format!(
        ".version 9.0\n.target sm_90a\n.address_size 64\n\
         .global .align 128 .b8 data[1024];\n\
         .extern .shared .align 128 .b8 dynamic[];\n\
         .func (.reg .b32 d) f(.reg .b32 a) {{ mov.b32 d, a; ret; }}\n\
         .visible .entry k(.param .u64 a, .param .align 64 .b8 map[128], .param .u32 n)\n{{\n\
         .shared .align 128 .b8 memory[4096];\n.shared .align 8 .b64 bar;\n\
         .reg .pred %p<20>; .reg .b8 %b<8>; .reg .b16 %h<20>; .reg .b16 %rs<20>; .reg .b32 %r<40>;\n\
         .reg .b64 %rd<40>; .reg .f32 %f<40>; .reg .f64 %fd<20>; .reg .b128 %q<8>;\n\
         ld.param.u64 %rd2, [a]; ld.param.u32 %r2, [n];\nmov.u32 %r10, bar;\n\
         mov.u32 %r11, memory; mov.u32 %r1, %tid.x;\n\
         cvt.u64.u32 %rd5, %r10; cvta.shared.u64 %rd1, %rd5;\n\
         mov.b64 %rd3, map; cvta.param.u64 %rd4, %rd3;\nsetp.lt.u32 %p1, %r1, 7;\n\
         setp.eq.u32 %p2, %r1, 0;\n@%p2 mbarrier.init.shared::cta.b64 [%r10], 1;\n\
         bar.sync 0;\n{body}\nL1:\nret;\n}}\n"
    )
}

fn launches() -> Vec<Vec<u8>> {
    let mut rng = Rng(1);
    let forms = forms();
    let mut texts = modules();
    for _ in 0..400 {
        let lines: Vec<&str> = (0..1 + rng.below(6))
            .filter_map(|_| rng.pick(&forms).map(String::as_str))
            .collect();
        texts.push(around(&lines.join("\n")));
    }
    let with_header = |text: String| {
        let header = rng.draw().to_le_bytes();
        let mut input = header[..HEADER_BYTES].to_vec();
        input.extend(text.into_bytes());
        input
    };
    texts.into_iter().map(with_header).collect()
}

fn launch_files() -> Vec<String> {
    let mut all = texts("examples/emulate", "toml");
    let page = fs::read_to_string(root().join("docs/emulate.md")).unwrap_or_default();
    let snippets = page.split("```toml\n").skip(1);
    all.extend(snippets.filter_map(|rest| Some(rest.split_once("```")?.0.to_owned())));
    all
}

fn maps() -> Vec<Vec<u8>> {
    let mut rng = Rng(2);
    let mut all = Vec::new();
    for _ in 0..300 {
        let rank = 1 + rng.below(5);
        let ty = *rng.pick(&DataType::ALL).unwrap_or(&DataType::U8);
        let dims: Vec<u64> = (0..rank).map(|_| 16 * (1 + rng.below(20) as u64)).collect();
        let box_dims: Vec<u32> = (0..rank)
            .map(|axis| {
                if axis == 0 {
                    16
                } else {
                    1 + rng.below(8) as u32
                }
            })
            .collect();
        let swizzle = *rng.pick(&Swizzle::ALL).unwrap_or(&Swizzle::None);
        let params: Params = match rank > 2 && rng.one_in(2) {
            true => Im2col::new(ty, &dims)
                .channels_per_pixel(16)
                .pixels_per_column(1 + rng.below(64) as u32)
                .swizzle(swizzle)
                .params(),
            false => {
                let tiled = Tiled::new(ty, &dims).box_dims(&box_dims).swizzle(swizzle);
                match rank > 2 && rng.one_in(3) {
                    true => tiled.interleave(Interleave::B32).params(),
                    false => tiled.params(),
                }
            }
        };
        if let Ok(map) = params.build_for(0x7f00_0000_0000, Default::default()) {
            let mut input = map.to_bytes().to_vec();
            for _ in 0..8 {
                let at = 16 * (rng.below(40) as i32 - 4);
                input.extend(at.to_le_bytes());
            }
            all.push(input);
        }
    }
    all
}
