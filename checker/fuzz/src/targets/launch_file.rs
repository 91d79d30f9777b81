use tma_cli::emulate::{Emulation, LaunchFile, Stopped};
use tma_emulator::Config;

use super::Depth;
use crate::corpus::root;

/// Larger files are read and not run.
const MAX_BUFFERS: u64 = 1 << 16;

pub(super) fn run(data: &[u8]) -> Depth {
    let text = String::from_utf8_lossy(data);
    // Paths are relative to the examples, so that some name a module.
    let folder = root().join("examples/emulate");
    let file = match LaunchFile::parse("fuzz.toml", &text, &folder) {
        Ok(file) => file,
        Err(violations) => {
            let lines = text.lines().count().max(1) + 1;
            assert!(violations.iter().count() > 0, "no mistake, and no file");
            for violation in violations.iter() {
                assert!((1..=lines).contains(&violation.line), "{violation:?}");
                assert!(
                    violation.column > 0 && !violation.says.is_empty(),
                    "{violation:?}"
                );
            }
            assert!(!violations.to_string().is_empty());
            return Depth::Refused;
        }
    };
    let blocks: u64 = file
        .launches()
        .map(|launch| launch.shape.grid.count())
        .sum();
    // Dumps would write to a path of the text's choice.
    if file.buffer_bytes() > MAX_BUFFERS || blocks > 64 || file.writes_files() {
        return Depth::Read;
    }
    let config = Config {
        max_steps: 50_000,
        ..Config::default()
    };
    let run = |emulation: Emulation| Ok(emulation.write(emulation.run(config)?));
    match Emulation::new(file).and_then(run) {
        Ok(run) => {
            run.diagnostics
                .iter()
                .for_each(|diagnostic| drop(diagnostic.to_string()));
            Depth::Ended
        }
        Err(Stopped::Violations(violations)) => {
            assert!(violations.iter().count() > 0);
            Depth::Begun
        }
        Err(_) => Depth::Begun,
    }
}
