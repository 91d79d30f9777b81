//! A second observer of a run, beside the checker.

use tma_launch::Shape;

use super::{Accesses, Event, Observer, OrdinaryAccess, Origin, Turn, View};
use crate::{
    machine::{Fault, Program},
    value::LANES,
};

/// Two observers of one run. The machine gets the answers of the first.
pub(crate) struct Beside<'a> {
    pub(crate) first: &'a mut dyn Observer,
    pub(crate) second: &'a mut dyn Observer,
}

impl Observer for Beside<'_> {
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        self.first.begin(program, shape, cluster);
        self.second.begin(program, shape, cluster);
    }

    fn end(&mut self, fault: Option<&Fault>) {
        self.first.end(fault);
        self.second.end(fault);
    }

    fn turn(&mut self, turn: Turn) {
        self.first.turn(turn);
        self.second.turn(turn);
    }

    fn execute(&mut self, instruction: usize) {
        self.first.execute(instruction);
        self.second.execute(instruction);
    }

    fn inspects(&self) -> bool {
        self.second.inspects()
    }

    fn inspect(&mut self, view: View<'_>) {
        let findings = self.first.findings();
        self.second.inspect(view.with_findings(findings));
    }

    fn see(&mut self, origin: Origin, event: Event) {
        self.first.see(origin, event);
        self.second.see(origin, event);
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.second.see_access(origin, access);
        self.first.see_access(origin, access)
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        self.second.see_accesses(origin, accesses);
        self.first.see_accesses(origin, accesses)
    }

    fn keeps_warps_together(&self) -> bool {
        self.second.keeps_warps_together()
    }

    fn print(&mut self, text: &str) {
        self.first.print(text);
    }
}
