//! Instructions: a file for each family, with its decoding and its execution.
//!
//! `families!` lists them. A row names the file, the family's [`Action`] if it has one of its own, and its opcodes.
//! An opcode is decoded by its form in the table of `ptx_isa`, or by its words where the row names a decoder.

mod activemask;
mod alu;
mod applypriority;
mod arithmetic;
mod async_group;
mod atom;
mod barrier_cluster;
mod barrier_cta;
mod barrier_warp;
mod branch;
mod call;
mod clusterlaunchcontrol;
mod collective;
mod compare;
mod cp_async;
mod cp_async_bulk;
mod cp_async_bulk_prefetch;
mod cp_async_bulk_prefetch_tensor;
mod cp_async_bulk_tensor;
mod cp_async_mbarrier_arrive;
mod cp_reduce_async_bulk;
mod cp_reduce_async_bulk_tensor;
mod createpolicy;
mod cvt;
mod cvta;
mod discard;
mod elect_sync;
mod end;
mod execute;
mod fence;
mod float;
mod getctarank;
mod griddepcontrol;
mod integer;
mod isspacep;
mod ld_st;
mod ldmatrix;
mod logic;
mod mapa;
mod match_sync;
mod matrix;
mod mbarrier;
mod mma;
mod mov;
mod movmatrix;
mod nanosleep;
mod nothing;
mod prefetch;
mod red_async;
mod redux_sync;
mod setmaxnreg;
mod shfl_sync;
mod sreg;
mod st_async;
mod st_bulk;
mod stmatrix;
mod suld;
mod sured;
mod surface;
mod sust;
mod tensormap_cp_fenceproxy;
mod tensormap_replace;
mod tex;
mod texture;
mod tld4;
mod txq;
mod unwritten;
mod video;
mod vote_sync;
mod wgmma;
mod without_sync;
mod wmma;

pub(crate) use execute::{Execute, Waiting, each_lane};

use ptx::Opcode;

use crate::{
    decode::{self, Decode, InstructionSet},
    machine::{self, Alu, Flow, Slot, Special, Stuck, Trapped, Wait},
};

pub(crate) type Decoder<'m> = decode::Decoder<'m, Action>;
pub(crate) type Code = machine::Code<Action>;
pub(crate) type Operation = machine::Operation<Action>;
pub(crate) type Step<'a> = machine::Step<'a, Action>;

macro_rules! families {
    ($($family:ident $(: $variant:ident($action:ty))? { $($stem:literal $(=> $decode:ident)?),* })*) => {
        /// The action of an operation. Boxes keep it small.
        #[derive(Clone, Debug)]
        pub(crate) enum Action {
            $($($variant($action),)?)*
        }

        const FAMILIES: &[(&str, Decode<Action>)] = &[$($(
            ($stem, families!(@decode $family $($decode)?)),
        )*)*];

        impl Execute for Action {
            #[inline]
            fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
                match self {
                    $($(Self::$variant(action) => action.run(step),)?)*
                }
            }

            fn splits(&self) -> bool {
                match self {
                    $($(Self::$variant(action) => action.splits(),)?)*
                }
            }

            fn is_over(&self, waiting: &Waiting<'_>) -> bool {
                match self {
                    $($(Self::$variant(action) => action.is_over(waiting),)?)*
                }
            }

            fn resume(
                &self,
                step: &mut Step<'_>,
                wait: Wait,
                gives_up: bool,
            ) -> Result<Flow, Trapped> {
                match self {
                    $($(Self::$variant(action) => action.resume(step, wait, gives_up),)?)*
                }
            }

            fn describe(&self, waiting: &Waiting<'_>) -> String {
                match self {
                    $($(Self::$variant(action) => action.describe(waiting),)?)*
                }
            }

            fn stuck(&self, waiting: &Waiting<'_>) -> Option<Stuck> {
                match self {
                    $($(Self::$variant(action) => action.stuck(waiting),)?)*
                }
            }
        }
    };
    (@decode $family:ident) => {
        Decode::Form(|decoder, instruction, form| match form.op().try_into() {
            Ok(op) => $family::decode(decoder, instruction, form, op),
            Err(_) => Err("the instruction is not known".into()),
        })
    };
    (@decode $family:ident $decode:ident) => { Decode::Words($family::$decode) };
}

