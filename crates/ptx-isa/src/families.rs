//! A file for each family, with its rows.

use crate::Family;

/// The operations of a family and its rows.
macro_rules! family {
    ($family:ident $section:literal { $($op:ident),+ $(,)? }
        $($first:ident $(| $more:ident)*: $text:literal
            isa $isa:literal on $targets:literal $(= $call:literal)? $(== $same:literal)?;)+) => {
        /// The operations of the family.
        #[allow(missing_docs, reason = "named by the mnemonic")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $($op),+ }

        pub(super) const SECTION: &str = $section;

        pub(super) const ROWS: &[crate::FormRow] = &[$(crate::FormRow {
            ops: &[crate::Op::$family(Op::$first), $(crate::Op::$family(Op::$more)),*],
            text: $text,
            isa: $isa,
            targets: $targets,
            emitted: family!(@emitted $(= $call)? $(== $same)?),
        }),+];
    };
    (@emitted) => { crate::RowEmitted::Nothing };
    (@emitted = $call:literal) => { crate::RowEmitted::By($call) };
    (@emitted == $same:literal) => { crate::RowEmitted::As($same) };
}

macro_rules! families {
    ($($stem:ident: $family:ident,)+) => {
        $(#[doc = concat!("The family `", stringify!($stem), "`.")] pub mod $stem;)+

        /// An operation, by its family.
        #[allow(missing_docs, reason = "these are the modules")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op { $($family($stem::Op)),+ }

        $(impl TryFrom<Op> for $stem::Op {
            /// An operation of another family.
            type Error = Op;

            fn try_from(op: Op) -> Result<Self, Op> {
                match op {
                    Op::$family(op) => Ok(op),
                    other => Err(other),
                }
            }
        })+

        /// Every instruction family, in the order of the tables.
        pub const FAMILIES: &[Family] = &[$(Family {
            stem: stringify!($stem),
            section: $stem::SECTION,
            rows: $stem::ROWS,
        }),+];
    };
}

families! {
    abs: Abs,
    add: Add,
    applypriority: Applypriority,
    atom: Atom,
    barrier_cluster: BarrierCluster,
    barrier_cta: BarrierCta,
    barrier_warp: BarrierWarp,
    bfe: Bfe,
    bfi: Bfi,
    clock: Clock,
    clusterlaunchcontrol: Clusterlaunchcontrol,
    cos: Cos,
    cp_async: CpAsync,
    cp_async_bulk: CpAsyncBulk,
    cp_async_bulk_prefetch: CpAsyncBulkPrefetch,
    cp_async_bulk_prefetch_tensor: CpAsyncBulkPrefetchTensor,
    cp_async_bulk_tensor: CpAsyncBulkTensor,
    cp_async_mbarrier_arrive: CpAsyncMbarrierArrive,
    cp_reduce_async_bulk: CpReduceAsyncBulk,
    cp_reduce_async_bulk_tensor: CpReduceAsyncBulkTensor,
    createpolicy: Createpolicy,
    cvt: Cvt,
    cvta: Cvta,
    discard: Discard,
    dp2a: Dp2a,
    dp4a: Dp4a,
    elect_sync: ElectSync,
    ex2: Ex2,
    fence: Fence,
    fma: Fma,
    getctarank: Getctarank,
    griddepcontrol: Griddepcontrol,
    isspacep: Isspacep,
    ld_global: LdGlobal,
    ld_shared: LdShared,
    ldmatrix: Ldmatrix,
    lg2: Lg2,
    mapa: Mapa,
    max: Max,
    mbarrier: Mbarrier,
    min: Min,
    mma: Mma,
    movmatrix: Movmatrix,
    mul: Mul,
    nanosleep: Nanosleep,
    neg: Neg,
    prefetch: Prefetch,
    prmt: Prmt,
    rcp: Rcp,
    red_async: RedAsync,
    red_shared: RedShared,
    rsqrt: Rsqrt,
    setmaxnreg: Setmaxnreg,
    shfl_sync: ShflSync,
    sin: Sin,
    sqrt: Sqrt,
    sreg: Sreg,
    st_async: StAsync,
    st_bulk: StBulk,
    st_global: StGlobal,
    st_shared: StShared,
    stmatrix: Stmatrix,
    sub: Sub,
    tanh: Tanh,
    tensormap_cp_fenceproxy: TensormapCpFenceproxy,
    tensormap_replace: TensormapReplace,
    vote_sync: VoteSync,
    wgmma: Wgmma,
}
