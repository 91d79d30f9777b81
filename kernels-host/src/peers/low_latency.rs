//! Calls on short buffers: both devices run one kernel, which waits for the words of the other one, and no stream waits for
//! an event.

use std::{
    env,
    ops::Range,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use kernels_gpu::{
    low_latency_exchange::{INBOX_WORDS, LowLatencyExchange, Part, Steps},
    rows::Numbers,
};
use tma_host::{Buffer, Device, Failure, PeerAccess, Slice, Stage};
use tma_launch::Conditions;

use crate::{
    Kernels,
    operand::{Operand, Operands},
};

/// The greatest number of bytes that an exchange moves each way: above it, waiting for events takes less time than words of
/// twice the size.
pub(super) const MOST_BYTES: u64 = 1 << 20;

/// The order of kernels that wait for each other, and of streams that do, on all streams: between the two kernels of an
/// exchange, a stream that waited for the other one would never get to its kernel.
static ORDER: Mutex<()> = Mutex::new(());

/// Waits for the calls of other threads, until their work is on both streams.
pub(super) fn in_order() -> MutexGuard<'static, ()> {
    ORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The parts that a device sends and receives.
pub(super) struct Exchange<'a> {
    /// The name of the call, for its errors.
    pub(super) what: &'a str,
    pub(super) numbers: Numbers,
    pub(super) own: Slice<'a, u8>,
    pub(super) send: Range<u64>,
    pub(super) receive: Range<u64>,
    /// True if the received numbers are added.
    pub(super) add: bool,
}

/// The memory of both devices for exchanges.
#[derive(Debug)]
pub(super) struct LowLatency {
    inboxes: [Buffer<u64>; 2],
    calls: [Buffer<u32>; 2],
    /// True if kernels of the two devices run at the same time.
    is_concurrent: bool,
    /// True after a failure: one device may have counted a call that the other one has not.
    is_out_of_step: AtomicBool,
}

impl LowLatency {
    pub(super) fn new(devices: &[Device; 2]) -> Result<Self, Failure> {
        let blocks = LowLatencyExchange::blocks(MOST_BYTES) as usize;
        let [first, second] = devices;
        let ordinals = devices
            .each_ref()
            .map(|device| Some(device.properties()?.ordinal));
        // Tools that serialise launches set it.
        let is_blocking = env::var("CUDA_LAUNCH_BLOCKING").is_ok_and(|value| value != "0");
        Ok(Self {
            inboxes: [
                first.zeroed(blocks * INBOX_WORDS)?,
                second.zeroed(blocks * INBOX_WORDS)?,
            ],
            calls: [first.zeroed(blocks)?, second.zeroed(blocks)?],
            is_concurrent: matches!(ordinals, [Some(one), Some(other)] if one != other)
                && !is_blocking,
            is_out_of_step: AtomicBool::new(false),
        })
    }

    /// Exchanges parts of the buffers: each device's kernel accesses only the buffer of its device.
    pub(super) fn exchange(
        &self,
        access: &PeerAccess,
        kernels: &[Kernels; 2],
        exchanges: &[Exchange<'_>; 2],
    ) -> Result<(), Failure> {
        let _in_order = in_order();
        if self.is_out_of_step.load(Relaxed) {
            let what = exchanges[0].what;
            let what =
                format!("`{what}` after a call that failed and left the devices out of step");
            return Err(Failure::new(Stage::Check, what).hint("create `Peers` again"));
        }
        let started = self.start_both(access, kernels, exchanges);
        started.inspect_err(|_| self.is_out_of_step.store(true, Relaxed))
    }

    fn start_both(
        &self,
        access: &PeerAccess,
        kernels: &[Kernels; 2],
        exchanges: &[Exchange<'_>; 2],
    ) -> Result<(), Failure> {
        let start = |number: usize, steps| {
            let stream = kernels[number].device().stream();
            let outbox = access.reach(self.inboxes[1 - number].at(0), number)?;
            self.start(
                &kernels[number],
                &stream,
                &exchanges[number],
                outbox,
                steps,
                number,
            )
        };
        if !self.is_concurrent {
            let [one, other] = access.devices().each_ref().map(Device::stream);
            for steps in [Steps::Send, Steps::Receive] {
                start(0, steps)?;
                start(1, steps)?;
                one.wait_for_each_other(&other)?;
            }
            return Ok(());
        }
        start(0, Steps::Both)?;
        let started = start(1, Steps::Both);
        if started.is_err() {
            // The first kernel waits for words of this call, which its own device sends then.
            let stream = kernels[0].device().new_stream()?;
            let own = self.inboxes[0].at(0);
            self.start(&kernels[0], &stream, &exchanges[0], own, Steps::Send, 0)?;
        }
        started
    }

    fn start(
        &self,
        kernels: &Kernels,
        stream: &tma_host::Stream,
        exchange: &Exchange<'_>,
        outbox: Slice<'_, u64>,
        steps: Steps,
        number: usize,
    ) -> Result<(), Failure> {
        let mut operands = Operands::default();
        let part = |range: &Range<u64>| Part {
            offset_bytes: range.start,
            len_bytes: range.end - range.start,
        };
        let arguments = LowLatencyExchange {
            numbers: exchange.numbers,
            own: operands.add(Operand::new("the buffer", exchange.own)),
            send: part(&exchange.send),
            receive: part(&exchange.receive),
            outbox: operands.add(Operand::new("the outbox", outbox)),
            inbox: operands.add(Operand::new("the inbox", self.inboxes[number].at(0))),
            calls: operands.add(Operand::new("the calls", self.calls[number].at(0))),
            add: exchange.add,
            steps,
        };
        // SAFETY: the operands above are the buffers; the caller of the call borrows its buffers exclusively, and only
        // these kernels use inboxes and calls, which were zero at first (1). The order on another stream: its kernel writes
        // words that the waiting kernel reads by atomic operations (2).
        unsafe {
            kernels.start_on(
                stream,
                exchange.what,
                Conditions::default(),
                &arguments,
                &operands,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_that_are_out_of_step_exchange_nothing() {
        let devices = Device::emulators(0);
        let [first, second] = &devices;
        let access = PeerAccess::between(first, second).unwrap();
        let kernels = devices.each_ref().map(Kernels::new);
        let low_latency = LowLatency::new(&devices).unwrap();
        let buffers = [
            first.upload(&[1.0_f32; 8]).unwrap(),
            second.upload(&[2.0_f32; 8]).unwrap(),
        ];
        let exchange = |of: [usize; 2]| {
            let exchanges = of.map(|number| Exchange {
                what: "all_reduce",
                numbers: Numbers::F32,
                own: buffers[number].bytes(),
                send: 0..32,
                receive: 0..32,
                add: true,
            });
            low_latency.exchange(&access, &kernels, &exchanges)
        };
        exchange([0, 1]).unwrap();
        assert_eq!(buffers[0].read().unwrap(), [3.0; 8]);
        exchange([0, 0]).expect_err("the second kernel was started");
        assert_eq!(
            exchange([0, 1]).unwrap_err().to_string(),
            "check: `all_reduce` after a call that failed and left the devices out of step: create `Peers` again"
        );
    }
}
