//! Modifiers of instructions as types, named as in PTX.

/// Makes types of words, and a constant by which a wrapper knows them.
macro_rules! words {
    ($($(#[$attribute:meta])* $word:ident;)+) => {
        /// A modifier as a value, by which the assembly text is chosen.
        #[doc(hidden)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Word { $(#[doc = stringify!($word)] $word,)+ }
        $(
            $(#[$attribute])*
            #[derive(Clone, Copy, Debug)]
            pub struct $word;
            impl crate::sealed::Sealed for $word {}
            impl Modifier for $word {
                const WORD: Word = Word::$word;
            }
        )+
    };
}

/// A modifier of an instruction.
pub trait Modifier: Copy + crate::sealed::Sealed {
    /// The modifier as a value, by which the assembly text is chosen.
    #[doc(hidden)]
    const WORD: Word;
}

words! {
    /// `.acquire`: later accesses see the released accesses of the other side.
    Acquire;
    /// `.release`: earlier accesses are visible to an acquiring thread.
    Release;
    /// `.acq_rel`: both.
    AcqRel;
    /// `.sc`: both, and all such fences have one order.
    Sc;
    /// `.relaxed`: orders no other access.
    Relaxed;
    /// `.cta`: the threads of this block.
    Cta;
    /// `.cluster`: the threads of this cluster.
    Cluster;
    /// `.gpu`: the threads of this GPU.
    Gpu;
    /// `.sys`: all threads, the host's and other GPUs' too.
    Sys;
    /// `.add`: the sum; integers wrap around.
    Add;
    /// `.min`: the result is the lesser value.
    Min;
    /// `.max`: the result is the greater value.
    Max;
    /// `.inc`: one more than the old value, 0 once it has reached the operand.
    Inc;
    /// `.dec`: one less than the old value, the operand where that is 0 or above the operand.
    Dec;
    /// `.and`: the result has the bits set in both values.
    And;
    /// `.or`: the result has the bits set in either value.
    Or;
    /// `.xor`: the result has the bits set in one value alone.
    Xor;
    /// `.ca`: the access is cached in L1 and L2.
    Ca;
    /// `.cg`: the access is cached in L2 alone.
    Cg;
    /// `.cs`: the line is likely used once, and evicted first.
    Cs;
    /// `.lu`: the line is not used again.
    Lu;
    /// `.cv`: not cached, read anew each time.
    Cv;
    /// `.wb`: written back from L2 in time.
    Wb;
    /// `.wt`: written through L2 to the system's memory.
    Wt;
    /// `.L2::evict_last`: the line goes after others.
    EvictLast;
    /// `.L2::evict_normal`: the line goes in its turn.
    EvictNormal;
    /// `.L2::evict_first`: the line goes before others.
    EvictFirst;
    /// `.L2::evict_unchanged`: the line keeps the priority that it has.
    EvictUnchanged;
    /// `.aligned`: all threads of the warp execute the same instruction.
    Aligned;
    /// `.f16`: an IEEE number of half precision.
    F16;
    /// `.bf16`: 8 bits of exponent and 7 of fraction.
    Bf16;
    /// `.tf32`: 8 bits of exponent and 10 of fraction, in a word.
    Tf32;
    /// `.e4m3`: 4 bits of exponent and 3 of fraction.
    E4m3;
    /// `.e5m2`: 5 bits of exponent and 2 of fraction.
    E5m2;
    /// `.e3m2`: 3 bits of exponent and 2 of fraction.
    E3m2;
    /// `.e2m3`: 2 bits of exponent and 3 of fraction.
    E2m3;
    /// `.e2m1`: 2 bits of exponent and 1 of fraction.
    E2m1;
    /// `.sp`: metadata may name the kept elements of a group in any order. ptxas warns that some later architectures
    /// are much slower with it.
    AnyMetadata;
    /// `.sp::ordered_metadata`: metadata names the kept elements of a group in their order.
    OrderedMetadata;
    /// `.s8`: a signed integer of 8 bits.
    S8;
    /// `.u8`: an unsigned integer of 8 bits.
    U8;
    /// `.b1`: a single bit, 128 or 256 to a product.
    B1;
    /// `.layout::v0`: a barrier that counts arrivals and bytes.
    V0;
    /// `.layout::v1`: a barrier that also receives reports of copies.
    V1;
    /// `::validity::per_16bytes::80000000`: of every 16 bytes, some word that is the -0 of 32 bits.
    Per16Bytes80000000;
    /// `::validity::per_16bytes::8000`: of every 16 bytes, some 2 that are the -0 of 16 bits.
    Per16Bytes8000;
    /// `::validity::per_16bytes::80`: of every 16 bytes, some byte that is the -0 of 8 bits.
    Per16Bytes80;
    /// `::validity::per_16bytes::8`: of every 16 bytes, some half of a byte that is the -0 of 4 bits.
    Per16Bytes8;
    /// `::validity::per_element::ff`: every byte that is 0xff.
    PerElementFf;
}

/// Traits that list the words allowed at one position of an instruction.
macro_rules! choices {
    ($($(#[$attribute:meta])* $choice:ident = $($word:ident)+;)+) => {$(
        $(#[$attribute])*
        #[diagnostic::on_unimplemented(
            message = "`{Self}` is not a modifier for this position",
            label = "the instruction has no such form"
        )]
        pub trait $choice: Modifier {}
        $(impl $choice for $word {})+
    )+};
}

choices! {
    /// The semantics of `fence`: [`Sc`], [`AcqRel`], [`Acquire`] or [`Release`].
    FenceSem = Sc AcqRel Acquire Release;
    /// The semantics of an arrival: [`Release`] or [`Relaxed`].
    ArriveSem = Release Relaxed;
    /// The semantics of a wait: [`Acquire`] or [`Relaxed`].
    WaitSem = Acquire Relaxed;
    /// The semantics of an atomic operation: [`Relaxed`], [`Acquire`], [`Release`] or [`AcqRel`].
    AtomSem = Relaxed Acquire Release AcqRel;
    /// A scope: [`Cta`], [`Cluster`], [`Gpu`] or [`Sys`].
    Scope = Cta Cluster Gpu Sys;
    /// A scope of an mbarrier: [`Cta`] or [`Cluster`].
    MbarrierScope = Cta Cluster;
    /// A scope beyond the cluster: [`Gpu`] or [`Sys`].
    WideScope = Gpu Sys;
    /// An operation of a tensor reduction; the map has the type: [`Add`], [`Min`], [`Max`], [`Inc`],
    /// [`Dec`], [`And`], [`Or`] or [`Xor`].
    TensorReduction = Add Min Max Inc Dec And Or Xor;
    /// The caches that keep a copied line: [`Ca`] or [`Cg`].
    CacheOperator = Ca Cg;
    /// The cache operator of a load: [`Cg`], [`Cs`], [`Lu`] or [`Cv`].
    LoadOperator = Cg Cs Lu Cv;
    /// The cache operator of a store: [`Wb`], [`Cg`], [`Cs`] or [`Wt`].
    StoreOperator = Wb Cg Cs Wt;
    /// The priority of the lines that a policy chooses: [`EvictLast`], [`EvictNormal`],
    /// [`EvictFirst`] or [`EvictUnchanged`].
    PrimaryPriority = EvictLast EvictNormal EvictFirst EvictUnchanged;
    /// The layout of a barrier in memory: [`V0`] or [`V1`].
    MbarrierLayout = V0 V1;
    /// The bytes of a copy that are reported to a barrier of the layout v1: [`Per16Bytes80000000`], [`Per16Bytes8000`],
    /// [`Per16Bytes80`], [`Per16Bytes8`] or [`PerElementFf`]. The hardware tests one of every 16 bytes.
    Report = Per16Bytes80000000 Per16Bytes8000 Per16Bytes80 Per16Bytes8 PerElementFf;
    /// The layout of a sparse product's metadata: [`AnyMetadata`] or [`OrderedMetadata`].
    Metadata = AnyMetadata OrderedMetadata;
    /// The one way in which a collective meets: [`Aligned`].
    Alignment = Aligned;
    /// The priority of the other lines: [`EvictFirst`] or [`EvictUnchanged`].
    SecondaryPriority = EvictFirst EvictUnchanged;
}

/// A format of at most 8 bits, in the words of instructions by the bits of its exponent and fraction: [`E4m3`],
/// [`E5m2`], [`E3m2`], [`E2m3`] or [`E2m1`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format of 4, 6 or 8 bits",
    label = "the instruction takes `E4m3`, `E5m2`, `E3m2`, `E2m3` and `E2m1`"
)]
pub trait Narrow: Modifier {
    /// The number of bits of the exponent.
    #[doc(hidden)]
    const EXPONENT: u32;
    /// The number of bits of the fraction.
    #[doc(hidden)]
    const FRACTION: u32;
}

/// A format of 8 bits: [`E4m3`] or [`E5m2`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a format of 8 bits",
    label = "the instruction takes `E4m3` and `E5m2`"
)]
pub trait Small: Narrow {}
impl Small for E4m3 {}
impl Small for E5m2 {}

macro_rules! formats {
    ($($format:ident $exponent:literal $fraction:literal;)+) => {$(
        impl Narrow for $format {
            const EXPONENT: u32 = $exponent;
            const FRACTION: u32 = $fraction;
        }
    )+};
}

formats! {
    E4m3 4 3;
    E5m2 5 2;
    E3m2 3 2;
    E2m3 2 3;
    E2m1 2 1;
}
