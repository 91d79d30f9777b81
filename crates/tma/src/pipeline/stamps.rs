//! Stamps of a pipeline's steps, for a timeline of a real GPU.
//!
//! A library that is built with `--cfg tma_trace`, which `PtxBuilder::trace` of `tma-build` sets, has each warp
//! of a pipeline write 16 bytes for each step into a ring of its own in global memory. The host
//! sets the address by the variable `TMA_TRACE`, and `tma_host::Timeline` reads the ring. Other builds have no stamps
//! in the PTX: [`Stamps`] has no fields then, and its methods have no code.
//!
//! The variable has the address of the rings, the number of stamps in each, a power of two, the number of warps of a
//! block that have rings, and the number of such blocks. A ring begins with two times 16 bytes for the begin and the end:
//! `%globaltimer`, the lower half of `%clock64`, the role and its stages. A stamp has the lower half of `%clock64`,
//! the number of the visit to a stage, its [`Step`], and cycles or bytes. The visits of a role go through the stages in
//! turn, and each has its stamps of the ring, so that no count of stamps is kept.
//!
//! Moments are kept in registers, and the entry of a visit is written when the barriers and fences of the visit are
//! after it: a fence would wait for the stores.

#[cfg(not(tma_trace))]
pub(crate) use silent::{Moment, Stamps};
#[cfg(tma_trace)]
pub(crate) use traced::{Moment, Stamps};

/// The part of a warp in a pipeline.
#[derive(Clone, Copy)]
pub(crate) enum Role {
    /// The role that loads.
    Producer = 1,
    /// The role that works on loaded stages.
    Consumer = 2,
    /// The role that loads and stores.
    Stream = 3,
}

/// A step of a visit to a stage.
#[derive(Clone, Copy)]
#[cfg_attr(not(tma_trace), allow(dead_code))]
pub(crate) enum Step {
    /// The stage was empty, after the given number of cycles.
    Acquired = 1,
    /// A copy of the given number of bytes into the stage was issued.
    Issued = 2,
    /// The stage was full, after the given number of cycles.
    Full = 3,
    /// The stage was released.
    Released = 4,
    /// A store from the stage was issued, and the store before was read after the given number of cycles.
    Stored = 5,
}

#[cfg(not(tma_trace))]
mod silent {
    use super::{Role, Step};

    /// Stamps of a build without `tma_trace`: empty.
    #[derive(Clone, Copy)]
    pub(crate) struct Stamps;

    /// A moment of a build without `tma_trace`: empty.
    #[derive(Clone, Copy)]
    pub(crate) struct Moment;

    impl Stamps {
        #[inline(always)]
        pub(crate) fn begin(_: Role, _: u32, _: bool) -> Self {
            Self
        }

        #[inline(always)]
        pub(crate) fn of_elected(self) -> Self {
            self
        }

        #[inline(always)]
        pub(crate) fn silent(self) -> Self {
            self
        }

        #[inline(always)]
        pub(crate) fn began(self) -> Self {
            self
        }

        #[inline(always)]
        pub(crate) fn now(self) -> Moment {
            Moment
        }

        #[inline(always)]
        pub(crate) fn stamp(self, _: Step, _: Moment, _: u32) {}

        #[inline(always)]
        pub(crate) fn waited(self, _: Step, _: [Moment; 2]) {}

        #[inline(always)]
        pub(crate) fn stored(self, _: [Moment; 2]) {}

        #[inline(always)]
        pub(crate) fn advance(&mut self) {}

        #[inline(always)]
        pub(crate) fn ahead(self, _: u32) -> Self {
            self
        }

        #[inline(always)]
        pub(crate) fn end(self) {}
    }
}

#[cfg(tma_trace)]
mod traced {
    use super::{Role, Step};
    use crate::{
        group::{
            thread::{block_idx, grid_dim, thread_idx},
            warp::lane,
        },
        ptx::{Cg, clock, st_global},
    };
    use tma_macros::constant;

    constant! {
        /// The addresses and sizes of the rings.
        static TMA_TRACE: [u64; 3];
    }

    /// The stamps, after the two entries for begin and end.
    const FIRST: usize = 2;

    /// The ring of this warp.
    #[derive(Clone, Copy)]
    pub(crate) struct Stamps {
        /// Null where there is none for this warp.
        ring: *mut [u32; 4],
        mask: u32,
        visit: u32,
        /// True in the one lane that writes.
        writes: bool,
        /// Stamps of a visit.
        per_visit: u32,
        role: u32,
    }

