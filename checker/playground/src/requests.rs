//! The requests of the page, and their answers.

use launch_file::{Emulation, Run, Stopped, exploration_to_json, run_to_json, violation_to_json};
use ptx_source::Source;
use serde::Deserialize;
use serde_json::{Value, json};
use tma_emulator::{Bounds, Exploration, Story, StoryStep, Trace, Verdict};

use crate::{
    inputs::{Input, Module},
    maps::Draw,
    results::{buffers_to_json, launch_to_json, map_to_json, signature_to_json},
};

/// The most steps that are listed.
const MOST_STEPS: usize = 100_000;

/// A request of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
enum Request {
    /// The kernels of PTX texts.
    Kernels { modules: Vec<Module> },
    /// The contents of a launch file, or its violations.
    Check(Input),
    /// One seed.
    Run(Input),
    /// The timeline of one seed.
    Timeline(Input),
    /// Every schedule that can have another result.
    Search {
        #[serde(flatten)]
        input: Input,
        bound: u64,
    },
    /// A copy by a tensor map of the launch file.
    Draw {
        #[serde(flatten)]
        input: Input,
        #[serde(flatten)]
        draw: Draw,
    },
    /// The instructions that one seed runs, in their order.
    Steps(Input),
    /// The states of the machine from one step to another.
    States {
        #[serde(flatten)]
        input: Input,
        from: usize,
        to: usize,
    },
}

/// Answers a request. The answer has a `message` if something is wrong with the request or its input.
pub fn answer_json(request: &[u8]) -> String {
    let answer = match serde_json::from_slice(request) {
        Ok(request) => answer(request).unwrap_or_else(|stopped| refusal(&stopped)),
        Err(error) => json!({ "message": format!("the request is invalid: {error}") }),
    };
    answer.to_string()
}

fn answer(request: Request) -> Result<Value, Stopped> {
    Ok(match request {
        Request::Kernels { modules } => kernels(&modules),
        Request::Check(input) => {
            let emulation = input.emulation()?;
            let file = emulation.file();
            json!({
                "launches": file.launches().map(launch_to_json).collect::<Vec<_>>(),
                "maps": file.maps().map(map_to_json).collect::<Vec<_>>(),
            })
        }
        Request::Run(input) => {
            let emulation = input.emulation()?;
            let before = emulation.file().buffers().map_err(Stopped::Failure)?;
            let (run, after) = emulation.run_in_memory(input.config())?;
            let mut value = run_to_json(&run);
            value["buffers"] = buffers_to_json(emulation.file(), &before, &after);
            value["message"] = json!(run.failed.map(|failed| failed.to_string()));
            value
        }
        Request::Timeline(input) => {
            let mut trace = Trace::default();
            input.emulation()?.observe(input.config(), &mut trace)?;
            let is_cut = trace.is_cut();
            json!({ "svg": tma_drawings::timeline(&trace.finish()), "cut": is_cut })
        }
        Request::Search { input, bound } => {
            // A page has one thread.
            let bounds = Bounds {
                schedules: bound,
                ..Bounds::NONE
            };
            let emulation = input.emulation()?;
            let explored = emulation.every_schedule(input.config(), bounds)?;
            json!({ "launches": searched(&emulation, explored) })
        }
        Request::Draw { input, draw } => draw.answer(&input.file()?),
        Request::Steps(input) => {
            let steps = input.emulation()?.steps(input.config(), None, MOST_STEPS)?;
            steps.to_json()
        }
        Request::States { input, from, to } => {
            let emulation = input.emulation()?;
            json!({ "states": emulation.states(input.config(), None, from..to, None)? })
        }
    })
}

fn refusal(stopped: &Stopped) -> Value {
    let violations = match stopped {
        Stopped::Violations(violations) => violations.iter().map(violation_to_json).collect(),
        _ => Vec::new(),
    };
    json!({
        "verdict": stopped.verdict().as_str(),
        "message": stopped.to_string(),
        "violations": violations,
    })
}

fn kernels(modules: &[Module]) -> Value {
    let kernels = |module: &Module| match Source::parse(&module.name, &module.text) {
        Ok(source) => json!({
            "name": module.name,
            "kernels": source.signatures().iter().map(signature_to_json).collect::<Vec<_>>(),
        }),
        Err(failure) => json!({ "name": module.name, "kernels": [], "message": failure.what }),
    };
    json!({ "modules": modules.iter().map(kernels).collect::<Vec<_>>() })
}

/// Converts the results of a search, with the steps of a schedule that has an error.
fn searched(emulation: &Emulation, explored: Vec<Exploration>) -> Vec<Value> {
    let launches = explored.iter().zip(emulation.file().launches());
    let of_launch = |(exploration, launch): (&Exploration, &tma_launch::Launch)| {
        let run = Run::of(exploration.report.clone());
        let mut value = exploration_to_json(&launch.entry, exploration, &run);
        value["steps"] = match &exploration.verdict {
            Verdict::Found(failing) => story_to_json(&failing.story),
            _ => json!([]),
        };
        value
    };
    launches.map(of_launch).collect()
}

fn story_to_json(story: &Story) -> Value {
    let step = |step: &StoryStep| {
        let at = match step.at.is_empty() {
            true => String::new(),
            false => format!(" ({})", step.at),
        };
        format!("{}: {}{at}", story.lanes[step.lane], step.what)
    };
    story.steps.iter().map(step).collect()
}
