mod check;
mod diff;
mod draw;
mod explain;
mod parameters;

use std::io::Write;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Explains, checks, compares and draws tensor maps
#[derive(Args)]
pub(crate) struct Map {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Explain(explain::Explain),
    Check(check::Check),
    Diff(diff::Diff),
    Draw(draw::Draw),
}

impl Map {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        match self.verb {
            Verb::Explain(verb) => verb.run(out),
            Verb::Check(verb) => verb.run(out),
            Verb::Diff(verb) => verb.run(out),
            Verb::Draw(verb) => verb.run(out),
        }
    }
}
