//! Fixtures survive reading and printing.

mod common;

use ptx::{Item, Statement};

#[test]
fn every_module_prints_to_an_equal_tree() {
    for fixture in common::modules() {
        let module =
            ptx::parse_named(&fixture.name, &fixture.text).unwrap_or_else(|e| panic!("{e}"));
        let printed = module.to_string();
        let again = ptx::parse_named("printed", &printed)
            .unwrap_or_else(|e| panic!("{}: {e}", fixture.name));
        assert_eq!(module, again, "{}", fixture.name);
        assert_eq!(
            printed,
            again.to_string(),
            "{}: printing is not stable",
            fixture.name
        );
    }
}

/// Ignores tokens that the printer may add or drop: comments, redundant parentheses, `+-` for `-`.
#[test]
fn every_module_keeps_its_words() {
    for folder in ["nvcc", "rustc"] {
        for fixture in common::folder(folder) {
            let printed = ptx::parse(&fixture.text).unwrap().to_string();
            assert_eq!(words(&fixture.text), words(&printed), "{}", fixture.name);
        }
    }
}

#[test]
fn every_form_prints_back_as_it_was() {
    for form in common::forms() {
        let statements = ptx::parse_statements(&form).unwrap_or_else(|e| panic!("{e}"));
        let [Statement::Instruction(instruction)] = &statements[..] else {
            panic!("{form}")
        };
        assert_eq!(
            without_spaces(&instruction.to_string()),
            without_spaces(&form)
        );
        assert_eq!(
            instruction.opcode.name(),
            form.split([' ', ';']).next().unwrap()
        );
        assert_eq!(instruction.span.slice(&form), form);
    }
}

#[test]
fn every_entry_extracts_to_a_module_of_its_own() {
    let mut entries = 0;
    for fixture in common::modules() {
        let module = ptx::parse(&fixture.text).unwrap();
        for entry in module.entries() {
            let alone = module.extract(entry.name.as_str()).unwrap();
            assert_eq!(alone.function(entry.name.as_str()), Some(entry));
            assert_eq!(
                alone.entries().count(),
                1,
                "{} {}",
                fixture.name,
                entry.name
            );
            assert!(alone.items.len() <= module.items.len());
            assert_eq!(ptx::parse(&alone.to_string()).unwrap(), alone);
            entries += 1;
        }
    }
    assert!(entries > 30, "only {entries} entries");
}

#[test]
fn operands_in_parentheses_print_to_an_equal_tree() {
    let operands = [
        "(a)",
        "(a+4)",
        "(a+4)-2",
        "(a*2)",
        "a*2",
        "(!a)",
        "(generic(a))",
        "(generic(a)+4)",
        "(a ? 1 : 2)",
        "((a)+4)*2",
        "(4)",
        "-(a)",
        "(-a)",
        "a+(b)",
        "a-4-2",
        "[(a)]",
        "{(a), b}",
    ];
    for operand in operands {
        let text = format!(
            ".version 8.6\n.target sm_90a\n.address_size 64\n\
             .visible .entry k() {{ mov.b64 %rd1, {operand}; }}"
        );
        let module = ptx::parse(&text).unwrap_or_else(|errors| panic!("{operand}: {errors}"));
        let printed = module.to_string();
        let again = ptx::parse(&printed).unwrap_or_else(|errors| panic!("{operand}: {errors}"));
        assert!(again == module, "{operand}\n{printed}");
    }
}

#[test]
fn spans_of_statements_point_at_their_text() {
    for fixture in common::modules() {
        let module = ptx::parse(&fixture.text).unwrap();
        let bodies = module
            .functions()
            .filter_map(|function| function.body.as_ref());
        for instruction in bodies.flat_map(|body| body.instructions()) {
            let text = instruction.span.slice(&fixture.text);
            let read = ptx::parse_statements(text).unwrap();
            assert_eq!(
                read,
                [Statement::Instruction(instruction.clone())],
                "{}",
                fixture.name
            );
        }
    }
}

#[test]
fn the_device_compiler_writes_debug_information_that_can_be_dropped() {
    let fixtures = common::folder("rustc");
    let lines = fixtures
        .iter()
        .find(|fixture| fixture.name.ends_with("lines.ptx"))
        .unwrap();
    let mut module = ptx::parse(&lines.text).unwrap();
    assert!(module.target.names.iter().any(|name| *name == "debug"));
    module
        .items
        .retain(|item| !matches!(item, Item::Section(_) | Item::Label(_)));
    let text = module.to_string();
    assert!(!text.contains(".section") && text.contains(".file 1 ") && text.contains(".loc 1 "));
    let marker = module.pragmas().next().unwrap();
    assert_eq!(
        marker.texts,
        ["tma kernel=copy_tile maxntid=128 grid_constant=0"]
    );
    let copy = module.function("copy_tile").unwrap();
    assert_eq!(
        copy.parameter("copy_tile_param_0").unwrap().size_bytes(),
        Some(128)
    );
}

fn without_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The text without comments, spaces, and the parentheses of empty lists.
fn words(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""));
    lines
        .flat_map(str::split_whitespace)
        .collect::<String>()
        .replace("()", "")
}

#[test]
fn arguments_of_directives_are_read_again() {
    let values = [
        "3",
        "-3",
        "f",
        "!f",
        "~4",
        ".5",
        "(~4)",
        "(1.5)",
        "(f ? 1 : 2)",
        "(!f*2)",
        "(.u64) 4",
        "0xFF(f)",
        "(0f3F800000(f))",
    ];
    for value in values {
        for prototype in [
            ".func f()\n.abi_preserve VALUE, f;",
            ".func f() { P: .callprototype () _ () .abi_preserve VALUE; }",
        ] {
            let text = format!(
                ".version 9.0\n.target sm_90a\n{}",
                prototype.replace("VALUE", value)
            );
            let module = ptx::parse(&text).unwrap();
            assert_eq!(
                ptx::parse(&module.to_string()).as_ref(),
                Ok(&module),
                "{text}"
            );
        }
    }
}
