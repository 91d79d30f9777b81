//! Mutants that may survive: the number that each pattern of `mutants/allowed.txt` excuses, and that ptxas makes the
//! same machine code if that is the reason. Without ptxas and nvdisasm, and without `--long`, the latter are
//! listed as ignored.

use std::{fs, path::PathBuf, process::Command, sync::LazyLock};

use libtest_mimic::{Failed, Trial};
use tests::{
    KERNELS, is_long,
    mutants::{self, Allowed, Explanation, Mutant, Subject},
};
use tma_build::{Arch, Ptxas, tool_dirs};

/// The words of a reason that is shown here.
const SAME_CODE: &str = "makes the same code of both";

/// The PTX version in which every weaker form can be written.
const VERSION: &str = ".version 9.0\n";

/// An entry's text, and its mutants.
type Text = (String, Vec<Mutant>);

static TEXTS: LazyLock<Result<Vec<Text>, String>> = LazyLock::new(|| {
    let module = mutants::module()?;
    let of = |kernel| Subject::texts_of_kernel(kernel, module);
    let all: Result<Vec<Vec<Text>>, String> = KERNELS.iter().map(of).collect();
    Ok(all?.into_iter().flatten().collect())
});

#[derive(Clone)]
struct Tools {
    ptxas: Ptxas,
    nvdisasm: PathBuf,
}

pub(crate) fn trials() -> Vec<Trial> {
    let tools = Ptxas::find().and_then(|ptxas| {
        let mut paths = tool_dirs().map(|folder| folder.join("nvdisasm"));
        let nvdisasm = paths.find(|path| path.is_file())?;
        Some(Tools { ptxas, nvdisasm })
    });
    let counted = Trial::test("mutants/counted", || {
        let ids = TEXTS.as_ref().map_err(Clone::clone)?;
        let ids = ids.iter().flat_map(|(_, mutants)| mutants);
        let ids: Vec<&str> = ids.map(|mutant| mutant.id.as_str()).collect();
        match Allowed::load()?.miscounted(&ids) {
            wrong if wrong.is_empty() => Ok(()),
            wrong => Err(wrong.join("\n").into()),
        }
    });
    let allowed = Allowed::load().unwrap_or_default();
    let same = allowed
        .explanations()
        .iter()
        .filter(|it| it.reason.contains(SAME_CODE));
    let same = same.map(|explanation| {
        let (tools, explanation) = (tools.clone(), explanation.clone());
        let name = format!("mutants/same_code/{}", explanation.pattern);
        let is_there = tools.is_some();
        let test = move || match &tools {
            Some(tools) => same_code(&explanation, tools),
            None => Err("there is no ptxas".into()),
        };
        let is_asked = is_there && is_long(&name);
        Trial::test(name, test).with_ignored_flag(!is_asked)
    });
    let is_there = tools.is_some();
    let noticed = tools.clone();
    let noticed = move || noticed.as_ref().map_or(Ok(()), another_mutant_is_noticed);
    let noticed = Trial::test("mutants/another_code_is_noticed", noticed);
    let mut trials = vec![counted, noticed.with_ignored_flag(!is_there)];
    trials.extend(same);
    trials
}

/// Checks that the first mutant of each entry that a pattern excuses has the code of the unchanged kernel.
fn same_code(explanation: &Explanation, tools: &Tools) -> Result<(), Failed> {
    let mut compared = 0;
    for (text, mutants) in TEXTS.as_ref().map_err(Clone::clone)? {
        let Some(mutant) = mutants.iter().find(|mutant| explanation.is_of(&mutant.id)) else {
            continue;
        };
        if code(text, tools)? != code(&mutant.apply(text), tools)? {
            return Err(format!("`{}` has another machine code", mutant.id).into());
        }
        compared += 1;
    }
    match compared {
        0 => Err("no result was compared".into()),
        _ => Ok(()),
    }
}

/// Checks the comparison itself: a kernel without a wait has other code.
fn another_mutant_is_noticed(tools: &Tools) -> Result<(), Failed> {
    let texts = TEXTS.as_ref().map_err(Clone::clone)?;
    let deletes = |mutant: &&Mutant| mutant.id.contains("/delete/");
    let found = texts
        .iter()
        .find_map(|(text, mutants)| Some((text, mutants.iter().find(deletes)?)));
    let (text, mutant) = found.ok_or("no mutant deletes anything")?;
    match code(text, tools)? == code(&mutant.apply(text), tools)? {
        true => Err("the same code for two programs".into()),
        false => Ok(()),
    }
}

/// Returns ptxas's code, as nvdisasm shows it.
fn code(text: &str, tools: &Tools) -> Result<String, Failed> {
    let (version, rest) = text.split_once('\n').ok_or("a text has lines")?;
    if !version.starts_with(".version ") {
        return Err("the text does not begin with its version".into());
    }
    let folder = tempfile::tempdir()?;
    let (ptx, cubin) = (
        folder.path().join("module.ptx"),
        folder.path().join("module.cubin"),
    );
    fs::write(&ptx, format!("{VERSION}{rest}"))?;
    tools.ptxas.assemble(&ptx, Arch::Sm90a, &cubin)?;
    let output = Command::new(&tools.nvdisasm)
        .arg("-c")
        .arg(&cubin)
        .output()?;
    match output.status.success() && !output.stdout.is_empty() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned().into()),
    }
}
