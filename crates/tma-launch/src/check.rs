//! Checks a launch in advance and reports every broken rule with its nearest fix.

mod arguments;
mod contents;
mod placed;
mod regions;
mod shape;
mod violation;

use crate::{Buffer, Launch, Limits, Signature};

pub use arguments::{argument_forms, buffer_ranges};
pub use contents::{JobMemory, contents, descent};
pub use placed::{placed, variable_bytes};
pub use regions::regions;
pub use shape::{cooperative_grid, shape};
pub use violation::{Rule, Violation, Violations};

/// Checks a launch of the kernel `signature` on a device with these limits, and returns all violations. Memory
/// contents are checked separately by [`contents`].
///
/// ```
/// use tma_launch::{Launch, Limits, Signature, check};
///
/// let kernel = Signature { entry: "fill".into(), ..Signature::default() };
/// let launch = Launch::new("fill", 1, (32, 64));
/// let violations = check(&launch, &[], &Limits::SM_90, &kernel).unwrap_err();
/// assert_eq!(
///     violations.to_string(),
///     "block-threads: block is 32 x 64 x 1, 2048 threads; \
///      the device's limit is 1024; use 32 x 32 x 1"
/// );
/// ```
pub fn check(
    launch: &Launch,
    buffers: &[Buffer],
    limits: &Limits,
    signature: &Signature,
) -> Result<(), Violations> {
    let forms: Vec<_> = launch
        .arguments
        .iter()
        .map(|argument| argument.form())
        .collect();
    let mut violations = shape(&launch.shape, limits, signature);
    violations.0.extend(argument_forms(&forms, signature).0);
    violations.0.extend(buffer_ranges(launch, buffers).0);
    violations.0.extend(regions(&launch.uses, buffers).0);
    violations.0.extend(placed(buffers).0);
    violations.into_result()
}

#[cfg(test)]
mod tests;
