//! The semantics of each instruction form, on the chosen backend.
//!
//! `--device gpu` makes a missing GPU a failure. `--out FILE` writes the forms that a GPU executed, for
//! `tests/data/semantics`, the source of the support matrix. `--ptx FOLDER` writes the kernels and runs none.

#[path = "semantics/gpu.rs"]
mod gpu;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::ExitCode,
    sync::{Arc, Mutex},
};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    CaseFailure, Module, SEMANTICS_PTX, device_of_arguments, digest, is_complete_run, open,
    semantics::{
        FormCase, form_cases,
        results::{Recorded, Results, Today},
        text,
    },
};
use tma_emulator::EmulatorBackend;
use tma_host::Jobs;
use tma_launch::{Job, Ptx, Stage};

/// Spellings that drivers of CUDA 13.0 do not load, though later ones may.
const REFUSED_SPELLINGS: &[&str] = &["membar.proxy.async"];

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let (device, mut rest) = device_of_arguments(std::env::args())?;
    let out = rest.iter().position(|argument| argument == "--out");
    let out = out.map(|at| {
        rest.drain(at..)
            .take(2)
            .nth(1)
            .ok_or("`--out` takes a file")
    });
    let out = out.transpose()?;
    let folder = rest.iter().position(|argument| argument == "--ptx");
    let folder = folder.map(|at| {
        rest.drain(at..)
            .take(2)
            .nth(1)
            .ok_or("`--ptx` takes a folder")
    });
    let cases = form_cases();
    if let Some(folder) = folder.transpose()? {
        return write_ptx(&cases, Path::new(&folder));
    }
    let (mut backend, _) = open(device).map_err(|failure| failure.to_string())?;
    let name = backend.name();
    let Some(gpu) = name.strip_prefix("gpu: ") else {
        if out.is_some() {
            return Err("`--out` is for a GPU".into());
        }
        println!("on {name}: {} forms", cases.len());
        return Ok(conclude(rest, emulated(cases, backend)));
    };
    if let Some(from) = gpu::from() {
        let cases: Vec<FormCase> = cases.into_iter().filter(FormCase::is_on_hopper).collect();
        gpu::run(&cases, from, &mut backend);
        return Ok(ExitCode::SUCCESS);
    }
    let cases: Vec<FormCase> = cases.into_iter().filter(FormCase::is_on_hopper).collect();
    println!("on {name}: {} forms", cases.len());
    let came = gpu::all(cases.len());
    if let Some(path) = out {
        let results = results(gpu, &cases, &came)?;
        fs::write(&path, results.to_json()).map_err(|error| format!("{path}: {error}"))?;
    }
    let unknown = cases
        .iter()
        .enumerate()
        .filter(|(number, case)| came.get(number).is_some_and(|came| is_unknown(case, came)));
    println!(
        "skipped: {} forms after PTX ISA 9.0 that the driver does not load",
        unknown.count()
    );
    let trials = cases.iter().enumerate().map(|(number, case)| {
        let came = came.get(&number).cloned();
        let came = came.unwrap_or_else(|| Err("not run".to_owned()));
        let form = case.form().to_owned();
        let is_spelling = REFUSED_SPELLINGS.contains(&form.as_str());
        let is_refused = is_spelling && is_load(&came) || is_unknown(case, &came);
        let test = move || match came {
            Ok(_) => Ok(()),
            Err(wrong) => Err(format!("{form}: {wrong}").into()),
        };
        Trial::test(trial_name(case), test).with_ignored_flag(is_refused)
    });
    Ok(conclude(rest, trials.collect()))
}

/// Returns whether the driver did not load the module.
fn is_load(came: &gpu::Came) -> bool {
    came.as_ref().is_err_and(|wrong| wrong.starts_with("load"))
}

/// Returns whether the driver is too old for the form: one of CUDA 13.0 knows PTX ISA 9.0 and below.
fn is_unknown(case: &FormCase, came: &gpu::Came) -> bool {
    case.support.form.is_later() && is_load(came)
}