    /// A reading of the clock.
    #[derive(Clone, Copy)]
    pub(crate) struct Moment(u32);

    impl Stamps {
        /// Returns the ring of this warp; its first lane writes it if `writes`.
        #[inline(always)]
        pub(crate) fn begin(role: Role, stages: u32, writes: bool) -> Self {
            // SAFETY: the host has written the variable, or it holds zeros.
            let [address, of_block, blocks] = unsafe { TMA_TRACE::ptr().read_volatile() };
            let (stamps, warps) = (of_block as u32, (of_block >> 32) as u32);
            let (at, grid) = (block_idx(), grid_dim());
            let block = u64::from(at.x)
                + u64::from(grid.x) * (u64::from(at.y) + u64::from(grid.y) * u64::from(at.z));
            let warp = thread_idx().x / 32;
            let ring = block * u64::from(warps) + u64::from(warp);
            let bytes = (FIRST as u64 + u64::from(stamps)) * size_of::<[u32; 4]>() as u64;
            let is_there = address != 0 && warp < warps && block < blocks;
            Self {
                ring: if is_there {
                    (address + ring * bytes) as *mut _
                } else {
                    core::ptr::null_mut()
                },
                mask: stamps.wrapping_sub(1),
                visit: 0,
                writes: writes && lane() == 0,
                per_visit: if matches!(role, Role::Stream) { 4 } else { 2 },
                role: role as u32 | stages << 8,
            }
        }

        /// Returns the same for a thread that was elected: it writes, in any lane.
        #[inline(always)]
        pub(crate) fn of_elected(self) -> Self {
            Self {
                writes: true,
                ..self
            }
        }

        /// Returns the same for stages that are not stamped.
        #[inline(always)]
        pub(crate) fn silent(self) -> Self {
            Self {
                writes: false,
                ..self
            }
        }

        #[inline(always)]
        pub(crate) fn now(self) -> Moment {
            Moment(clock::clock64() as u32)
        }

        #[inline(always)]
        pub(crate) fn stamp(self, step: Step, at: Moment, detail: u32) {
            let slot = match step {
                Step::Acquired | Step::Full => 0,
                Step::Issued | Step::Released | Step::Stored => 1,
            };
            // The streaming role has the copies of two visits in one.
            let apart = matches!(step, Step::Full | Step::Stored) && self.per_visit == 4;
            let slot = slot + if apart { 2 } else { 0 };
            let index = (self.visit * self.per_visit + slot) & self.mask;
            self.write(
                FIRST + index as usize,
                [at.0, self.visit, step as u32, detail],
            );
        }

        /// Stamps the second moment, with the cycles since the first.
        #[inline(always)]
        pub(crate) fn waited(self, step: Step, [since, at]: [Moment; 2]) {
            self.stamp(step, at, at.0.wrapping_sub(since.0));
        }

        /// Stamps the first moment, with the cycles until the second.
        #[inline(always)]
        pub(crate) fn stored(self, [at, read]: [Moment; 2]) {
            self.stamp(Step::Stored, at, read.0.wrapping_sub(at.0));
        }

        /// Goes on to the visit of the next stage.
        #[inline(always)]
        pub(crate) fn advance(&mut self) {
            self.visit += 1;
        }

        /// Returns the same for a visit that is `visits` ahead.
        #[inline(always)]
        pub(crate) fn ahead(self, visits: u32) -> Self {
            Self {
                visit: self.visit + visits,
                ..self
            }
        }

        /// Stamps the beginning of the warp.
        #[inline(always)]
        pub(crate) fn began(self) -> Self {
            self.bound(0);
            self
        }

        /// Stamps the end of the warp.
        #[inline(always)]
        pub(crate) fn end(self) {
            self.bound(1);
        }

        #[inline(always)]
        fn bound(self, index: usize) {
            let (time, clock) = (clock::globaltimer(), clock::clock64());
            self.write(
                index,
                [time as u32, (time >> 32) as u32, clock as u32, self.role],
            );
        }

        #[inline(always)]
        fn write(self, index: usize, words: [u32; 4]) {
            if self.writes && !self.ring.is_null() {
                // SAFETY: the ring has this many entries, of 16 bytes, and this lane alone writes it.
                unsafe { st_global::v4_b32::<Cg>(self.ring.add(index).cast(), words) };
            }
        }
    }
}
