//! Barriers of pipelines and rings of `tma`, which have no names in memory. They are recognised by the line of
//! Rust that initialises all of them, and by the order of `Ring::init`: for each stage the `full` barrier, then
//! its `empty` barrier, which follows after as many barriers as there are stages.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::Arc,
};

use super::Program;

/// Bytes of an mbarrier (PTX ISA, section 9.7.13.15.2).
const MBARRIER_BYTES: u64 = 8;

/// The pipelines that blocks of a kernel have made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rings {
    /// The Rust line of each `mbarrier.init`, by index.
    lines: Arc<BTreeMap<usize, Arc<str>>>,
    /// The barriers of each block that one line has initialised so far, which may become a pipeline.
    begun: HashMap<u64, Begun>,
    /// Barriers by address.
    barriers: BTreeMap<u64, RingBarrier>,
}

#[derive(Clone, Debug)]
struct Begun {
    line: Arc<str>,
    /// Addresses and counts of arrivals.
    barriers: Vec<(u64, u32)>,
}

/// One of the two barriers of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RingBarrier {
    pub(crate) is_full: bool,
    pub(crate) stage: u64,
    /// Number of arrivals in a phase.
    pub(crate) count: u32,
    /// The address of the stage's other barrier.
    pub(crate) other: u64,
    /// The line that made the pipeline.
    pub(crate) line: Arc<str>,
}

/// An `mbarrier.init` that was executed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MbarrierInit {
    pub(crate) block: u64,
    pub(crate) address: u64,
    pub(crate) instruction: usize,
    pub(crate) count: u32,
}

impl Rings {
    pub(super) fn of(program: &Program) -> Self {
        let inits = (0..program.instructions())
            .filter(|index| program.opcode(*index).starts_with("mbarrier.init"));
        let lines = inits.filter_map(|index| Some((index, line_of_rust(program.source(index)?)?)));
        Self {
            lines: Arc::new(lines.collect()),
            ..Self::default()
        }
    }

    /// Records an `mbarrier.init`.
    pub(crate) fn add(&mut self, made: MbarrierInit) {
        let MbarrierInit {
            block,
            address,
            instruction,
            count,
        } = made;
        let Some(line) = self.lines.get(&instruction) else {
            self.barriers.remove(&address);
            self.begun.remove(&block);
            return;
        };
        if self
            .barriers
            .get(&address)
            .is_some_and(|known| known.line != *line)
        {
            self.barriers.remove(&address);
        }
        let barrier = (address, count);
        let begun = self.begun.entry(block).or_insert_with(|| Begun {
            line: Arc::clone(line),
            barriers: Vec::new(),
        });
        begun.barriers.push(barrier);
        if begun.line != *line || !is_ring(&begun.barriers) {
            *begun = Begun {
                line: Arc::clone(line),
                barriers: vec![barrier],
            };
        }
        let [(first, of_full), (empty, of_empty), ..] = *begun.barriers else {
            return;
        };
        let stages = (empty - first) / MBARRIER_BYTES;
        if begun.barriers.len() as u64 != 2 * stages {
            return;
        }
        let Some(Begun { line, .. }) = self.begun.remove(&block) else {
            return;
        };
        // Two barriers of one line with equal counts have no known role.
        if stages == 1 && of_full == of_empty {
            return;
        }
        for stage in 0..stages {
            let full = first + stage * MBARRIER_BYTES;
            let empty = empty + stage * MBARRIER_BYTES;
            for (is_full, at, other, count) in
                [(true, full, empty, of_full), (false, empty, full, of_empty)]
            {
                let barrier = RingBarrier {
                    is_full,
                    stage,
                    count,
                    other,
                    line: Arc::clone(&line),
                };
                self.barriers.insert(at, barrier);
            }
        }
    }

    /// Returns the pipeline barrier at an address.
    pub(crate) fn find(&self, address: u64) -> Option<&RingBarrier> {
        self.barriers.get(&address)
    }
}

/// Returns whether barriers can be the first of a ring, in the order in which they are made.
fn is_ring(barriers: &[(u64, u32)]) -> bool {
    let [(first, of_full), (empty, of_empty), ..] = *barriers else {
        return true;
    };
    let distance = empty.wrapping_sub(first);
    let is_next = |(number, barrier): (usize, &(u64, u32))| {
        let stage = first + number as u64 / 2 * MBARRIER_BYTES;
        *barrier
            == match number % 2 {
                0 => (stage, of_full),
                _ => (stage + distance, of_empty),
            }
    };
    empty > first
        && distance.is_multiple_of(MBARRIER_BYTES)
        && barriers.iter().enumerate().all(is_next)
}

