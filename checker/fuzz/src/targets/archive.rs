use launch_archive::{Archive, PART_BYTES, seal};
use serde_json::Value;
use tma_cli::{emulate::Stopped, replay::Recording};
use tma_emulator::Config;

use super::Depth;

const MAX_STEPS: u64 = 20_000;

/// A line with the header of an archive, then PTX. The digests are right for every header.
pub(super) fn run(data: &[u8]) -> Depth {
    let text = String::from_utf8_lossy(data);
    let (header, ptx) = text.split_once('\n').unwrap_or((&text, ""));
    let runs: Vec<Vec<u8>> = memory(header);
    let mut sections = vec![
        (b"launch  ", header.as_bytes()),
        (b"ptx     ", ptx.as_bytes()),
    ];
    for (index, run) in runs.iter().enumerate() {
        let name = if index % 2 == 0 {
            b"before  "
        } else {
            b"changes "
        };
        if !run.is_empty() || index % 2 == 0 {
            sections.push((name, &run[1..]));
        }
    }
    sections.push((b"end     ", &[]));
    let bytes = seal(&sections);
    if let Err(damage) = Archive::read(&bytes) {
        assert!(damage.offset <= bytes.len() as u64, "{damage}");
        return Depth::Refused;
    }
    let recording = match Recording::read("fuzz", &bytes) {
        Ok(recording) => recording,
        Err(stopped) => {
            assert!(!stopped.to_string().is_empty());
            return Depth::Read;
        }
    };
    let config = Config {
        max_steps: MAX_STEPS,
        ..Config::default()
    };
    match recording.run(config) {
        Ok(run) => {
            run.diagnostics
                .iter()
                .for_each(|diagnostic| drop(diagnostic.to_string()));
            Depth::Ended
        }
        Err(Stopped::Violations(_)) => panic!("a launch file is wrong that there is not"),
        Err(stopped) => {
            assert!(!stopped.to_string().is_empty());
            Depth::Begun
        }
    }
}

/// A section before the launch and one of the changes for each memory with bytes, each after a byte; without this
/// byte there is no section.
fn memory(header: &str) -> Vec<Vec<u8>> {
    let header: Value = serde_json::from_str(header).unwrap_or_default();
    let regions = header["memory"].as_array().cloned().unwrap_or_default();
    let mut runs = Vec::new();
    for region in regions {
        let bytes = region["bytes"].as_u64().unwrap_or(0);
        // The header may claim more than exists.
        let parts = bytes.div_ceil(PART_BYTES as u64).min(2);
        for _ in 0..parts {
            runs.push(vec![0]);
            let has_after = region["has_after"].as_bool().unwrap_or(false);
            runs.push(if has_after { vec![0] } else { Vec::new() });
        }
    }
    runs
}
