//! One launch under several schedules.

use tma_launch::{Failure, Launch};

use super::{Error, ModuleId, Session};
use crate::{
    check::{CheckReport, InFlight, Unreleased},
    machine::{Memory, observer::Printer},
    run::Report,
};

/// The memory that a launch changes, and the checker's knowledge of it.
#[derive(Clone)]
struct State {
    memory: Memory,
    unreleased: Unreleased,
    in_flight: InFlight,
}

impl Session {
    /// Runs a kernel under the checker and gives what it found, without what is suppressed: once for each seed, in
    /// their order. Each run begins with the same memory, and that of the first one stays. Nothing is printed.
    ///
    /// # Errors
    /// The kernel cannot be launched so, and memory is as it was.
    pub fn launch_checked(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        seeds: impl IntoIterator<Item = u64>,
    ) -> Result<Vec<(u64, CheckReport)>, Failure> {
        let ready = self.ready(module, launch)?;
        let configured = self.config.seed;
        let mut seeds = seeds.into_iter().peekable();
        let mut reports = Vec::new();
        let mut before = None;
        let mut first = None;
        while let Some(seed) = seeds.next() {
            if reports.is_empty() {
                let others = seeds.peek().is_some();
                before = others.then(|| self.state());
            } else if let Some(before) = &before {
                let after = self.replace(before.clone());
                first.get_or_insert(after);
            }
            self.config.seed = seed;
            let mut report = self.check(&ready);
            report.suppress(&mut self.suppressions);
            reports.push((seed, report));
        }
        if let Some(first) = first {
            self.replace(first);
        }
        self.config.seed = configured;
        Ok(reports)
    }

    fn state(&self) -> State {
        State {
            memory: self.memory.clone(),
            unreleased: self.unreleased.clone(),
            in_flight: self.in_flight.clone(),
        }
    }

    /// Goes on with another state, and gives the one that was.
    fn replace(&mut self, state: State) -> State {
        State {
            memory: std::mem::replace(&mut self.memory, state.memory),
            unreleased: std::mem::replace(&mut self.unreleased, state.unreleased),
            in_flight: std::mem::replace(&mut self.in_flight, state.in_flight),
        }
    }

    /// Runs a kernel without the checker. `print` gets what it prints.
    ///
    /// # Errors
    /// The kernel cannot be launched so, and memory is as it was; or it faulted.
    pub fn launch_unchecked(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        print: &mut dyn FnMut(&str),
    ) -> Result<Report, Failure> {
        let ready = self.ready(module, launch)?;
        let report = self.observe(&ready, &mut Printer(print));
        report.map_err(|fault| Error::from(fault).failure())
    }
}

#[cfg(test)]
mod tests {
    use tma_launch::{Argument, Launch};

    use crate::{machine::Config, session::Session};

    /// Adds one, without regard to others.
    const COUNT: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .visible .entry count(.param .u64 to)
        {
            .reg .b32 %r<2>;
            .reg .b64 %rd<2>;
            ld.param.u64 %rd1, [to];
            ld.global.u32 %r1, [%rd1];
            add.u32 %r1, %r1, 1;
            st.global.u32 [%rd1], %r1;
            ret;
        }";

    #[test]
    fn every_seed_begins_with_the_same_memory() {
        let mut session = Session::new(Config::default());
        let module = session.load("count.ptx", COUNT).unwrap();
        session.place("to", vec![5, 0, 0, 0], 0x2000).unwrap();
        let launch = |threads| Launch::new("count", 1, threads).argument(Argument::Address(0x2000));
        let clean = session.launch_checked(module, &launch(1), 3..7).unwrap();
        assert!(clean.iter().all(|(_, report)| report.is_clean()));
        let seeds: Vec<u64> = clean.iter().map(|(seed, _)| *seed).collect();
        assert_eq!(seeds, [3, 4, 5, 6]);
        assert_eq!(session.read(0x2000, 4), Ok(&[6, 0, 0, 0][..]));
        let found = session.launch_checked(module, &launch(64), 0..2).unwrap();
        assert!(found.iter().all(|(_, report)| !report.is_clean()));
        let mut print = |_: &str| {};
        session
            .launch_unchecked(module, &launch(1), &mut print)
            .unwrap();
    }

    #[test]
    fn memory_is_placed_where_nothing_is() {
        let mut session = Session::new(Config::default());
        session.place("a", vec![1; 16], 0x10000).unwrap();
        session.place("b", vec![2; 16], 0x10010).unwrap();
        for taken in [0xfff1, 0x10000, 0x1000f, 0x1001f] {
            assert!(
                session.place("c", vec![3; 16], taken).is_err(),
                "{taken:#x}"
            );
        }
        // A window of the generic address space, and what does not end.
        assert!(session.place("c", vec![3; 16], 0x0200_0000_0000).is_err());
        assert!(session.place("c", vec![3; 16], u64::MAX - 3).is_err());
        assert_eq!(session.read(0x10010, 16), Ok(&[2; 16][..]));
    }

    /// Gives one if a kernel gets 12 MiB.
    const ALLOCATE: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .extern .func (.param .b64 result) malloc (.param .b64 bytes);
        .visible .entry allocate(.param .u64 to)
        {
            .reg .pred %p<2>;
            .reg .b32 %r<2>;
            .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [to];
            {
                .param .b64 bytes;
                .param .b64 result;
                st.param.b64 [bytes], 12582912;
                call.uni (result), malloc, (bytes);
                ld.param.b64 %rd2, [result];
            }
            setp.ne.u64 %p1, %rd2, 0;
            selp.u32 %r1, 1, 0, %p1;
            st.global.u32 [%rd1], %r1;
            ret;
        }";

    #[test]
    fn the_heap_is_as_large_as_it_was_set() {
        for (limit, is_there) in [(8 << 20, 0), (16 << 20, 1)] {
            let mut session = Session::new(Config::default());
            let module = session.load("allocate.ptx", ALLOCATE).unwrap();
            let to = session.allocate("to", vec![7; 4]);
            let launch = Launch::new("allocate", 1, 1).argument(Argument::Address(to));
            assert_eq!(session.heap_limit_bytes(), 8 << 20);
            session.set_heap_limit_bytes(limit).unwrap();
            session.launch(module, &launch).unwrap();
            assert_eq!(session.read(to, 4), Ok(&[is_there, 0, 0, 0][..]));
            assert!(session.set_heap_limit_bytes(32 << 20).is_err());
            assert_eq!(session.heap_limit_bytes(), limit);
        }
    }
}
