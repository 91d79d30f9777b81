//! Names of variables and buffers for messages.

use super::Rings;

/// Bytes of an mbarrier (PTX ISA, section 9.7.13.15.2).
const MBARRIER_BYTES: u64 = 8;

/// The names of a memory's parts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    parts: Vec<Named>,
    pub(crate) rings: Rings,
}

#[derive(Clone, Debug)]
struct Named {
    name: String,
    /// [`and_parameters`] of those that point into it.
    parameters: String,
    address: u64,
    bytes: u64,
}

impl Names {
    pub(crate) fn add(&mut self, name: &str, address: u64, bytes: u64) {
        self.add_pointed_to(name, &[], address, bytes);
    }

    /// Adds a part that the parameters with these other names point into.
    pub(crate) fn add_pointed_to(
        &mut self,
        name: &str,
        parameters: &[String],
        address: u64,
        bytes: u64,
    ) {
        self.parts.push(Named {
            name: name.to_owned(),
            parameters: and_parameters(parameters),
            address,
            bytes,
        });
    }

    /// Returns the part that contains this address, and the offset of the address in it.
    fn find(&self, address: u64) -> Option<(&Named, u64)> {
        let mut all = self.parts.iter().filter_map(|named| {
            let offset = address.checked_sub(named.address)?;
            (offset < named.bytes).then_some((named, offset))
        });
        all.next()
    }

    /// Names an mbarrier in shared memory: by its stage in a ring, or by its variable and its index there.
    pub(crate) fn mbarrier(&self, address: u64) -> String {
        if let Some(barrier) = self.rings.find(address) {
            return barrier.to_string();
        }
        let at = format!("at shared address {address:#x}");
        match self.find(address) {
            Some((Named { name, bytes, .. }, 0)) if *bytes == MBARRIER_BYTES => {
                format!("mbarrier `{name}` {at}")
            }
            Some((Named { name, .. }, offset)) if offset % MBARRIER_BYTES == 0 => {
                format!("mbarrier `{name}[{}]` {at}", offset / MBARRIER_BYTES)
            }
            _ => format!("mbarrier {at}"),
        }
    }

    /// Returns the suffix of an address in a message: the name, the offset, and the parameters.
    pub(crate) fn suffix(&self, address: u64) -> String {
        let Some((named, offset)) = self.find(address) else {
            return String::new();
        };
        let Named {
            name, parameters, ..
        } = named;
        match offset {
            0 => format!(" (`{name}`{parameters})"),
            _ => format!(" (`{name}` + {offset:#x}{parameters})"),
        }
    }
}

/// Returns the suffix of a memory's name: the parameters that point into it.
pub(super) fn and_parameters(names: &[String]) -> String {
    let names = names.iter().map(|name| format!(", parameter `{name}`"));
    names.collect()
}

/// Returns a PTX parameter's name in the source. LLVM and nvcc replace names by numbers.
pub(crate) fn parameter_in_source(name: &str) -> Option<&str> {
    let number = name.rsplit_once("_param_").map(|(_, number)| number);
    let is_number = number.is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    (!is_number).then_some(name)
}

/// Returns a symbol's name in the source: the last identifier of a mangled name, without the digits that
/// `shared!` adds to variables of the same name.
pub(crate) fn in_source(symbol: &str) -> &str {
    let name = match symbol.get(..2) {
        Some("_Z" | "_R") => last_identifier(symbol).unwrap_or(symbol),
        _ => symbol.split("_non_const_").last().unwrap_or(symbol),
    };
    let is_hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
    match name.rsplit_once('_') {
        Some((start, digits))
            if !start.is_empty() && digits.len() == 8 && digits.bytes().all(is_hex) =>
        {
            start
        }
        _ => name,
    }
}

/// Returns the last identifier of a mangled name. C++ and Rust mangle an identifier as its length and its
/// letters.
fn last_identifier(symbol: &str) -> Option<&str> {
    let bytes = symbol.as_bytes();
    let (mut at, mut last) = (2, None);
    while at < bytes.len() {
        let digits = bytes[at..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        // A number in a template's arguments, as `Li16E`, is not a length.
        let is_number = bytes[at - 2] == b'L' && bytes[at - 1].is_ascii_lowercase();
        let length = symbol.get(at..at + digits)?.parse::<usize>().ok();
        let start = at + digits;
        let name = length.and_then(|length| symbol.get(start..start.checked_add(length)?));
        match name {
            Some(name) if !is_number && !name.is_empty() => {
                // The hash at the end of Rust's older names.
                let is_hash = name.len() == 17 && name.starts_with('h');
                last = if is_hash { last } else { Some(name) };
                at = start + name.len();
            }
            _ => at += digits.max(1),
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_names_in_the_source() {
        for (symbol, name) in [
            ("bar", "bar"),
            ("FULL_6555ba23", "FULL"),
            ("_6555ba23", "_6555ba23"),
            ("stage_of_tile", "stage_of_tile"),
            ("_ZZ11scale_tilesE4full", "full"),
            ("_ZZ6streamILi2EEfPK6float4iE4ring", "ring"),
            ("_ZZ1kILi16EEvPfE4bars_0", "bars"),
            ("_ZN1AILi16EE6sharedE", "shared"),
            ("_ZN4bugs10full_empty4FULL17h0123456789abcdefE", "FULL"),
            ("_RNvNvCs1234_4bugs10full_empty4FULL", "FULL"),
            ("__cuda_local_var_41234_35_non_const_bars", "bars"),
            ("_Z", "_Z"),
            ("_Z99999999999999999999999x", "_Z99999999999999999999999x"),
            ("_Zé5", "_Zé5"),
        ] {
            assert_eq!(in_source(symbol), name);
        }
    }

    #[test]
    fn barriers_and_bytes_are_told_by_their_variables() {
        let mut names = Names::default();
        names.add("BAR", 0x400, 8);
        names.add("FULL", 0x408, 32);
        for (address, text) in [
            (0x400, "mbarrier `BAR` at shared address 0x400"),
            (0x408, "mbarrier `FULL[0]` at shared address 0x408"),
            (0x420, "mbarrier `FULL[3]` at shared address 0x420"),
            (0x40c, "mbarrier at shared address 0x40c"),
            (0x428, "mbarrier at shared address 0x428"),
        ] {
            assert_eq!(names.mbarrier(address), text);
        }
        assert_eq!(names.suffix(0x408), " (`FULL`)");
        assert_eq!(names.suffix(0x427), " (`FULL` + 0x1f)");
        assert_eq!(names.suffix(0x428), "");
    }

    #[test]
    fn memory_is_told_by_the_parameters_that_point_to_it() {
        let mut names = Names::default();
        names.add_pointed_to("x", &["from".to_owned(), "to".to_owned()], 0x400, 8);
        let parameters = ", parameter `from`, parameter `to`";
        assert_eq!(names.suffix(0x400), format!(" (`x`{parameters})"));
        assert_eq!(names.suffix(0x404), format!(" (`x` + 0x4{parameters})"));
        for (name, in_source) in [
            ("words", Some("words")),
            ("k_param_0", None),
            ("_Z1kPf_param_12", None),
            ("k_param_words", Some("k_param_words")),
        ] {
            assert_eq!(parameter_in_source(name), in_source);
        }
    }
}
