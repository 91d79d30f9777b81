use std::fmt::{self, Display, Formatter};

/// A compute capability, such as 9.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability {
    /// The number before the dot, such as 9 in 9.0.
    pub major: u32,
    /// The number after the dot, such as 0 in 9.0.
    pub minor: u32,
}

impl Capability {
    /// The first capability with tensor maps.
    pub const LEAST: Self = Self { major: 9, minor: 0 };

    /// Returns whether a GPU of this capability has a Tensor Memory Accelerator.
    pub fn has_tma(self) -> bool {
        self >= Self::LEAST
    }

    /// Returns the architecture to compile for, with all features of the GPU: `sm_90a`.
    pub fn arch(self) -> String {
        let Self { major, minor } = self;
        let suffix = if self.has_tma() { "a" } else { "" };
        format!("sm_{major}{minor}{suffix}")
    }

    /// Returns whether PTX for this target (`sm_90`, `sm_90a`, `sm_100f`) can run on this capability; `None` if the
    /// target has no known form.
    ///
    /// Code for `sm_90` runs on all later GPUs, code for `sm_90a` only on 9.0, and code for `sm_100f` on later GPUs
    /// of the same major version.
    pub fn runs(self, target: &str) -> Option<bool> {
        let name = target.strip_prefix("sm_")?;
        let digits = name.trim_end_matches(['a', 'f']);
        let number: u32 = digits.parse().ok()?;
        let least = Self {
            major: number / 10,
            minor: number % 10,
        };
        match &name[digits.len()..] {
            "" => Some(self >= least),
            "a" => Some(self == least),
            "f" => Some(self >= least && self.major == least.major),
            _ => None,
        }
    }
}

impl Display for Capability {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn capability(major: u32, minor: u32) -> Capability {
        Capability { major, minor }
    }

    #[test]
    fn architectures_have_all_features() {
        let arches = [(8, 6), (9, 0), (10, 0), (10, 3), (12, 0), (12, 1)]
            .map(|(major, minor)| capability(major, minor).arch());
        assert_eq!(
            arches,
            [
                "sm_86", "sm_90a", "sm_100a", "sm_103a", "sm_120a", "sm_121a"
            ]
        );
    }

    #[test]
    fn targets_run_where_they_may() {
        let h100 = capability(9, 0);
        assert_eq!(h100.runs("sm_90"), Some(true));
        assert_eq!(h100.runs("sm_80"), Some(true));
        assert_eq!(h100.runs("sm_90a"), Some(true));
        assert_eq!(h100.runs("sm_100"), Some(false));
        assert_eq!(h100.runs("compute_90"), None);
        assert_eq!(h100.runs("sm_90af"), None);
        assert_eq!(h100.runs("sm_"), None);
        let b300 = capability(10, 3);
        assert_eq!(b300.runs("sm_90"), Some(true));
        assert_eq!(b300.runs("sm_90a"), Some(false));
        assert_eq!(b300.runs("sm_100a"), Some(false));
        assert_eq!(b300.runs("sm_100f"), Some(true));
        assert_eq!(capability(12, 0).runs("sm_100f"), Some(false));
    }
}
