mod launches;
mod log;

use std::{
    env,
    ffi::OsString,
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context, Result, anyhow, ensure};
use tma_launch::{escape_name, escape_text};

use crate::{
    exec::{
        code,
        library::{DRIVERS, Library, contents, search_path},
        stub::shared_object,
    },
    interrupt,
};
use launches::Launches;
use log::Log;

/// Runs a CUDA program on a GPU and writes each kernel launch as an archive for `tma replay`
///
/// The program keeps its own output, exit code and results: launches that cannot be recorded run as usual and are
/// listed at the end. `docs/record.md` describes the archives. Exit code: the program's, or 2 if the program did
/// not run.
#[derive(clap::Args)]
pub(crate) struct Record {
    /// Record only kernels with this name in PTX; `*` matches any text
    #[arg(long, value_name = "NAME")]
    kernel: Vec<String>,
    /// Record only these launches, counted from 1, as in 3 or 3..7
    #[arg(long, value_name = "FROM..TO")]
    launches: Option<Launches>,
    /// Total limit in bytes of memory copied before launches; later launches are not recorded
    #[arg(long, value_name = "BYTES", default_value_t = 8 << 30)]
    max_bytes: u64,
    /// Folder for the archives; created if missing, must be empty
    #[arg(long, value_name = "FOLDER", default_value = "launches")]
    out: PathBuf,
    /// Report at the end how long the program waited, and for what
    #[arg(long)]
    times: bool,
    /// Program to run, and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        value_names = ["PROGRAM", "ARGUMENTS"]
    )]
    command: Vec<OsString>,
}

/// Environment variable with the folder of the options and the log.
const VARIABLE: &str = "TMA_RECORD";

/// Environment variable with the folder of the driver that Triton links its launcher against; the program's driver
/// library contains no functions.
const TRITON_VARIABLE: &str = "TRITON_LIBCUDA_PATH";

const RECORDER: Library = Library {
    file: "libcuda_recorder.so",
    variable: "TMA_CUDA_RECORDER",
    contents: contents!("cuda_recorder"),
};

impl Record {
    pub(crate) fn run(self) -> Result<ExitCode> {
        self.record().or_else(|error| {
            eprintln!("error: {}", escape_text(&format!("{error:#}")));
            Ok(ExitCode::from(2))
        })
    }

    fn record(&self) -> Result<ExitCode> {
        let driver = cuda_driver::file().ok_or_else(|| {
            anyhow!(
                "{}; `tma record` runs a program on a GPU, and `tma exec` runs it without one",
                cuda_driver::status()
            )
        })?;
        let library = RECORDER.find()?;
        let archives = std::path::absolute(&self.out)?;
        make_empty(&archives)?;
        let folder = tempfile::Builder::new().prefix("tma-record-").tempdir()?;
        fs::write(
            folder.path().join("options"),
            self.options(&driver, &archives)?,
        )?;
        for name in DRIVERS {
            let needed = [&library, &driver].map(|path| path.to_str());
            let [Some(library), Some(driver)] = needed else {
                return Err(anyhow!("the path of a library is not UTF-8"));
            };
            let stub = shared_object(name, &[library, driver]);
            fs::write(folder.path().join(name), stub)?;
        }
        let (program, arguments) = self
            .command
            .split_first()
            .context("pass the program to run")?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env("LD_LIBRARY_PATH", search_path(folder.path()))
            .env(VARIABLE, folder.path());
        let linked = driver
            .parent()
            .filter(|path| path.join(DRIVERS[0]).exists());
        if let Some(linked) = linked.filter(|_| env::var_os(TRITON_VARIABLE).is_none()) {
            command.env(TRITON_VARIABLE, linked);
        }
        let status = interrupt::run(&mut command)
            .with_context(|| format!("cannot run `{}`", program.display()))?;
        let log = match fs::read_to_string(folder.path().join("log")) {
            Ok(text) => Log::parse(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Log::default(),
            Err(error) => return Err(error).context("cannot read the log of the recording"),
        };
        for unfinished in remove_unfinished(&archives)? {
            eprintln!(
                "not recorded: {}, which was being written when the program was ended",
                escape_name(&unfinished)
            );
        }
        eprint!("{}", escape_text(&log.closing(&self.out)));
        if self.times {
            eprint!("{}", escape_text(&log.waits().to_string()));
        }
        Ok(code(status))
    }

    /// Returns the options as lines of a key and a value, which the library reads.
    fn options(&self, driver: &Path, archives: &Path) -> Result<String> {
        let mut text = String::new();
        writeln!(text, "driver {}", driver.display())?;
        writeln!(text, "archives {}", archives.display())?;
        writeln!(text, "max-bytes {}", self.max_bytes)?;
        if let Some(Launches { first, last }) = self.launches {
            writeln!(text, "first-launch {first}\nlast-launch {last}")?;
        }
        for kernel in &self.kernel {
            writeln!(text, "kernel {kernel}")?;
        }
        Ok(text)
    }
}

/// Creates the folder or requires that it is empty, since archives of two runs must not be mixed.
fn make_empty(folder: &Path) -> Result<()> {
    let cannot = || format!("cannot create the folder {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    let is_empty = fs::read_dir(folder).with_context(cannot)?.next().is_none();
    ensure!(
        is_empty,
        "the folder {} is not empty; use another folder with `--out`",
        folder.display()
    );
    Ok(())
}

/// Removes unfinished archives of a program that ended without `exit`, and returns their names.
fn remove_unfinished(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "part")
        {
            fs::remove_file(&path)?;
            let name = path.file_stem().unwrap_or_default();
            names.push(name.to_string_lossy().into_owned());
        }
    }
    Ok(names)
}
