//! `tma record` and `tma replay`: a program of the driver API, built by nvcc, with the library of `tma exec` as its
//! driver.
//!
//! Needs nvcc, which `cargo xtask setup --cuda` installs; without it the tests are listed as ignored.

mod archives;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};

use launch_archive::Archive;
use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;
use tma_build::tool_dirs;

type Test = fn(&Program) -> Result<(), Failed>;

const TESTS: &[(&str, Test)] = &[
    ("a_program_is_as_without_it", a_program_is_as_without_it),
    (
        "archives_have_what_is_reached",
        archives::archives_have_what_is_reached,
    ),
    ("large_memory_is_whole", archives::large_memory_is_whole),
    ("textures_are_recorded", archives::textures_are_recorded),
    ("the_heap_is_named", archives::the_heap_is_named),
    (
        "launches_are_replayed_the_same",
        launches_are_replayed_the_same,
    ),
    ("launches_are_chosen", launches_are_chosen),
    ("memory_has_a_limit", memory_has_a_limit),
    ("differences_are_told", differences_are_told),
    (
        "a_fault_of_the_gpu_is_explained",
        a_fault_of_the_gpu_is_explained,
    ),
    (
        "damage_is_refused_with_its_byte",
        damage_is_refused_with_its_byte,
    ),
    ("what_is_not_run_is_told", what_is_not_run_is_told),
];

