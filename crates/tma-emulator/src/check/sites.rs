//! Numbers for instructions in the checker: an instruction of a function has one for each chain of calls to it.

use super::hash::Map;
use crate::machine::{Location, Program, observer::Origin};

/// First number that is not an instruction of the program.
const FIRST: usize = 1 << 21;
/// Limit of such numbers.
const MOST: usize = 1 << 20;

/// Instructions that were executed in functions.
#[derive(Debug, Default)]
pub(super) struct Sites {
    /// The calls before the last and the last one, by the number of the calls less 1.
    calls: Vec<(u32, usize)>,
    /// Calls and instruction of each number from [`FIRST`] on.
    all: Vec<(u32, usize)>,
    numbers: Map<(u32, usize), usize>,
}

impl Sites {
    /// Adds a chain of calls that enters a function.
    pub(super) fn call(&mut self, from: u32, instruction: usize) {
        self.calls.push((from, instruction));
    }

    /// Returns the origin with the instruction's number in place of the instruction.
    #[inline]
    pub(super) fn numbered(&mut self, origin: Origin) -> Origin {
        match origin.calls {
            0 => origin,
            calls => self.in_function(calls, origin),
        }
    }

    fn in_function(&mut self, calls: u32, origin: Origin) -> Origin {
        let key = (calls, origin.instruction);
        let instruction = match self.numbers.get(&key) {
            Some(number) => *number,
            None if self.all.len() >= MOST || origin.instruction >= FIRST => origin.instruction,
            None => {
                let number = FIRST + self.all.len();
                self.all.push(key);
                self.numbers.insert(key, number);
                number
            }
        };
        Origin {
            instruction,
            ..origin
        }
    }

    fn of(&self, number: usize) -> (u32, usize) {
        let found = number.checked_sub(FIRST).and_then(|at| self.all.get(at));
        found.copied().unwrap_or((0, number))
    }

    /// Returns the instruction of a number.
    pub(super) fn instruction(&self, number: usize) -> usize {
        self.of(number).1
    }

    pub(super) fn opcode<'p>(&self, program: &'p Program, number: usize) -> &'p str {
        program.opcode(self.instruction(number))
    }

    pub(super) fn function<'p>(&self, program: &'p Program, number: usize) -> &'p str {
        program.function(self.instruction(number))
    }

    /// Returns the location of a number, with its calls.
    pub(super) fn location(&self, program: &Program, number: usize) -> Location {
        let (mut calls, instruction) = self.of(number);
        let mut location = program.location(instruction);
        while let Some((before, call)) = self.calls.get((calls as usize).wrapping_sub(1)) {
            location.called_at(&program.location(*call));
            calls = *before;
        }
        location
    }
}
