use ptx::{Block, Type, Variable};

/// Returns a function from a name to the letter for the width of the register that a body declares under this name, as the
/// tables of forms have it.
pub fn widths(body: &Block) -> impl Fn(&str) -> Option<&'static str> {
    let variables: Vec<&Variable> = body.variables().collect();
    move |name| {
        let declared = variables.iter().find(|variable| {
            variable.declarators.iter().any(|declarator| {
                let rest = name.strip_prefix(declarator.name.as_str());
                match declarator.range {
                    Some(_) => rest.is_some_and(|rest| rest.parse::<u32>().is_ok()),
                    None => rest == Some(""),
                }
            })
        })?;
        match (declared.ty, declared.ty.size_bytes()) {
            (Type::Pred, _) => Some("p"),
            (_, Some(1)) => Some("b"),
            (_, Some(2)) => Some("h"),
            (_, Some(4)) => Some("r"),
            (_, Some(8)) => Some("d"),
            (_, Some(16)) => Some("q"),
            _ => None,
        }
    }
}
