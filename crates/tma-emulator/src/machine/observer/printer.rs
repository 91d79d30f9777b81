//! The observer of runs that nothing else watches.

use super::{Event, Observer, Origin};

/// An observer that sees only printed text.
pub(crate) struct Printer<'a>(pub &'a mut dyn FnMut(&str));

impl Observer for Printer<'_> {
    fn watches(&self) -> bool {
        false
    }

    fn see(&mut self, _: Origin, _: Event) {}

    fn print(&mut self, text: &str) {
        (self.0)(text);
    }
}
