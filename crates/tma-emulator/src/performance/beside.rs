//! Counting beside another observer, such as the checker.

use tma_launch::Shape;

use super::Performance;
use crate::{
    machine::{
        Fault, Program,
        observer::{Accesses, Event, Observer, OrdinaryAccess, Origin, Turn},
    },
    value::LANES,
};

/// Two observers of one run. The machine gets the answers of the first.
pub(crate) struct Beside<'a> {
    pub(crate) first: &'a mut dyn Observer,
    pub(crate) performance: &'a mut Performance,
}

impl Observer for Beside<'_> {
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        self.first.begin(program, shape, cluster);
        self.performance.begin(program, shape, cluster);
    }

    fn end(&mut self, fault: Option<&Fault>) {
        self.first.end(fault);
        self.performance.end(fault);
    }

    fn turn(&mut self, turn: Turn) {
        self.first.turn(turn);
        self.performance.turn(turn);
    }

    fn execute(&mut self, instruction: usize) {
        self.first.execute(instruction);
        self.performance.execute(instruction);
    }

    fn see(&mut self, origin: Origin, event: Event) {
        self.first.see(origin, event);
        self.performance.see(origin, event);
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.performance.see_access(origin, access);
        self.first.see_access(origin, access)
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        self.performance.see_accesses(origin, accesses);
        self.first.see_accesses(origin, accesses)
    }

    fn keeps_warps_together(&self) -> bool {
        self.performance.keeps_warps_together()
    }

    fn print(&mut self, text: &str) {
        self.first.print(text);
    }
}
