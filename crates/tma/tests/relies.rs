//! A safe method that relies on a condition of an unsafe constructor states it.

use std::{fs, path::Path};

/// The safe methods of a file, each with its documentation and with its body.
fn safe_methods(text: &str) -> Vec<(String, String, String)> {
    let (mut doc, mut methods) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim_start();
        if let Some(message) = line.strip_prefix("///") {
            doc += message;
        } else if line.starts_with("pub fn ") || line.starts_with("pub const fn ") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "    }").collect();
            methods.push((line.to_owned(), std::mem::take(&mut doc), body.join("\n")));
        } else if !line.starts_with("#[") {
            doc.clear();
        }
    }
    methods
}

#[test]
fn methods_name_the_conditions_that_they_rely_on() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut relying = 0;
    for (file, marks) in [
        ("barrier.rs", &["assume_init", "self.arrive"][..]),
        ("barrier/new_barrier.rs", &["assume_init"]),
        (
            "barrier/ring.rs",
            &["assume_init", "wait_parity", ".arrive()"],
        ),
        (
            "barrier/transaction.rs",
            &["barrier: self", "arrive_expect_tx"],
        ),
        ("tile/shared_buffer.rs", &["start(loads"]),
        ("pipeline/drain.rs", &["OwnElements::new(self.stage"]),
    ] {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let (code, _) = text.split_once("#[cfg(test)]").unwrap_or((&text, ""));
        for (method, doc, body) in safe_methods(code) {
            let relies = marks.iter().any(|mark| body.contains(mark));
            assert!(
                !relies || doc.contains("elies on ("),
                "{file}: {method} has no such line"
            );
            relying += usize::from(relies);
        }
    }
    assert_eq!(
        relying, 18,
        "another method relies on a condition, or one no more"
    );
}
