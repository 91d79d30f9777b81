use std::{fmt::Display, ops::RangeInclusive};

use launch::{Launch, Rule, Violation, Violations};

/// The product, or the most that there is.
pub(crate) fn product(factors: &[u32]) -> u64 {
    let factors = factors.iter().map(|factor| u64::from(*factor));
    factors.fold(1, u64::saturating_mul)
}

/// Shared memory of a ring: behind each stage two barriers and a number.
pub(crate) fn ring_bytes(stages: u32, stage_bytes: u32) -> u32 {
    stages.saturating_mul(stage_bytes.saturating_add(20))
}

/// What a kernel asks of its arguments; collects what does not hold.
#[derive(Default)]
pub(crate) struct Conditions(Vec<Violation>);

impl Conditions {
    /// `value` must be a multiple of `of`, for this reason.
    pub(crate) fn multiple(&mut self, parameter: &str, value: u64, of: u64, reason: &str) {
        if value.is_multiple_of(of) {
            return;
        }
        let below = value / of * of;
        let fix = match below.checked_add(of) {
            Some(above) if below == 0 => format!("take {above}"),
            Some(above) => format!("take {below} or {above}"),
            None => format!("take {below}"),
        };
        self.break_rule(parameter, value, format!("{reason} {of}"), fix);
    }

    /// `value` must be in a range, for this reason.
    pub(crate) fn within<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        range: RangeInclusive<T>,
        reason: &str,
    ) {
        let (low, high) = (*range.start(), *range.end());
        if range.contains(&value) {
            return;
        }
        let nearest = if value < low { low } else { high };
        let limit = format!("{reason} {low} to {high}");
        self.break_rule(parameter, value, limit, format!("take {nearest}"));
    }

    /// `value` must be at least `least`, for this reason.
    pub(crate) fn at_least<T: PartialOrd + Display + Copy>(
        &mut self,
        parameter: &str,
        value: T,
        least: T,
        reason: &str,
    ) {
        if value < least {
            self.break_rule(
                parameter,
                value,
                format!("{reason} {least}"),
                format!("take {least} or more"),
            );
        }
    }

    /// `value` must be one of these, for this reason.
    pub(crate) fn one_of(&mut self, parameter: &str, value: u32, of: &[u32], reason: &str) {
        if of.contains(&value) {
            return;
        }
        let nearest = of.iter().min_by_key(|one| one.abs_diff(value));
        let all: Vec<String> = of.iter().map(u32::to_string).collect();
        let fix = nearest.map_or_else(String::new, |nearest| format!("take {nearest}"));
        self.break_rule(
            parameter,
            value,
            format!("{reason} {}", all.join(", ")),
            fix,
        );
    }

    /// Threads of a block that works in whole warps: 32 to 1024.
    pub(crate) fn whole_warps(&mut self, threads: u32) {
        let reasons = [
            "a block has between",
            "whole warps elect who copies: a multiple of",
        ];
        self.warps(threads, 32..=1024, reasons);
    }

    /// Threads of a block, in whole warps: the reasons for the range and for the warps.
    pub(crate) fn warps(&mut self, threads: u32, range: RangeInclusive<u32>, reasons: [&str; 2]) {
        let parameter = "threads of a block";
        if range.contains(&threads) {
            self.multiple(parameter, threads.into(), 32, reasons[1]);
        } else {
            self.within(parameter, threads, range, reasons[0]);
        }
    }

    /// The distance of rows of `width` elements of 4 bytes.
    pub(crate) fn pitch(&mut self, parameter: &str, pitch: usize, width: usize) {
        if pitch.is_multiple_of(4) && pitch >= width {
            return;
        }
        let below = pitch / 4 * 4;
        let above = pitch.max(width).checked_next_multiple_of(4);
        let fixes = [Some(below).filter(|below| *below >= width), above];
        let fixes: Vec<String> = fixes.iter().flatten().map(usize::to_string).collect();
        let limit = format!(
            "rows begin at multiples of 16 bytes: a multiple of 4, at least the width, {width}"
        );
        self.break_rule(
            parameter,
            pitch,
            limit,
            format!("take {}", fixes.join(" or ")),
        );
    }

    /// Batches are counted in 32 bits, and so are those that would come `stages` later.
    pub(crate) fn batches(&mut self, batches: u32, stages: u32) {
        let most = u32::MAX - stages.min(8);
        let reason = "batches that are counted in 32 bits:";
        self.within("batches", batches, 0..=most, reason);
    }

    fn break_rule(&mut self, parameter: &str, value: impl Display, limit: String, fix: String) {
        self.0.push(Violation {
            rule: Rule::KernelCondition,
            parameter: parameter.to_owned(),
            value: value.to_string(),
            limit,
            fix,
        });
    }

    /// The launch, where everything holds.
    pub(crate) fn launch(self, launch: Launch) -> Result<Launch, Violations> {
        Violations(self.0).into_result().map(|()| launch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_values_are_offered() {
        let mut conditions = Conditions::default();
        conditions.multiple("offset", 6, 4, "a multiple of");
        conditions.multiple("offset", 3, 16, "a multiple of");
        conditions.within("x", -1, 0..=7, "between");
        conditions.one_of("stages", 5, &[1, 2, 4], "one of");
        conditions.at_least("blocks", 0, 1, "at least");
        conditions.multiple("offset", 8, 4, "a multiple of");
        let violations = conditions.launch(Launch::new("k", 1, 1)).unwrap_err();
        assert_eq!(
            violations.to_string(),
            "kernel-condition: offset is 6; a multiple of 4; take 4 or 8\n\
             kernel-condition: offset is 3; a multiple of 16; take 16\n\
             kernel-condition: x is -1; between 0 to 7; take 0\n\
             kernel-condition: stages is 5; one of 1, 2, 4; take 4\n\
             kernel-condition: blocks is 0; at least 1; take 1 or more"
        );
        assert!(Conditions::default().launch(Launch::new("k", 1, 1)).is_ok());
    }
}
