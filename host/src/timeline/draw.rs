//! Converts stamps to a timeline with the emulator's tracks and names.

use std::collections::BTreeMap;

use tma_emulator::json::{Json, Track};

use super::{Kind, Stamp, WarpStamps};

/// Distance between the tracks of warps in the emulator's timeline, and the first track of barriers.
const TRACKS: u64 = 16;
const FIRST_BARRIER: u64 = 1 << 20;

/// Converts cycles of a warp to nanoseconds since the first warp began.
///
/// The warps of a block share one multiprocessor's clock, so the timer is read only once for all of them: it
/// advances in steps of many nanoseconds.
struct Clock {
    /// The time in nanoseconds when the block's first warp began.
    began: u64,
    /// Cycles from then until this warp began.
    behind: u32,
    cycles_in_nanosecond: f64,
}

impl Clock {
    fn at(&self, cycles: u32) -> u64 {
        let cycles = f64::from(self.behind) + f64::from(cycles);
        self.began + (cycles / self.cycles_in_nanosecond) as u64
    }
}

/// End times of the phases of a block's barriers, by barrier and phase: full barriers first, then empty ones.
type Phases = BTreeMap<(bool, u32), BTreeMap<u32, u64>>;

pub(super) fn json(warps: &[WarpStamps]) -> String {
    let first = warps.iter().map(|warp| warp.began.0).min().unwrap_or(0);
    let rate = rate(warps);
    let mut json = Json::in_nanoseconds();
    for of_block in warps.chunk_by(|a, b| a.block == b.block) {
        let block = of_block[0].block;
        let process = u64::from(block) + 1;
        let track = |thread| Track { process, thread };
        json.name_process(track(0), &format!("block {block}"));
        let earliest = of_block.iter().min_by_key(|warp| {
            // Orders warps by start time; the clock may wrap.
            warp.began.1.wrapping_sub(of_block[0].began.1) as i32
        });
        let began = earliest.map_or((first, 0), |warp| warp.began);
        let clock = |warp: &WarpStamps| Clock {
            began: began.0 - first,
            behind: warp.began.1.wrapping_sub(began.1),
            cycles_in_nanosecond: rate,
        };
        let phases = phases(of_block, clock);
        for warp in of_block {
            let track = track((u64::from(warp.warp) + 1) * TRACKS);
            json.name_track(track, &format!("warp {}", warp.warp));
            let clock = clock(warp);
            for stamp in &warp.stamps {
                did(&mut json, track, &clock, (warp, stamp));
                if stamp.kind == Kind::Issued {
                    copy(
                        &mut json,
                        (track, clock.at(stamp.cycles)),
                        (warp, stamp),
                        &phases,
                    );
                }
            }
        }
        for ((is_empty, stage), ends) in &phases {
            let track = track(barrier(*is_empty, *stage));
            let name = if *is_empty { "empty" } else { "full" };
            json.name_track(track, &format!("mbarrier {name} {stage}"));
            let mut start = began.0 - first;
            for (phase, end) in ends {
                json.slice(track, (start, *end), &format!("phase {phase}"), "");
                start = *end;
            }
        }
    }
    json.finish("nanoseconds of the GPU")
}

fn barrier(is_empty: bool, stage: u32) -> u64 {
    FIRST_BARRIER + 2 * u64::from(stage) + u64::from(is_empty)
}

/// Returns the cycles per nanosecond, from the warp that ran longest.
fn rate(warps: &[WarpStamps]) -> f64 {
    let ran = |warp: &WarpStamps| {
        let ended = warp.ended?;
        let nanoseconds = ended.0.checked_sub(warp.began.0)?;
        Some((nanoseconds, ended.1.wrapping_sub(warp.began.1)))
    };
    let longest = warps.iter().filter_map(ran).max();
    match longest {
        Some((nanoseconds, cycles)) if nanoseconds > 0 && cycles > 0 => {
            f64::from(cycles) / nanoseconds as f64
        }
        _ => 1.0,
    }
}

