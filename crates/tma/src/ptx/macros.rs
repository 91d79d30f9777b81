//! Macros that assemble the text of an instruction.

mod device_only;
#[macro_use]
pub(crate) mod gate;

pub use device_only::device_only;

/// Puts one `asm!` together from pieces, for every choice of the modifiers.
///
/// A piece is `("mnemonic" "arguments"; operands)`; empty parts at the end may be left out. The
/// text of the instruction is all mnemonics in their order and then all arguments; the operands are
/// operands of `asm!`. A choice is `{ value; pattern => piece, ... }`: a `match` on a value that the
/// compiler knows, so that one arm stays; some have a name of their own. Pieces in brackets are as
/// good as without. In front, in brackets, are further options of `asm!`.
///
/// ```text
/// ptx_asm! { []
///     ("mbarrier.expect_tx.relaxed" " [{bar}], {bytes};"; bytes = in(reg32) bytes)
///     { C::WORD; Word::Cta => (".cta"), Word::Cluster => (".cluster"), _ => never }
///     (".shared::cta.b64" ""; bar = in(reg32) bar.address())
/// }
/// ```
#[cfg(target_arch = "nvptx64")]
#[collapse_debuginfo(yes)]
macro_rules! ptx_asm {
    ($options:tt $($pieces:tt)+) => { ptx_asm_pieces!($options [] [] [] [$($pieces)+]) };
}

