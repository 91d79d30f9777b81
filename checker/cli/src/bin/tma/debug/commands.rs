//! The commands, as they are typed.

use std::str::FromStr;

use tma_cli::emulate::ElementType;
use tma_launch::suggestion;

/// A command of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Step(usize),
    Back(usize),
    Phase,
    PhaseBack,
    Finding,
    Goto(usize),
    Where,
    /// A block, unless it is the running one, and a warp; every warp without one.
    Warp(Option<(Option<u64>, u32)>),
    Warps,
    Registers(Option<String>),
    /// As elements of a type, or the tiles.
    Shared(Option<ElementType>),
    Barriers,
    Copies,
    Findings,
    Help,
    Quit,
}

/// Name, argument and description of each command. A command may be shortened to the first letters of its name; if those
/// are the first letters of several, the first of them is meant.
const COMMANDS: [(&str, &str, &str); 16] = [
    ("step", "[N]", "go N steps on"),
    ("back", "[N]", "go N steps back"),
    (
        "phase",
        "",
        "go on to where an mbarrier has completed a phase",
    ),
    (
        "phase-back",
        "",
        "go back to where an mbarrier has completed a phase",
    ),
    ("finding", "", "go on to the next finding, and show it"),
    ("goto", "N", "go to step N"),
    (
        "where",
        "",
        "show the step, its line of PTX and its line of the source",
    ),
    (
        "warp",
        "N, B:N or all",
        "step through warp N, of block B or of the running one, or through all",
    ),
    (
        "warps",
        "",
        "show what each warp of the block executes or waits for",
    ),
    (
        "registers",
        "[%NAME]",
        "show the registers of the warp, or one in all lanes",
    ),
    (
        "shared",
        "[TYPE]",
        "show the shared memory of the block: tiles with their swizzle, or elements of a type",
    ),
    (
        "barriers",
        "",
        "show phase, missing arrivals and missing bytes of each mbarrier",
    ),
    ("copies", "", "show the copies in flight"),
    ("findings", "", "list the findings"),
    ("help", "", "show this list"),
    ("quit", "", "end"),
];

/// Returns a line for each command.
pub(super) fn help() -> Vec<[String; 2]> {
    let line = |(name, argument, what): &(&str, &str, &str)| {
        [format!("{name} {argument}"), (*what).to_owned()]
    };
    COMMANDS.iter().map(line).collect()
}

impl FromStr for Command {
    type Err = String;

    fn from_str(line: &str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let typed = words.next().unwrap_or_default();
        let argument = words.next();
        if let Some(more) = words.next() {
            return Err(format!(
                "`{more}` must not follow; use at most one argument"
            ));
        }
        let all = || COMMANDS.iter().map(|(name, ..)| *name);
        let exact = all().find(|name| *name == typed);
        let Some(name) = exact.or_else(|| all().find(|name| name.starts_with(typed))) else {
            let near = suggestion(typed, all());
            return Err(format!("there is no command `{typed}`: {near}"));
        };
        let number = |default: Option<usize>| match argument {
            None => default.ok_or_else(|| format!("`{name}` needs a number")),
            Some(text) => text
                .parse()
                .map_err(|_| format!("the argument `{text}` of `{name}` must be a whole number")),
        };
        let command = match name {
            "step" => Self::Step(number(Some(1))?),
            "back" => Self::Back(number(Some(1))?),
            "goto" => Self::Goto(number(None)?),
            "warp" => Self::Warp(warp(argument)?),
            "registers" => Self::Registers(argument.map(str::to_owned)),
            "shared" => Self::Shared(argument.map(element).transpose()?),
            _ if argument.is_some() => return Err(format!("`{name}` takes no argument")),
            "phase" => Self::Phase,
            "phase-back" => Self::PhaseBack,
            "finding" => Self::Finding,
            "where" => Self::Where,
            "warps" => Self::Warps,
            "barriers" => Self::Barriers,
            "copies" => Self::Copies,
            "findings" => Self::Findings,
            "help" => Self::Help,
            _ => Self::Quit,
        };
        Ok(command)
    }
}

fn element(name: &str) -> Result<ElementType, String> {
    let mut all = ElementType::ALL.into_iter();
    all.find(|ty| ty.name() == name).ok_or_else(|| {
        let near = suggestion(name, ElementType::ALL.map(ElementType::name));
        format!("there is no type `{name}`: {near}")
    })
}

/// Parses `N`, `B:N` or `all`.
fn warp(argument: Option<&str>) -> Result<Option<(Option<u64>, u32)>, String> {
    let wrong = |text: &str| format!("the warp `{text}` must be `N`, `BLOCK:N` or `all`");
    match argument {
        None => Err("`warp` needs the number of a warp, or `all`".to_owned()),
        Some("all") => Ok(None),
        Some(text) => {
            let (block, warp) = match text.split_once(':') {
                Some((block, warp)) => (Some(block.parse().map_err(|_| wrong(text))?), warp),
                None => (None, text),
            };
            Ok(Some((block, warp.parse().map_err(|_| wrong(text))?)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_may_be_short_and_have_arguments() {
        let parse = |line: &str| line.parse::<Command>();
        assert_eq!(parse("s 3"), Ok(Command::Step(3)));
        assert_eq!(parse("  back "), Ok(Command::Back(1)));
        assert_eq!(parse("phase"), Ok(Command::Phase));
        assert_eq!(parse("warp 2:1"), Ok(Command::Warp(Some((Some(2), 1)))));
        assert_eq!(parse("warp all"), Ok(Command::Warp(None)));
        assert_eq!(
            parse("sha f16"),
            Ok(Command::Shared(Some(ElementType::F16)))
        );
        for (name, ..) in COMMANDS {
            let found = parse(name).or_else(|_| parse(&format!("{name} 1")));
            assert!(found.is_ok(), "{name}");
        }
    }

    #[test]
    fn wrong_commands_are_errors() {
        for (line, part) in [
            ("steb", "there is no command `steb`: did you mean `step`"),
            ("step x", "`x` of `step` must be a whole number"),
            ("step -1", "must be a whole number"),
            ("step 99999999999999999999999", "must be a whole number"),
            ("step 1 2", "`2` must not follow"),
            ("goto", "`goto` needs a number"),
            ("where 1", "`where` takes no argument"),
            ("warp 1:x", "must be `N`, `BLOCK:N` or `all`"),
            ("shared f17", "there is no type `f17`: did you mean `f16`"),
        ] {
            let error = line.parse::<Command>().unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
