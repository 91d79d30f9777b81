//! `commit_group`, `wait_group` and `wait_all`: groups of the copies of a thread, of bulk copies or of
//! `cp.async`. PTX ISA 9.7.9.25.3 and 9.7.9.25.4.

use ptx::Instruction;
use ptx_isa::{Flag, Form};

use crate::{
    decode::{NotSupported, operands},
    inst::{Action, Decoder, Execute, Step, Waiting},
    machine::{
        Flow, Here, MANY_GROUPS, Trapped, Unwaited, Wait, World,
        observer::{Event, GroupKind},
    },
    value::{LANES, lanes_of},
};

/// An operation on the groups of a thread, of bulk copies or of `cp.async`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AsyncGroup {
    /// Closes the current group.
    Commit { bulk: bool },
    /// Waits until at most `left` groups are pending.
    Wait { bulk: bool, left: u64, read: bool },
}

pub(crate) fn commit(decoder: &mut Decoder<'_>, bulk: bool) -> Result<(), NotSupported> {
    decoder.emit(Action::AsyncGroup(AsyncGroup::Commit { bulk }));
    Ok(())
}

pub(crate) fn wait(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    bulk: bool,
) -> Result<(), NotSupported> {
    if form.sync_restrict().is_some() {
        // The text of PTX ISA 9.5, which defines this form, was not available.
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let [left] = operands(instruction)?;
    let left = left
        .as_integer()
        .and_then(|left| u64::try_from(left).ok())
        .ok_or("its number of groups is not constant")?;
    let read = form.has(Flag::Read);
    decoder.emit(Action::AsyncGroup(AsyncGroup::Wait { bulk, left, read }));
    Ok(())
}

/// Decodes `cp.async.wait_all`, which closes the group and waits for all groups.
pub(crate) fn wait_all(decoder: &mut Decoder<'_>) -> Result<(), NotSupported> {
    commit(decoder, false)?;
    let wait = AsyncGroup::Wait {
        bulk: false,
        left: 0,
        read: false,
    };
    decoder.emit(Action::AsyncGroup(wait));
    Ok(())
}

impl Execute for AsyncGroup {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        match self {
            Self::Commit { bulk } => {
                for lane in lanes_of(step.active) {
                    let thread = step.thread(lane);
                    let cta = step.cta();
                    let groups = if *bulk {
                        &mut cta.bulk
                    } else {
                        &mut cta.async_groups
                    };
                    let groups = groups.entry(thread).or_default();
                    let group = groups.current;
                    groups.current += 1;
                    if groups.unwaited() == MANY_GROUPS
                        && let Some(instruction) = groups.last
                    {
                        let block = cta.id;
                        step.world.note_unwaited(Unwaited {
                            instruction,
                            block,
                            thread,
                        });
                    }
                    let kind = group_kind(*bulk);
                    step.tell(lane, |_| Event::GroupCommit { kind, group });
                }
            }
            Self::Wait { .. } if self.is_done(step.world, step.here, step.active) => {
                self.pass(step);
            }
            Self::Wait { .. } => return Ok(step.wait(Wait::Bulk)),
        }
        Ok(Flow::Next)
    }

    fn splits(&self) -> bool {
        matches!(self, Self::Wait { .. })
    }

    fn is_over(&self, waiting: &Waiting<'_>) -> bool {
        self.is_done(waiting.world, waiting.here, waiting.group.mask)
    }

    fn resume(&self, step: &mut Step<'_>, _: Wait, _: bool) -> Result<Flow, Trapped> {
        self.pass(step);
        Ok(Flow::Next)
    }

    fn describe(&self, _: &Waiting<'_>) -> String {
        "for its bulk groups".to_owned()
    }
}

impl AsyncGroup {
    /// Returns whether the groups that these lanes wait for are done.
    fn is_done(&self, world: &World, here: Here, mask: u32) -> bool {
        let Self::Wait { bulk, left, read } = self else {
            return true;
        };
        let cta = &world.clusters[here.cluster].ctas[here.rank];
        let groups = if *bulk { &cta.bulk } else { &cta.async_groups };
        let first = (here.warp * LANES) as u32;
        groups
            .range(first..first + LANES as u32)
            .filter(|(thread, _)| mask >> (*thread - first) & 1 != 0)
            .all(|(_, groups)| groups.is_done(*left, *read))
    }

    /// Passes the wait.
    fn pass(&self, step: &mut Step<'_>) {
        let Self::Wait { bulk, left, read } = self else {
            return;
        };
        for lane in lanes_of(step.active) {
            let thread = step.thread(lane);
            let cta = step.cta();
            let groups = match bulk {
                true => &mut cta.bulk,
                false => &mut cta.async_groups,
            };
            let until = groups.get_mut(&thread).map_or(0, |groups| {
                let until = groups.current.saturating_sub(*left);
                groups.waited = groups.waited.max(until);
                until
            });
            step.tell(lane, |_| Event::GroupWait {
                kind: group_kind(*bulk),
                until,
                read: *read,
            });
        }
    }
}

fn group_kind(bulk: bool) -> GroupKind {
    if bulk {
        GroupKind::Bulk
    } else {
        GroupKind::Async
    }
}
