//! Memory that the host has freed: a later access is reported with the allocation that was there.

use std::{collections::VecDeque, sync::Arc};

/// The number of freed allocations to remember; older ones are forgotten.
const LIMIT: usize = 4096;

/// The allocations that the host has freed, the oldest first. Copies of the memory share them.
#[derive(Clone, Debug, Default)]
pub(super) struct FreedByHost(Arc<VecDeque<Freed>>);

#[derive(Clone, Debug)]
struct Freed {
    name: String,
    address: u64,
    bytes: u64,
    /// The call that freed it, for messages.
    by: String,
}

impl FreedByHost {
    pub(super) fn add(&mut self, name: String, address: u64, bytes: u64, by: &str) {
        let all = Arc::make_mut(&mut self.0);
        if all.len() == LIMIT {
            all.pop_front();
        }
        let by = by.to_owned();
        all.push_back(Freed {
            name,
            address,
            bytes,
            by,
        });
    }

    /// Describes the place of an address in the allocation that was there last.
    pub(super) fn describe(&self, address: u64) -> Option<String> {
        let mut latest = self.0.iter().rev();
        let freed = latest.find(|freed| {
            let offset = address.checked_sub(freed.address);
            offset.is_some_and(|offset| offset < freed.bytes)
        })?;
        let Freed {
            name,
            address: start,
            bytes,
            by,
        } = freed;
        let offset = address - start;
        Some(format!(
            "byte {offset} of `{name}` ({bytes} bytes), which was freed by {by}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_allocation_at_an_address_is_named() {
        let mut freed = FreedByHost::default();
        freed.add("first".into(), 0x1000, 64, "the host");
        freed.add("second".into(), 0x1000, 32, "`cudaFree`");
        let description = |address| freed.describe(address);
        let second = "byte 31 of `second` (32 bytes), which was freed by `cudaFree`";
        assert_eq!(description(0x101f).as_deref(), Some(second));
        let first = "byte 32 of `first` (64 bytes), which was freed by the host";
        assert_eq!(description(0x1020).as_deref(), Some(first));
        assert_eq!([description(0xfff), description(0x1040)], [None, None]);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut freed = FreedByHost::default();
        for number in 0..=LIMIT as u64 {
            freed.add(number.to_string(), number * 16, 16, "the host");
        }
        assert_eq!(freed.0.len(), LIMIT);
        assert_eq!(freed.describe(0), None);
        assert!(
            freed
                .describe(16)
                .is_some_and(|description| description.contains("`1`"))
        );
    }
}
