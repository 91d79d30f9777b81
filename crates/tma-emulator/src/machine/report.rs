//! Reports of copies on their bytes, for a barrier. PTX ISA 9.4, section 9.7.10.28.1.3.

/// The condition that makes a barrier report: numbers of `bits` bits that are -0, of which one in 16 bytes is
/// checked, or any byte 0xff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportCondition {
    NegativeZero { bits: usize },
    Ff,
}

impl ReportCondition {
    /// Returns whether delivered bytes meet the condition. `choose` selects the number to check, below a given
    /// count.
    pub(crate) fn is_in(self, bytes: &[u8], mut choose: impl FnMut(usize) -> usize) -> bool {
        let Self::NegativeZero { bits } = self else {
            return bytes.contains(&0xff);
        };
        bytes.chunks(16).any(|chunk| {
            let at = choose((8 * chunk.len() / bits).max(1)) * bits;
            match bits {
                4 => chunk[at / 8] >> (at % 8) & 0xf == 8,
                _ => {
                    let number = chunk.get(at / 8..(at + bits) / 8).unwrap_or(&[]);
                    matches!(number, [zeros @ .., 0x80] if zeros.iter().all(|byte| *byte == 0))
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_that_is_looked_at_counts() {
        let mut bytes = [0; 32];
        bytes[21] = 0x80;
        let sees = |report: ReportCondition, at: usize| report.is_in(&bytes, |_| at);
        // In the second 16 bytes: the third number of 16 bits, the sixth of 8 and the twelfth of 4.
        assert!(sees(ReportCondition::NegativeZero { bits: 16 }, 2));
        assert!(!sees(ReportCondition::NegativeZero { bits: 16 }, 3));
        assert!(sees(ReportCondition::NegativeZero { bits: 8 }, 5));
        assert!(sees(ReportCondition::NegativeZero { bits: 4 }, 11));
        assert!(!sees(ReportCondition::NegativeZero { bits: 4 }, 10));
        assert!(!sees(ReportCondition::NegativeZero { bits: 32 }, 1));
        assert!(!sees(ReportCondition::Ff, 0));
        bytes[30] = 0xff;
        assert!(ReportCondition::Ff.is_in(&bytes, |_| 0));
    }
}
