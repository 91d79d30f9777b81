use kernels_gpu::{
    low_latency_exchange::{INBOX_WORDS, LowLatencyExchange, Part, Steps, THREADS},
    rows::Numbers,
};
use tma_launch::Buffer;

use super::{Kernel, kept};
use crate::{Expected, Scenario, pairs::Pair};

pub(super) const KERNEL: Kernel = Kernel {
    name: "low_latency_exchange",
    summary: "exchanges parts of short buffers with another GPU, each word with the number of the call",
    golden: &["low_latency_exchange_bf16"],
    showcase: || scenario(&Pair::of(Numbers::Bf16, 5, 1000)),
    cases,
};

fn cases() -> Vec<Scenario> {
    let tile = THREADS as usize;
    // A vector, a block, some with a shorter last one.
    let pairs = [Numbers::F32, Numbers::Bf16]
        .map(|numbers| Pair::all(numbers, [1, tile, tile + 1, 3 * tile - 2]));
    pairs
        .into_iter()
        .flatten()
        .map(|pair| scenario(&pair))
        .collect()
}

/// Makes the sums of a part in both buffers. Then the first buffer sends its part, as much of it as fits before the part in
/// the second buffer, which sends nothing; and last, the sums of the parts are made once more.
fn scenario(pair: &Pair) -> Scenario {
    let part = Part {
        offset_bytes: pair.offset_bytes(),
        len_bytes: pair.len_bytes(),
    };
    let none = Part::default();
    let start = Part {
        offset_bytes: 0,
        len_bytes: part.offset_bytes.min(part.len_bytes),
    };
    let sent = Part {
        offset_bytes: part.offset_bytes,
        ..start
    };
    let mut calls = vec![(true, [(part, part), (part, part)])];
    if start.len_bytes > 0 {
        calls.push((false, [(sent, none), (none, start)]));
    }
    calls.push(calls[0]);
    let exchange = |add, side: usize, (send, receive), steps| {
        let exchange = LowLatencyExchange {
            numbers: pair.numbers,
            own: side,
            send,
            receive,
            outbox: 3 - side,
            inbox: 2 + side,
            calls: 4 + side,
            add,
            steps,
        };
        kept(exchange.launch())
    };
    let launches = calls.iter().flat_map(|(add, parts)| {
        [Steps::Send, Steps::Receive]
            .into_iter()
            .flat_map(|steps| [0, 1].map(|side| exchange(*add, side, parts[side], steps)))
    });

    let [one, other] = pair.buffers();
    let sums = pair.sums();
    let twice = pair.twice(&sums);
    let blocks = LowLatencyExchange::blocks(part.len_bytes) as usize;
    let inbox = vec![0_u64; blocks * INBOX_WORDS];
    let mut second = pair.replaced(&other, &twice);
    second[..start.len_bytes as usize].copy_from_slice(&sums[..start.len_bytes as usize]);
    Scenario {
        name: pair.name(),
        buffers: vec![
            Buffer::new("one", &one),
            Buffer::new("other", &other),
            Buffer::new("inbox of one", &inbox),
            Buffer::new("inbox of the other", &inbox),
            Buffer::new("calls of one", &vec![0_u32; blocks]),
            Buffer::new("calls of the other", &vec![0_u32; blocks]),
        ],
        launches: launches.collect(),
        expected: vec![
            Expected::of(0, &pair.replaced(&one, &twice)),
            Expected::of(1, &second),
        ],
    }
}
