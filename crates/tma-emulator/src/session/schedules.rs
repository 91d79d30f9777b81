//! One launch under several schedules.

use std::ops::{ControlFlow, RangeInclusive};

use tma_launch::{Failure, Launch};

use super::{Error, ModuleId, Session};
use crate::{
    check::CheckReport,
    machine::{Config, observer::Printer},
    run::{Jobs, Report},
};

impl Session {
    /// Runs a kernel under the checker once for each seed, several at a time. `take` receives the findings in
    /// the order of the seeds, without suppressed ones. Each run starts with the same memory; the memory of the
    /// first run is kept. Output is discarded.
    ///
    /// # Errors
    /// The launch is invalid, and memory is unchanged.
    pub fn launch_checked(
        &mut self,
        module: ModuleId,
        launch: &Launch,
        seeds: RangeInclusive<u64>,
        jobs: Jobs,
        mut take: impl FnMut(u64, CheckReport),
    ) -> Result<(), Failure> {
        let ready = self.ready(module, launch)?;
        let mut suppressions = std::mem::take(&mut self.suppressions);
        let mut take = |seed: u64, mut report: CheckReport| {
            report.suppress(&mut suppressions);
            take(seed, report);
        };
        self.within(&ready, |state, config| {
            let (first, last) = seeds.clone().into_inner();
            if first == last {
                let config = Config {
                    seed: first,
                    ..config
                };
                return take(first, state.check(&ready, config));
            }
            let before = &*state;
            let run = |seed| {
                let mut state = before.clone();
                let report = state.check(&ready, Config { seed, ..config });
                (seed, report, (seed == first).then_some(state))
            };
            let mut left = None;
            jobs.in_order(seeds, run, |(seed, report, state)| {
                left = left.take().or(state);
                take(seed, report);
                ControlFlow::Continue(())
            });
            if let Some(left) = left {
                *state = left;
            }
        });
        self.suppressions = suppressions;
        Ok(())
    }

    /// Runs a kernel without the checker. `print` receives its output.
    ///
    /// # Errors
    /// The launch is invalid, and memory is unchanged; or the kernel faulted.
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

    use crate::{check::CheckReport, machine::Config, run::Jobs, session::Session};

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
        let mut check = |threads, seeds, jobs| {
            session.write(0x2000, &[5]).unwrap();
            let mut all = Vec::new();
            let take = |seed, report: CheckReport| all.push((seed, report));
            let launch = launch(threads);
            let launched = session.launch_checked(module, &launch, seeds, jobs, take);
            launched.unwrap();
            let after = session.read(0x2000, 4).unwrap()[0];
            (all, after)
        };
        let (clean, after) = check(1, 3..=6, Jobs::ONE);
        assert!(clean.iter().all(|(_, report)| report.is_clean()));
        let seeds: Vec<u64> = clean.iter().map(|(seed, _)| *seed).collect();
        assert_eq!((&*seeds, after), (&[3, 4, 5, 6][..], 6));
        let (clean, after) = check(1, 7..=7, Jobs::default());
        assert!(clean[0].1.is_clean() && after == 6);
        // In any number of threads the same is found, in the same order.
        let (found, first) = check(64, 0..=8, Jobs::ONE);
        assert!(found.iter().all(|(_, report)| !report.is_clean()));
        for jobs in ["2", "3", "16"] {
            let (again, after) = check(64, 0..=8, jobs.parse().unwrap());
            assert_eq!(after, first);
            assert_eq!(format!("{again:?}"), format!("{found:?}"));
        }
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

    /// Stores 1 if an allocation of 12 MiB succeeds.
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
