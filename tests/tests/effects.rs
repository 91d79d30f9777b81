//! What each instruction form does, on the chosen backend.
//!
//! `--device gpu` makes a missing GPU a failure. `--out FILE` writes which forms a GPU executed, for
//! `data/effects`, from which the support matrix is made. `--ptx FOLDER` writes the kernels and runs none.

#[path = "effects/gpu.rs"]
mod gpu;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::ExitCode,
    sync::{Arc, Mutex},
};

use emulator::EmulatorBackend;
use launch::{Backend, Job, Ptx, Stage};
use libtest_mimic::{Arguments, Failed, Trial};
use tests::{
    Device, Opened, Wrong,
    effects::{
        Effect, effects,
        results::{Results, today},
        text,
    },
};

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
    let (device, mut rest) = Device::from_args(std::env::args())?;
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
    let effects = effects().map_err(|wrong| wrong.join("\n"))?;
    if let Some(folder) = folder.transpose()? {
        return write_ptx(&effects, Path::new(&folder));
    }
    let mut backend = match device.open() {
        Opened::Ready { backend, .. } => backend,
        Opened::Broken(reason) => return Err(reason),
    };
    let name = backend.name();
    let Some(gpu) = name.strip_prefix("gpu: ") else {
        if out.is_some() {
            return Err("`--out` is for a GPU".into());
        }
        println!("on {name}: {} forms", effects.len());
        return Ok(conclude(rest, emulated(effects, backend)));
    };
    if let Some(from) = gpu::from() {
        gpu::run(&effects, from, backend.as_mut());
        return Ok(ExitCode::SUCCESS);
    }
    println!("on {name}: {} forms", effects.len());
    let wrong = gpu::all(effects.len());
    if let Some(path) = out {
        let results = results(gpu, &effects, &wrong)?;
        fs::write(&path, results.to_json()).map_err(|error| format!("{path}: {error}"))?;
    }
    let trials = effects.iter().enumerate().map(|(number, effect)| {
        let wrong = wrong.get(&number).cloned();
        let form = effect.form();
        Trial::test(trial_name(effect), move || match wrong.as_deref() {
            Some("") => Ok(()),
            Some(wrong) => Err(format!("{form}: {wrong}").into()),
            None => Err("not run".into()),
        })
    });
    Ok(conclude(rest, trials.collect()))
}

/// The PTX of each kernel, for people.
fn write_ptx(effects: &[Effect], folder: &Path) -> Result<ExitCode, String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (number, effect) in effects.iter().enumerate() {
        let path = folder.join(format!("{number:04}.ptx"));
        let text = format!("// {}\n{}", effect.form(), text::module(effect)?);
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

fn trial_name(effect: &Effect) -> String {
    let form = &effect.support.form;
    format!("{}/{}", form.family, form.key).replace(' ', "_")
}

fn results(
    gpu: &str,
    effects: &[Effect],
    wrong: &BTreeMap<usize, String>,
) -> Result<Results, String> {
    let form = |(number, wrong): (&usize, &String)| {
        let wrong = (!wrong.is_empty()).then(|| wrong.clone());
        Some((effects.get(*number)?.form(), wrong))
    };
    let (version, _) = host::devices().map_err(|error| error.to_string())?;
    // The kernel module's own version, where it tells.
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let is_version =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    let module = module.split_whitespace().find(is_version);
    let module = module.map_or(String::new(), |version| format!(", {version}"));
    Ok(Results {
        gpu: gpu.to_owned(),
        driver: format!("CUDA {version}{module}"),
        date: today(),
        forms: wrong.iter().filter_map(form).collect(),
    })
}

/// A trial for each form on the emulator.
fn emulated(effects: Vec<Effect>, backend: Box<dyn Backend + Send>) -> Vec<Trial> {
    let backend = Arc::new(Mutex::new(backend));
    let trial = |effect: Effect| {
        let backend = Arc::clone(&backend);
        Trial::test(trial_name(&effect), move || check(&backend, &effect))
    };
    effects.into_iter().map(trial).collect()
}

fn check(backend: &Mutex<Box<dyn Backend + Send>>, effect: &Effect) -> Result<(), Failed> {
    let text = text::module(effect)?;
    let ptx = Ptx {
        name: &effect.entry,
        text: &text,
    };
    let mut backend = backend.lock().map_err(|_| "an earlier case panicked")?;
    match effect.scenario.check(backend.as_mut(), ptx) {
        Ok(0) => Err("nothing was compared".into()),
        Ok(_) => {
            reaches(effect, ptx)?;
            matters(effect, ptx, backend.as_mut())
        }
        Err(wrong) => Err(format!("{}: {wrong}", effect.form()).into()),
    }
}

/// Without the instruction something else comes out, unless it is only a hint.
fn matters(effect: &Effect, ptx: Ptx<'_>, backend: &mut dyn Backend) -> Result<(), Failed> {
    let text = text::without(effect, ptx.text)?;
    let checked = effect.scenario.check(backend, Ptx { text: &text, ..ptx });
    if let Err(Wrong::Failed(failure)) = &checked
        && failure.stage < Stage::Launch
    {
        return Err(format!("without the instruction: {failure}").into());
    }
    match (checked, effect.is_silent()) {
        (Ok(_), false) => Err(format!("nothing changes without `{}`", effect.form()).into()),
        _ => Ok(()),
    }
}

/// The instruction itself was executed.
fn reaches(effect: &Effect, ptx: Ptx<'_>) -> Result<(), Failed> {
    let mut job = Job {
        ptx,
        buffers: effect.scenario.buffers.clone(),
        launches: effect.scenario.launches.clone(),
    };
    let mut reached = text::Reached::default();
    EmulatorBackend::new(0).observe(&mut job, &mut reached)?;
    match reached.forms(ptx.text)?.contains(&effect.form()) {
        true => Ok(()),
        false => Err(format!("no thread executed `{}`", effect.form()).into()),
    }
}
