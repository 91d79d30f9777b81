//! Groups of copies that a thread has issued, and the last copy of each.

use super::clock::Epoch;

/// Copies of one kind that a thread has issued.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Number of copies issued.
    pub(super) issued: Epoch,
    /// Instruction of the last copy.
    pub(super) last: usize,
    /// The newest group with a copy, and the number of its last copy.
    newest: Option<(u64, Epoch)>,
    /// The groups before it. A loop that never waits is one run, however long.
    runs: Vec<GroupRun>,
}

/// Groups at equal distances, each with the same number of copies.
#[derive(Clone, Copy, Debug)]
struct GroupRun {
    first: u64,
    /// The number of the first group's last copy.
    epoch: Epoch,
    groups: u64,
    /// Distances of groups and of their last copies.
    step: (u64, Epoch),
}

impl GroupRun {
    /// Takes a further group, if it continues the run.
    fn take(&mut self, group: u64, epoch: Epoch) -> bool {
        let step = match self.groups {
            1 => (group - self.first, epoch - self.epoch),
            _ => self.step,
        };
        let (next, last) = self.last_of(step);
        let continues = (group, epoch) == (next + step.0, last + step.1);
        if continues {
            self.step = step;
            self.groups += 1;
        }
        continues
    }

    fn last_of(&self, step: (u64, Epoch)) -> (u64, Epoch) {
        let distance = self.groups - 1;
        let epoch = self.epoch + step.1 * distance as Epoch;
        (self.first + step.0 * distance, epoch)
    }

    /// Returns the last copy of all groups before this one.
    fn before(&self, until: u64) -> Option<Epoch> {
        let beyond = until.checked_sub(self.first + 1)?;
        let distance = (beyond / self.step.0.max(1)).min(self.groups - 1);
        Some(self.epoch + self.step.1 * distance as Epoch)
    }
}

impl Groups {
    pub(super) fn add(&mut self, group: u64, instruction: usize) -> Epoch {
        self.issued += 1;
        self.last = instruction;
        match &mut self.newest {
            Some((newest, epoch)) if *newest == group => *epoch = self.issued,
            newest => {
                let closed = newest.replace((group, self.issued));
                if let Some((group, epoch)) = closed {
                    self.close(group, epoch);
                }
            }
        }
        self.issued
    }

    fn close(&mut self, group: u64, epoch: Epoch) {
        let last = self.runs.last_mut();
        if !last.is_some_and(|run| run.take(group, epoch)) {
            self.runs.push(GroupRun {
                first: group,
                epoch,
                groups: 1,
                step: (0, 0),
            });
        }
    }

    /// Returns the last copy of all groups before this one.
    pub(super) fn before(&self, until: u64) -> Epoch {
        let newest = self.newest.filter(|(group, _)| *group < until);
        let newest = newest.map(|(_, epoch)| epoch);
        let runs = || self.runs.iter().rev().find_map(|run| run.before(until));
        newest.or_else(runs).unwrap_or(0)
    }

    /// Drops groups before this one that no later wait can name.
    pub(super) fn forget(&mut self, until: u64) {
        self.runs.retain(|run| run.last_of(run.step).0 >= until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a group of `copies` copies and returns the number of its last copy.
    fn add(groups: &mut Groups, group: u64, copies: u32) -> Epoch {
        let copies = (0..copies).map(|_| groups.add(group, 7));
        copies.last().unwrap_or(groups.issued)
    }

    /// Compares with a list of all groups.
    fn compare(copies: impl Iterator<Item = (u64, u32)>) -> Groups {
        let mut groups = Groups::default();
        let mut all = Vec::new();
        for (group, copies) in copies {
            if copies > 0 {
                all.push((group, add(&mut groups, group, copies)));
            }
        }
        let end = all.last().map_or(0, |(group, _)| group + 3);
        for until in 0..end {
            let before = all.iter().rev().find(|(group, _)| *group < until);
            let expected = before.map_or(0, |(_, epoch)| *epoch);
            assert_eq!(groups.before(until), expected, "{until}");
        }
        groups
    }

    #[test]
    fn the_last_copy_before_a_group_is_found() {
        let numbers = [3, 3, 3, 1, 0, 2, 2, 0, 0, 2, 5, 1, 1, 1, 1, 0, 1, 0, 1];
        compare((0..).zip(numbers));
        compare((5..).zip(numbers));
    }

    #[test]
    fn a_loop_without_a_wait_takes_no_memory() {
        for copies in [1, 3] {
            assert_eq!(
                compare((0..2000).map(|group| (group, copies))).runs.len(),
                1
            );
            // Every second group has none.
            assert_eq!(
                compare((0..2000).map(|group| (2 * group, copies)))
                    .runs
                    .len(),
                1
            );
        }
    }

    #[test]
    fn groups_that_were_waited_for_are_forgotten() {
        let mut groups = Groups::default();
        for group in 0..100 {
            add(&mut groups, group, 1 + (group % 7) as u32);
            groups.forget(group.saturating_sub(1));
            let expected = groups.issued - 1 - (group % 7) as Epoch;
            assert_eq!(groups.before(group), expected, "{group}");
        }
        assert!(groups.runs.len() < 3, "{groups:?}");
    }
}
