use std::path::Path;

use tma_emulator::Config;
use tma_cli::emulate::{Emulation, LaunchFile, Stopped};

use super::Depth;

/// Larger files are read and not run.
const MAX_BUFFERS: u64 = 1 << 16;

/// Paths are relative to the examples, so that some name a module.
fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/emulate"))
}

pub(super) fn run(data: &[u8]) -> Depth {
    let text = String::from_utf8_lossy(data);
    let file = match LaunchFile::parse("fuzz.toml", &text, folder()) {
        Ok(file) => file,
        Err(mistakes) => {
            let lines = text.lines().count().max(1) + 1;
            assert!(mistakes.iter().count() > 0, "no mistake, and no file");
            for mistake in mistakes.iter() {
                assert!((1..=lines).contains(&mistake.line), "{mistake:?}");
                assert!(
                    mistake.column > 0 && !mistake.says.is_empty(),
                    "{mistake:?}"
                );
            }
            assert!(!mistakes.to_string().is_empty());
            return Depth::Refused;
        }
    };
    let blocks: u64 = file
        .launches()
        .map(|launch| launch.shape.grid.count())
        .sum();
    // Dumps would write where the text says.
    if file.buffer_bytes() > MAX_BUFFERS || blocks > 64 || file.writes_files() {
        return Depth::Read;
    }
    let config = Config {
        max_steps: 50_000,
        ..Config::default()
    };
    match Emulation::new(file).and_then(|emulation| emulation.run(config)) {
        Ok(run) => {
            run.findings
                .iter()
                .for_each(|finding| drop(finding.to_string()));
            Depth::Ended
        }
        Err(Stopped::Mistakes(mistakes)) => {
            assert!(mistakes.iter().count() > 0);
            Depth::Begun
        }
        Err(_) => Depth::Begun,
    }
}
