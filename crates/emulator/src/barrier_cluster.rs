//! `barrier.cluster`: the barrier of all threads of a cluster. PTX ISA 9.7.13.3.

use ptx::Instruction;

use crate::{
    action::Action,
    decode::{Decoder, Refusal, Words, table::operands},
    lanes::lanes_of,
    machine::{Cluster, Flow, Step, Wait, World},
    observer::{Event, Observer, Sem},
};

/// Arrives, or waits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ClusterBarrier {
    Arrive { sem: Sem, aligned: bool },
    Wait,
}

/// The barrier.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClusterState {
    /// How often it has completed.
    pub(crate) generation: u64,
    arrived: u32,
}

impl ClusterState {
    pub(crate) fn describe(&self, cluster: &Cluster) -> String {
        let alive: u32 = cluster.ctas.iter().map(|cta| cta.alive).sum();
        format!(
            "at the barrier of its cluster: {} of {alive} threads have come",
            self.arrived
        )
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    words: &mut Words<'_>,
) -> Result<(), Refusal> {
    let aligned = words.take("aligned");
    let arrives = words
        .one_of(&[("arrive", true), ("wait", false)])
        .ok_or("its kind")?;
    let sem = words.sem();
    let [] = operands(instruction)?;
    decoder.emit(Action::ClusterBarrier(match arrives {
        true => ClusterBarrier::Arrive {
            sem: sem.unwrap_or(Sem::Release),
            aligned,
        },
        false => ClusterBarrier::Wait,
    }));
    Ok(())
}

impl ClusterBarrier {
    pub(crate) fn run<O: Observer>(&self, step: &mut Step<'_, O>) -> Flow {
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
                Flow::Next
            }
            Self::Wait => step.wait(Wait::Cluster),
        }
    }

    /// The barrier has completed.
    pub(crate) fn pass<O: Observer>(step: &mut Step<'_, O>) {
        for lane in lanes_of(step.active) {
            if let Some(generation) = step.warp.cluster_arrived[lane].take() {
                step.tell(lane, |_| Event::ClusterPass { generation });
            }
        }
    }
}

impl World {
    /// Completes the cluster's barrier if all threads that are not over have come.
    pub(crate) fn complete_cluster_barrier(&mut self, cluster: usize) {
        let cluster = &mut self.clusters[cluster];
        let alive: u32 = cluster.ctas.iter().map(|cta| cta.alive).sum();
        if cluster.barrier.arrived > 0 && cluster.barrier.arrived >= alive {
            cluster.barrier.generation += 1;
            cluster.barrier.arrived = 0;
        }
    }
}
