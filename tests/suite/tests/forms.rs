//! Every wrapper emits exactly its instruction, ptxas accepts it for exactly the
//! architectures of the table, and the compiler refuses it for the others.

#[path = "forms/assembled.rs"]
mod assembled;
#[path = "forms/constants.rs"]
mod constants;
#[path = "forms/emitted.rs"]
mod emitted;
#[path = "forms/refused.rs"]
mod refused;
#[path = "forms/wrappers.rs"]
mod wrappers;

use std::{collections::BTreeMap, sync::LazyLock};

use libtest_mimic::{Arguments, Failed, Trial};
use tests::{FORMS_PTX, forms, is_complete_run};
use tma_build::Ptxas;

/// The forms with a wrapper.
static SUPPORT: LazyLock<Vec<forms::Support>> = LazyLock::new(forms::support);

/// The modules with the form kernels.
fn modules() -> impl Iterator<Item = &'static ptx::Module> {
    let modules = FORMS_PTX.iter();
    modules.map(|module| module.parsed().expect("the builder parsed it"))
}

/// A form kernel.
fn function(name: &str) -> Option<&'static ptx::Function> {
    modules().find_map(|module| module.function(name))
}

/// Returns the forms of a kernel, by its name: the form that it emits, and other spellings.
fn by_kernel() -> BTreeMap<String, Vec<&'static forms::Support>> {
    let mut kernels: BTreeMap<String, Vec<&forms::Support>> = BTreeMap::new();
    for support in SUPPORT.iter() {
        kernels.entry(support.kernel()).or_default().push(support);
    }
    kernels
}

type Test = fn() -> Result<(), Failed>;

fn main() {
    let ptxas = Ptxas::find();
    if ptxas.is_none() {
        println!("skipped: no ptxas was found; `cargo xtask setup --cuda` installs one");
    }
    let tests: [(_, Test); 3] = [
        ("wrappers_say_what_the_table_says", wrappers::check),
        ("constants_out_of_range", constants::are_refused),
        ("every_form_kernel_is_its_instruction", emitted::check),
    ];
    // The first documents `tma` apart from other builds, the second compiles it for one more architecture.
    let trial = |(name, test)| Trial::test(name, test).with_ignored_flag(!is_complete_run());
    let mut trials: Vec<Trial> = tests.into_iter().map(trial).collect();
    trials.extend(assembled::trials(ptxas));
    trials.extend(refused::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