fn main() {
    let arguments = Arguments::from_args();
    let has_nvcc = nvcc().is_some();
    if !has_nvcc {
        println!("skipped: no nvcc was found; `cargo xtask setup --cuda` installs it");
    }
    static PROGRAM: LazyLock<Result<Program, String>> = LazyLock::new(Program::build);
    let trials = TESTS.iter().map(|(name, test)| {
        let run = || match &*PROGRAM {
            Ok(program) => test(program),
            Err(why) => Err(why.into()),
        };
        Trial::test(*name, run).with_ignored_flag(!has_nvcc)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

fn nvcc() -> Option<PathBuf> {
    let paths = tool_dirs().map(|folder| folder.join("nvcc"));
    paths.into_iter().find(|path| path.is_file())
}

/// The program, and the results of recording all its launches.
struct Program {
    folder: TempDir,
    recorded: Output,
}

impl Program {
    fn build() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let nvcc = nvcc().ok_or("there is no nvcc")?;
        let toolkit = nvcc.parent().and_then(Path::parent).ok_or("no toolkit")?;
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/record/cuda");
        let compile = |source: &str, flags: &[&str], to: &str| {
            let output = Command::new(&nvcc)
                .args(["-std=c++17", "-lineinfo"])
                .args(flags)
                .arg("-I")
                .arg(toolkit.join("include"))
                .arg("-o")
                .arg(folder.path().join(to))
                .arg(sources.join(source))
                .output()
                .map_err(|error| error.to_string())?;
            match output.status.success() {
                true => Ok(()),
                false => Err(format!("nvcc: {}", text(&output.stderr))),
            }
        };
        let code = "-gencode=arch=compute_90a,code=compute_90a";
        compile("kernels.cu", &["-fatbin", code], "kernels.fatbin")?;
        compile("program.cpp", &["-cudart", "none", "-ldl"], "program")?;
        let archives = folder.path().join("all");
        let recorded = record(folder.path(), &["--out", path(&archives)], &[]);
        let recorded =
            recorded.map_err(|failed| failed.message().unwrap_or_default().to_owned())?;
        Ok(Self { folder, recorded })
    }

    /// Records the program into a folder with this name.
    fn record(&self, name: &str, flags: &[&str], arguments: &[&str]) -> Result<Output, Failed> {
        let out = self.folder.path().join(name);
        let flags = [flags, &["--out", path(&out)]].concat();
        record(self.folder.path(), &flags, arguments)
    }

    /// Returns the names of the archives in order.
    fn names(&self, folder: &str) -> Result<Vec<String>, Failed> {
        let mut names = Vec::new();
        for file in fs::read_dir(self.folder.path().join(folder))? {
            names.push(file?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    }

    /// Returns an archive of the whole program.
    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("all").join(name)
    }

    fn archive(&self, name: &str) -> Result<Archive, Failed> {
        Ok(Archive::read(&fs::read(self.file(name))?)?)
    }

    /// Writes an archive modified by a test.
    fn write(&self, name: &str, archive: &Archive) -> Result<PathBuf, Failed> {
        let path = self.folder.path().join(name);
        let mut bytes = Vec::new();
        archive.write(&mut bytes)?;
        fs::write(&path, bytes)?;
        Ok(path)
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap_or_default()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the library that replaces the driver.
fn driver() -> PathBuf {
    let command = Path::new(env!("CARGO_BIN_EXE_tma"));
    command.with_file_name("deps/libemulated_cuda.so")
}

fn record(folder: &Path, flags: &[&str], arguments: &[&str]) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    command
        .env("TMA_LIBCUDA", driver())
        .arg("record")
        .args(flags);
    command
        .arg(folder.join("program"))
        .arg(folder.join("kernels.fatbin"));
    Ok(command.args(arguments).output()?)
}

fn replay(flags: &[&str], archive: &Path) -> Result<Output, Failed> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
    Ok(command.arg("replay").args(flags).arg(archive).output()?)
}

/// Fails with the complete output unless it is as expected.
fn wanted(output: &Output, code: i32, parts: &[&str]) -> Result<(), Failed> {
    let all = text(&output.stdout) + &text(&output.stderr);
    match output.status.code() == Some(code) && parts.iter().all(|part| all.contains(part)) {
        true => Ok(()),
        false => Err(format!(
            "wanted {code}, {parts:?}; there is {}\n{all}",
            output.status
        )
        .into()),
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    match found == expected {
        true => Ok(()),
        false => Err(format!("wanted {expected:?}, found {found:?}").into()),
    }
}

fn a_program_is_as_without_it(program: &Program) -> Result<(), Failed> {
    let folder = program.folder.path().join("driver");
    fs::create_dir(&folder)?;
    std::os::unix::fs::symlink(driver(), folder.join("libcuda.so.1"))?;
    let plain = Command::new(program.folder.path().join("program"))
        .arg(program.folder.path().join("kernels.fatbin"))
        .env("LD_LIBRARY_PATH", folder)
        .output()?;
    wanted(&plain, 42, &["9 45.5 40, 200 201, 1128, 157.75\n"])?;
    equal(&text(&program.recorded.stdout), &text(&plain.stdout))?;
    let last = format!(
        "\ntma record: 14 launches recorded in {}, 3.0 MiB\n",
        program.folder.path().join("all").display()
    );
    wanted(&program.recorded, 42, &[&last])?;
    let names = [
        "0001-scale.launch",
        "0002-scale.launch",
        "0003-negate_kept.launch",
        "0004-sum_columns.launch",
        "0005-reverse.launch",
        "0006-ranks.launch",
        "0007-count.launch",
        "0008-scale.launch",
        "0009-scale.launch",
        "0010-scale.launch",
        "0011-add_texels.launch",
        "0012-borrow.launch",
        "0013-leave.launch",
        "0014-take.launch",
    ];
    equal(&program.names("all")?, &names.map(str::to_owned).to_vec())
}

fn launches_are_replayed_the_same(program: &Program) -> Result<(), Failed> {
    for name in program.names("all")? {
        if ["leave", "take"].iter().any(|kernel| name.contains(kernel)) {
            // These kernels' memory contains pointers into the heap.
            continue;
        }
        let file = program.file(&name);
        let output = replay(&[], &file)?;
        if !name.contains("reverse") {
            wanted(&output, 0, &["\nclean: seed 0, "])?;
            continue;
        }
        let parts = [
            "launch 5 of program on NVIDIA H100 80GB HBM3 (emulated): `reverse`, 1 x 1 x 1 blocks of 64 x 1 x 1 threads\n",
            "error[data-race]",
            "kernels.cu:",
            "      0005-reverse.ptx:",
            &format!("  = again: tma replay {} --seed 0\n", file.display()),
            "\nfindings: seed 0, ",
        ];
        wanted(&output, 1, &parts)?;
        let both = Command::new(env!("CARGO_BIN_EXE_tma"))
            .arg("replay")
            .args([&file, &program.file("0001-scale.launch")])
            .output()?;
        wanted(&both, 1, &["\nfindings: ", "\nclean: "])?;
    }
    let file = program.file("0001-scale.launch");
    let ptx = program.folder.path().join("ptx");
    let output = replay(&["--no-check", "--ptx", path(&ptx)], &file)?;
    wanted(&output, 0, &["\nclean: seed 0, "])?;
    let written = fs::read_to_string(ptx.join("0001-scale.ptx"))?;
    equal(&written, &program.archive("0001-scale.launch")?.ptx)?;
    wanted(
        &replay(&["--seeds", "0..3"], &file)?,
        0,
        &["clean: all of 3 seeds"],
    )?;
    let json = replay(&["--json"], &program.file("0005-reverse.launch"))?;
    let value: serde_json::Value = serde_json::from_slice(&json.stdout)?;
    equal(&value["verdict"], &"findings".into())?;
    equal(
        &value["runs"][0]["findings"][0]["kind"],
        &"data-race".into(),
    )
}

fn launches_are_chosen(program: &Program) -> Result<(), Failed> {
    let output = program.record("chosen", &["--kernel", "sc*e", "--launches", "2..9"], &[])?;
    wanted(
        &output,
        42,
        &["tma record: 2 launches recorded in ", ", 12 not chosen\n"],
    )?;
    let names = ["0002-scale.launch", "0008-scale.launch"].map(str::to_owned);
    equal(&program.names("chosen")?, &names.to_vec())?;
    let output = program.record("others", &["--kernel", "count", "--kernel", "ranks"], &[])?;
    wanted(&output, 42, &["tma record: 2 launches recorded in "])
}

fn memory_has_a_limit(program: &Program) -> Result<(), Failed> {
    let output = program.record("little", &["--max-bytes", "5000"], &[])?;
    let parts = [
        "not recorded: `sum_columns`, 1 launch: the total exceeds the 5000 bytes of `--max-bytes`\n",
        "tma record: ",
        " not recorded\n",
    ];
    wanted(&output, 42, &parts)?;
    equal(&text(&output.stdout), &text(&program.recorded.stdout))
}

fn differences_are_told(program: &Program) -> Result<(), Failed> {
    let mut archive = program.archive("0001-scale.launch")?;
    for region in &mut archive.memory {
        if let Some(after) = region
            .after
            .as_mut()
            .filter(|_| region.name == "cuMemAlloc 1")
        {
            after[4 * 57 + 3] ^= 0x80;
            after[4 * 1002] ^= 1;
        }
    }
    let output = replay(&[], &program.write("other.launch", &archive)?)?;
    let parts = [
        "error[mismatch]: `cuMemAlloc 1` (argument 0): 2 of 1003 words of 4 bytes differ; at byte 228 the GPU has \
         0xc0c00000 (-6.0 as an f32), the emulator 0x40c00000 (6.0 as an f32)\n",
        "\nfindings: seed 0, ",
    ];
    wanted(&output, 1, &parts)?;
    archive = program.archive("0006-ranks.launch")?;
    archive.launch.error = Some(719);
    let output = replay(&[], &program.write("failed.launch", &archive)?)?;
    let told =
        "`ranks`: the GPU ended the kernel with error 719, but it ran to its end on the emulator";
    wanted(&output, 1, &[told])
}

fn a_fault_of_the_gpu_is_explained(program: &Program) -> Result<(), Failed> {
    let output = program.record("fault", &[], &["fault"])?;
    let parts = [
        "cuStreamSynchronize: error 700",
        "tma record: 1 launch recorded in ",
    ];
    wanted(&output, 4, &parts)?;
    let file = program.folder.path().join("fault/0001-past_the_end.launch");
    let archive = Archive::read(&fs::read(&file)?)?;
    equal(&archive.launch.error, &Some(700))?;
    let parts = [
        "error[out-of-bounds]",
        "the nearest is `cuMemAlloc 1`, 4012 bytes",
        "\nfindings: seed 0",
    ];
    wanted(&replay(&[], &file)?, 1, &parts)?;
    wanted(
        &replay(&["--no-check"], &file)?,
        1,
        &["error[fault]: CUDA_ERROR_ILLEGAL_ADDRESS"],
    )
}

fn damage_is_refused_with_its_byte(program: &Program) -> Result<(), Failed> {
    let whole = fs::read(program.file("0001-scale.launch"))?;
    let file = program.folder.path().join("damaged.launch");
    for len in [0, 9, 16, 30, 500, 3000, whole.len() - 5000, whole.len() - 1] {
        fs::write(&file, &whole[..len])?;
        let told = format!(
            "error: load: {}: byte {len}: the file ends here; ",
            file.display()
        );
        wanted(&replay(&[], &file)?, 2, &[&told])?;
    }
    for at in [3, 20, 400, 5000, whole.len() - 2000, whole.len() - 3] {
        let mut altered = whole.clone();
        altered[at] ^= 4;
        fs::write(&file, &altered)?;
        let output = replay(&[], &file)?;
        wanted(
            &output,
            2,
            &[&format!("error: load: {}: byte ", file.display())],
        )?;
        let told = text(&output.stdout);
        let offset = told
            .split("byte ")
            .nth(1)
            .and_then(|rest| rest.split(':').next());
        let offset: usize = offset.unwrap_or_default().parse()?;
        if offset > at {
            return Err(format!("byte {at} was altered: {told}").into());
        }
    }
    let missing = replay(&[], &program.folder.path().join("none.launch"))?;
    wanted(&missing, 2, &["none.launch: No such file or directory"])
}

fn what_is_not_run_is_told(program: &Program) -> Result<(), Failed> {
    let tma = |driver: &Path, arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tma"));
        command
            .env("TMA_LIBCUDA", driver)
            .arg("record")
            .args(arguments)
            .output()
    };
    let out = program.folder.path().join("shell");
    let out = ["--out", path(&out)];
    let none = Path::new("/nowhere/libcuda.so.1");
    let told = "error: no CUDA driver (/nowhere/libcuda.so.1 was not found); `tma record` runs a program on a GPU, and \
                `tma exec` runs it without one\n";
    wanted(&tma(none, &[&out[..], &["/bin/sh"]].concat())?, 2, &[told])?;
    let shell = tma(
        &driver(),
        &[&out[..], &["/bin/sh", "-c", "echo out; exit 3"]].concat(),
    )?;
    let told = "tma record: the program made no CUDA driver calls\n";
    wanted(&shell, 3, &["out\n", told])?;
    // An unfinished archive, as left by a program that was killed.
    let script = format!("echo > {}/0003-k-77.part; kill -9 $$", out[1]);
    let killed = tma(&driver(), &[&out[..], &["/bin/sh", "-c", &script]].concat())?;
    wanted(
        &killed,
        128 + 9,
        &["not recorded: 0003-k-77, which was being written", told],
    )?;
    equal(&program.names("shell")?, &Vec::new())?;
    let missing = tma(&driver(), &[&out[..], &["/there/is/none"]].concat())?;
    wanted(&missing, 2, &["error: cannot run `/there/is/none`"])?;
    let full = program.record("all", &[], &[])?;
    wanted(
        &full,
        2,
        &["all is not empty; use another folder with `--out`"],
    )?;
    let wrong = program.record("wrong", &["--launches", "0..3"], &[])?;
    wanted(&wrong, 2, &["launch numbers start at 1"])
}
