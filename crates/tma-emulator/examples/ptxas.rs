//! Generates modules and prints those that ptxas takes and the emulator refuses, or the other way round.
//!
//! `cargo run --release -p tma-emulator --example ptxas -- PTXAS [COUNT]`

use std::{collections::BTreeMap, env, error::Error, fs, process::Command};

use tma_emulator::{Config, Session};

#[path = "../tests/emulator/texts.rs"]
mod texts;

fn numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move |bound| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % bound
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let ptxas = arguments.next().ok_or("where is ptxas?")?;
    let count: u64 = arguments.next().map_or(Ok(10_000), |count| count.parse())?;
    let path = env::temp_dir().join(format!("differential-{}.ptx", std::process::id()));
    let mut classes: BTreeMap<String, (u64, String)> = BTreeMap::new();
    let (mut both, mut neither) = (0, 0);
    for seed in 0..count {
        let text = texts::text(numbers(seed));
        fs::write(&path, &text)?;
        let run = Command::new(&ptxas)
            .args(["-arch", "sm_90a", "-o", "/dev/null"])
            .arg(&path)
            .output()?;
        let mut session = Session::new(Config::default());
        let ours = session.load("t", &text).err().map(|failure| failure.what);
        let class = match (run.status.success(), ours) {
            (true, None) => {
                both += 1;
                continue;
            }
            (false, Some(_)) => {
                neither += 1;
                continue;
            }
            (true, Some(what)) => format!("taken by ptxas: {}", words(&what)),
            (false, None) => {
                let message = String::from_utf8_lossy(&run.stderr).into_owned();
                format!("refused by ptxas: {}", words(&message))
            }
        };
        classes.entry(class).or_insert((0, text)).0 += 1;
    }
    fs::remove_file(&path)?;
    println!("{count} texts: {both} valid, {neither} invalid");
    for (class, (count, text)) in classes {
        println!("\n{count} times {class}\n{text}");
    }
    Ok(())
}

/// Returns the first line without its location.
fn words(text: &str) -> &str {
    let line = text.lines().next().unwrap_or("");
    line.splitn(4, [':', ';']).last().unwrap_or(line)
}
