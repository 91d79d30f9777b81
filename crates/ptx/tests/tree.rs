//! The tree as programs read, change and make it.

use ptx::*;

fn module(items: &str) -> Module {
    let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{items}");
    let module = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parse(&module.to_string()).unwrap(), module, "{module}");
    module
}

#[test]
fn a_definition_is_preferred_to_its_prototype() {
    let mut module = module(".func f();\n.func g();\n.func f() { ret; }");
    assert!(module.function("f").unwrap().body.is_some());
    assert!(module.function("g").unwrap().body.is_none());
    assert!(module.function_mut("f").unwrap().body.is_some());
    assert!(module.function_mut("g").is_some() && module.function_mut("h").is_none());
}

#[test]
fn directives_are_set_once() {
    let mut module = module(".entry k() .maxntid 1, 1, 1 { ret; }");
    let entry = module.function_mut("k").unwrap();
    entry.set_directive(".maxntid", [256, 1, 1]);
    entry.set_directive(".explicitcluster", []);
    assert!(
        entry
            .to_string()
            .starts_with(".entry k()\n.maxntid 256, 1, 1\n.explicitcluster\n{")
    );
}

#[test]
fn nodes_made_by_programs_print() {
    let instruction = Instruction {
        guard: Some(Box::new(Guard {
            negated: true,
            register: "%p1".into(),
            span: At::default(),
        })),
        opcode: Opcode::new("add.s32"),
        operands: vec!["%r1".into(), "%r2".into(), (-4).into()],
        span: At::default(),
    };
    assert_eq!(instruction.to_string(), "@!%p1 add.s32 %r1, %r2, -4;");
    assert_eq!(
        parse_statements(&instruction.to_string()).unwrap(),
        [Statement::Instruction(instruction)]
    );
    assert_eq!(Expression::integer(i64::MIN).value(), Some(i64::MIN));
}

#[test]
fn spans_cover_nodes() {
    let text = ".version 9.0\n.target sm_90\n.visible .func f(.param .u32 a)\n{\n @%p ld.u32 %r1, [%rd1+4];\n}\n";
    let module = parse(text).unwrap();
    let function = &module.functions().next().unwrap();
    assert!(
        function.span.slice(text).starts_with(".visible .func")
            && function.span.slice(text).ends_with('}')
    );
    assert_eq!(function.parameters[0].span.slice(text), ".param .u32 a");
    let load = function
        .body
        .as_ref()
        .unwrap()
        .instructions()
        .next()
        .unwrap();
    assert_eq!(load.span.slice(text), "@%p ld.u32 %r1, [%rd1+4];");
    assert_eq!(load.guard.as_ref().unwrap().span.slice(text), "@%p");
    assert_eq!(load.opcode.span.slice(text), "ld.u32");
    assert_eq!(load.operands[1].span.slice(text), "[%rd1+4]");
    assert_eq!(
        LineIndex::new(text)
            .line_column(load.opcode.span.start())
            .to_string(),
        "5:6"
    );
}
