//! Collectives of two devices: on emulators that reach each other's memory, on two handles of one GPU where there is
//! one, and on two GPUs where there are two with peer access.

use std::{env, ops::Range};

use kernels_host::{LinkSettings, Peers, RowElement};
use libtest_mimic::{Arguments, Failed, Trial};
use tma_host::{Buffer, Device, DeviceChoice, PeerAccess, devices, half::bf16};

/// Elements of a buffer: none, one part that is empty, an odd number of 16 bytes, several blocks, and more than low-latency
/// exchanges take, of which the halves are more than they take or not.
const LENGTHS: [usize; 7] = [0, 8, 24, 1000, 12_312, 270_008, 600_008];

/// Without `--long` emulators have the first of them: all but the shortest exchanges are in several chunks, too.
const SHORT_LENGTHS: usize = 5;

/// Only exchanges of 16 bytes have low latency, and kernels move all other data.
const BY_KERNELS: LinkSettings = LinkSettings {
    low_latency_bytes: 0,
    copy_engine_bytes: u64::MAX,
    staging_bytes: 0,
    chunk_bytes: 2048,
    blocks: 2,
};

/// Copy engines move the data, and the staging memory is filled several times for the longer buffers.
const BY_COPY_ENGINES: LinkSettings = LinkSettings {
    copy_engine_bytes: 16,
    staging_bytes: 20_000,
    ..BY_KERNELS
};