/// The PTX of each kernel, for people.
fn write_ptx(cases: &[FormCase], folder: &Path) -> Result<ExitCode, String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (number, case) in cases.iter().enumerate() {
        let path = folder.join(format!("{number:04}.ptx"));
        let text = format!("// {}\n{}", case.form(), text::module(case)?);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn conclude(arguments: Vec<String>, trials: Vec<Trial>) -> ExitCode {
    let arguments = Arguments {
        test_threads: Some(1),
        ..Arguments::from_iter(arguments)
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial_name(case: &FormCase) -> String {
    let form = &case.support.form;
    format!("{}/{}", form.family().stem, form.text()).replace(' ', "_")
}

fn results(
    gpu: &str,
    cases: &[FormCase],
    came: &BTreeMap<usize, gpu::Came>,
) -> Result<Results, String> {
    let form = |(number, came): (&usize, &gpu::Came)| {
        let case = cases.get(*number).filter(|case| !is_unknown(case, came))?;
        let ran = text::module(case)
            .and_then(|text| case.digest(&text))
            .ok()?;
        Some((case.form().to_owned(), Recorded::new(ran, came.clone())))
    };
    Results::now(gpu, came.iter().filter_map(form).collect())
}

/// A trial for each form on the emulator.
fn emulated(cases: Vec<FormCase>, backend: Jobs) -> Vec<Trial> {
    let backend = Arc::new(Mutex::new(backend));
    let trial = |case: FormCase| {
        let backend = Arc::clone(&backend);
        let is_there = |module: &Module| module.has_entry(&case.entry);
        let is_left_out = !is_complete_run() && !SEMANTICS_PTX.iter().any(is_there);
        let trial = Trial::test(trial_name(&case), move || check(&backend, &case));
        trial.with_ignored_flag(is_left_out)
    };
    cases.into_iter().map(trial).collect()
}

fn check(backend: &Mutex<Jobs>, case: &FormCase) -> Result<(), Failed> {
    let text = text::module(case)?;
    let ptx = Ptx {
        name: &case.entry,
        text: &text,
    };
    let mut backend = backend.lock().map_err(|_| "an earlier case panicked")?;
    let mut came = None;
    let compared = case.scenario.compare(ptx, |job| {
        // SAFETY: the device is the emulator: a kernel reaches only its own memory (1).
        unsafe { backend.run(job) }?;
        came = Some(job.buffers.clone());
        Ok(())
    });
    match compared {
        Ok(0) => Err("no result was compared".into()),
        Ok(_) => {
            let ran = case.digest(&text)?;
            let outputs = digest::with_outputs(ran, &case.scenario, &came.unwrap_or_default());
            let recorded = Recorded::new(ran, Ok(outputs.to_string()));
            if recorded.today(&case.right()?) != Today::Equal {
                return Err("what came out has another digest than what must come out".into());
            }
            reaches(case, ptx)?;
            matters(case, ptx, &mut backend)
        }
        Err(wrong) => Err(format!("{}: {wrong}", case.form()).into()),
    }
}

/// Checks that the outputs differ without the instruction, unless it is only a hint.
fn matters(case: &FormCase, ptx: Ptx<'_>, backend: &mut Jobs) -> Result<(), Failed> {
    let text = text::without(case, ptx.text)?;
    let ptx = Ptx { text: &text, ..ptx };
    // SAFETY: as in `check`.
    let checked = unsafe { case.scenario.check(backend, ptx) };
    if let Err(CaseFailure::Failed(failure)) = &checked
        && failure.stage < Stage::Launch
    {
        return Err(format!("without the instruction: {failure}").into());
    }
    match (checked, case.is_silent()) {
        (Ok(_), false) => Err(format!("nothing changes without `{}`", case.form()).into()),
        _ => Ok(()),
    }
}

/// The instruction itself was executed.
fn reaches(case: &FormCase, ptx: Ptx<'_>) -> Result<(), Failed> {
    let mut job = Job {
        ptx,
        further: Vec::new(),
        buffers: case.scenario.buffers.clone(),
        launches: case.scenario.launches.clone(),
    };
    let mut reached = text::Reached::default();
    EmulatorBackend::new(0).observe(&mut job, &mut reached)?;
    match reached.forms(ptx.text)?.contains(case.form()) {
        true => Ok(()),
        false => Err(format!("no thread executed `{}`", case.form()).into()),
    }
}
