//! The modifiers of opcodes, taken apart.

use crate::{Form, form::words};

macro_rules! modifiers {
    ($($(#[$about:meta])* $accessor:ident: $name:ident { $($variant:ident = $word:literal),+ $(,)? })+) => {$(
        $(#[$about])*
        #[allow(missing_docs, reason = "named by the word")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($variant),+ }

        impl $name {
            /// All modifiers of this kind, in the order of declaration.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the word that an opcode contains.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Returns the modifier that this word spells.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl Form {
            $(#[$about])*
            pub fn $accessor(&self) -> Option<$name> {
                self.parts().find_map($name::of)
            }
        }
    )+

    #[cfg(test)]
    pub(crate) fn is_modifier(word: &str) -> bool {
        $($name::of(word).is_some())||+
    }
    };
}

modifiers! {
    /// The order of memory accesses.
    sem: Sem { Weak = "weak", Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel",
        Sc = "sc" }
    /// The threads that see this order.
    scope: Scope { Cta = "cta", Cluster = "cluster", Gpu = "gpu", Sys = "sys" }
    /// The state space of the address, or of the destination; without it, the address is generic.
    space: Space { Global = "global", Shared = "shared", SharedCta = "shared::cta",
        SharedCluster = "shared::cluster", Local = "local", Const = "const", Param = "param",
        ParamEntry = "param::entry" }
    /// The blocks that get a copy, or hear of an arrival.
    multicast: Multicast { Cluster = "multicast::cluster", Cluster16b = "multicast::cluster::16b",
        Cluster32b = "multicast::cluster::32b", ClusterAll = "multicast::cluster::all" }
    /// The operator of a reduction.
    reduction: Reduction { Add = "add", Min = "min", Max = "max", Inc = "inc", Dec = "dec", And = "and", Or = "or",
        Xor = "xor" }
    /// The number of dimensions of a tensor.
    rank: Rank { One = "1d", Two = "2d", Three = "3d", Four = "4d", Five = "5d" }
    /// The mode in which a copy walks through a tensor.
    mode: Mode { Tile = "tile", TileGather4 = "tile::gather4", TileScatter4 = "tile::scatter4", Im2col = "im2col",
        Im2colW = "im2col::w", Im2colW128 = "im2col::w::128", Im2colNoOffs = "im2col_no_offs",
        Im2colNoOffsW = "im2col_no_offs::w" }
    /// The mechanism that signals the end of a copy.
    completion: Completion { Mbarrier = "mbarrier::complete_tx::bytes", BulkGroup = "bulk_group" }
    /// The pair of blocks whose barriers are signalled.
    cta_group: CtaGroup { One = "cta_group::1", Two = "cta_group::2" }
    /// The caches that an access or a small copy uses.
    cache_operator: CacheOperator { Ca = "ca", Cg = "cg", Cs = "cs", Lu = "lu", Cv = "cv", Wb = "wb", Wt = "wt" }
    /// A level of the caches that an instruction addresses.
    level: Level { L1 = "L1", L2 = "L2", L1Of32B = "L1::32B" }
    /// The eviction priority of a line in the L1 cache.
    l1_eviction: L1Eviction { NoAllocate = "L1::no_allocate" }
    /// The bytes that a small copy prefetches to the L2 cache.
    l2_prefetch: L2Prefetch { B64 = "L2::64B", B128 = "L2::128B", B256 = "L2::256B" }
    /// The eviction priority of cached bytes.
    eviction: Eviction { Last = "L2::evict_last", Normal = "L2::evict_normal", First = "L2::evict_first",
        Unchanged = "L2::evict_unchanged" }
    /// The number of elements of a vector.
    vector: Vector { V2 = "v2", V4 = "v4" }
    /// The memory that a fence is restricted to.
    sync_restrict: SyncRestrict { SharedCta = "sync_restrict::shared::cta",
        SharedCluster = "sync_restrict::shared::cluster",
        SharedClusterRead = "sync_restrict::shared::cluster::read", Read = "sync_restrict::read",
        ProxyAsync = "sync_restrict::proxy::async" }
    /// The memory layout of a barrier.
    layout: Layout { V0 = "layout::v0", V1 = "layout::v1" }
    /// The kind of barrier phase that is waited for.
    phase_type: PhaseType { Primary = "phase_type::primary", Conditional = "phase_type::conditional" }
    /// The report on the validity of a copy's bytes that a barrier gets.
    report: Report { Disabled = "mbarrier::report::disabled",
        Per16Bytes8 = "mbarrier::report::validity::per_16bytes::8",
        Per16Bytes80 = "mbarrier::report::validity::per_16bytes::80",
        Per16Bytes8000 = "mbarrier::report::validity::per_16bytes::8000",
        Per16Bytes80000000 = "mbarrier::report::validity::per_16bytes::80000000",
        PerElementFf = "mbarrier::report::validity::per_element::ff" }
    /// The fields of the tensor map that a copy takes from its operands, besides the address.
    dims_override: DimsOverride { Dim = "override::global_dim", DimStride = "override::global_dim_stride" }
    /// The first type that the opcode names.
    ty: Type { B8 = "b8", B16 = "b16", B32 = "b32", B64 = "b64", B128 = "b128", B1024 = "b1024", U8 = "u8",
        U16 = "u16", U32 = "u32", U64 = "u64", S8 = "s8", S16 = "s16", S16x2 = "s16x2", U16x2 = "u16x2", S8x4 = "s8x4", U8x4 = "u8x4", S32 = "s32", S64 = "s64", F16 = "f16",
        F16x2 = "f16x2", Bf16 = "bf16", Bf16x2 = "bf16x2", F32 = "f32", F32x2 = "f32x2", F64 = "f64", Pred = "pred", Tf32 = "tf32", E4m3 = "e4m3", E5m2 = "e5m2", E4m3x2 = "e4m3x2", E5m2x2 = "e5m2x2",
        E3m2x2 = "e3m2x2", E2m3x2 = "e2m3x2", E2m1x2 = "e2m1x2", Ue8m0x2 = "ue8m0x2", S2f6x2 = "s2f6x2",
        E3m2 = "e3m2", E2m3 = "e2m3", E2m1 = "e2m1", Ue8m0 = "ue8m0", Ue4m3 = "ue4m3",
        S4 = "s4", U4 = "u4", B1 = "b1", B8x16 = "b8x16", B6x16P32 = "b6x16_p32", B4x16P64 = "b4x16_p64" }
    /// The layout of a matrix in its fragment.
    matrix_layout: MatrixLayout { Row = "row", Col = "col" }
    /// The formats that products of narrow numbers take.
    kind: Kind { F8f6f4 = "kind::f8f6f4", Mxf8f6f4 = "kind::mxf8f6f4", Mxf4 = "kind::mxf4",
        Mxf4nvf4 = "kind::mxf4nvf4" }
    /// The number of scales of a row of A.
    scale_vec: ScaleVec { X1 = "scale_vec::1X", X2 = "scale_vec::2X", X4 = "scale_vec::4X" }
    /// The number of matrices.
    matrices: Matrices { X1 = "x1", X2 = "x2", X4 = "x4" }
    /// The direction in which a result is rounded.
    rounding: Rounding { Rn = "rn", Rz = "rz", Rm = "rm", Rp = "rp" }
}

/// A word that an opcode contains or not.
#[allow(missing_docs, reason = "named by the word")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flag {
    Aligned,
    /// Short for `barrier` with `.aligned`.
    Bar,
    CacheHint,
    CpMask,
    IgnoreOob,
    Mmio,
    Noftz,
    OverrideAddress,
    Read,
    Satfinite,
    Trans,
    ValidAddr,
}

impl Flag {
    /// All modifiers, in the order of the kinds.
    pub const ALL: &[Self] = &[
        Self::Aligned,
        Self::Bar,
        Self::CacheHint,
        Self::CpMask,
        Self::IgnoreOob,
        Self::Mmio,
        Self::Noftz,
        Self::OverrideAddress,
        Self::Read,
        Self::Satfinite,
        Self::Trans,
        Self::ValidAddr,
    ];

    /// Returns the word that an opcode contains.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Aligned => "aligned",
            Self::Bar => "bar",
            Self::CacheHint => "L2::cache_hint",
            Self::CpMask => "cp_mask",
            Self::IgnoreOob => "ignore_oob",
            Self::Mmio => "mmio",
            Self::Noftz => "noftz",
            Self::OverrideAddress => "override::global_address",
            Self::Read => "read",
            Self::Satfinite => "satfinite",
            Self::Trans => "trans",
            Self::ValidAddr => "valid_addr",
        }
    }
}