/// Returns the time when each phase was first seen to be complete.
fn phases(warps: &[WarpStamps], clock: impl Fn(&WarpStamps) -> Clock) -> Phases {
    let mut phases = Phases::new();
    for warp in warps {
        let clock = clock(warp);
        for stamp in &warp.stamps {
            let (stage, round) = (stamp.visit % warp.stages, stamp.visit / warp.stages);
            let (is_empty, phase) = match stamp.kind {
                Kind::Full => (false, Some(round)),
                // In the first round every stage counts as empty.
                Kind::Acquired => (true, round.checked_sub(1)),
                _ => continue,
            };
            let Some(phase) = phase else { continue };
            let seen = phases.entry((is_empty, stage)).or_default();
            let at = clock.at(stamp.cycles);
            seen.entry(phase)
                .and_modify(|first| *first = at.min(*first))
                .or_insert(at);
        }
    }
    phases
}

/// Draws the event and its waiting time.
fn did(json: &mut Json, track: Track, clock: &Clock, (warp, stamp): (&WarpStamps, &Stamp)) {
    let at = clock.at(stamp.cycles);
    let (stage, round) = (stamp.visit % warp.stages, stamp.visit / warp.stages);
    let args = format!("\"stage\":{stage},\"round\":{round}");
    let since = clock.at(stamp.cycles.saturating_sub(stamp.amount));
    let name = match stamp.kind {
        Kind::Acquired | Kind::Full => {
            json.slice(track, (since, at), "waits at an mbarrier", &args);
            "phase is complete"
        }
        Kind::Stored => {
            let read = clock.at(stamp.cycles.saturating_add(stamp.amount));
            json.slice(track, (at, read), "waits for bulk groups", &args);
            "issue a copy"
        }
        Kind::Issued => "issue a copy",
        Kind::Released => "arrive at an mbarrier",
    };
    json.slice(track, (at, at + 1), name, &args);
}

/// Draws a load, from its issue to the end of the phase that counts its bytes.
fn copy(
    json: &mut Json,
    issued: (Track, u64),
    (warp, stamp): (&WarpStamps, &Stamp),
    phases: &Phases,
) {
    let (stage, round) = (stamp.visit % warp.stages, stamp.visit / warp.stages);
    let done = phases
        .get(&(false, stage))
        .and_then(|ends| ends.get(&round));
    let id = format!("{}.{}.{}", warp.block, warp.warp, stamp.visit);
    let name = format!("{} bytes, global to shared", stamp.amount);
    let of = (id.as_str(), issued.0);
    json.asynchronous('b', of, issued.1, (&name, &format!("\"stage\":{stage}")));
    if let Some(done) = done {
        json.asynchronous('e', of, *done, (&name, ""));
        let thread = barrier(false, stage);
        json.arrow(&id, issued, (Track { thread, ..issued.0 }, *done));
    } else {
        json.asynchronous('e', of, issued.1, (&name, ""));
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Role, *};

    fn warp(role: Role, stamps: &[(Kind, u32, u32, u32)]) -> WarpStamps {
        let stamps = stamps.iter().map(|(kind, visit, cycles, amount)| Stamp {
            kind: *kind,
            visit: *visit,
            cycles: *cycles,
            amount: *amount,
        });
        WarpStamps {
            block: 2,
            warp: u32::from(role == Role::Drains),
            role,
            stages: 2,
            began: (1000, 50),
            ended: Some((2000, 2050)),
            stamps: stamps.collect(),
        }
    }

    #[test]
    fn a_copy_ends_with_the_phase_that_counts_it() {
        // Two cycles are one nanosecond; visit 3 is the second round of stage 1.
        let fill = warp(
            Role::Fills,
            &[(Kind::Acquired, 3, 100, 40), (Kind::Issued, 3, 120, 64)],
        );
        let drain = warp(Role::Drains, &[(Kind::Full, 3, 400, 10)]);
        let text = json(&[fill, drain]);
        for expected in [
            r#""name":"waits at an mbarrier","pid":3,"tid":16,"ts":0.030,"dur":0.020"#,
            r#""ph":"b","cat":"copy","id":"2.0.3","name":"64 bytes, global to shared","pid":3,"tid":16,"ts":0.060"#,
            r#""ph":"e","cat":"copy","id":"2.0.3","name":"64 bytes, global to shared","pid":3,"tid":16,"ts":0.200"#,
            r#""name":"phase 1","pid":3,"tid":1048578,"ts":0.000,"dur":0.200"#,
            r#""name":"phase 0","pid":3,"tid":1048579,"ts":0.000,"dur":0.050"#,
            r#""name":"warp 1""#,
        ] {
            assert!(text.contains(expected), "no {expected} in {text}");
        }
    }
}
