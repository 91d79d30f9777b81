use anyhow::{Context, Result};
use kernels_host::{LinkSettings, Peers};

use crate::{
    CALLS,
    measure::{Bench, Who, bytes_of_buffer},
};

const MIB: u64 = 1 << 20;

/// Prints the times of all calls with different settings, and then the settings with the least.
pub(crate) fn tune(bench: &Bench<'_>, most_bytes: u64) -> Result<()> {
    let by_kernels = LinkSettings {
        low_latency_bytes: 0,
        copy_engine_bytes: u64::MAX,
        ..LinkSettings::default()
    };
    let by_copy_engines = LinkSettings {
        copy_engine_bytes: 0,
        ..by_kernels
    };
    let mut best = LinkSettings::default();

    let most_each = most_bytes / 2;
    let each = (64 * MIB).min(most_each);
    let chunks = [512, 1024, 2048, 4096, 8192];
    let settings = chunks.iter().flat_map(|chunk_bytes| {
        [1, 2, 4, 8].map(|blocks| LinkSettings {
            chunk_bytes: *chunk_bytes,
            blocks,
            ..by_kernels
        })
    });
    let settings: Vec<_> = settings.collect();
    let times = measure(bench, &settings, each)?;
    for (link, times) in settings.iter().zip(&times) {
        let name = format!("{} blocks of {} bytes", link.blocks, link.chunk_bytes);
        print_row(each, &name, times);
    }
    let all = settings.iter().zip(times.iter().map(sum));
    let least = all.min_by(|(_, one), (_, other)| one.total_cmp(other));
    let (fastest, _) = least.context("no settings")?;
    (best.chunk_bytes, best.blocks) = (fastest.chunk_bytes, fastest.blocks);

    let low_latency = LinkSettings {
        low_latency_bytes: u64::MAX,
        ..by_kernels
    };
    let ways = [
        ("low latency", low_latency),
        ("kernels", by_kernels),
        ("copy engines", by_copy_engines),
    ];
    let settings = ways.map(|(_, way)| LinkSettings {
        low_latency_bytes: way.low_latency_bytes,
        copy_engine_bytes: way.copy_engine_bytes,
        ..best
    });
    (best.low_latency_bytes, best.copy_engine_bytes) = (0, u64::MAX);
    let mut each = 4096;
    while each <= most_each {
        // A low-latency exchange has at most 1 MiB.
        let first = usize::from(each > MIB);
        let times = measure(bench, &settings[first..], each)?;
        for ((name, _), times) in ways[first..].iter().zip(&times) {
            print_row(each, name, times);
        }
        if first == 0 && times[1..].iter().all(|other| sum(&times[0]) < sum(other)) {
            best.low_latency_bytes = each;
        }
        let (others, [copy_engines]) = times.split_last_chunk().context("no times")?;
        let are_fastest = others.iter().all(|other| sum(copy_engines) <= sum(other));
        best.copy_engine_bytes = if are_fastest {
            best.copy_engine_bytes.min(each)
        } else {
            u64::MAX
        };
        each *= 2;
    }
    println!("{best:#?}");
    Ok(())
}

/// Returns the microseconds of each call with each of the settings.
fn measure(bench: &Bench<'_>, settings: &[LinkSettings], each: u64) -> Result<Vec<[f64; 3]>> {
    let [first, second] = bench.devices;
    let peers = settings
        .iter()
        .map(|link| Peers::with_link(first, second, *link));
    let peers = peers.collect::<Result<Vec<_>, _>>()?;
    let all: Vec<_> = peers.iter().map(Who::Ours).collect();
    let mut times = vec![[0.0; 3]; settings.len()];
    for (index, (_, call)) in CALLS.iter().enumerate() {
        let bytes = bytes_of_buffer(*call, each);
        for (times, time) in times.iter_mut().zip(bench.medians(&all, *call, bytes)?) {
            times[index] = time;
        }
    }
    Ok(times)
}

fn print_row(each: u64, name: &str, times: &[f64; 3]) {
    print!("{each:>11} bytes each way, {name:<24}");
    for ((call, _), time) in CALLS.iter().zip(times) {
        print!(
            " {call} {time:>9.1} us {:>6.1} GB/s",
            each as f64 / time / 1e3
        );
    }
    println!();
}

fn sum(times: &[f64; 3]) -> f64 {
    times.iter().sum()
}
