//! Runs the rows at a small size on the emulator, and checks the results of kernels and CUDA versions.

use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, DeviceDescription, Job, Ptx};

use super::*;
use crate::{of_both::of_both, pattern::hash};

pub(super) const BYTES: u64 = 1 << 20;

/// Returns a small device, so that blocks have many items.
pub(super) fn device() -> DeviceDescription {
    DeviceDescription {
        name: "small".to_owned(),
        multiprocessors: 2,
        ..DeviceDescription::h100()
    }
}

/// Returns the job of a row's launches.
pub(super) fn job<'a>(row: &Ported, text: &'a str) -> Job<'a> {
    let source: Vec<u32> = (0..BYTES / 4).map(hash).collect();
    let poison = if row.from_zero { 0_u8 } else { 0xa5 };
    let mut buffers = vec![
        Buffer::new("source", &source),
        Buffer::new("destination", &vec![poison; BYTES as usize]),
    ];
    let inputs = inputs(BYTES).unwrap();
    buffers.extend(inputs.iter().map(|input| Buffer::new("input", input)));
    let launches = [&row.before, &Some(row.launch.clone()), &row.after];
    Job {
        ptx: Ptx {
            name: "module",
            text,
        },
        further: Vec::new(),
        buffers,
        launches: launches.into_iter().flatten().cloned().collect(),
    }
}

/// Returns the words of the destination after a row's launches.
fn run(row: &Ported, text: &str) -> Vec<u32> {
    let mut job = job(row, text);
    let outcome = EmulatorBackend::new(3).run(&mut job);
    outcome.unwrap_or_else(|wrong| panic!("{} {}: {wrong}", row.kernel, row.variant));
    job.buffers[DST].to_vec().unwrap()
}

fn kernels_write_what_is_expected(text: &str) {
    for row in all(&device(), 2, BYTES).unwrap() {
        let words = run(&row, text);
        let name = format!("{} {}", row.kernel, row.variant);
        assert!(row.words > 0 && 4 * row.words <= BYTES, "{name}");
        for (index, word) in words[..row.words as usize].iter().enumerate() {
            let expected = (row.expected)(index as u64);
            assert_eq!(*word, expected, "word {index} of {name}");
        }
        let poison = if row.from_zero { 0 } else { 0xa5a5_a5a5 };
        let rest = &words[row.words as usize..];
        assert!(
            rest.iter().all(|word| *word == poison),
            "{name} writes more"
        );
    }
}

of_both! {
    kernels_write_what_is_expected = kernels;
}

#[test]
fn what_is_compared_fits_the_arena() {
    let bytes = 1 << 32;
    for row in all(&DeviceDescription::h100(), 4, bytes).unwrap() {
        assert!(4 * row.words <= bytes, "{} {}", row.kernel, row.variant);
    }
}