fn main() {
    let mut trials = vec![
        Trial::test("parts_are_halves_of_whole_vectors", parts),
        Trial::test("what_cannot_be_reduced_is_refused", refused),
        Trial::test("settings_out_of_range_are_refused", settings_out_of_range),
    ];
    let emulators = |seed| move || Device::emulators(seed).map(Ok).into_iter().collect();
    trials.extend(trials_on("emulators_0", None, emulators(0)));
    let lacks = is_short().then(|| "minutes".to_owned());
    trials.extend(trials_on("emulators_7", lacks, emulators(7)));
    let lacks = lacks_gpus(1);
    trials.extend(trials_on("one_gpu", lacks, || numbered([0, 0])));
    let lacks = lacks_gpus(2);
    trials.extend(trials_on("two_gpus", lacks, || numbered([0, 1])));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn is_short() -> bool {
    env::var_os("TMA_LONG_TESTS").is_none()
}

type Devices = Result<Vec<Device>, Failed>;
/// A test and its name.
type Named = (&'static str, fn(&Peers) -> Result<(), Failed>);

/// GPUs of these numbers, each with a stream of its own.
fn numbered(numbers: [u32; 2]) -> Devices {
    let open = |number| Device::gpu_numbered(number).map_err(Failed::from);
    numbers.into_iter().map(open).collect()
}

/// Returns the components that this machine lacks for `count` GPUs with peer access. A GPU that is present but unusable counts: its
/// tests fail.
fn lacks_gpus(count: usize) -> Option<String> {
    let is_asked_for = DeviceChoice::from_env() == Ok(DeviceChoice::Gpu);
    let found = match devices() {
        Ok((_, devices)) => devices.len(),
        Err(error) if error.is_absent() && !(is_asked_for && count == 1) => 0,
        Err(_) => return None,
    };
    let lacks = match count {
        1 => (found == 0).then(|| "needs a GPU".to_owned()),
        _ if found < count => Some(format!(
            "needs two GPUs with peer access, and there are {found}"
        )),
        _ => numbered([0, 1]).ok().and_then(|gpus| {
            let refused = PeerAccess::between(&gpus[0], &gpus[1]).err()?;
            let is_unsupported =
                refused.error_name.as_deref() == Some("CUDA_ERROR_PEER_ACCESS_UNSUPPORTED");
            is_unsupported.then(|| format!("needs two GPUs with peer access: {refused}"))
        }),
    };
    if let Some(lacks) = &lacks {
        println!("skipped: {lacks}");
    }
    lacks
}

fn trials_on(
    name: &str,
    lacks: Option<String>,
    open: impl Fn() -> Devices + Copy + Send + 'static,
) -> Vec<Trial> {
    let tests: [Named; 5] = [
        ("all_gather", all_gather),
        ("reduce_scatter", reduce_scatter),
        ("all_reduce", all_reduce),
        ("calls_are_in_order", calls_are_in_order),
        ("calls_of_two_threads_take_turns", calls_of_two_threads),
    ];
    let links = [
        ("by_length", LinkSettings::default()),
        ("by_kernels", BY_KERNELS),
        ("by_copy_engines", BY_COPY_ENGINES),
    ];
    let trial = |(link_name, link): (&str, LinkSettings), (test_name, test): Named| {
        let run = move || {
            let devices = open()?;
            let [first, second] = &devices[..] else {
                return Err("there are not two devices".into());
            };
            test(&Peers::with_link(first, second, link)?)
        };
        let name = format!("{name}/{link_name}/{test_name}");
        Trial::test(name, run).with_ignored_flag(lacks.is_some())
    };
    let all = links.map(|link| tests.map(|test| trial(link, test)));
    all.into_iter().flatten().collect()
}

/// A number that two devices have.
trait Number: RowElement + PartialEq + std::fmt::Debug {
    fn of(value: f32) -> Self;
    fn value(self) -> f32;
}

impl Number for f32 {
    fn of(value: f32) -> Self {
        value
    }

    fn value(self) -> f32 {
        self
    }
}

impl Number for bf16 {
    fn of(value: f32) -> Self {
        Self::from_f32(value)
    }

    fn value(self) -> f32 {
        self.to_f32()
    }
}

/// Two buffers with whole numbers whose sums both types have.
fn numbers<T: Number>(len: usize) -> [Vec<T>; 2] {
    let numbers = |a: usize, b: usize| {
        let number = |index: usize| (index * a / 7 % 61) as f32 - (index % b) as f32;
        (0..len).map(|index| T::of(number(index))).collect()
    };
    [numbers(11, 17), numbers(5, 29)]
}

/// Returns the parts of a buffer of `len` elements.
fn elements<T>(len: usize) -> [Range<usize>; 2] {
    let each = 16 / size_of::<T>();
    let middle = len.div_ceil(each).div_ceil(2) * each;
    [0..middle.min(len), middle.min(len)..len]
}

/// Uploads a buffer to each device, calls, and compares both.
fn check<T: Number>(
    peers: &Peers,
    call: impl Fn(&Peers, [&mut Buffer<T>; 2]) -> Result<(), tma_host::Failure>,
    expected: impl Fn([&[T]; 2]) -> [Vec<T>; 2],
) -> Result<(), Failed> {
    let is_short = peers.devices().iter().all(|device| device.is_emulator()) && is_short();
    let lengths = if is_short {
        &LENGTHS[..SHORT_LENGTHS]
    } else {
        &LENGTHS
    };
    for len in lengths.iter().copied() {
        let [a, b] = numbers::<T>(len);
        let [first, second] = peers.devices();
        let (mut on_first, mut on_second) = (first.upload(&a)?, second.upload(&b)?);
        call(peers, [&mut on_first, &mut on_second])?;
        let expected = expected([&a, &b]);
        for (number, (buffer, expected)) in [on_first, on_second].iter().zip(expected).enumerate() {
            let got = buffer.read()?;
            if let Some(index) = (0..len).find(|index| got[*index] != expected[*index]) {
                let (got, expected) = (got[index], expected[index]);
                return Err(format!(
                    "{len} elements, buffer {number}: element {index} is {got:?}, not {expected:?}"
                )
                .into());
            }
        }
    }
    Ok(())
}

fn sum<T: Number>([a, b]: [&[T]; 2]) -> Vec<T> {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| T::of(a.value() + b.value())).collect()
}

fn all_gather(peers: &Peers) -> Result<(), Failed> {
    fn gathered<T: Number>([a, b]: [&[T]; 2]) -> [Vec<T>; 2] {
        let [first, second] = elements::<T>(a.len());
        let both = [&a[first], &b[second]].concat();
        [both.clone(), both]
    }
    check::<f32>(peers, Peers::all_gather, gathered)?;
    check::<bf16>(peers, Peers::all_gather, gathered)
}

fn reduce_scatter(peers: &Peers) -> Result<(), Failed> {
    fn scattered<T: Number>([a, b]: [&[T]; 2]) -> [Vec<T>; 2] {
        let [first, second] = elements::<T>(a.len());
        let sums = sum([a, b]);
        [
            [&sums[first.clone()], &a[second.clone()]].concat(),
            [&b[first], &sums[second]].concat(),
        ]
    }
    check::<f32>(peers, Peers::reduce_scatter, scattered)?;
    check::<bf16>(peers, Peers::reduce_scatter, scattered)
}

fn all_reduce(peers: &Peers) -> Result<(), Failed> {
    fn reduced<T: Number>(buffers: [&[T]; 2]) -> [Vec<T>; 2] {
        [sum(buffers), sum(buffers)]
    }
    check::<f32>(peers, Peers::all_reduce, reduced)?;
    check::<bf16>(peers, Peers::all_reduce, reduced)
}

/// Calls one after the other without waiting: each begins when both devices have ended the one before. Other buffers
/// are dropped as soon as their call has returned.
fn calls_are_in_order(peers: &Peers) -> Result<(), Failed> {
    const ROUNDS: i32 = 4;
    // Too long for a low-latency exchange, but its halves are not.
    let len = 300_004;
    let [a, b] = numbers::<f32>(len);
    let [first, second] = peers.devices();
    let (mut on_first, mut on_second) = (first.upload(&a)?, second.upload(&b)?);
    for _ in 0..ROUNDS {
        // The same as `all_reduce`, in two steps.
        peers.reduce_scatter([&mut on_first, &mut on_second])?;
        peers.all_gather([&mut on_first, &mut on_second])?;
        peers.all_reduce([&mut on_first, &mut on_second])?;
        for len in [len, 5000] {
            let (mut dropped, mut other) = (first.zeroed::<f32>(len)?, second.zeroed::<f32>(len)?);
            peers.all_reduce([&mut dropped, &mut other])?;
        }
    }
    // Numbers are doubled but by the first step.
    let factor = 2_f32.powi(2 * ROUNDS - 1);
    let expected: Vec<f32> = sum([&a, &b]).iter().map(|sum| sum * factor).collect();
    if on_second.read()? != expected || on_first.read()? != expected {
        return Err("the numbers are others".into());
    }
    Ok(())
}

/// One thread has short buffers, the other long ones: streams would wait for each other between two kernels that do.
fn calls_of_two_threads(peers: &Peers) -> Result<(), Failed> {
    let doubled = |len: usize, times: u8| {
        let [first, second] = peers.devices();
        let mut a = first.upload(&vec![1.0_f32; len])?;
        let mut b = second.upload(&vec![1.0_f32; len])?;
        for _ in 0..times {
            peers.all_reduce([&mut a, &mut b])?;
        }
        let expected = vec![f32::from(1_u16 << times); len];
        Ok::<_, tma_host::Failure>([a.read()?, b.read()?].iter().all(|all| *all == expected))
    };
    let are_right = std::thread::scope(|scope| {
        let threads =
            [(4000, 12), (270_008, 2)].map(|(len, times)| scope.spawn(move || doubled(len, times)));
        threads.map(|thread| thread.join().expect("no thread panics"))
    });
    for is_right in are_right {
        if !is_right? {
            return Err("the numbers are others".into());
        }
    }
    Ok(())
}

fn parts() -> Result<(), Failed> {
    for (len_bytes, middle) in [
        (0, 0),
        (16, 16),
        (32, 16),
        (48, 32),
        (4000, 2000),
        (4016, 2016),
    ] {
        let parts = Peers::parts(len_bytes);
        if parts != [0..middle, middle..len_bytes] {
            return Err(format!("{len_bytes} bytes: {parts:?}").into());
        }
    }
    Ok(())
}

fn refused() -> Result<(), Failed> {
    let [first, second] = Device::emulators(0);
    let peers = Peers::new(&first, &second)?;
    let (mut a, mut b) = (first.zeroed::<f32>(1001)?, second.zeroed::<f32>(1000)?);
    let refused = peers
        .all_reduce([&mut a, &mut b])
        .expect_err("it was started");
    assert_eq!(
        refused.to_string(),
        "check: the launch of `all_reduce` cannot work\n  \
         kernel-condition: bytes of the first buffer is 4004; must be a multiple of 16 (bulk copies move units of 16 bytes); \
         use 4000 or 4016\n  \
         kernel-condition: bytes of the second buffer is 4000; must be 4004 (both buffers must have the same length); use 4004"
    );
    for link in [LinkSettings::default(), BY_KERNELS, BY_COPY_ENGINES] {
        let peers = Peers::with_link(&first, &second, link)?;
        let (mut c, mut d) = (first.zeroed::<f32>(1000)?, second.zeroed::<f32>(1000)?);
        let swapped = peers.all_reduce([&mut d, &mut c]);
        let on_one = peers.all_reduce([&mut c, &mut first.zeroed(1000)?]);
        for (refused, place) in [(swapped, "first"), (on_one, "second")] {
            assert_eq!(
                refused.expect_err("it was started").to_string(),
                format!(
                    "check: the {place} buffer of `all_reduce` must be on the {place} device: allocate one buffer on each \
                     device, and pass them in the order of the devices"
                )
            );
        }
        // Nothing was started.
        c.write(&[2.0; 1000])?;
        d.write(&[1.0; 1000])?;
        peers.all_reduce([&mut c, &mut d])?;
        assert_eq!([c.read()?, d.read()?], [[3.0; 1000]; 2]);
    }
    let mut foreign = Device::emulator(0).zeroed::<f32>(1000)?;
    let refused = peers
        .all_gather([&mut b, &mut foreign])
        .expect_err("it was started");
    assert_eq!(
        refused.to_string(),
        "check: the memory belongs to a device other than emulator (sm_90a) and emulator (sm_90a): allocate it on one of these"
    );
    let refused = Peers::new(&first, &Device::emulator(0)).expect_err("they are apart");
    assert!(
        refused.to_string().contains("`Device::emulators`"),
        "{refused}"
    );
    Ok(())
}

fn settings_out_of_range() -> Result<(), Failed> {
    let [first, second] = Device::emulators(0);
    let range = "must be 512 to 8192 (16 bytes for each thread of 1 to 16 warps)";
    for (chunk_bytes, blocks, expected) in [
        (0, 2, format!("chunk_bytes is 0; {range}; use 512")),
        (8704, 2, format!("chunk_bytes is 8704; {range}; use 8192")),
        (
            528,
            2,
            "chunk_bytes is 528; must be a multiple of 512 (16 bytes for each thread of full warps); use 512 or 1024"
                .to_owned(),
        ),
        (
            2048,
            0,
            "blocks is 0; must be 1 to 32 (blocks that fit on a multiprocessor); use 1".to_owned(),
        ),
        (
            2048,
            33,
            "blocks is 33; must be 1 to 32 (blocks that fit on a multiprocessor); use 32".to_owned(),
        ),
    ] {
        let link = LinkSettings {
            chunk_bytes,
            blocks,
            ..BY_KERNELS
        };
        let refused = Peers::with_link(&first, &second, link).expect_err("it was taken");
        let expected =
            format!("check: the settings of the link cannot work\n  kernel-condition: {expected}");
        assert_eq!(refused.to_string(), expected);
    }
    Ok(())
}
