//! Names and their meanings.

use std::collections::HashMap;

use ptx::{Type, Variable};

/// The meaning of a name, as far as types go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Register(Type),
    /// Registers that make up a vector.
    Vector(Type),
    /// A variable, a parameter, a function, a list or a prototype.
    Name,
    Label,
    Special(Type),
}

#[derive(Debug, Default)]
struct Names<'m> {
    names: HashMap<&'m str, Meaning>,
    /// `%r<12>`: prefix, count, and what each is.
    ranges: Vec<(&'m str, u32, Meaning)>,
}

/// The names that can be seen, innermost last.
#[derive(Debug, Default)]
pub(super) struct Scope<'m> {
    open: Vec<Names<'m>>,
}

impl<'m> Scope<'m> {
    pub(super) fn enter(&mut self) {
        self.open.push(Names::default());
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    /// Declares a name without a type.
    pub(super) fn name(&mut self, name: &'m str) {
        self.declare(name, Meaning::Name);
    }

    /// Declares a name; returns false if the braces have it already.
    pub(super) fn declare(&mut self, name: &'m str, meaning: Meaning) -> bool {
        let Some(names) = self.open.last_mut() else {
            return true;
        };
        let is_new = names.in_range(name).is_none() && !names.names.contains_key(name);
        names.names.insert(name, meaning);
        is_new
    }

    /// Declares registers; returns a name that is already declared between the braces.
    pub(super) fn declare_range(
        &mut self,
        prefix: &'m str,
        count: u32,
        meaning: Meaning,
    ) -> Option<String> {
        let names = self.open.last_mut()?;
        let again = names.ranges.iter().any(|(other, ..)| *other == prefix);
        names.ranges.push((prefix, count, meaning));
        if again {
            return Some(format!("{prefix}<{count}>"));
        }
        let indices = names.names.keys().filter_map(|name| index(name, prefix));
        let first = indices.filter(|index| *index < count).min()?;
        Some(format!("{prefix}{first}"))
    }

    pub(super) fn find(&self, name: &str) -> Option<Meaning> {
        let mut scopes = self.open.iter().rev();
        let found = scopes.find_map(|names| {
            // Most names are registers of a range, which are found without a hash.
            let of_range = names.in_range(name);
            of_range.or_else(|| names.names.get(name).copied())
        });
        found.or_else(|| special(name))
    }
}

impl Names<'_> {
    fn in_range(&self, name: &str) -> Option<Meaning> {
        let mut ranges = self.ranges.iter();
        ranges.find_map(|(prefix, count, meaning)| {
            (index(name, prefix)? < *count).then_some(*meaning)
        })
    }
}

/// Returns the number of a register of `prefix<...>`.
fn index(name: &str, prefix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?;
    let is_canonical = digits == "0" || !digits.starts_with(['0', '+']);
    is_canonical.then(|| digits.parse().ok()).flatten()
}

/// Returns the type of the special registers (PTX ISA, chapter 10), and of `WARP_SZ`.
fn special(name: &str) -> Option<Meaning> {
    if name == "WARP_SZ" {
        return Some(Meaning::Name);
    }
    let name = name.strip_prefix('%')?;
    let is_number = |prefix: &str| {
        let number = name
            .strip_prefix(prefix)
            .and_then(|rest| rest.parse::<u32>().ok());
        number.is_some_and(|number| number < 32)
    };
    let ty = match name {
        "tid"
        | "ntid"
        | "ctaid"
        | "nctaid"
        | "clusterid"
        | "nclusterid"
        | "cluster_ctaid"
        | "cluster_nctaid"
        | "laneid"
        | "warpid"
        | "nwarpid"
        | "smid"
        | "nsmid"
        | "lanemask_eq"
        | "lanemask_le"
        | "lanemask_lt"
        | "lanemask_ge"
        | "lanemask_gt"
        | "cluster_ctarank"
        | "cluster_nctarank"
        | "clock"
        | "clock_hi"
        | "globaltimer_lo"
        | "globaltimer_hi"
        | "total_smem_size"
        | "dynamic_smem_size"
        | "aggr_smem_size"
        | "reserved_smem_offset_begin"
        | "reserved_smem_offset_end"
        | "reserved_smem_offset_cap"
        | "reserved_smem_offset_0"
        | "reserved_smem_offset_1" => Type::U32,
        "clock64" | "globaltimer" | "current_graph_exec" => Type::U64,
        // It once had 32 bits, so both sizes are accepted.
        "gridid" => return Some(Meaning::Name),
        "is_explicit_cluster" => Type::Pred,
        _ if is_number("envreg") || is_number("pm") => Type::U32,
        _ if name.starts_with("pm") && name.ends_with("_64") => Type::U64,
        _ => return None,
    };
    Some(Meaning::Special(ty))
}

/// Returns the meaning of the registers of a declaration.
pub(super) fn registers(variable: &Variable) -> Meaning {
    match variable.vector {
        None => Meaning::Register(variable.ty),
        Some(_) => Meaning::Vector(variable.ty),
    }
}
