//! A map with few keys, optimised for repeated look-ups of the last one.

use std::cell::Cell;

/// Values by number.
#[derive(Clone, Debug)]
pub(super) struct LinearMap<T> {
    items: Vec<(u32, T)>,
    last: Cell<usize>,
}

impl<T> Default for LinearMap<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            last: Cell::new(0),
        }
    }
}

impl<T> LinearMap<T> {
    #[inline]
    fn find(&self, key: u32) -> Option<usize> {
        let last = self.last.get();
        if self.items.get(last).is_some_and(|(at, _)| *at == key) {
            return Some(last);
        }
        let index = self.items.iter().position(|(at, _)| *at == key)?;
        self.last.set(index);
        Some(index)
    }

    #[inline]
    pub(super) fn get(&self, key: u32) -> Option<&T> {
        self.find(key).map(|index| &self.items[index].1)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        self.find(key).map(|index| &mut self.items[index].1)
    }

    /// Returns the value of the key, a new one if there was none.
    #[inline]
    pub(super) fn entry(&mut self, key: u32) -> &mut T
    where
        T: Default,
    {
        let index = self.find(key).unwrap_or_else(|| {
            self.items.push((key, T::default()));
            self.items.len() - 1
        });
        &mut self.items[index].1
    }

    pub(super) fn remove(&mut self, key: u32) -> Option<T> {
        let index = self.find(key)?;
        Some(self.items.swap_remove(index).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_until_it_is_removed() {
        let mut map = LinearMap::<u8>::default();
        *map.entry(7) = 1;
        *map.entry(3) = 2;
        *map.entry(9) += 3;
        assert_eq!(
            (map.get(7), map.get(3), map.get(4)),
            (Some(&1), Some(&2), None)
        );
        assert_eq!(map.remove(7), Some(1));
        assert_eq!((map.get(7), map.get(9)), (None, Some(&3)));
        assert_eq!(map.get_mut(3), Some(&mut 2));
    }
}