families! {
    // Actions that several families share.
    alu: Alu(Alu) {}
    collective: Collective(Box<collective::Collective>) {}
    nothing: Nothing(nothing::Nothing) { "pmevent" => decode }

    // Copies and barriers.
    async_group: AsyncGroup(async_group::AsyncGroup) {}
    barrier_cluster: ClusterBarrier(barrier_cluster::ClusterBarrier) { "barrier.cluster" }
    barrier_cta: CtaBarrier(Box<barrier_cta::CtaBarrier>) { "barrier", "bar" }
    barrier_warp { "bar.warp" }
    clusterlaunchcontrol: TryCancel(clusterlaunchcontrol::TryCancel) {
        "clusterlaunchcontrol"
    }
    cp_async: AsyncCopy(Box<cp_async::AsyncCopy>) { "cp.async" }
    cp_async_bulk: BulkCopy(Box<cp_async_bulk::BulkCopy>) { "cp.async.bulk" }
    cp_async_bulk_prefetch { "cp.async.bulk.prefetch" }
    cp_async_bulk_prefetch_tensor { "cp.async.bulk.prefetch.tensor" }
    cp_async_bulk_tensor: TensorCopy(Box<cp_async_bulk_tensor::TensorCopy>) {
        "cp.async.bulk.tensor"
    }
    cp_async_mbarrier_arrive: AsyncArrive(cp_async_mbarrier_arrive::AsyncArrive) {
        "cp.async.mbarrier.arrive"
    }
    cp_reduce_async_bulk { "cp.reduce.async.bulk" }
    cp_reduce_async_bulk_tensor { "cp.reduce.async.bulk.tensor" }
    fence: Fence(fence::Fence) { "fence", "membar" }
    getctarank { "getctarank" }
    mapa: Cluster(mapa::Cluster) { "mapa" }
    mbarrier: Mbarrier(Box<mbarrier::MbarrierOperation>) { "mbarrier" }
    tensormap_cp_fenceproxy: CopyFence(Box<tensormap_cp_fenceproxy::CopyFence>) {
        "tensormap.cp_fenceproxy"
    }
    tensormap_replace: Replace(Box<tensormap_replace::Replace>) { "tensormap.replace" }

    // The warp.
    activemask: Activemask(activemask::Activemask) { "activemask" => decode }
    elect_sync { "elect.sync" }
    match_sync { "match" => decode }
    ldmatrix: LoadMatrix(Box<ldmatrix::Load>) { "ldmatrix" }
    mma: Mma(Box<mma::Mma>) { "mma" }
    movmatrix: Transpose(movmatrix::Transpose) { "movmatrix" }
    redux_sync { "redux.sync" => decode }
    shfl_sync { "shfl.sync" }
    stmatrix: StoreMatrix(Box<stmatrix::Store>) { "stmatrix" }
    vote_sync { "vote.sync" }
    without_sync { "shfl" => shfl, "vote" => vote }
    wgmma: Wgmma(Box<wgmma::Wgmma>) { "wgmma" }
    wmma: Wmma(Box<wmma::Wmma>) { "wmma" => decode }


    // Memory.
    applypriority { "applypriority" }
    atom: Atomic(Box<atom::Atomic>) { "atom" => decode, "red" => decode }
    createpolicy { "createpolicy" }
    cvta: Window(cvta::Window) { "cvta" }
    discard: Discard(discard::Discard) { "discard" }
    isspacep { "isspacep" }
    ld_st: LoadStore(Box<ld_st::LoadStore>) { "ld" => decode, "ldu" => decode, "st" => decode }
    mov { "mov" => decode }
    prefetch { "prefetch", "prefetchu" }
    red_async { "red.async" }
    sreg: Clock(sreg::Clock) {}
    st_async: AsyncStore(Box<st_async::AsyncStore>) { "st.async" }
    st_bulk: Zeros(st_bulk::Zeros) { "st.bulk" }

    // Textures and surfaces.
    suld: SurfaceLoad(Box<suld::Load>) { "suld" => decode }
    sured: SurfaceReduce(Box<sured::Reduce>) { "sured" => decode }
    sust: SurfaceStore(Box<sust::Store>) { "sust" => decode }
    tex: Fetch(Box<tex::Fetch>) { "tex" => decode }
    tld4: Gather(Box<tld4::Gather>) { "tld4" => decode }
    txq: Query(txq::Query) { "txq" => decode, "suq" => decode }

    // Control.
    branch: Branch(branch::Branch) { "bra" => bra, "brx" => brx }
    call: Call(Box<call::Call>) { "call" => decode }
    end: End(end::End) {
        "ret" => decode,
        "exit" => decode,
        "trap" => decode,
        "brkpt" => decode
    }
    griddepcontrol: GridDependency(griddepcontrol::GridDependency) { "griddepcontrol" }
    nanosleep: Sleep(nanosleep::Sleep) { "nanosleep" => decode }
    setmaxnreg: Registers(setmaxnreg::Registers) { "setmaxnreg" }

    // Arithmetic.
    arithmetic {
        "add" => decode,
        "sub" => decode,
        "mul" => decode,
        "mad" => decode,
        "div" => decode,
        "min" => decode,
        "max" => decode,
        "neg" => decode,
        "abs" => decode
    }
    compare { "setp" => setp, "set" => set, "selp" => select, "slct" => select }
    cvt: Convert(Box<cvt::Convert>) { "cvt" => decode }
    float {
        "fma" => fma,
        "copysign" => binary,
        "rcp" => unary,
        "sqrt" => unary,
        "rsqrt" => unary,
        "sin" => unary,
        "cos" => unary,
        "lg2" => unary,
        "ex2" => unary,
        "tanh" => unary,
        "testp" => testp
    }
    integer {
        "rem" => binary,
        "addc" => carry,
        "subc" => carry,
        "mul24" => product,
        "mad24" => product,
        "sad" => product,
        "madc" => with_carry,
        "dp4a" => dot,
        "dp2a" => dot
    }
    video: Video(Box<video::Video>) {
        "vadd2" => decode,
        "vadd4" => decode,
        "vsub2" => decode,
        "vsub4" => decode,
        "vavrg2" => decode,
        "vavrg4" => decode,
        "vabsdiff2" => decode,
        "vabsdiff4" => decode,
        "vmin2" => decode,
        "vmin4" => decode,
        "vmax2" => decode,
        "vmax4" => decode
    }
    logic {
        "and" => logic,
        "or" => logic,
        "xor" => logic,
        "not" => logic,
        "cnot" => logic,
        "lop3" => lop3,
        "shl" => shift,
        "shr" => shift,
        "shf" => funnel,
        "bfe" => field,
        "bfi" => field,
        "bmsk" => bmsk,
        "szext" => szext,
        "popc" => count,
        "clz" => count,
        "brev" => count,
        "bfind" => count,
        "prmt" => prmt,
        "fns" => fns
    }
}

