//! The action of `action.yml`: its steps run in bash, and the files for editors are valid.
#![cfg(target_os = "linux")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A step that is a script.
#[derive(Debug)]
struct Step {
    name: String,
    /// The lines before the script: keys and their values.
    keys: Vec<(String, String)>,
    script: String,
}

/// Reads the `run` steps of the action. They have the layout of this file: a step begins with `- name:`, its keys are
/// one in a line, and `run: |` is the last one.
fn steps() -> Vec<Step> {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let steps = text.split("\n    - name: ").skip(1);
    let steps = steps.map(|step| {
        let step = step.split("\n    - uses: ").next().unwrap();
        let (head, script) = step.split_once("\n      run: |\n").unwrap();
        let (name, keys) = head.split_once('\n').unwrap();
        let keys = keys.lines().filter_map(|line| line.trim().split_once(": "));
        let script = script
            .lines()
            .map(|line| line.trim_start().to_owned() + "\n");
        Step {
            name: name.to_owned(),
            keys: keys
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
            script: script.collect(),
        }
    });
    steps.collect()
}

/// A runner of the action's steps.
struct Runner {
    folder: tempfile::TempDir,
    inputs: [(&'static str, String); 3],
}

impl Runner {
    fn new(command: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = folder.path().join("a project");
        fs::create_dir(&project).unwrap();
        for name in ["add_one.toml", "add_one.ptx"] {
            let from = root().join("examples/emulate").join(name);
            fs::copy(from, project.join(name)).unwrap();
        }
        let inputs = [
            ("working-directory", project.display().to_string()),
            ("command", command.to_owned()),
            ("sarif", "tma.sarif".to_owned()),
        ];
        Self { folder, inputs }
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("a project")
    }

    /// Returns a value with the inputs in place of their expressions.
    fn value(&self, text: &str) -> String {
        let values = self.inputs.iter();
        let value = values.fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("${{{{ inputs.{name} }}}}"), value)
        });
        assert!(!value.contains("${{"), "{value}");
        value
    }

    fn run(&self, step: &Step) -> Output {
        // As GitHub runs a step with `shell: bash`.
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c"]);
        bash.arg(&step.script);
        bash.current_dir(self.folder.path());
        let tma = Path::new(env!("CARGO_BIN_EXE_tma")).parent().unwrap();
        let path = std::env::var("PATH").unwrap();
        bash.env("PATH", format!("{}:{path}", tma.display()));
        // A function stands for the real one, which would install the command for minutes.
        bash.env("BASH_FUNC_cargo%%", "() { echo \"$PWD: cargo $*\"; }");
        bash.env("GITHUB_ACTION_PATH", root());
        bash.env("GITHUB_OUTPUT", self.folder.path().join("output"));
        for (key, value) in &step.keys {
            match key.as_str() {
                "id" | "if" => {}
                "shell" => assert_eq!(value, "bash"),
                "working-directory" => drop(bash.current_dir(self.value(value))),
                _ => drop(bash.env(key, self.value(value))),
            }
        }
        bash.output().expect("bash starts")
    }
}

#[test]
fn the_steps_of_the_action_write_and_find_the_file() {
    let steps = steps();
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["install", "check", "find"]);
    let runner = Runner::new("tma emulate add_one.toml --sarif tma.sarif");
    for step in &steps {
        let output = runner.run(step);
        assert!(output.status.success(), "{step:?}: {output:?}");
        if step.name == "install" {
            let root = fs::canonicalize(root()).unwrap();
            let expected = ["install --path checker/cli", "tma setup"]
                .map(|arguments| format!("{}: cargo {arguments}\n", root.display()));
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected.concat());
        }
    }
    let sarif = runner.project().join("tma.sarif");
    let log = fs::read_to_string(&sarif).unwrap();
    let log: serde_json::Value = serde_json::from_str(&log).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let output = fs::read_to_string(runner.folder.path().join("output")).unwrap();
    assert_eq!(output, format!("path={}\n", sarif.display()));
}

#[test]
fn a_command_that_fails_fails_its_step_and_no_file_is_no_upload() {
    let [_, check, find] = &steps()[..] else {
        panic!("the action has other steps")
    };
    let runner = Runner::new("false && true");
    assert_eq!(runner.run(check).status.code(), Some(1));
    assert!(runner.run(find).status.success());
    assert!(!runner.folder.path().join("output").exists());
}

#[test]
fn every_input_has_a_description_and_a_default() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    for (name, default) in [
        ("working-directory", "."),
        ("command", "cargo tma test --sarif tma.sarif"),
        ("sarif", "tma.sarif"),
    ] {
        let (_, input) = text.split_once(&format!("\n  {name}:\n")).unwrap();
        let mut lines = input.lines();
        assert!(
            lines.next().unwrap().starts_with("    description: "),
            "{name}"
        );
        assert_eq!(lines.next(), Some(&*format!("    default: {default}")));
        assert!(
            text.contains(&format!("${{{{ inputs.{name} }}}}")),
            "{name}"
        );
    }
}

#[test]
fn files_for_editors_are_json_with_comments() {
    for path in [".devcontainer/devcontainer.json", ".vscode/settings.json"] {
        let text = fs::read_to_string(root().join(path)).unwrap();
        // Comments have their own lines in these files.
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let json: Result<serde_json::Value, _> =
            serde_json::from_str(&lines.collect::<Vec<_>>().join("\n"));
        let json = json.unwrap_or_else(|error| panic!("{path}: {error}"));
        assert!(json.is_object(), "{path}");
        for project in json["rust-analyzer.linkedProjects"]
            .as_array()
            .into_iter()
            .flatten()
        {
            let project = project.as_str().unwrap();
            assert!(root().join(project).is_file(), "{path}: {project}");
        }
    }
}