impl Form {
    /// The parts of the opcode between its dots.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.opcode().split('.')
    }

    /// Returns whether the opcode contains a word.
    pub fn has(&self, flag: Flag) -> bool {
        self.parts().any(|part| part == flag.word())
    }

    /// The state space of a copy's source.
    pub fn source_space(&self) -> Option<Space> {
        self.parts().filter_map(Space::of).nth(1)
    }

    /// The eviction priority of the other bytes of a policy.
    pub fn secondary_eviction(&self) -> Option<Eviction> {
        self.parts().filter_map(Eviction::of).nth(1)
    }

    /// The number among its operands, the first of several.
    pub fn number(&self) -> Option<u64> {
        words(self.operands()).find_map(|word| word.parse().ok())
    }

    /// Returns the types of the opcode, in their order.
    pub fn types(&self) -> impl Iterator<Item = Type> {
        self.parts().filter_map(Type::of)
    }

    /// The shape of a product, or of a matrix.
    pub fn shape(&self) -> Option<Shape> {
        self.parts().find_map(Shape::of)
    }

    /// The last type, where an opcode has several.
    pub fn last_ty(&self) -> Option<Type> {
        self.parts().filter_map(Type::of).last()
    }
}

/// `m16n8k16`: the rows of A and D, the columns of B and D, and the columns of A, which are the rows of B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The number of rows of A and D.
    pub m: u32,
    /// The number of columns of B and D.
    pub n: u32,
    /// The extent that is summed over; 0 for a matrix by itself.
    pub k: u32,
}

impl Shape {
    /// Returns the shape that this word spells.
    pub fn of(word: &str) -> Option<Self> {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k').unwrap_or((rest, "0"));
        Some(Self {
            m: m.parse().ok()?,
            n: n.parse().ok()?,
            k: k.parse().ok()?,
        })
    }
}