impl From<Alu> for Action {
    fn from(alu: Alu) -> Self {
        Self::Alu(alu)
    }
}

impl InstructionSet for Action {
    const FAMILIES: &'static [(&'static str, Decode<Self>)] = FAMILIES;

    fn only_computes(opcode: &Opcode) -> bool {
        matches!(
            opcode.stem(),
            "abs"
                | "add"
                | "and"
                | "cnot"
                | "cvt"
                | "lop3"
                | "max"
                | "min"
                | "mov"
                | "mul"
                | "neg"
                | "not"
                | "or"
                | "prmt"
                | "selp"
                | "set"
                | "setp"
                | "shl"
                | "shr"
                | "slct"
                | "sub"
                | "xor"
        )
    }

    fn has_result_to_use(opcode: &Opcode) -> bool {
        opcode.stem() == "mbarrier" && opcode.parts().any(|part| part.ends_with("_wait"))
    }

    fn read(special: Special, d: Slot) -> Self {
        Self::Clock(sreg::Clock { d, special })
    }

    fn end_of_function() -> Self {
        Self::End(end::End::Function)
    }

    fn for_each_target(&mut self, change: impl FnMut(&mut usize)) {
        if let Self::Branch(branch) = self {
            branch.targets.iter_mut().for_each(change);
        }
    }
}

impl Action {
    /// Returns the targets of a jump; none for the end of a function or thread. `None` means the next operation.
    pub(crate) fn targets(&self) -> Option<&[usize]> {
        match self {
            Self::Branch(branch) => Some(&branch.targets),
            Self::End(_) => Some(&[]),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use ptx::Opcode;

    use super::*;

    #[test]
    fn an_opcode_has_one_family_that_no_shorter_stem_hides() {
        for (index, (stem, _)) in FAMILIES.iter().enumerate() {
            let first = FAMILIES.iter().position(|(other, _)| other == stem);
            assert_eq!(first, Some(index), "`{stem}` has two rows");
            let opcode = Opcode::new(format!("{stem}.anything"));
            let found = Action::family(&opcode).map(|(found, _)| *found);
            assert_eq!(found, Some(*stem));
        }
    }
}
