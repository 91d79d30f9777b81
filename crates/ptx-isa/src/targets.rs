use core::fmt;

/// The targets that support a form, as one of the sets below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Targets {
    /// sm_80 and every later architecture.
    Sm80,
    /// sm_90 and every later architecture.
    Sm90,
    /// sm_100 and every later architecture.
    Sm100,
    /// The targets of sm_90a and of each later architecture, by its own name or its family's.
    Sm90a,
    /// sm_90a and no other architecture.
    Sm90aAlone,
    /// The targets of sm_90a and of the later data-centre architectures.
    Sm90aOrSm100a,
    /// The targets of the data-centre architectures from sm_100a on.
    Sm100a,
    /// The targets of each architecture from sm_100a on.
    Sm100aOrSm120a,
    /// The targets of each architecture from sm_100a on by their own names.
    Sm100aOrSm120aAlone,
    /// sm_120a and the later ones of its family.
    Sm120a,
    /// The targets of sm_120a and sm_121a by their own names.
    Sm120aAlone,
    /// sm_103a, and sm_107a after it.
    Sm103a,
    /// sm_107a and the later ones of its family.
    Sm107a,
    /// sm_107a, sm_120a and their families.
    Sm107aOrSm120a,
}

impl Targets {
    /// Every set of targets that the tables use.
    pub const ALL: [Self; 14] = [
        Self::Sm80,
        Self::Sm90,
        Self::Sm100,
        Self::Sm90a,
        Self::Sm90aAlone,
        Self::Sm90aOrSm100a,
        Self::Sm100a,
        Self::Sm100aOrSm120a,
        Self::Sm100aOrSm120aAlone,
        Self::Sm120a,
        Self::Sm120aAlone,
        Self::Sm103a,
        Self::Sm107a,
        Self::Sm107aOrSm120a,
    ];

    /// The first of them, which names the set in the rows and in `#[device_fn]`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sm80 => "sm_80",
            Self::Sm90 => "sm_90",
            Self::Sm100 => "sm_100",
            Self::Sm90a => "sm_90a",
            Self::Sm90aAlone => "sm_90a_alone",
            Self::Sm90aOrSm100a => "sm_90a_or_sm_100a",
            Self::Sm100a => "sm_100a",
            Self::Sm100aOrSm120a => "sm_100a_or_sm_120a",
            Self::Sm100aOrSm120aAlone => "sm_100a_or_sm_120a_alone",
            Self::Sm120a => "sm_120a",
            Self::Sm120aAlone => "sm_120a_alone",
            Self::Sm103a => "sm_103a",
            Self::Sm107a => "sm_107a",
            Self::Sm107aOrSm120a => "sm_107a_or_sm_120a",
        }
    }

    /// Returns the set with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Returns whether a target such as `sm_103a` is one of them.
    pub fn has(self, target: &str) -> bool {
        let number = target.strip_prefix("sm_").unwrap_or("");
        let digits = number.trim_end_matches(['a', 'f']);
        let is_special = digits.len() < number.len();
        let Ok(number) = digits.parse::<u32>() else {
            return false;
        };
        let is_90a = target == "sm_90a";
        let is_data_centre = is_special && (100..120).contains(&number);
        let is_later = is_special && number >= 100;
        match self {
            Self::Sm80 => number >= 80,
            Self::Sm90 => number >= 90,
            Self::Sm100 => number >= 100,
            Self::Sm90a => is_90a || is_later,
            Self::Sm90aAlone => is_90a,
            Self::Sm90aOrSm100a => is_90a || is_data_centre,
            Self::Sm100a => is_data_centre,
            Self::Sm100aOrSm120a => is_later,
            Self::Sm100aOrSm120aAlone => target.ends_with('a') && number >= 100,
            Self::Sm120a => is_special && number >= 120,
            Self::Sm120aAlone => target.ends_with('a') && number >= 120,
            Self::Sm103a => matches!(target, "sm_103a" | "sm_107a"),
            Self::Sm107a => is_special && number == 107,
            Self::Sm107aOrSm120a => is_special && (number == 107 || number >= 120),
        }
    }
}

/// Formatted as in `architectures!` of the crate `tma`.
impl fmt::Display for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sm90a => {
                "sm_90a, sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families"
            }
            Self::Sm90aAlone => "sm_90a alone",
            Self::Sm90aOrSm100a => "sm_90a, sm_100a, sm_103a, sm_110a or one of their families",
            Self::Sm100a => "sm_100a, sm_103a, sm_110a or one of their families",
            Self::Sm100aOrSm120a => {
                "sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families"
            }
            Self::Sm100aOrSm120aAlone => "sm_100a, sm_103a, sm_107a, sm_110a, sm_120a or sm_121a",
            Self::Sm120a => "sm_120a, sm_121a or one of their families",
            Self::Sm120aAlone => "sm_120a or sm_121a",
            Self::Sm107aOrSm120a => "sm_107a, sm_120a, sm_121a or one of their families",
            other => other.name(),
        })
    }
}