/// Options, mnemonics, arguments and operands so far, and the pieces to come.
#[cfg(target_arch = "nvptx64")]
#[collapse_debuginfo(yes)]
macro_rules! ptx_asm_pieces {
    // No more pieces.
    ([$($option:ident)*] [$($mnemonic:tt)*] [$($argument:tt)*] [$($operand:tt)*] []) => {
        core::arch::asm!(
            concat!($($mnemonic)* $($argument)*),
            $($operand)*
            options($($option,)* nostack, preserves_flags),
        )
    };
    // A piece.
    ($options:tt [$($mnemonics:tt)*] [$($arguments:tt)*] [$($operands:tt)*]
        [($mnemonic:literal $($argument:literal $(; $($operand:tt)+)?)?) $($rest:tt)*]) => {
        ptx_asm_pieces!($options [$($mnemonics)* $mnemonic,] [$($arguments)* $($argument,)?]
            [$($operands)* $($($($operand)+,)?)?] [$($rest)*])
    };
    // Pieces that another macro hands on.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [[$($pieces:tt)*] $($rest:tt)*]) => {
        ptx_asm_pieces!($options $mnemonics $arguments $operands [$($pieces)* $($rest)*])
    };
    // Choices that many families have.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ sem $sem:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $sem::WORD; $options $mnemonics $arguments $operands [$($rest)*]
            $crate::ptx::Word::Acquire => (".acquire"),
            $crate::ptx::Word::Release => (".release"),
            $crate::ptx::Word::Relaxed => (".relaxed"),
            _ => never)
    };
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ scope $scope:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $scope::WORD; $options $mnemonics $arguments $operands [$($rest)*]
            $crate::ptx::Word::Cta => (".cta"),
            $crate::ptx::Word::Cluster => (".cluster"),
            $crate::ptx::Word::Gpu => (".gpu"),
            $crate::ptx::Word::Sys => (".sys"),
            _ => never)
    };
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ layout $layout:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $layout::WORD; $options $mnemonics $arguments $operands [$($rest)*]
            $crate::ptx::Word::V0 => (".layout::v0"),
            $crate::ptx::Word::V1 => (".layout::v1"),
            _ => never)
    };
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ report $report:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $report::WORD; $options $mnemonics $arguments $operands [$($rest)*]
            $crate::ptx::Word::Per16Bytes80000000 => (".mbarrier::report::validity::per_16bytes::80000000"),
            $crate::ptx::Word::Per16Bytes8000 => (".mbarrier::report::validity::per_16bytes::8000"),
            $crate::ptx::Word::Per16Bytes80 => (".mbarrier::report::validity::per_16bytes::80"),
            $crate::ptx::Word::Per16Bytes8 => (".mbarrier::report::validity::per_16bytes::8"),
            $crate::ptx::Word::PerElementFf => (".mbarrier::report::validity::per_element::ff"),
            _ => never)
    };
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ space $address:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $address.space(); $options $mnemonics $arguments $operands [$($rest)*]
            $crate::ptx::operand::address::Space::Generic => ("" ""; $address = in(reg64) $address.address64()),
            $crate::ptx::operand::address::Space::Global => (".global" ""; $address = in(reg64) $address.address64()),
            $crate::ptx::operand::address::Space::SharedCta => (".shared::cta" ""; $address = in(reg32) $address.address32()),
            $crate::ptx::operand::address::Space::SharedCluster => (".shared::cluster" ""; $address = in(reg32) $address.address32()))
    };
    // The number of dimensions, and a list of that many coordinates.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ rank $rank:ident $coords:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $rank; $options $mnemonics $arguments $operands [$($rest)*]
            1 => (".1d" "{{ {c0} }}"; c0 = in(reg32) $coords[0]),
            2 => (".2d" "{{ {c0}, {c1} }}"; c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1]),
            3 => (".3d" "{{ {c0}, {c1}, {c2} }}"; c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1],
                c2 = in(reg32) $coords[2]),
            4 => (".4d" "{{ {c0}, {c1}, {c2}, {c3} }}"; c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1],
                c2 = in(reg32) $coords[2], c3 = in(reg32) $coords[3]),
            5 => (".5d" "{{ {c0}, {c1}, {c2}, {c3}, {c4} }}"; c0 = in(reg32) $coords[0],
                c1 = in(reg32) $coords[1], c2 = in(reg32) $coords[2], c3 = in(reg32) $coords[3],
                c4 = in(reg32) $coords[4]),
            _ => never)
    };
    // The dimensions and strides of a tensor that replace the map's, and coordinates.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt
        [{ resized $rank:ident $dims:ident $lower:ident $upper:ident $coords:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $rank; $options $mnemonics $arguments $operands [$($rest)*]
            1 => (".1d" "{{ {d0} }}, {{ {c0} }}"; d0 = in(reg16) $dims[0], c0 = in(reg32) $coords[0]),
            2 => (".2d" "{{ {d0}, {d1} }}, {{ {s0} }}, {upper}, {{ {c0}, {c1} }}"; d0 = in(reg16) $dims[0],
                d1 = in(reg16) $dims[1], s0 = in(reg32) $lower[0], upper = in(reg16) $upper,
                c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1]),
            3 => (".3d" "{{ {d0}, {d1}, {d2} }}, {{ {s0}, {s1} }}, {upper}, {{ {c0}, {c1}, {c2} }}";
                d0 = in(reg16) $dims[0], d1 = in(reg16) $dims[1], d2 = in(reg16) $dims[2],
                s0 = in(reg32) $lower[0], s1 = in(reg32) $lower[1], upper = in(reg16) $upper,
                c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1], c2 = in(reg32) $coords[2]),
            4 => (".4d" "{{ {d0}, {d1}, {d2}, {d3} }}, {{ {s0}, {s1}, {s2} }}, {upper}, {{ {c0}, {c1}, {c2}, {c3} }}";
                d0 = in(reg16) $dims[0], d1 = in(reg16) $dims[1], d2 = in(reg16) $dims[2], d3 = in(reg16) $dims[3],
                s0 = in(reg32) $lower[0], s1 = in(reg32) $lower[1], s2 = in(reg32) $lower[2],
                upper = in(reg16) $upper, c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1],
                c2 = in(reg32) $coords[2], c3 = in(reg32) $coords[3]),
            5 => (".5d" "{{ {d0}, {d1}, {d2}, {d3}, {d4} }}, {{ {s0}, {s1}, {s2}, {s3} }}, {upper}, \
                    {{ {c0}, {c1}, {c2}, {c3}, {c4} }}";
                d0 = in(reg16) $dims[0], d1 = in(reg16) $dims[1], d2 = in(reg16) $dims[2], d3 = in(reg16) $dims[3],
                d4 = in(reg16) $dims[4], s0 = in(reg32) $lower[0], s1 = in(reg32) $lower[1],
                s2 = in(reg32) $lower[2], s3 = in(reg32) $lower[3], upper = in(reg16) $upper,
                c0 = in(reg32) $coords[0], c1 = in(reg32) $coords[1], c2 = in(reg32) $coords[2],
                c3 = in(reg32) $coords[3], c4 = in(reg32) $coords[4]),
            _ => never)
    };
    // The operands that replace the tensor of a map.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ overrides $address:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!($options $mnemonics $arguments $operands [(".override::global_address") $($rest)*])
    };
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt
        [{ overrides $rank:ident of $address:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $rank; $options $mnemonics $arguments $operands [$($rest)*]
            1 => (".override::global_address.override::global_dim"),
            _ => (".override::global_address.override::global_dim_stride"))
    };
    // A column and four rows of a matrix.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ rows $coords:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!($options $mnemonics $arguments $operands [
            (".2d" "{{ {c0}, {c1}, {c2}, {c3}, {c4} }}"; c0 = in(reg32) $coords[0],
                c1 = in(reg32) $coords[1], c2 = in(reg32) $coords[2], c3 = in(reg32) $coords[3],
                c4 = in(reg32) $coords[4])
            $($rest)*])
    };
    // The halo and the offset of im2col modes along W.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ pair $offsets:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!($options $mnemonics $arguments $operands [
            ("" ", {{ {o0}, {o1} }}"; o0 = in(reg16) $offsets[0], o1 = in(reg16) $offsets[1])
            $($rest)*])
    };
    // The offsets of the im2col mode.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt [{ offsets $count:ident $offsets:ident } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $count; $options $mnemonics $arguments $operands [$($rest)*]
            1 => ("" ", {{ {o0} }}"; o0 = in(reg16) $offsets[0]),
            2 => ("" ", {{ {o0}, {o1} }}"; o0 = in(reg16) $offsets[0], o1 = in(reg16) $offsets[1]),
            3 => ("" ", {{ {o0}, {o1}, {o2} }}"; o0 = in(reg16) $offsets[0], o1 = in(reg16) $offsets[1],
                o2 = in(reg16) $offsets[2]),
            _ => never)
    };
    // A choice of one family.
    ($options:tt $mnemonics:tt $arguments:tt $operands:tt
        [{ $value:expr; $($pattern:pat => $piece:tt),+ $(,)? } $($rest:tt)*]) => {
        ptx_asm_pieces!(@match $value; $options $mnemonics $arguments $operands [$($rest)*]
            $($pattern => $piece),+)
    };
    (@match $value:expr; $options:tt $mnemonics:tt $arguments:tt $operands:tt $rest:tt
        $($pattern:pat => $piece:tt),+) => {
        match $value {
            $($pattern => ptx_asm_pieces!(@arm $options $mnemonics $arguments $operands $piece $rest),)+
        }
    };
    (@arm $options:tt $mnemonics:tt $arguments:tt $operands:tt never $rest:tt) => {
        unreachable!()
    };
    (@arm $options:tt $mnemonics:tt $arguments:tt $operands:tt $piece:tt [$($rest:tt)*]) => {
        ptx_asm_pieces!($options $mnemonics $arguments $operands [$piece $($rest)*])
    };
}

