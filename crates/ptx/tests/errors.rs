//! The messages of syntax errors.

use ptx::{SyntaxErrors, parse, parse_named, parse_statements};

/// Location, expectation and finding of each error in statements.
fn in_statements(text: &str) -> Vec<String> {
    messages(&parse_statements(text).unwrap_err())
}

/// Like the function above, for a module; the head is put on the first line.
fn in_module(items: &str) -> Vec<String> {
    let text = format!(".version 9.0 .target sm_90a .address_size 64\n{items}");
    messages(&parse(&text).unwrap_err())
}

fn messages(errors: &SyntaxErrors) -> Vec<String> {
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn a_report_shows_the_file_the_line_and_the_location() {
    let text =
        ".version 9.0\n.target sm_90a\n.func f()\n{\n\tadd.s32 %r1, %r2 %r3;\n\tret 0f12;\n}\n";
    assert_eq!(
        parse_named("kernels.ptx", text).unwrap_err().to_string(),
        "kernels.ptx:5:19: expected `,` or `;` after the operand, found `%r3`\n\
         \tadd.s32 %r1, %r2 %r3;\n\
         \t                 ^^^\n\
         kernels.ptx:6:6: expected an operand, found the malformed number `0f12`\n\
         \tret 0f12;\n\
         \t    ^^^^"
    );
}

#[test]
fn the_caret_stands_right_behind_wide_characters() {
    let error = parse_statements("/* µ */ ; ").unwrap_err().to_string();
    assert!(error.ends_with("/* µ */ ; \n        ^"), "{error}");
}

#[test]
fn a_line_without_text_is_not_shown() {
    for (text, location) in [("", "1:1"), (" \n\n", "3:1")] {
        let error = parse_named("empty.ptx", text).unwrap_err().to_string();
        assert_eq!(
            error,
            format!(
                "empty.ptx:{location}: expected `.version`, which begins every module, found the end \
                 of the text"
            )
        );
    }
}

#[test]
fn operands() {
    assert_eq!(
        in_statements("mov.u32 %r1, ;"),
        ["1:14: expected an operand, found `;`"]
    );
    assert_eq!(
        in_statements("ld.u32 %r1, [%rd1;"),
        ["1:18: expected `]` after the address, found `;`"]
    );
    assert_eq!(
        in_statements("ld.u32 %r1, [];"),
        ["1:14: expected an address, found `]`"]
    );
    assert_eq!(
        in_statements("mov.b64 {%r1 %r2}, %rd1;"),
        ["1:14: expected `,` or `}` after the operand, found `%r2`"]
    );
    assert_eq!(
        in_statements("call f, (a b);"),
        ["1:12: expected `,` or `)` after the operand, found `b`"]
    );
    assert_eq!(
        in_statements("call f*g, (a);"),
        ["1:7: expected `,` or `;` after the operand, found `*`"]
    );
    assert_eq!(
        in_statements("call !f+1, (a);"),
        ["1:6: expected a name or a list, found `!`"]
    );
    assert_eq!(
        in_statements("call !(f), (a);"),
        ["1:6: expected a name or a list, found `!`"]
    );
    assert_eq!(
        in_statements("mov.u32 %r1, 4+;"),
        ["1:16: expected a number or a name, found `;`"]
    );
    assert_eq!(
        in_statements("mov.u32 %r1, (4;"),
        ["1:16: expected `)` after the expression, found `;`"]
    );
    assert_eq!(
        in_statements("mov.u64 %r1, (.q) 4;"),
        ["1:15: expected a type such as `.u64`, found `.q`"]
    );
    assert_eq!(
        in_statements("mov.u64 %rd1, 18446744073709551616;"),
        [
            "1:15: expected a number of at most 64 bits, found `18446744073709551616`, which has more than 64 bits"
        ]
    );
}

#[test]
fn statements() {
    let expected = "an instruction, a label, a declaration or `}`";
    assert_eq!(
        in_statements("%r1 = 4;"),
        [format!("1:1: expected {expected}, found `%r1`")]
    );
    assert_eq!(
        in_statements(";"),
        [format!("1:1: expected {expected}, found `;`")]
    );
    assert_eq!(
        in_statements("}"),
        [format!("1:1: expected {expected}, found `}}`")]
    );
    assert_eq!(
        in_statements(".maxntid 3;"),
        [format!("1:1: expected {expected}, found `.maxntid`")]
    );
    assert_eq!(
        in_statements("@ ;"),
        ["1:3: expected a predicate register, found `;`"]
    );
    assert_eq!(
        in_statements("@%p1 4;"),
        ["1:6: expected an instruction, found `4`"]
    );
    assert_eq!(
        in_statements(".reg .u33 %r1;"),
        ["1:6: expected a type such as `.u32`, found `.u33`"]
    );
    assert_eq!(
        in_statements(".reg .b32 %r<x>;"),
        ["1:14: expected the number of registers, found `x`"]
    );
    assert_eq!(
        in_statements(".reg .b32 4;"),
        ["1:11: expected the name of a variable, found `4`"]
    );
    assert_eq!(
        in_statements(".loc 1 2"),
        ["1:9: expected a column, found the end of the text"]
    );
    assert_eq!(
        in_statements(".loc 1 2 3, inlined_at 1 2 3"),
        ["1:13: expected `function_name`, found `inlined_at`"]
    );
    assert_eq!(
        in_statements(".pragma nounroll;"),
        ["1:9: expected a string, found `nounroll`"]
    );
}

#[test]
fn text_that_is_no_token() {
    assert_eq!(
        in_statements("mov.u32 %r1, #4;"),
        ["1:14: expected an operand, found `#`"]
    );
    assert_eq!(
        in_statements(".pragma \"open\nret;"),
        ["1:9: expected a string, found a string without its closing quote"]
    );
    assert_eq!(
        in_statements("ret /* open;"),
        ["1:5: expected an operand, found a comment without its end"]
    );
    assert_eq!(
        in_module("# 1 \"a.cu\"\n.func f();"),
        ["2:1: expected a function, a variable or another directive, found `#`"]
    );
    assert_eq!(
        in_module("@@DWARF .byte 1"),
        ["2:1: expected a function, a variable or another directive, found `@`"]
    );
}

#[test]
fn heads() {
    let of = |text| messages(&parse(text).unwrap_err());
    assert_eq!(
        of(""),
        ["1:1: expected `.version`, which begins every module, found the end of the text"]
    );
    assert_eq!(
        of(".target sm_90"),
        ["1:1: expected `.version`, which begins every module, found `.target`"]
    );
    assert_eq!(
        of(".version 9"),
        ["1:10: expected a version such as `9.0`, found `9`"]
    );
    assert_eq!(
        of(".version 9.0 .func f();"),
        ["1:14: expected `.target` after the version, found `.func`"]
    );
}

#[test]
fn items() {
    assert_eq!(
        in_module(".func (f();"),
        ["2:8: expected `.param` and a parameter, found `f`"]
    );
    assert_eq!(
        in_module(".entry f(.param .u32 a .param .u32 b);"),
        ["2:24: expected `,` or `)` after the parameter, found `.param`"]
    );
    assert_eq!(
        in_module(".visible f;"),
        ["2:10: expected `.entry`, `.func` or a state space, found `f`"]
    );
    assert_eq!(
        in_module(".entry f() 4"),
        ["2:12: expected a directive, `{` and the body, or `;`, found `4`"]
    );
    assert_eq!(
        in_module(".global .u32 a = {1 2};"),
        ["2:21: expected `,` or `}` after the initialiser, found `2`"]
    );
    assert_eq!(
        in_module(".section .debug_str { .b8 1"),
        ["2:28: expected `}` to close the section, found the end of the text"]
    );
    assert_eq!(
        in_module(".alias a;"),
        ["2:9: expected `,` and the function that the alias names, found `;`"]
    );
    assert_eq!(
        in_module(".file x"),
        ["2:7: expected the number of the file, found `x`"]
    );
}

#[test]
fn several_errors_come_at_once_in_order() {
    let errors = in_module(
        ".global .u33 a;
.visible .entry f(
	.param .u64 p
)
{
	mov.u32 %r1 4;
	mov.b64 {%r1, %r2;
	{ ld.u32 %r1, %rd1]; }
	ret;
}
.visible .entry g()
{
	bra L, ,
	ret;
",
    );
    assert_eq!(
        errors,
        [
            "2:9: expected a type such as `.u32`, found `.u33`",
            "7:14: expected `,` or `;` after the operand, found `4`",
            "8:19: expected `,` or `}` after the operand, found `;`",
            "9:20: expected `,` or `;` after the operand, found `]`",
            "14:9: expected an operand, found `,`",
            "16:1: expected `}` to close the body of `g`, found the end of the text",
        ]
    );
}

#[test]
fn a_missing_semicolon_costs_no_other_statement() {
    assert_eq!(
        in_statements("mov.u32 %r1, %r2\nadd.u32 %r1, ;\n"),
        [
            "2:1: expected `,` or `;` after the operand, found `add`",
            "2:14: expected an operand, found `;`",
        ]
    );
}

#[test]
fn a_missing_brace_costs_no_other_function() {
    let errors = in_module(".func f()\n{\n\tret;\n.visible .entry g()\n{\n\tret }\n.func h( {}");
    assert_eq!(
        errors,
        [
            "5:1: expected `}` to close the body of `f`, found `.visible`",
            "7:6: expected an operand, found `}`",
            "8:10: expected `.param` and a parameter, found `{`",
        ]
    );
}

#[test]
fn the_rest_of_what_is_wrong_costs_no_other_function() {
    let errors =
        in_module(".func f() { add.s32 %r1, %r2 %r3 { x }\n}\n.func h( { ret; ret; }\n.func i( {}");
    assert_eq!(
        errors,
        [
            "2:30: expected `,` or `;` after the operand, found `%r3`",
            "4:10: expected `.param` and a parameter, found `{`",
            "5:10: expected `.param` and a parameter, found `{`",
        ]
    );
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [
        ("{", "}"),
        ("mov.u32 %r1, (", ""),
        ("mov.u32 %r1, -", ""),
        ("foo {", ""),
    ] {
        let inner = open.chars().last().unwrap().to_string().repeat(100_000);
        let error = parse_statements(&format!("{open}{inner}{close}")).unwrap_err();
        assert_eq!(
            error.iter().next().unwrap().expected,
            "at most 100 levels of nesting",
            "{open}"
        );
    }
    let sum = format!("mov.u32 %r1, 1{};", "+1".repeat(100_000));
    assert_eq!(
        parse_statements(&sum)
            .unwrap_err()
            .iter()
            .next()
            .unwrap()
            .expected,
        "at most 100 operators in a row"
    );
}

#[test]
fn errors_stop_at_a_hundred() {
    assert_eq!(
        parse_statements(&"; ".repeat(100_000))
            .unwrap_err()
            .iter()
            .count(),
        100
    );
}

/// No page of the text is written, so that the system has one page of zeros for all of it.
#[test]
#[cfg(target_pointer_width = "64")]
fn a_text_whose_offsets_have_more_than_32_bits_is_refused() {
    let text = String::from_utf8(vec![0; 1 << 32]).unwrap();
    let errors = ptx::parse(&text).unwrap_err();
    let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        ["1:1: expected a text of at most 4294967295 bytes, found a longer one"]
    );
}
