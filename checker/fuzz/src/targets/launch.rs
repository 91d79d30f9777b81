use tensor_map::{DataType, TensorMap};
use tma_emulator::{Config, EmulatorBackend, Trace};
use tma_launch::{Argument, Buffer, Failure, Job, Launch, Ptx, Scalar};

use super::Depth;

/// Bytes before the PTX that describe the launch.
pub(crate) const HEADER_BYTES: usize = 8;

const MAX_STEPS: u64 = 20_000;

/// A header, then PTX.
pub(super) fn run(data: &[u8]) -> Depth {
    let Some((header, text)) = data.split_first_chunk::<HEADER_BYTES>() else {
        return Depth::Refused;
    };
    let text = String::from_utf8_lossy(text);
    let Ok(module) = ptx::parse(&text) else {
        return Depth::Refused;
    };
    let entries: Vec<_> = module.entries().collect();
    let Some(entry) = entries.get(usize::from(header[0]) % entries.len().max(1)) else {
        return Depth::Read;
    };
    let mut launch = Launch::new(
        entry.name.as_str(),
        (1 + u32::from(header[1] % 4), 1 + u32::from(header[1] >> 6)),
        (1 + u32::from(header[2] % 80), 1 + u32::from(header[2] >> 7)),
    );
    if header[3] & 1 != 0 {
        launch = launch.cluster(1 + u32::from(header[3] >> 1) % 4);
    }
    launch = launch.shared_bytes(u32::from(header[4]) * 64);
    for (index, parameter) in entry.parameters.iter().enumerate() {
        let bytes = parameter.size_bytes().unwrap_or(0);
        launch = launch.argument(argument(bytes, parameter.align_bytes(), index, header));
    }
    let mut job = Job::new(Ptx {
        name: "fuzz.ptx",
        text: &text,
    });
    let words: Vec<u32> = (0..1024).collect();
    job.buffers = vec![Buffer::new("a", &words), Buffer::new("b", &words)];
    job.launch(launch);
    let config = Config {
        seed: u64::from(header[5]),
        max_steps: MAX_STEPS,
        ..Config::default()
    };
    let backend = EmulatorBackend::with_config(config);
    let checked = checked(&backend, &job);
    // Rarely, since it takes time: a repetition without the checker and with a timeline.
    if header[6] % 8 == 0 {
        let mut other = job.clone();
        let mut trace = Trace::default();
        let observed = backend.observe(&mut other, &mut trace);
        drop(trace.finish());
        match (&checked, &observed) {
            (Ok((Depth::Ended, bytes)), Ok(_)) => {
                let others: Vec<_> = other.buffers.iter().map(Buffer::bytes).collect();
                assert!(
                    bytes.iter().map(Vec::as_slice).eq(others),
                    "the checker changes the run"
                );
            }
            (Ok((depth, _)), _) => assert_eq!(*depth == Depth::Ended, observed.is_ok()),
            (Err(_), _) => assert!(observed.is_err()),
        }
    }
    checked.map_or(Depth::Read, |(depth, _)| depth)
}

/// The argument of a parameter of this size.
fn argument(bytes: u64, align: u64, index: usize, header: &[u8; HEADER_BYTES]) -> Argument {
    let offset_bytes = u64::from(header[7] % 4) * 16;
    match bytes {
        128 if align >= 64 => {
            let map = TensorMap::tiled(DataType::F32, &[32, 32]).box_dims(&[16, 4]);
            Argument::TensorMap {
                params: Box::new(map.params()),
                index: index % 2,
                offset_bytes: 0,
            }
        }
        8 => Argument::Buffer {
            index: index % 2,
            offset_bytes,
        },
        4 => Argument::Scalar(Scalar::U32(u32::from(header[7]))),
        2 => Argument::Scalar(Scalar::U16(u16::from(header[7]))),
        1 => Argument::Scalar(Scalar::U8(header[7])),
        bytes if bytes <= 512 && bytes % 8 == 0 => {
            let word = |index: u64| match index % 2 {
                0 => Argument::Buffer {
                    index: 0,
                    offset_bytes,
                },
                _ => Argument::Scalar(Scalar::U64(16)),
            };
            Argument::Struct((0..bytes / 8).map(word).collect())
        }
        _ => Argument::Scalar(Scalar::U64(7)),
    }
}

/// The outcome of the job with the checker, and the final contents of its buffers.
fn checked(
    backend: &EmulatorBackend,
    job: &Job<'_>,
) -> Result<(Depth, Vec<Vec<u8>>), Box<Failure>> {
    let mut job = job.clone();
    let checked = backend.check(&mut job).map_err(|failure| {
        assert!(!failure.to_string().is_empty());
        Box::new(failure)
    })?;
    let mut is_ended = false;
    for diagnostic in &checked.diagnostics {
        assert!(!diagnostic.to_string().is_empty());
        is_ended |= diagnostic.ends_kernel();
    }
    let depth = if is_ended { Depth::Begun } else { Depth::Ended };
    let bytes = job.buffers.iter().map(|buffer| buffer.bytes().to_vec());
    Ok((depth, bytes.collect()))
}
