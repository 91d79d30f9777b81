use std::{fmt, str::FromStr};

/// A version of the PTX ISA, as in `.version 8.6`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PtxIsa {
    /// The number before the dot in `.version`.
    pub major: u32,
    /// The number after the dot in `.version`.
    pub minor: u32,
}

impl PtxIsa {
    /// Returns the version `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// The name of rustc's target feature, as `+ptx86`; of a later version than LLVM knows, the last one that it does.
    pub(crate) fn target_feature(self) -> String {
        let Self { major, minor } = self.min(NEWEST_OF_LLVM);
        format!("+ptx{major}{minor}")
    }
}

impl fmt::Display for PtxIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The last version that LLVM 22 knows.
pub(crate) const NEWEST_OF_LLVM: PtxIsa = PtxIsa::new(9, 0);

macro_rules! archs {
    ($($variant:ident = $name:literal, $major:literal . $minor:literal;)*) => {
        /// A GPU architecture with a Tensor Memory Accelerator.
        ///
        /// A name that ends in `a` has instructions of exactly this chip and runs nowhere else;
        /// one that ends in `f` those of its family; a plain one runs on every later chip too.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Arch {
            $(#[doc = concat!("`", $name, "`, with PTX ISA ", stringify!($major), ".", stringify!($minor), " by default.")] $variant,)*
        }

        impl Arch {
            /// All architectures that a crate can be built for.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name as `.target` spells it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The PTX ISA version of modules for it unless [`PtxBuilder::ptx_isa`](crate::PtxBuilder::ptx_isa) sets
            /// one: the lowest that has this architecture and the instructions of the crate `tma`.
            pub const fn default_isa(self) -> PtxIsa {
                match self { $(Self::$variant => PtxIsa::new($major, $minor),)* }
            }
        }
    };
}

archs! {
    Sm90 = "sm_90", 8 . 0;
    Sm90a = "sm_90a", 8 . 0;
    Sm100 = "sm_100", 8 . 6;
    Sm100a = "sm_100a", 8 . 6;
    Sm100f = "sm_100f", 8 . 8;
    Sm103 = "sm_103", 8 . 8;
    Sm103a = "sm_103a", 8 . 8;
    Sm103f = "sm_103f", 8 . 8;
    Sm107 = "sm_107", 9 . 4;
    Sm107a = "sm_107a", 9 . 4;
    Sm107f = "sm_107f", 9 . 4;
    Sm110 = "sm_110", 9 . 0;
    Sm110a = "sm_110a", 9 . 0;
    Sm110f = "sm_110f", 9 . 0;
    Sm120 = "sm_120", 8 . 7;
    Sm120a = "sm_120a", 8 . 7;
    Sm120f = "sm_120f", 8 . 8;
    Sm121 = "sm_121", 8 . 8;
    Sm121a = "sm_121a", 8 . 8;
    Sm121f = "sm_121f", 8 . 8;
}

impl Arch {
    /// The CPU that LLVM compiles for: the architecture itself or, where LLVM 22 does not know it, the last
    /// one before it that it does.
    pub(crate) const fn cpu(self) -> &'static str {
        match self {
            Self::Sm107 => "sm_103",
            Self::Sm107a => "sm_103a",
            Self::Sm107f => "sm_103f",
            known => known.name(),
        }
    }

    /// Returns whether it is one of the chips that libNVVM's newer dialect leaves out.
    pub(crate) const fn is_hopper(self) -> bool {
        matches!(self, Self::Sm90 | Self::Sm90a)
    }

    /// The name without all that follows the compute capability's major number: `sm_12` of `sm_120a`.
    pub(crate) fn major(self) -> &'static str {
        let digits = self
            .name()
            .trim_end_matches(|last: char| last.is_ascii_lowercase());
        &digits[..digits.len() - 1]
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error of parsing a name that is not an [`Arch`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a known architecture; use {known}", known = known())]
pub struct UnknownArch(String);

fn known() -> String {
    let names: Vec<&str> = Arch::ALL.iter().map(|arch| arch.name()).collect();
    names.join(", ")
}

impl FromStr for Arch {
    type Err = UnknownArch;

    fn from_str(name: &str) -> Result<Self, UnknownArch> {
        let found = Self::ALL.iter().find(|arch| arch.name() == name);
        found.copied().ok_or_else(|| UnknownArch(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for arch in Arch::ALL {
            assert_eq!(arch.name().parse(), Ok(*arch));
        }
    }

    #[test]
    fn the_major_number_ends_before_the_last_digit() {
        let majors = [Arch::Sm90, Arch::Sm90a, Arch::Sm103f, Arch::Sm120a].map(Arch::major);
        assert_eq!(majors, ["sm_9", "sm_9", "sm_10", "sm_12"]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_the_known_ones() {
        let error = "sm_80".parse::<Arch>().unwrap_err().to_string();
        assert!(
            error.starts_with("`sm_80` is not a known architecture; use sm_90, sm_90a,"),
            "{error}"
        );
    }
}
