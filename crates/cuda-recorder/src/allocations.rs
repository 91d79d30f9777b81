//! The allocations of a program, and those that a launch can reach.

use std::collections::{BTreeMap, BTreeSet};

use crate::parts::Parts;

/// Memory that kernels can use.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    /// The call that gave it, and the call's number.
    pub(crate) name: String,
    pub(crate) bytes: u64,
    /// The bytes that a launch has found or left there last, while there is room for them.
    pub(crate) known: Option<Parts>,
}

/// The allocations that are not freed, by addresses.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    all: BTreeMap<u64, Allocation>,
    /// Calls so far.
    count: u64,
}

impl Allocations {
    /// Takes note of memory that a call gave.
    pub(crate) fn add(&mut self, address: u64, bytes: u64, call: &str) {
        self.count += 1;
        let name = format!("{call} {}", self.count);
        let known = None;
        self.all.insert(address, Allocation { name, bytes, known });
    }

    /// Forgets the allocation that begins at an address.
    pub(crate) fn remove(&mut self, address: u64) -> Option<Allocation> {
        self.all.remove(&address)
    }

    /// Takes note again of one that was forgotten.
    pub(crate) fn put_back(&mut self, address: u64, allocation: Allocation) {
        self.all.insert(address, allocation);
    }

    /// Takes note of what is in an allocation that begins at an address.
    pub(crate) fn keep_parts(&mut self, address: u64, parts: &Parts) {
        if let Some(allocation) = self.all.get_mut(&address) {
            allocation.known = Some(parts.clone());
        }
    }

    /// Forgets what is in allocations.
    pub(crate) fn forget_parts(&mut self) {
        for allocation in self.all.values_mut() {
            allocation.known = None;
        }
    }

    /// The allocation that begins at an address.
    pub(crate) fn get(&self, address: u64) -> Option<&Allocation> {
        self.all.get(&address)
    }

    /// Where the allocation begins that an address lies in.
    pub(crate) fn find(&self, address: u64) -> Option<u64> {
        let (start, found) = self.all.range(..=address).next_back()?;
        (address - start < found.bytes).then_some(*start)
    }

    /// Adds the starts of the allocations to which a value in these bytes may point. Pointers lie at multiples of eight.
    pub(crate) fn pointed_to(&self, bytes: &[u8], found: &mut BTreeSet<u64>) {
        let Some((first, _)) = self.all.first_key_value() else {
            return;
        };
        let last = self.all.last_key_value();
        let end = last.map_or(0, |(start, last)| start + last.bytes);
        // Neighbours mostly point to the same allocation.
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
