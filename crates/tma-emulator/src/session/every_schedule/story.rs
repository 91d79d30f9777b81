//! A schedule that is repeated, with its story.

use crate::{
    check::{CheckReport, Severity},
    machine::{Config, Places, flatten},
    run::{Ended, FailingSchedule, Schedule, Search, Story},
    session::{Ready, launch::State},
    value::LANES,
};

/// Runs a schedule from this state. Returns the state afterwards, the findings and the story; `None` if the schedule does
/// not fit.
pub(super) fn run(
    before: &State,
    ready: &Ready,
    config: Config,
    schedule: Schedule,
) -> Option<(State, CheckReport, Story)> {
    let mut search = Search::repeat(schedule);
    let mut state = before.clone();
    let report = state.check_by(ready, config, &mut search);
    if search.ended() != Ended::Complete {
        return None;
    }
    let program = &ready.kernel.code.program;
    let story = search.story(program, &ends(ready, &report));
    Some((state, report, story))
}

/// Returns what the first error says about its threads, each by its block and warp; nothing if the error is about no
/// instruction.
fn ends(ready: &Ready, report: &CheckReport) -> Vec<((u64, u32), String)> {
    let places = Places::new(&ready.shape, ready.kernel.cluster(&ready.shape));
    let mut errors = report.diagnostics.iter();
    let first = errors.find(|found| found.kind.severity() >= Severity::Error);
    let sites = first
        .iter()
        .flat_map(|found| found.here.iter().chain(&found.there));
    let end = |site: &crate::check::Site| {
        let block = flatten(site.block, places.grid);
        let thread = flatten(site.thread, places.block) as u32;
        let (file, line) = site.location.line_of_source();
        let file = file.rsplit('/').next().unwrap_or_default();
        let what = format!("thread {:?} {} ({file}:{line})", site.thread, site.what);
        ((block, thread / LANES as u32), what)
    };
    sites.map(end).collect()
}

/// Gives the errors of a report the name of their schedule, and the first one its story.
pub(super) fn attach(failing: &FailingSchedule, report: &mut CheckReport) {
    let errors = report.diagnostics.iter_mut();
    let errors = errors.filter(|found| found.kind.severity() >= Severity::Error);
    for (number, found) in errors.enumerate() {
        let story = match number {
            0 => failing.story.clone(),
            _ => Story::default(),
        };
        found.schedule = Some(Box::new(FailingSchedule::new(failing.name.clone(), story)));
    }
}
