//! `barrier.cluster`: the barrier of all threads of a cluster. PTX ISA 9.7.13.3.

use ptx::Instruction;
use ptx_isa::{Flag, Form, barrier_cluster::Op};

use crate::{
    decode::NotSupported,
    inst::{Action, Decoder, Execute, Step, Waiting},
    machine::{
        Flow, Trapped, Wait,
        observer::{Event, Sem},
    },
    value::lanes_of,
};

/// Arrives, or waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClusterBarrier {
    Arrive { sem: Sem, aligned: bool },
    Wait,
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    _: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    decoder.emit(Action::ClusterBarrier(match op {
        Op::Arrive => ClusterBarrier::Arrive {
            sem: form.sem().map_or(Sem::Release, Sem::from),
            aligned: form.has(Flag::Aligned),
        },
        Op::Wait => ClusterBarrier::Wait,
    }));
    Ok(())
}

impl Execute for ClusterBarrier {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        match self {
            Self::Arrive { sem, aligned } => {
                let index = step.here.cluster;
                let generation = step.world.clusters[index].barrier.generation;
                for lane in lanes_of(step.active) {
                    step.warp.cluster_arrived[lane] = Some(generation);
                }
                step.tell_all(Event::ClusterArrive {
                    generation,
                    sem: *sem,
                    aligned: *aligned,
                });
                step.world.clusters[index].barrier.arrived += step.active.count_ones();
                step.world.progress += 1;
                step.world.complete_cluster_barrier(index);
                Ok(Flow::Next)
            }
            Self::Wait => Ok(step.wait(Wait::Cluster)),
        }
    }

    fn splits(&self) -> bool {
        true
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        let generation = waiting.cluster().barrier.generation;
        lanes_of(waiting.group.mask).all(|lane| {
            let arrived = waiting.warp.cluster_arrived[lane];
            arrived.is_some_and(|arrived| arrived < generation)
        })
    }

    /// Passes the barrier once it has completed.
    fn resume(&self, step: &mut Step<'_>, _: Wait, _: bool) -> Result<Flow, Trapped> {
        for lane in lanes_of(step.active) {
            if let Some(generation) = step.warp.cluster_arrived[lane].take() {
                step.tell(lane, |_| Event::ClusterPass { generation });
            }
        }
        Ok(Flow::Next)
    }

    fn describe(&self, waiting: &Waiting<'_>) -> String {
        waiting.cluster().barrier.describe(waiting.cluster())
    }
}
