//! Numbers for the ways by which functions are entered.

use std::collections::HashMap;

/// Limit of distinct call chains, since recursion could produce any number.
const MOST: usize = 1 << 16;

/// Chains of calls that lead to a function, outermost first: each is the chain without its last call, and the
/// last call's instruction. Chain 0 is the kernel itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(HashMap<(u32, usize), u32>);

impl Calls {
    /// Returns the number of a chain with one more call, and whether it is new.
    pub(crate) fn enter(&mut self, from: u32, call: usize) -> (u32, bool) {
        if let Some(number) = self.0.get(&(from, call)) {
            return (*number, false);
        }
        if self.0.len() >= MOST {
            return (from, false);
        }
        let number = self.0.len() as u32 + 1;
        self.0.insert((from, call), number);
        (number, true)
    }
}
