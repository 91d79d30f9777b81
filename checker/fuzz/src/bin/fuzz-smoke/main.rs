//! Tries changed inputs on every target, with any compiler: `cargo run --profile fuzz -p fuzz --bin fuzz-smoke`.

mod memory;
mod watch;

use std::{
    collections::BTreeMap,
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use fuzz::{Depth, Rng, Target, corpus, mutate::Pool};

const USAGE: &str = "\
usage: fuzz-smoke [--seconds N] [--seed N] [--target NAME]   search
       fuzz-smoke [--target NAME] FILE...                    try these inputs
       fuzz-smoke --corpus                                   write the corpus for cargo-fuzz";

struct Options {
    seconds: u64,
    seed: u64,
    targets: Vec<Target>,
    writes_corpus: bool,
    files: Vec<PathBuf>,
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        seconds: 60,
        seed: 0,
        targets: Target::ALL.to_vec(),
        writes_corpus: false,
        files: Vec::new(),
    };
    let mut arguments = env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} what?"));
        let number = |text: String| {
            let parsed = text.parse();
            parsed.map_err(|_| format!("`{text}` is not a number"))
        };
        match argument.as_str() {
            "--seconds" => options.seconds = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--target" => {
                let name = value()?;
                let target = Target::from_name(&name);
                options.targets = vec![target.ok_or(format!("there is no target `{name}`"))?];
            }
            "--corpus" => options.writes_corpus = true,
            file if !file.starts_with('-') => options.files.push(file.into()),
            other => return Err(format!("what is {other}?")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(error) => {
            eprintln!("{error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let folder = corpus::root().join("checker/fuzz");
    if options.writes_corpus {
        write_corpus(&folder.join("corpus"), &options.targets);
        return ExitCode::SUCCESS;
    }
    watch::start(folder.join("artifacts"));
    if !options.files.is_empty() {
        return try_files(&options);
    }
    panic::set_hook(Box::new(watch::remember_panic));
    let mut found = 0;
    for target in &options.targets {
        let seconds = options.seconds / options.targets.len() as u64;
        let time = Duration::from_secs(seconds.max(1));
        found += search(*target, time, options.seed);
    }
    match found {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn write_corpus(folder: &Path, targets: &[Target]) {
    for target in targets {
        let folder = folder.join(target.name());
        let made = fs::create_dir_all(&folder);
        let inputs = corpus::seeds(*target);
        let written = inputs.iter().enumerate().try_for_each(|(index, input)| {
            fs::write(folder.join(format!("seed-{index:04}")), input)
        });
        match made.and(written) {
            Ok(()) => println!("{}: {} inputs", folder.display(), inputs.len()),
            Err(error) => eprintln!("{}: {error}", folder.display()),
        }
    }
}

/// Panics as the target does.
fn try_files(options: &Options) -> ExitCode {
    for file in &options.files {
        let input = match fs::read(file) {
            Ok(input) => input,
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                return ExitCode::from(2);
            }
        };
        for target in &options.targets {
            let start = Instant::now();
            memory::reset();
            watch::begin(*target, &input);
            let depth = target.run(&input);
            watch::end();
            let (name, largest, took) = (target.name(), memory::largest(), start.elapsed());
            println!(
                "{}: {name}: {depth:?}, {took:.1?}, {largest} bytes at once",
                file.display()
            );
        }
    }
    ExitCode::SUCCESS
}

/// Returns the number of findings.
fn search(target: Target, time: Duration, seed: u64) -> usize {
    let mut rng = Rng(seed);
    let lines = match target {
        Target::Ptx | Target::Launch => corpus::forms(),
        _ => Vec::new(),
    };
    let mut pool = Pool::new(target, corpus::seeds(target), lines);
    let seeds = pool.len();
    let (start, mut executions) = (Instant::now(), 0_u64);
    let mut depths: BTreeMap<Depth, u64> = BTreeMap::new();
    let mut findings: BTreeMap<String, u64> = BTreeMap::new();
    let mut slowest = Duration::ZERO;
    while start.elapsed() < time {
        let input = match (executions as usize) < seeds {
            true => pool.seed(executions as usize),
            false => pool.next(&mut rng),
        };
        executions += 1;
        memory::reset();
        watch::begin(target, &input);
        let began = Instant::now();
        let result = panic::catch_unwind(AssertUnwindSafe(|| target.run(&input)));
        let took = began.elapsed();
        watch::end();
        slowest = slowest.max(took);
        let finding = match result {
            Err(_) => Some(watch::last_panic()),
            Ok(_) if memory::largest() > memory::LIMIT => {
                Some(format!("{} MiB of memory at once", memory::largest() >> 20))
            }
            Ok(_) if took > watch::SLOW => Some(format!("slow: {} s", took.as_secs())),
            Ok(depth) => {
                *depths.entry(depth).or_default() += 1;
                let keeps = match depth {
                    Depth::Refused => false,
                    Depth::Read => rng.one_in(64),
                    Depth::Begun | Depth::Ended => rng.one_in(8),
                };
                if keeps {
                    pool.keep(input.clone(), &mut rng);
                }
                None
            }
        };
        if let Some(finding) = finding {
            let count = findings.entry(finding.clone()).or_default();
            *count += 1;
            if *count == 1 {
                let path = watch::save(target, &input);
                println!("{}: {finding}\n    {}", target.name(), path.display());
            }
        }
    }
    let name = target.name();
    let depths: Vec<String> = depths
        .iter()
        .map(|(depth, count)| format!("{count} {depth:?}"))
        .collect();
    println!(
        "{name}: {executions} executions in {:.0} s, {}; slowest {slowest:.1?}; {} findings",
        start.elapsed().as_secs_f64(),
        depths.join(", "),
        findings.len()
    );
    for (finding, count) in &findings {
        println!("{name}: {count} times: {finding}");
    }
    findings.len()
}