/// Instructions that read registers and write one: safe functions, with operands in the order of the
/// text. Functions that an architecture can lack have type parameters.
macro_rules! arithmetic {
    ($($(#[$attribute:meta])* $name:ident($($argument:ident: $type:ty as $class:ident),+) -> $result:ty as $out:ident
        = $text:literal isa $isa:literal on $arch:ident;)+) => { $(
        #[doc = concat!("`", $text, " result" $(, ", ", stringify!($argument))+, ";`")]
        ///
        $(#[$attribute])*
        #[device_fn(isa = $isa, arch = $arch)]
        pub fn $name($($argument: arithmetic!(@taken $arch $type)),+) -> $result {
            $(arithmetic!(@given $arch $argument $type);)+
            let result;
            // SAFETY: the instruction reads and writes registers only.
            unsafe {
                core::arch::asm!(
                    concat!($text, " {result}" $(, ", {", stringify!($argument), "}")+, ";"),
                    result = out($out) result, $($argument = in($class) $argument,)+
                    options(pure, nomem, nostack, preserves_flags),
                )
            }
            result
        }
    )+ };
    (@taken sm_80 $type:ty) => { $type };
    (@taken sm_90 $type:ty) => { $type };
    (@taken $arch:ident $type:ty) => { impl Into<$type> };
    (@given sm_80 $argument:ident $type:ty) => {};
    (@given sm_90 $argument:ident $type:ty) => {};
    (@given $arch:ident $argument:ident $type:ty) => { let $argument: $type = $argument.into(); };
}

/// Assembly without instructions, so often that LLVM finds the block too big to copy into the arms of a branch.
#[cfg(target_arch = "nvptx64")]
macro_rules! weigh_down {
    ($($nothing:literal)+) => {
        $(core::arch::asm!($nothing, options(nomem, nostack, preserves_flags));)+
    };
}
