//! The allocations of a program, and which of them a launch can reach.

use std::collections::{BTreeMap, BTreeSet};

use crate::parts::Parts;

/// Memory accessible to kernels.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// The call that allocated it, and the number of the call.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// The bytes that a launch last found or left in it, while there is memory to keep them.
    pub(crate) known: Option<Parts>,
}

/// The live allocations by address.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    all: BTreeMap<u64, Allocation>,
    /// Number of calls so far.
    count: u64,
}

impl Allocations {
    /// Records memory allocated by a call.
    pub(crate) fn add(&mut self, address: u64, bytes: u64, call: &str) {
        self.count += 1;
        let name = format!("{call} {}", self.count);
        let known = None;
        self.all.insert(address, Allocation { name, bytes, known });
    }

    /// Removes the allocation that begins at an address.
    pub(crate) fn remove(&mut self, address: u64) -> Option<Allocation> {
        self.all.remove(&address)
    }

    /// Restores a removed allocation.
    pub(crate) fn put_back(&mut self, address: u64, allocation: Allocation) {
        self.all.insert(address, allocation);
    }

    /// Stores the contents of an allocation that begins at an address.
    pub(crate) fn keep_parts(&mut self, address: u64, parts: &Parts) {
        if let Some(allocation) = self.all.get_mut(&address) {
            allocation.known = Some(parts.clone());
        }
    }

    /// Drops the contents of all allocations.
    pub(crate) fn forget_parts(&mut self) {
        for allocation in self.all.values_mut() {
            allocation.known = None;
        }
    }

    /// Returns the allocation that begins at an address.
    pub(crate) fn get(&self, address: u64) -> Option<&Allocation> {
        self.all.get(&address)
    }

    /// Returns the start of the allocation that contains an address.
    pub(crate) fn find(&self, address: u64) -> Option<u64> {
        let (start, found) = self.all.range(..=address).next_back()?;
        (address - start < found.bytes).then_some(*start)
    }

    /// Adds the starts of allocations that values in these bytes may point to. Pointers are aligned to eight bytes.
    pub(crate) fn pointed_to(&self, bytes: &[u8], found: &mut BTreeSet<u64>) {
        let Some((first, _)) = self.all.first_key_value() else {
            return;
        };
        let last = self.all.last_key_value();
        let end = last.map_or(0, |(start, last)| start + last.bytes);
        // Neighbouring values usually point to the same allocation.
        let (mut start, mut len) = (0, 0);
        let (words, _) = bytes.as_chunks::<8>();
        for word in words {
            let value = u64::from_le_bytes(*word);
            if value < *first || value >= end || value.wrapping_sub(start) < len {
                continue;
            }
            if let Some(inside) = self.find(value) {
                (start, len) = (inside, self.all[&inside].bytes);
                found.insert(inside);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_inside_of_allocations_are_pointers() {
        let mut all = Allocations::default();
        all.add(0x7000_0000, 100, "a");
        all.add(0x7000_1000, 8, "b");
        all.add(0x9000_0000, 1, "c");
        let found = |values: &[u64]| {
            let bytes: Vec<u8> = values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect();
            let mut found = BTreeSet::new();
            all.pointed_to(&bytes, &mut found);
            found.into_iter().collect::<Vec<u64>>()
        };
        assert!(found(&[0, 7, u64::MAX, 0x6fff_ffff]).is_empty());
        assert_eq!(found(&[0x7000_0000, 0x7000_0063]), [0x7000_0000]);
        assert!(found(&[0x7000_0064, 0x7000_0fff, 0x7000_1008, 0x9000_0001]).is_empty());
        assert_eq!(
            found(&[0x9000_0000, 0x7000_1007, 0x7000_0000]),
            [0x7000_0000, 0x7000_1000, 0x9000_0000]
        );
        assert_eq!(all.get(0x7000_1000).unwrap().name, "b 2");
        assert!(all.remove(0x7000_1000).is_some());
        assert_eq!(all.find(0x7000_1000), None);
    }
}
