//! Each part of the language, in the tree and as it prints.

use ptx::*;

fn statement(text: &str) -> Statement {
    let statements = parse_statements(text).unwrap_or_else(|e| panic!("{e}"));
    let [one] = <[Statement; 1]>::try_from(statements).unwrap();
    let again = parse_statements(&one.to_string()).unwrap();
    assert_eq!(again, std::slice::from_ref(&one), "{one}");
    one
}

fn instruction(text: &str) -> Instruction {
    let Statement::Instruction(instruction) = statement(text) else {
        panic!("{text}")
    };
    instruction
}

/// The last operand of an instruction with this text for it.
fn operand(text: &str) -> Operand {
    instruction(&format!("op _, {text};"))
        .operands
        .pop()
        .unwrap()
}

fn variable(text: &str) -> Variable {
    let Statement::Variable(variable) = statement(text) else {
        panic!("{text}")
    };
    *variable
}

fn module(items: &str) -> Module {
    let text = format!(".version 9.0\n.target sm_90a\n.address_size 64\n{items}");
    let module = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(parse(&module.to_string()).unwrap(), module, "{module}");
    module
}

fn item(text: &str) -> Item {
    module(text).items.remove(0)
}

/// Each text prints as itself.
fn print_as_they_are(texts: &[&str]) {
    for text in texts {
        assert_eq!(statement(text).to_string(), *text);
    }
}

#[test]
fn the_head_of_a_module() {
    let text = ".version 8.6\n.target sm_90a, debug\n.address_size 64\n";
    let module = parse(text).unwrap();
    assert_eq!(module.version, Version { major: 8, minor: 6 });
    assert_eq!(
        module.target.names,
        ["sm_90a", "debug"].map(Identifier::from)
    );
    assert_eq!(module.address_size, Some(64));
    assert_eq!(module.to_string(), text);
    assert_eq!(
        parse(".version 7.10 .target sm_50").unwrap().version,
        Version {
            major: 7,
            minor: 10
        }
    );
    assert!(
        Version {
            major: 7,
            minor: 10
        } > Version { major: 7, minor: 9 }
    );
}

#[test]
fn opcodes_keep_their_parts() {
    let name = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes";
    let opcode = instruction(&format!("{name} [%r1], [%rd1, {{%r2, %r3}}], [%r4];")).opcode;
    assert_eq!(opcode.name(), name);
    assert_eq!(opcode.stem(), "cp");
    assert_eq!(opcode.parts().nth(4), Some("2d"));
    assert!(
        opcode.has(".2d")
            && opcode.has("shared::cluster")
            && !opcode.has("shared")
            && !opcode.has("cp")
    );
    assert!(opcode.starts_with("cp.async.bulk") && opcode.starts_with(name));
    assert!(!opcode.starts_with("cp.async.bul") && !opcode.starts_with("cp.reduce"));
    assert_eq!(
        instruction("ld .global .u32 %r1, [x];").opcode.name(),
        "ld.global.u32"
    );
}

#[test]
fn guards() {
    assert_eq!(instruction("ret;").guard, None);
    let guard = |text| {
        instruction(text)
            .guard
            .map(|guard| (guard.negated, guard.register.name))
            .unwrap()
    };
    assert_eq!(guard("@%p1 bra L;"), (false, "%p1".into()));
    assert_eq!(guard("@!done bra L;"), (true, "done".into()));
}

#[test]
fn names_as_operands() {
    let symbol = |text| match operand(text).kind {
        OperandKind::Symbol(Symbol { name, component }) => (name, component.map(|name| *name)),
        other => panic!("{other:?}"),
    };
    assert_eq!(symbol("%r1"), ("%r1".into(), None));
    assert_eq!(symbol("%tid.x"), ("%tid".into(), Some("x".into())));
    assert_eq!(symbol("%r1.h0"), ("%r1".into(), Some("h0".into())));
    assert_eq!(symbol("$L__BB0_1"), ("$L__BB0_1".into(), None));
    assert_eq!(operand("_").kind, OperandKind::Sink);
    assert_eq!(operand("retval0").as_name(), Some("retval0"));
    assert_eq!(operand("%tid.x").as_name(), None);
}

