//! Instructions: a file for each family, with its decoding and its execution.
//!
//! `families!` is the list of them. A row names the file, the [`Action`] that operations of the
//! family carry out, where it has one of its own, and what decodes each opcode.

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
mod logic;
mod mapa;
mod match_sync;
mod matrix;
mod mbarrier;
mod mov;
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
mod tensormap_cp_fenceproxy;
mod tensormap_replace;
mod vote_sync;

pub(crate) use execute::{Execute, Waiting, each_lane};

use crate::{
    decode::{self, Decode, InstructionSet},
    machine::{self, Alu, Flow, Slot, Special, Trapped, Wait, observer::Watch},
};

pub(crate) type Decoder<'m> = decode::Decoder<'m, Action>;
pub(crate) type Code = machine::Code<Action>;
pub(crate) type Operation = machine::Operation<Action>;
pub(crate) type Step<'a, O> = machine::Step<'a, O, Action>;

macro_rules! families {
    ($($family:ident $(: $variant:ident($action:ty))? { $($stem:literal => $decode:ident),* })*) => {
        /// What an operation does. Boxes keep it small.
        #[derive(Clone, Debug)]
        pub(crate) enum Action {
            $($($variant($action),)?)*
        }

        const FAMILIES: &[(&str, Decode<Action>)] = &[$($(($stem, $family::$decode),)*)*];

        impl Execute for Action {
            #[inline]
            fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
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

            fn resume<O: Watch>(
                &self,
                step: &mut Step<'_, O>,
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
        }
    };
}

families! {
    // What several families have in common.
    alu: Alu(Alu) {}
    collective: Collective(Box<collective::Collective>) {}
    nothing: Nothing(nothing::Nothing) { "pmevent" => decode }

    // Copies and barriers.
    async_group: Group(async_group::Group) {
        "cp.async.bulk.commit_group" => commit,
        "cp.async.bulk.wait_group" => wait,
        "cp.async.commit_group" => commit,
        "cp.async.wait_group" => wait,
        "cp.async.wait_all" => wait_all
    }
    barrier_cluster: ClusterBarrier(barrier_cluster::ClusterBarrier) { "barrier.cluster" => decode }
    barrier_cta: CtaBarrier(Box<barrier_cta::CtaBarrier>) { "barrier" => decode, "bar" => decode }
    barrier_warp { "bar.warp" => decode }
    clusterlaunchcontrol: TryCancel(clusterlaunchcontrol::TryCancel) {
        "clusterlaunchcontrol" => decode
    }
    cp_async: AsyncCopy(Box<cp_async::AsyncCopy>) { "cp.async" => decode }
    cp_async_bulk: BulkCopy(Box<cp_async_bulk::BulkCopy>) { "cp.async.bulk" => decode }
    cp_async_bulk_prefetch { "cp.async.bulk.prefetch" => decode }
    cp_async_bulk_prefetch_tensor { "cp.async.bulk.prefetch.tensor" => decode }
    cp_async_bulk_tensor: TensorCopy(Box<cp_async_bulk_tensor::TensorCopy>) {
        "cp.async.bulk.tensor" => decode
    }
    cp_async_mbarrier_arrive: AsyncArrive(cp_async_mbarrier_arrive::AsyncArrive) {
        "cp.async.mbarrier.arrive" => decode
    }
    cp_reduce_async_bulk { "cp.reduce.async.bulk" => decode }
    cp_reduce_async_bulk_tensor { "cp.reduce.async.bulk.tensor" => decode }
    fence: Fence(fence::Fence) { "fence" => decode, "membar" => decode }
    getctarank { "getctarank" => decode }
    mapa: Cluster(mapa::Cluster) { "mapa" => decode }
    mbarrier: Mbarrier(Box<mbarrier::MbarrierOperation>) { "mbarrier" => decode }
    tensormap_cp_fenceproxy: CopyFence(Box<tensormap_cp_fenceproxy::CopyFence>) {
        "tensormap.cp_fenceproxy" => decode
    }
    tensormap_replace: Replace(Box<tensormap_replace::Replace>) { "tensormap.replace" => decode }

    // The warp.
    activemask: Activemask(activemask::Activemask) { "activemask" => decode }
    elect_sync { "elect.sync" => decode }
    match_sync { "match" => decode }
    matrix: Matrix(Box<matrix::Matrix>) {
        "ldmatrix" => rows,
        "stmatrix" => rows,
        "movmatrix" => transpose
    }
    redux_sync { "redux.sync" => decode }
    shfl_sync { "shfl.sync" => decode }
    vote_sync { "vote.sync" => decode }

    // Memory.
    applypriority { "applypriority" => decode }
    atom: Atomic(Box<atom::Atomic>) { "atom" => decode, "red" => decode }
    createpolicy { "createpolicy" => decode }
    cvta: Window(cvta::Window) { "cvta" => decode }
    discard: Discard(discard::Discard) { "discard" => decode }
    isspacep { "isspacep" => decode }
    ld_st: Move(Box<ld_st::Move>) { "ld" => decode, "ldu" => decode, "st" => decode }
    mov { "mov" => decode }
    prefetch { "prefetch" => decode, "prefetchu" => decode }
    red_async { "red.async" => decode }
    sreg: Clock(sreg::Clock) {}
    st_async: AsyncStore(Box<st_async::AsyncStore>) { "st.async" => decode }
    st_bulk: Zeros(st_bulk::Zeros) { "st.bulk" => decode }

    // Control.
    branch: Branch(branch::Branch) { "bra" => bra, "brx" => brx }
    call: Call(Box<call::Call>) { "call" => decode }
    end: End(end::End) {
        "ret" => decode,
        "exit" => decode,
        "trap" => decode,
        "brkpt" => decode
    }
    griddepcontrol { "griddepcontrol" => decode }
    nanosleep: Sleep(nanosleep::Sleep) { "nanosleep" => decode }
    setmaxnreg { "setmaxnreg" => decode }

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
            let found = Action::family(&opcode).map(|(found, _)| found);
            assert_eq!(found, Some(*stem));
        }
    }
}
