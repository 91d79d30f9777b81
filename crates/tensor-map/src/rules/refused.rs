use core::{
    error::Error,
    fmt::{self, Debug, Display, Formatter},
};

use super::{Finding, violation, warning};
use crate::{Params, Target};

/// Parameters that break rules. Printed, it has a line for each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    params: Params,
    address: u64,
    target: Target,
}

impl Refused {
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

    /// The parameters.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The rules that they break, at least one.
    pub const fn violations(&self) -> Findings {
        Findings {
            params: self.params,
            address: self.address,
            target: self.target,
            warnings: false,
            next: 0,
        }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let count = self.violations().count();
        let rules = if count == 1 { "rule is" } else { "rules are" };
        write!(
            f,
            "no {} tensor map of these parameters, {count} {rules} broken:",
            self.params.mode()
        )?;
        self.violations()
            .try_for_each(|violation| write!(f, "\n  {violation}"))
    }
}

impl Debug for Refused {
    /// As [`Display`], so that `unwrap` shows what to do.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Error for Refused {}

/// Broken rules, or warnings, one after the other.
#[derive(Clone, Debug)]
pub struct Findings {
    params: Params,
    address: u64,
    target: Target,
    warnings: bool,
    next: usize,
}

impl Findings {
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

impl Iterator for Findings {
    type Item = Finding;

    fn next(&mut self) -> Option<Finding> {
        let nth = if self.warnings { warning } else { violation };
        let finding = nth(&self.params, self.address, self.target, self.next)?;
        self.next += 1;
        Some(finding)
    }
}
