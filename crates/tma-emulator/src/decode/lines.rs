//! Lines of the source, as `.loc` has them (PTX ISA, section 11.5.4).

use std::collections::HashMap;

use ptx::Location;

use crate::machine::{Line, Program};

/// File number, line and column.
type Position = [u32; 3];

/// The line of what comes next, with those that it was inlined into.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    current: Option<Line>,
    /// The line that a position had last.
    known: HashMap<Position, Line>,
}

impl Lines {
    pub(super) fn see(&mut self, location: &Location, program: &mut Program) {
        let caller = location.inlined.as_ref().map(|call| {
            let at = [call.file, call.line, call.column];
            let add = || program.add_line(call.file, call.line, None);
            *self.known.entry(at).or_insert_with(add)
        });
        let line = program.add_line(location.file, location.line, caller);
        let here = [location.file, location.line, location.column];
        self.known.insert(here, line);
        self.current = Some(line);
    }

    pub(super) fn current(&self) -> Option<Line> {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// File and line of the user's, and the chain of calls.
    type Found = (Option<(String, u32)>, Option<String>);

    /// Returns the sources of a kernel's instructions.
    fn lines(body: &str) -> Vec<Found> {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() {{\n{body}\n}}"
        );
        let module = ptx::parse(&text).unwrap();
        let body = module.function("k").unwrap().body.as_ref().unwrap();
        let files = [(1, "k.cu"), (2, "cuda/barrier"), (3, "cuda/std/atomic")];
        let files = files.map(|(number, name)| (number, name.to_owned()));
        let mut program = Program::new("k.ptx", text.as_str().into(), files.into());
        let mut lines = Lines::default();
        let mut all = Vec::new();
        for statement in &body.statements {
            match statement {
                ptx::Statement::Location(location) => lines.see(location, &mut program),
                ptx::Statement::Instruction(instruction) => {
                    let location = program.location_of(*instruction.span, lines.current());
                    all.push((location.source.clone(), location.chain()));
                }
                _ => {}
            }
        }
        all
    }

    #[test]
    fn inlined_lines_have_their_calls_and_the_users_among_them() {
        let text = "
            membar.cta;
            .loc 1 10 5
            membar.cta;
            .loc 2 7 3, function_name a, inlined_at 1 12 5
            membar.cta;
            .loc 3 8 1, function_name b, inlined_at 2 7 3
            membar.cta;
            .loc 1 30 1, function_name c, inlined_at 1 13 5
            .loc 2 9 3, function_name a, inlined_at 1 30 1
            membar.cta;
            .loc 1 13 5
            membar.cta;
            .loc 2 7 3
            ret;";
        let user = |line| Some(("k.cu".to_owned(), line));
        let chain = |text: &str| Some(text.to_owned());
        let of_b = "inlined from cuda/std/atomic:8, called at cuda/barrier:7, called at k.cu:12";
        let of_c = "inlined from cuda/barrier:9, called at k.cu:30, called at k.cu:13";
        let expected = [
            (None, None),
            (user(10), None),
            (
                user(12),
                chain("inlined from cuda/barrier:7, called at k.cu:12"),
            ),
            (user(12), chain(of_b)),
            (user(30), chain(of_c)),
            (user(13), None),
            (Some(("cuda/barrier".to_owned(), 7)), None),
        ];
        assert_eq!(lines(text), expected);
    }
}
