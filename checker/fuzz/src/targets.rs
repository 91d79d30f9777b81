mod archive;
mod cuda;
mod driver;
mod fat_binary;
mod flags;
mod launch;
mod launch_file;
mod protocol;
mod ptx;
mod tensor_map;

pub(crate) use self::launch::HEADER_BYTES;

/// The stage that an input reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Refused at first sight.
    Refused,
    /// The input was read.
    Read,
    /// The input was prepared, and ended by a limit.
    Begun,
    /// The input ran to its end.
    Ended,
}

/// The code that is fuzzed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// Parses PTX, prints it, and parses it again.
    Ptx,
    /// Runs a kernel of arbitrary PTX, with the checker and without.
    Launch,
    /// Reads launch files, and runs small ones.
    LaunchFile,
    /// Makes a kernel whose warps pass stages to each other, and runs it under several seeds.
    Protocol,
    /// Reads tensor maps, builds them again, and walks.
    TensorMap,
    /// Reads archives with valid digests, and replays them.
    Archive,
    /// Loads images of code that end before a page that cannot be read.
    FatBinary,
    /// Calls CUDA's functions with extreme arguments.
    Driver,
    /// Runs the command with arbitrary flags.
    Flags,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 9] = [
        Self::Ptx,
        Self::Launch,
        Self::LaunchFile,
        Self::Protocol,
        Self::TensorMap,
        Self::Archive,
        Self::FatBinary,
        Self::Driver,
        Self::Flags,
    ];

    /// Returns the name, also of the program for libFuzzer.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Launch => "launch",
            Self::LaunchFile => "launch_file",
            Self::Protocol => "protocol",
            Self::TensorMap => "tensor_map",
            Self::Archive => "archive",
            Self::FatBinary => "fat_binary",
            Self::Driver => "driver",
            Self::Flags => "flags",
        }
    }

    /// The target of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns whether a finding may end the process, so that the input must be stored before it is tried.
    pub const fn may_crash(self) -> bool {
        matches!(self, Self::FatBinary | Self::Driver)
    }

    /// Tries an input.
    ///
    /// # Panics
    /// The time of a failure.
    pub fn run(self, data: &[u8]) -> Depth {
        match self {
            Self::Ptx => ptx::run(data),
            Self::Launch => launch::run(data),
            Self::LaunchFile => launch_file::run(data),
            Self::Protocol => protocol::run(data),
            Self::TensorMap => tensor_map::run(data),
            Self::Archive => archive::run(data),
            Self::FatBinary => fat_binary::run(data),
            Self::Driver => driver::run(data),
            Self::Flags => flags::run(data),
        }
    }
}