impl RingBarrier {
    /// Returns the name of the pipeline.
    pub(crate) fn ring(&self) -> String {
        format!("the pipeline at {}", self.line)
    }
}

impl fmt::Display for RingBarrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sort = if self.is_full { "full" } else { "empty" };
        write!(
            f,
            "{sort} barrier of stage {} of {}",
            self.stage,
            self.ring()
        )
    }
}

/// Returns name and line of a Rust source file.
fn line_of_rust((file, line): (&str, u32)) -> Option<Arc<str>> {
    let name = file.rsplit(['/', '\\']).next()?;
    name.ends_with(".rs")
        .then(|| format!("{name}:{line}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Barriers at these addresses, made by instructions of one line but for number 9, which has none.
    fn rings(made: &[(u64, u64, usize, u32)]) -> Rings {
        let line: Arc<str> = "lib.rs:46".into();
        let lines = [3, 7].map(|index| (index, Arc::clone(&line)));
        let mut rings = Rings {
            lines: Arc::new([lines[0].clone(), lines[1].clone(), (8, "lib.rs:50".into())].into()),
            ..Rings::default()
        };
        for (block, address, instruction, count) in made.iter().copied() {
            rings.add(MbarrierInit {
                block,
                address,
                instruction,
                count,
            });
        }
        rings
    }

    fn name_at(rings: &Rings, address: u64) -> Option<String> {
        rings.find(address).map(ToString::to_string)
    }

    #[test]
    fn barriers_have_their_stages() {
        let of = |sort, stage| {
            let text = format!("{sort} barrier of stage {stage} of the pipeline at lib.rs:46");
            Some(text)
        };
        // Two blocks make the same at the same time.
        let both = [0, 1].map(|block| {
            [
                (block, 0x400, 3, 1),
                (block, 0x410, 7, 64),
                (block, 0x408, 3, 1),
                (block, 0x418, 7, 64),
            ]
        });
        let made: Vec<_> = (0..4).flat_map(|at| [both[0][at], both[1][at]]).collect();
        let rings = rings(&made);
        assert_eq!(name_at(&rings, 0x400), of("full", 0));
        assert_eq!(name_at(&rings, 0x408), of("full", 1));
        assert_eq!(name_at(&rings, 0x410), of("empty", 0));
        assert_eq!(name_at(&rings, 0x418), of("empty", 1));
        assert_eq!(name_at(&rings, 0x420), None);
        let empty = rings.find(0x418).map(|empty| (empty.other, empty.count));
        assert_eq!(empty, Some((0x408, 64)));
    }

    #[test]
    fn one_stage_is_known_by_its_counts() {
        let alike = rings(&[(0, 0x400, 3, 1), (0, 0x408, 3, 1)]);
        assert_eq!(name_at(&alike, 0x400), None);
        let ring = rings(&[(0, 0x400, 3, 1), (0, 0x408, 7, 32)]);
        let empty = Some("empty barrier of stage 0 of the pipeline at lib.rs:46");
        assert_eq!(name_at(&ring, 0x408).as_deref(), empty);
    }

    #[test]
    fn other_barriers_are_none_of_a_pipeline() {
        // Barriers of an array, of two lines, without Rust source, and initialised again by another line.
        let array: Vec<_> = (0..4).map(|at| (0, 0x400 + 8 * at, 3, 1)).collect();
        assert_eq!(name_at(&rings(&array), 0x400), None);
        let lines = rings(&[(0, 0x400, 3, 1), (0, 0x408, 8, 32)]);
        assert_eq!(name_at(&lines, 0x400), None);
        let other = rings(&[(0, 0x400, 9, 1), (0, 0x408, 9, 32)]);
        assert_eq!(name_at(&other, 0x400), None);
        let again = rings(&[(0, 0x400, 3, 1), (0, 0x408, 7, 32), (0, 0x400, 8, 1)]);
        assert_eq!(name_at(&again, 0x400), None);
    }

    #[test]
    fn lines_are_those_of_rust() {
        let line = |file| line_of_rust((file, 46)).map(|line| line.to_string());
        assert_eq!(line("src/kernels/lib.rs").as_deref(), Some("lib.rs:46"));
        assert_eq!(line("src/gemm.cu"), None);
    }
}