#[test]
fn predicates_and_pairs() {
    assert_eq!(
        operand("!%p1").kind,
        OperandKind::Not(Box::new("%p1".into()))
    );
    // In an expression, `!` belongs to the name alone.
    let choice = |text| match operand(text).kind {
        OperandKind::Constant(Expression {
            kind: ExpressionKind::Conditional(parts),
            ..
        }) => parts[0].kind.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(choice("f ? 1 : 2"), ExpressionKind::Symbol(_)));
    assert!(matches!(
        choice("!f ? 1 : 2"),
        ExpressionKind::Unary(UnaryOperator::Not, _)
    ));
    for text in ["!f*g", "!f+1", "!f<<2"] {
        let OperandKind::Constant(sum) = operand(text).kind else {
            panic!("{text}")
        };
        let ExpressionKind::Binary(_, left, _) = sum.kind else {
            panic!("{text}")
        };
        assert!(matches!(
            left.kind,
            ExpressionKind::Unary(UnaryOperator::Not, _)
        ));
    }
    assert_eq!(
        operand("%p1|%p2").kind,
        OperandKind::Pair(Box::new("%p1".into()), Box::new("%p2".into()))
    );
    let OperandKind::Pair(left, right) = operand("_ | p").kind else {
        panic!()
    };
    assert_eq!((left.kind, right.as_name()), (OperandKind::Sink, Some("p")));
    assert!(
        matches!(operand("{%f1, %f2}|%p1").kind, OperandKind::Pair(left, _) if matches!(left.kind, OperandKind::Vector(_)))
    );
}

#[test]
fn addresses() {
    let address = |text: &str| {
        let operand = operand(text);
        operand
            .base_and_offset()
            .map(|(symbol, offset)| (symbol.to_string(), offset))
            .unwrap()
    };
    assert_eq!(address("[%rd1]"), ("%rd1".to_owned(), 0));
    assert_eq!(address("[%rd1+-4]"), ("%rd1".to_owned(), -4));
    assert_eq!(address("[%rd1-4+16]"), ("%rd1".to_owned(), 12));
    assert_eq!(address("[param_0+0x10]"), ("param_0".to_owned(), 16));
    assert_eq!(address("table+4"), ("table".to_owned(), 4));
    assert_eq!(operand("[%rd1-4]").to_string(), "[%rd1+-4]");
    assert_eq!(operand("[16]").to_string(), "[16]");
    assert!(matches!(operand("a[3]").kind, OperandKind::Element(element)
        if element.0.name == "a" && element.1.value() == Some(3)));
}

#[test]
fn addresses_with_coordinates() {
    let OperandKind::Memory { address, rest } = operand("[%rd1, %rd4, {%h1}, {%r1, _}, %h2]").kind
    else {
        panic!()
    };
    assert_eq!(address.as_name(), Some("%rd1"));
    assert_eq!(
        rest.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["%rd4", "{%h1}", "{%r1, _}", "%h2"]
    );
}

#[test]
fn calls_pass_lists() {
    let call = instruction("call (retval0), %rd15, (param0, 4), prototype_14;");
    let kinds: Vec<_> = call
        .operands
        .iter()
        .map(|operand| matches!(operand.kind, OperandKind::List(_)))
        .collect();
    assert_eq!(kinds, [true, false, true, false]);
    print_as_they_are(&["call.uni foo;", "call foo, ();", "call (r), foo, (a, b);"]);
    assert_eq!(operand("(4)").as_integer(), Some(4));
}

