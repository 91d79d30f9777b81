//! Lines of the source, as `.loc` has them (PTX ISA, section 11.5.4).

use std::collections::HashMap;

use ptx::Location;

/// File number, line and column.
type Position = [u32; 3];

/// The line of what comes next.
///
/// Of a function that was inlined, it is the line that calls it, in the function that is no one
/// else's: with wrappers and headers, that is what a user wrote.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    current: Option<(u32, u32)>,
    /// Where what is at a position was called, in the outermost function.
    callers: HashMap<Position, Position>,
}

impl Lines {
    pub(super) fn see(&mut self, location: &Location) {
        let here = [location.file, location.line, location.column];
        let outermost = match &location.inlined {
            None => {
                self.callers.remove(&here);
                here
            }
            Some(call) => {
                let call = [call.file, call.line, call.column];
                let outermost = self.callers.get(&call).copied().unwrap_or(call);
                self.callers.insert(here, outermost);
                outermost
            }
        };
        self.current = Some((outermost[0], outermost[1]));
    }

    /// File number and line.
    pub(super) fn current(&self) -> Option<(u32, u32)> {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of the instructions of a kernel.
    fn lines(body: &str) -> Vec<Option<(u32, u32)>> {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() {{\n{body}\n}}"
        );
        let module = ptx::parse(&text).unwrap();
        let body = module.function("k").unwrap().body.as_ref().unwrap();
        let mut lines = Lines::default();
        let mut all = Vec::new();
        for statement in &body.statements {
            match statement {
                ptx::Statement::Location(location) => lines.see(location),
                _ => all.push(lines.current()),
            }
        }
        all
    }

    #[test]
    fn inlined_lines_are_those_of_the_outermost_call() {
        let text = "
            membar.cta;
            .loc 1 10 5
            membar.cta;
            .loc 2 7 3, function_name a, inlined_at 1 12 5
            membar.cta;
            .loc 3 8 1, function_name b, inlined_at 2 7 3
            membar.cta;
            .loc 1 13 5
            membar.cta;
            .loc 2 7 3
            ret;";
        let expected = [
            None,
            Some((1, 10)),
            Some((1, 12)),
            Some((1, 12)),
            Some((1, 13)),
            Some((2, 7)),
        ];
        assert_eq!(lines(text), expected);
    }
}
