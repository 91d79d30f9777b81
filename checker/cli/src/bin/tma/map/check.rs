use std::io::Write;

use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};
use tensor_map::{Rule, Violation};

use super::parameters::{Given, Parameters};

/// Checks the parameters of a tensor map against the rules
#[derive(Args)]
pub(crate) struct Check {
    /// Map as 256 hexadecimal digits, or a file with these digits or the 128 bytes
    map: Option<String>,
    #[command(flatten)]
    parameters: Parameters,
    /// List all rules and their sources
    #[arg(long)]
    rules: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(self, out: &mut impl Write) -> Result<()> {
        if self.rules {
            return match self.json {
                true => list_json(out),
                false => list(out),
            };
        }
        let Given {
            params,
            address,
            target,
            ..
        } = self.parameters.or_bytes(self.map.as_deref())?;
        let broken: Vec<Violation> = match params.build_for(address, target) {
            Ok(_) => Vec::new(),
            Err(refused) => refused.violations().collect(),
        };
        let warnings: Vec<Violation> = params.warnings(address, target).collect();
        if self.json {
            let all = json!({
                "broken": broken.iter().map(violation_to_json).collect::<Vec<_>>(),
                "warnings": warnings.iter().map(violation_to_json).collect::<Vec<_>>(),
            });
            writeln!(out, "{all:#}")?;
        } else {
            broken
                .iter()
                .try_for_each(|violation| print(out, "broken", violation))?;
            warnings
                .iter()
                .try_for_each(|violation| print(out, "warning", violation))?;
            if broken.is_empty() {
                let function = params.function();
                writeln!(
                    out,
                    "all rules of {function} are kept for compute capability {}.{}",
                    target.major, target.minor
                )?;
            }
        }
        match broken.len() {
            0 => Ok(()),
            1 => bail!("1 rule is broken"),
            count => bail!("{count} rules are broken"),
        }
    }
}

fn print(out: &mut impl Write, kind: &str, violation: &Violation) -> Result<()> {
    writeln!(out, "{kind}: {violation}")?;
    writeln!(
        out,
        "    {} ({})",
        violation.rule.summary(),
        violation.rule.source()
    )?;
    Ok(())
}

pub(crate) fn violation_to_json(violation: &Violation) -> Value {
    json!({
        "rule": violation.rule.id(),
        "parameter": violation.parameter.to_string(),
        "value": violation.value.to_string(),
        "nearest": violation.nearest.map(|nearest| nearest.to_string()),
        "message": violation.to_string(),
        "source": violation.rule.source(),
    })
}

fn list(out: &mut impl Write) -> Result<()> {
    for rule in Rule::ALL {
        let kind = if rule.is_warning() { "warning" } else { "rule" };
        writeln!(out, "{kind:<8} {:<25} {}", rule.id(), rule.summary())?;
        writeln!(out, "         {:<25} {}", "", rule.source())?;
    }
    Ok(())
}

fn list_json(out: &mut impl Write) -> Result<()> {
    let rule = |rule: &Rule| {
        json!({
            "rule": rule.id(),
            "severity": if rule.is_warning() { "warning" } else { "error" },
            "summary": rule.summary(),
            "source": rule.source(),
        })
    };
    let all: Vec<Value> = Rule::ALL.iter().map(rule).collect();
    writeln!(out, "{:#}", json!({ "rules": all }))?;
    Ok(())
}
