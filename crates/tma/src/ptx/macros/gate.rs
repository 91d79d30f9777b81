//! Instructions that not every architecture has.
//!
//! `tma-build` sets `--cfg tma_arch="sm_90a"` to the architecture that the crate is compiled for. A wrapper of an
//! instruction that this architecture lacks is a compile error where a kernel uses it. Without the cfg, on the host and
//! under other builders, every wrapper is accepted. rust-cuda's backend has no such cfg but target features: `compute_100a`
//! and those of the earlier architectures and families. They count unless the cfg names Hopper, whose modules that backend
//! compiles for `compute_100`.
//!
//! The compiler evaluates a constant of a function without type or const parameters even where
//! no thread calls it. So every wrapper that is not for all architectures has one.

/// The architectures that have an instruction, by the first of them: as text, or as a `cfg`.
///
/// A plain name means every later architecture too. Family names (`f`) came with PTX ISA 8.8.
macro_rules! architectures {
    (features $($feature:literal)+) => {
        cfg!(all(
            any($(target_feature = $feature),+),
            not(any(tma_arch = "sm_90", tma_arch = "sm_90a"))
        ))
    };
    (names sm_80) => {
        "sm_80"
    };
    (names sm_90) => {
        "sm_90"
    };
    (names sm_100) => {
        "sm_100"
    };
    (names sm_90a) => {
        "sm_90a, sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families"
    };
    (names sm_90a_alone) => {
        "sm_90a alone"
    };
    (names sm_90a_or_sm_100a) => {
        "sm_90a, sm_100a, sm_103a, sm_110a or one of their families"
    };
    (names sm_100a) => {
        "sm_100a, sm_103a, sm_110a or one of their families"
    };
    (names sm_100a_or_sm_120a) => {
        "sm_100a, sm_103a, sm_110a, sm_120a, sm_121a or one of their families"
    };
    (names sm_120a) => {
        "sm_120a, sm_121a or one of their families"
    };
    (names sm_100a_or_sm_120a_alone) => {
        "sm_100a, sm_103a, sm_107a, sm_110a, sm_120a or sm_121a"
    };
    (names sm_120a_alone) => {
        "sm_120a or sm_121a"
    };
    (names sm_103a) => {
        "sm_103a"
    };
    (names sm_107a) => {
        "sm_107a"
    };
    (names sm_107a_or_sm_120a) => {
        "sm_107a, sm_120a, sm_121a or one of their families"
    };
    (in sm_80) => {
        true
    };
    (in sm_90) => {
        true
    };
    (in sm_100) => {
        !cfg!(any(tma_arch = "sm_90", tma_arch = "sm_90a"))
    };
    (in sm_90a) => {
        cfg!(tma_arch = "sm_90a") || architectures!(in sm_100a_or_sm_120a)
    };
    (in sm_90a_alone) => {
        cfg!(tma_arch = "sm_90a")
    };
    (in sm_90a_or_sm_100a) => {
        cfg!(tma_arch = "sm_90a") || architectures!(in sm_100a)
    };
    (in sm_100a) => {
        architectures!(in sm_107a)
            || cfg!(any(
                tma_arch = "sm_100a",
                tma_arch = "sm_100f",
                tma_arch = "sm_103a",
                tma_arch = "sm_103f",
                tma_arch = "sm_110a",
                tma_arch = "sm_110f",
            ))
            || architectures!(features "compute_100a" "compute_100f" "compute_103f" "compute_110f")
    };
    (in sm_100a_or_sm_120a) => {
        architectures!(in sm_100a) || architectures!(in sm_120a)
    };
    (in sm_120a) => {
        architectures!(in sm_120a_alone)
            || cfg!(any(tma_arch = "sm_120f", tma_arch = "sm_121f"))
            || architectures!(features "compute_120f" "compute_121f")
    };
    (in sm_100a_or_sm_120a_alone) => {
        architectures!(in sm_103a)
            || architectures!(in sm_120a_alone)
            || cfg!(any(tma_arch = "sm_100a", tma_arch = "sm_110a"))
            || architectures!(features "compute_100a" "compute_110a")
    };
    (in sm_120a_alone) => {
        cfg!(any(tma_arch = "sm_120a", tma_arch = "sm_121a"))
            || architectures!(features "compute_120a" "compute_121a")
    };
    (in sm_103a) => {
        cfg!(any(tma_arch = "sm_103a", tma_arch = "sm_107a"))
            || architectures!(features "compute_103a")
    };
    (in sm_107a) => {
        cfg!(any(tma_arch = "sm_107a", tma_arch = "sm_107f"))
    };
    (in sm_107a_or_sm_120a) => {
        architectures!(in sm_107a) || architectures!(in sm_120a)
    };
}

/// Refuses an architecture without the instruction when a kernel that uses it is compiled; with
/// a condition, only if a const parameter needs the missing instruction.
#[cfg(target_arch = "nvptx64")]
macro_rules! gate {
    ([$condition:expr] $name:expr, $arch:ident) => {
        const {
            assert!(
                !$condition || architectures!(in $arch) || !$crate::ptx::macros::gate::KNOWN,
                concat!("`", $name, "` needs ", architectures!(names $arch))
            )
        }
    };
    ($name:expr, $arch:ident) => {
        gate!([true] $name, $arch)
    };
}

/// True if the builder sets an architecture that is listed. An unlisted architecture has no instruction
/// that the listed ones lack.
#[cfg(target_arch = "nvptx64")]
pub(crate) const KNOWN: bool = architectures!(in sm_90a)
    || cfg!(any(
        target_feature = "compute_100",
        tma_arch = "sm_90",
        tma_arch = "sm_100",
        tma_arch = "sm_103",
        tma_arch = "sm_107",
        tma_arch = "sm_110",
        tma_arch = "sm_120",
        tma_arch = "sm_121",
    ));