#[test]
fn integers() {
    let value = |text: &str| operand(text).as_integer();
    for (text, expected) in [
        ("7", 7),
        ("-7", -7),
        ("0x1f", 31),
        ("017", 15),
        ("0b101", 5),
        ("42U", 42),
        ("0U", 0),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
    assert_eq!(value("18446744073709551615"), Some(-1));
    assert_eq!(operand("0x0F").to_string(), "0x0F");
}

#[test]
fn floats() {
    let number = |text: &str| match operand(text).kind {
        OperandKind::Constant(expression) => expression.as_literal().unwrap().number(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        number("0f3F800000"),
        Number::F32 {
            bits: 1.0_f32.to_bits()
        }
    );
    assert_eq!(
        number("0dC000000000000000"),
        Number::F64 {
            bits: (-2.0_f64).to_bits()
        }
    );
    for (text, expected) in [
        ("1.5", 1.5),
        ("2.", 2.0),
        ("1e3", 1000.0),
        ("2.5E-1", 0.25),
        (".5", 0.5),
    ] {
        assert_eq!(
            number(text),
            Number::F64 {
                bits: f64::to_bits(expected)
            },
            "{text}"
        );
    }
    assert_eq!(operand("0f3f800000").to_string(), "0f3f800000");
    assert_eq!(Literal::f32(1.0).to_string(), "0f3F800000");
    assert_eq!(Literal::f64(1.0).to_string(), "0d3FF0000000000000");
    assert_eq!(operand("1.5").as_integer(), None);
}

#[test]
fn constant_expressions() {
    for (text, expected) in [
        ("4+8*2", 20),
        ("(4+8)*2", 24),
        ("-(1-2)-3", -2),
        ("10-4-3", 3),
        ("-7/2", -3),
        ("-7 % 4", -3),
        ("1<<4|3", 19),
        ("~0&0xff^1", 254),
        ("-1>>60", -1),
        ("(.u64) -1>>60", 15),
        ("-1<0", 1),
        ("-1<0U", 0),
        ("2>=2&&!0||0", 1),
        ("(1==2 ? 5U : -1)>>60", 15),
        ("0x8000000000000000/2", 1 << 62),
        ("0x8000000000000003 % 10", 1),
        ("0x8000000000000000>>63", 1),
        ("0&&0", 0),
        ("0&&7", 0),
        ("7&&0", 0),
        ("7&&8", 1),
        ("0||0", 0),
        ("0||7", 1),
        ("7||0", 1),
        ("7||8", 1),
        ("7==8", 0),
        ("7!=8", 1),
        ("7!=7", 0),
    ] {
        assert_eq!(operand(text).as_integer(), Some(expected), "{text}");
    }
    assert_eq!(operand("1/0").as_integer(), None);
    assert_eq!(operand("1<<64").as_integer(), None);
    assert_eq!(operand("WARP_SZ*2").as_integer(), None);
}

#[test]
fn parentheses_are_written_where_they_are_needed() {
    for (text, printed) in [
        ("(4+8)*2", "(4+8)*2"),
        ("(4*8)+2", "4*8+2"),
        ("4-(8-2)", "4-(8-2)"),
        ("(4-8)-2", "4-8-2"),
        ("-(4+8)", "-(4+8)"),
        ("(1 ? 2 : 3)+1", "(1 ? 2 : 3)+1"),
        ("1 ? 2 : (3 ? 4 : 5)", "1 ? 2 : 3 ? 4 : 5"),
        ("(1 ? 2 : 3) ? 4 : 5", "(1 ? 2 : 3) ? 4 : 5"),
        ("(.s64)(4+1)", "(.s64) (4+1)"),
        ("- -4", "--4"),
        ("8%(x)", "8 % x"),
    ] {
        assert_eq!(operand(text).to_string(), printed);
    }
}

#[test]
fn registers() {
    let registers = variable(".reg .b32 %r<12>, x;");
    assert_eq!((registers.space, registers.ty), (Space::Reg, Type::B32));
    assert_eq!(registers.declarators[0].range, Some(12));
    assert_eq!(registers.declarators[1].name, "x");
    print_as_they_are(&[
        ".reg .pred p, q;",
        ".reg .v4 .f32 colour;",
        ".reg .b128 wide;",
        ".sreg .v4 .u32 %tid;",
    ]);
}

#[test]
fn variables() {
    let depot = variable(".local .align 16 .b8 __local_depot0[3][N*2+1];");
    assert_eq!((depot.space, depot.align), (Space::Local, Some(16)));
    assert_eq!(depot.size_bytes(&depot.declarators[0]), None);
    let tile = variable(".shared .v2 .align 8 .f16x2 tile[2][0x10];");
    assert_eq!(tile.size_bytes(&tile.declarators[0]), Some(2 * 4 * 2 * 16));
    let open = variable(".extern .shared .align 1024 .b8 dynamic[];");
    assert_eq!(
        (open.linkage, &open.declarators[0].dimensions[..]),
        (Some(Linkage::Extern), &[None][..])
    );
    assert_eq!(open.size_bytes(&open.declarators[0]), None);
    print_as_they_are(&[
        ".shared::cta .b8 x[4];",
        ".common .global .u64 x;",
        ".const[2] .f64 x;",
        ".tex .u32 t;",
        ".global .attribute(.managed) .align 4 .u32 x = 41;",
        ".global .attribute(.unified(19, 95)) .f32 x;",
        ".global .bf16x2 x;",
    ]);
}

#[test]
fn initializers() {
    print_as_they_are(&[
        ".global .u32 x[][2] = {{1, -2}, {}};",
        ".global .u64 x = generic(y)+4;",
        ".global .u8 x[] = {0xFF(y), 0xFF00(generic(z)+4)};",
        ".global .f32 x[2] = {0f3F800000, 1.5};",
        ".global .b8 x[5] = \"a\\\"b\";",
        ".global .samplerref s = {addr_mode_0 = clamp_to_border, filter_mode = nearest};",
        ".const .u32 x = L1-L0;",
    ]);
    let InitializerKind::List(elements) = variable(".global .u64 x[2] = {y, 4};")
        .declarators
        .remove(0)
        .initializer
        .unwrap()
        .kind
    else {
        panic!()
    };
    assert_eq!(
        elements[0].kind,
        InitializerKind::Value(Expression::new(ExpressionKind::Symbol(Box::new(
            "y".into()
        ))))
    );
}

#[test]
fn blocks_nest_and_hold_everything() {
    let text =
        "{\n\t.param .b32 p;\n\t{\n\t\tret;\nL:\n\t}\n\t.loc 1 2 3\n\t.pragma \"nounroll\";\n}";
    let Statement::Block(block) = statement(text) else {
        panic!()
    };
    assert_eq!(block.to_string(), text);
    assert_eq!(block.walk().count(), 6);
    assert_eq!(
        block
            .instructions()
            .map(|i| i.opcode.name())
            .collect::<Vec<_>>(),
        ["ret"]
    );
    assert_eq!(block.variables().count(), 1);
}

#[test]
fn labels_stand_alone_or_before_a_statement() {
    let statements = parse_statements("$L__BB0_1: L2:\nret;").unwrap();
    assert!(
        matches!(&statements[..], [Statement::Label(a), Statement::Label(b), Statement::Instruction(_)]
        if *a == "$L__BB0_1" && *b == "L2")
    );
}

#[test]
fn lists_of_targets_and_prototypes() {
    let Statement::LabelList(list) = statement("ts: .branchtargets L0, L1;") else {
        panic!()
    };
    assert_eq!(
        (list.kind, list.targets.len()),
        (LabelListKind::BranchTargets, 2)
    );
    let Statement::LabelList(list) = statement("ts : .calltargets f;") else {
        panic!()
    };
    assert_eq!(
        (list.kind, list.label.as_str()),
        (LabelListKind::CallTargets, "ts")
    );
    let text = "p : .callprototype (.param .b32 _) _ (.param .align 8 .b8 _[16], .reg .u32 _) .noreturn .abi_preserve 8;";
    let Statement::CallPrototype(prototype) = statement(text) else {
        panic!()
    };
    assert_eq!(
        (
            prototype.returns.len(),
            prototype.parameters.len(),
            prototype.directives.len()
        ),
        (1, 2, 2)
    );
    assert_eq!(prototype.parameters[0].size_bytes(), Some(16));
    statement("p: .callprototype _ ();");
}

#[test]
fn source_locations() {
    let text = ".loc 1 34 35, function_name $L__info_string0+8, inlined_at 2 36 8";
    let Statement::Location(location) = statement(text) else {
        panic!()
    };
    assert_eq!((location.file, location.line, location.column), (1, 34, 35));
    let inlined = location.inlined.unwrap();
    assert_eq!(
        (inlined.offset, inlined.file, inlined.line, inlined.column),
        (Some(8), 2, 36, 8)
    );
    print_as_they_are(&[
        text,
        ".loc 1 2 0",
        ".loc 1 2 3, function_name f, inlined_at 1 2 3",
    ]);
    assert_eq!(module(".file 2 \"src/lib.rs\"").file(2), Some("src/lib.rs"));
    let Item::File(file) = item(".file 1 \"a.cu\", 1700000000, 99") else {
        panic!()
    };
    assert_eq!(file.stamp, Some((1_700_000_000, 99)));
}

#[test]
fn paths_of_files_are_unescaped() {
    for (path, unescaped) in [
        ("src/lib.rs", "src/lib.rs"),
        (r"gr\303\266\303\237e/a b.cu", "größe/a b.cu"),
        (r#"C:\\\"x\"\77"#, r#"C:\"x"\77"#),
        (r"C:\Users\x.cu", r"C:\Users\x.cu"),
    ] {
        let Item::File(file) = item(&format!(".file 1 \"{path}\"")) else {
            panic!()
        };
        assert_eq!((&*file.path, &*file.unescaped_path()), (path, unescaped));
    }
}

#[test]
fn entries_with_every_directive() {
    let text = ".visible .entry k(\n\t.param .u64 .ptr .global .align 16 a,\n\t.param .align 64 .b8 map[128],\n\t.param .u64 .ptr b\n)\n\
        .maxntid 128, 1, 1\n.reqntid 32\n.minnctapersm 2\n.maxnctapersm 3\n.maxnreg 64\n.reqnctapercluster 2, 1, 1\n\
        .explicitcluster\n.maxclusterrank 8\n.blocksareclusters\n.made_up 4\n.pragma \"nounroll\";\n{\n\tret;\n}";
    let Item::Function(entry) = item(text) else {
        panic!()
    };
    assert_eq!(entry.to_string(), text);
    assert!(entry.is_entry());
    assert_eq!(
        entry.directive(".maxntid").unwrap().values(),
        Some(vec![128, 1, 1])
    );
    assert_eq!(
        entry.directive(".explicitcluster").unwrap().values(),
        Some(vec![])
    );
    assert_eq!(entry.directive(".noreturn"), None);
    let extent = |arguments| {
        let module = module(&format!(".entry k() .maxntid {arguments} {{ ret; }}"));
        let entry = module.function("k").unwrap();
        entry.directive(".maxntid").unwrap().extent()
    };
    assert_eq!(extent("64"), Some([64, 1, 1]));
    assert_eq!(extent("64, 2"), Some([64, 2, 1]));
    assert_eq!(extent("64, 2, 3"), Some([64, 2, 3]));
    assert_eq!(extent("64, 2, 3, 1"), None);
    assert_eq!(extent("-1"), None);
    assert_eq!(entry.directive(".explicitcluster").unwrap().extent(), None);
    let pointer = entry.parameter("a").unwrap().pointer.clone().unwrap();
    assert_eq!(
        pointer,
        Pointer {
            space: Some(Space::Global),
            align: Some(16)
        }
    );
    assert_eq!(
        entry.parameter("b").unwrap().pointer,
        Some(Pointer::default())
    );
    assert_eq!(entry.parameter("map").unwrap().size_bytes(), Some(128));
    assert_eq!(entry.pragmas.len(), 1);
}

#[test]
fn functions() {
    let text = ".weak .func (.param .align 8 .b8 r[16]) f(\n\t.reg .u32 a,\n\t.param .b64 b\n)\n.noreturn\n.abi_preserve 4;";
    let Item::Function(function) = item(text) else {
        panic!()
    };
    assert_eq!(function.to_string(), text);
    assert_eq!(
        (function.kind, function.returns.len(), &function.body),
        (FunctionKind::Func, 1, &None)
    );
    let Item::Function(bare) = item(".func f { ret; }") else {
        panic!()
    };
    assert!(bare.parameters.is_empty() && bare.returns.is_empty() && bare.body.is_some());
    let Item::Function(marked) = item(".func .attribute(.unified(1, 2)) f();") else {
        panic!()
    };
    assert_eq!(marked.attributes[0].name, ".unified");
}

#[test]
fn sections_are_text_up_to_their_brace() {
    let body = "\n$L__a:\n.b8 4,5 // { \n{ .b84,255 }\n\t.b64 $L__b-$L__a\n\"}\"\n";
    let module = module(&format!(
        ".section .debug_str\n{{{body}}}\n.section .debug_macinfo\t{{\t}}\n$L__sec_end0:"
    ));
    let Item::Section(section) = &module.items[0] else {
        panic!()
    };
    assert_eq!(
        (section.name.as_str(), section.body.as_str()),
        (".debug_str", body)
    );
    assert_eq!(section.labels().collect::<Vec<_>>(), ["$L__a"]);
    assert!(matches!(&module.items[2], Item::Label(label) if *label == "$L__sec_end0"));
}

#[test]
fn pragmas_and_aliases() {
    let module = module(".pragma \"tma kernel=a\", \"b\";\n.alias g, f;");
    assert_eq!(
        module.pragmas().next().unwrap().texts,
        ["tma kernel=a", "b"]
    );
    let Item::Alias(alias) = &module.items[1] else {
        panic!()
    };
    assert_eq!((alias.name.as_str(), alias.aliased.as_str()), ("g", "f"));
}
