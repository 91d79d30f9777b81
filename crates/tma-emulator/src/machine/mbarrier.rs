//! The objects of `mbarrier`: their counts and phases.

/// The largest count of arrivals, and of bytes (PTX ISA, section 9.7.13.15.3).
pub(crate) const MAX_COUNT: u32 = (1 << 20) - 1;

/// The largest count of arrivals at a barrier of the layout v1 (PTX ISA 9.4, section 9.7.15.16.3).
const MAX_COUNT_V1: u32 = (1 << 9) - 1;

/// State of an mbarrier object.
///
/// The word in memory is only a token that changes with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mbarrier {
    /// Index of the `mbarrier.init`, and when it was executed: later ones have higher numbers.
    pub(crate) made_by: usize,
    pub(crate) made_at: u64,
    /// Arrivals that the first phase expected.
    pub(crate) initial: u32,
    /// Number of completed phases.
    pub(crate) phase: u64,
    /// Arrivals that later phases expect.
    pub(crate) expected: u32,
    /// Arrivals that this phase still expects.
    pub(crate) pending: u32,
    /// Threads that have arrived in this phase: their blocks, warps and lanes.
    pub(crate) came: Vec<(u64, usize, u32)>,
    /// Additional arrivals that this phase expects, added by `cp.async.mbarrier.arrive` without `.noinc`.
    pub(crate) added: u32,
    /// Expected bytes minus delivered bytes.
    pub(crate) tx: i64,
    /// Bytes of this phase: expected and delivered.
    pub(crate) bytes: (u64, u64),
    /// True if copies report to it: it has the layout v1.
    pub(crate) hears: bool,
    /// True if a copy reported anything: in this phase, and in the last one.
    pub(crate) reported: (bool, bool),
    /// Number of completed conditional phases: those without a report.
    pub(crate) conditional: u64,
    /// The last phase that was one of them.
    pub(crate) last_conditional: u64,
}

impl Mbarrier {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            initial: count,
            expected: count,
            pending: count,
            ..Self::default()
        }
    }

    /// Like [`new`](Self::new), with the layout v1.
    pub(crate) fn that_hears(count: u32) -> Self {
        Self {
            hears: true,
            ..Self::new(count)
        }
    }

    /// Returns the largest arrival count of a barrier with the layout v1, or the other one.
    pub(crate) fn max_count(hears: bool) -> u32 {
        if hears { MAX_COUNT_V1 } else { MAX_COUNT }
    }

    /// Completes the phase, whatever it still expects.
    pub(crate) fn pass(&mut self) {
        (self.pending, self.tx) = (0, 0);
        self.complete_if_over();
    }

    fn complete_if_over(&mut self) {
        if self.pending == 0 && self.tx == 0 {
            let (reported, _) = self.reported;
            if !reported {
                self.conditional += 1;
                self.last_conditional = self.phase;
            }
            self.reported = (false, reported);
            self.phase += 1;
            self.pending = self.expected;
            self.added = 0;
            self.came.clear();
            self.bytes = (0, 0);
        }
    }

    fn change_tx(&mut self, bytes: i64) -> Result<(), String> {
        self.tx += bytes;
        match self.tx.unsigned_abs() > u64::from(MAX_COUNT) {
            true => Err(format!(
                "the byte count {} of the barrier exceeds its limit of {MAX_COUNT}",
                self.tx
            )),
            false => Ok(()),
        }
    }

    pub(crate) fn expect_tx(&mut self, bytes: u32) -> Result<(), String> {
        self.bytes.0 += u64::from(bytes);
        self.change_tx(bytes.into())
    }

    /// Counts delivered bytes.
    pub(crate) fn complete_tx(&mut self, bytes: u32) -> Result<(), String> {
        self.bytes.1 += u64::from(bytes);
        self.change_tx(-i64::from(bytes))?;
        self.complete_if_over();
        Ok(())
    }

    /// Expects one more arrival, in this phase only.
    pub(crate) fn expect_arrival(&mut self) -> Result<(), String> {
        if self.pending == MAX_COUNT {
            return Err(format!(
                "the barrier expects {MAX_COUNT} arrivals, which is its limit"
            ));
        }
        self.pending += 1;
        self.added += 1;
        Ok(())
    }

    pub(crate) fn arrive(&mut self, count: u32, drops: bool) -> Result<(), String> {
        if count > self.pending {
            let arrivals = match count {
                1 => "1 arrival".to_owned(),
                _ => format!("{count} arrivals"),
            };
            return Err(format!(
                "{arrivals} in phase {}, which expects {} more",
                self.phase, self.pending
            ));
        }
        if drops {
            self.expected = self.expected.saturating_sub(count);
        }
        self.pending -= count;
        self.complete_if_over();
        Ok(())
    }

    /// Writes the 64 bits of the object.
    pub(crate) fn store(&self, shared: &mut [u8], offset: usize) {
        let word = (self.phase & 7) << 61
            | (self.tx as u64 & 0x1f_ffff) << 40
            | u64::from(self.expected) << 20
            | u64::from(self.pending);
        if let Some(bytes) = shared.get_mut(offset..offset + 8) {
            crate::value::write(bytes, word);
        }
    }

    /// Returns the state that `arrive` returns: the phase, and the arrivals that it still expected if an instruction reads
    /// them. Otherwise the state is the same in every order of the arrivals.
    pub(crate) fn token(&self, has_pending: bool) -> u64 {
        let pending = if has_pending { self.pending } else { 0 };
        self.phase << 20 | u64::from(pending)
    }

    /// Returns the phase of a state.
    pub(crate) fn phase_of(token: u64) -> u64 {
        token >> 20
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_ends_with_the_last_arrival_and_the_last_byte() {
        let mut barrier = Mbarrier::new(2);
        barrier.complete_tx(64).unwrap();
        barrier.arrive(1, false).unwrap();
        barrier.expect_tx(64).unwrap();
        assert_eq!(barrier.phase, 0);
        barrier.arrive(1, false).unwrap();
        assert_eq!((barrier.phase, barrier.pending), (1, 2));
        assert!(barrier.arrive(3, false).is_err());
    }

    #[test]
    fn a_report_holds_back_the_conditional_phase_alone() {
        let mut barrier = Mbarrier::that_hears(1);
        barrier.reported.0 = true;
        barrier.arrive(1, false).unwrap();
        assert_eq!((barrier.phase, barrier.conditional), (1, 0));
        assert_eq!(barrier.reported, (false, true));
        barrier.arrive(1, false).unwrap();
        assert_eq!((barrier.phase, barrier.conditional), (2, 1));
        assert_eq!(
            (barrier.reported, barrier.last_conditional),
            ((false, false), 1)
        );
    }

    #[test]
    fn bytes_have_a_limit() {
        let mut barrier = Mbarrier::new(1);
        assert!(barrier.expect_tx(MAX_COUNT).is_ok());
        assert!(barrier.expect_tx(1).is_err());
    }
}
