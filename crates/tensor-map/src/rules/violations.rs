use core::{
    error::Error,
    fmt::{self, Debug, Display, Formatter},
};

use super::{Violation, violation, warning};
use crate::{Params, Target};

/// Parameters that break rules. Printed, it has a line for each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Violations {
    params: Params,
    address: u64,
    target: Target,
}

impl Violations {
    pub(crate) const fn new(params: Params, address: u64, target: Target) -> Self {
        Self {
            params,
            address,
            target,
        }
    }

    pub(crate) const fn is_refused(&self) -> bool {
        violation(&self.params, self.address, self.target, 0).is_some()
    }

    /// Returns the parameters that break the rules.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the rules that they break, at least one.
    pub const fn violations(&self) -> ViolationIter {
        ViolationIter {
            params: self.params,
            address: self.address,
            target: self.target,
            warnings: false,
            next: 0,
        }
    }
}

impl Display for Violations {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.violations().count();
        let rules = if count == 1 { "rule" } else { "rules" };
        write!(
            f,
            "parameters of the {} tensor map break {count} {rules}:",
            self.params.mode()
        )?;
        self.violations()
            .try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

impl Debug for Violations {
    /// Formats like [`Display`], so that `unwrap` shows the fix.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Error for Violations {}

/// Broken rules, or warnings, one after the other.
#[derive(Clone, Debug)]
pub struct ViolationIter {
    params: Params,
    address: u64,
    target: Target,
    warnings: bool,
    next: usize,
}

impl ViolationIter {
    pub(crate) const fn warnings(params: Params, address: u64, target: Target) -> Self {
        Self {
            params,
            address,
            target,
            warnings: true,
            next: 0,
        }
    }
}

impl Iterator for ViolationIter {
    type Item = Violation;

    fn next(&mut self) -> Option<Violation> {
        let nth = if self.warnings { warning } else { violation };
        let violation = nth(&self.params, self.address, self.target, self.next)?;
        self.next += 1;
        Some(violation)
    }
}
