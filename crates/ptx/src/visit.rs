//! Visits the names used in parts of the tree.

use crate::ast::{
    Block, Expression, ExpressionKind, Function, Identifier, Initializer, InitializerKind,
    Instruction, Operand, OperandKind, Statement, Variable,
};

impl Function {
    /// Calls `see` with every name that the body uses, in order: registers, variables, functions and labels, but
    /// not names that are only declared.
    pub fn for_each_name<'a>(&'a self, mut see: impl FnMut(&'a Identifier)) {
        if let Some(body) = &self.body {
            in_block(body, &mut see);
        }
    }
}

impl Instruction {
    /// Calls `see` with every name in the guard and the operands, in order.
    pub fn for_each_name<'a>(&'a self, mut see: impl FnMut(&'a Identifier)) {
        in_instruction(self, &mut see);
    }
}

impl Variable {
    /// Calls `see` with every name in sizes and initialisers, in order.
    pub fn for_each_name<'a>(&'a self, mut see: impl FnMut(&'a Identifier)) {
        in_variable(self, &mut see);
    }
}

impl Expression {
    /// Calls `see` with every name in the expression, in order.
    pub fn for_each_name<'a>(&'a self, mut see: impl FnMut(&'a Identifier)) {
        in_expression(self, &mut see);
    }
}

impl Operand {
    /// Calls `see` with every name in the operand, in order.
    pub fn for_each_name<'a>(&'a self, mut see: impl FnMut(&'a Identifier)) {
        in_operand(self, &mut see);
    }
}

type See<'s, 'a> = dyn FnMut(&'a Identifier) + 's;

fn in_block<'a>(block: &'a Block, see: &mut See<'_, 'a>) {
    for statement in block.walk() {
        match statement {
            Statement::Instruction(instruction) => in_instruction(instruction, see),
            Statement::Variable(variable) => in_variable(variable, see),
            Statement::LabelList(list) => list.targets.iter().for_each(&mut *see),
            Statement::Location(location) => {
                location
                    .inlined
                    .iter()
                    .for_each(|inlined| see(&inlined.function_name));
            }
            // `walk` already yields the contents of inner blocks; the others only declare names.
            Statement::Block(_)
            | Statement::Label(_)
            | Statement::Pragma(_)
            | Statement::CallPrototype(_) => {}
        }
    }
}

fn in_instruction<'a>(instruction: &'a Instruction, see: &mut See<'_, 'a>) {
    if let Some(guard) = &instruction.guard {
        see(&guard.register);
    }
    instruction
        .operands
        .iter()
        .for_each(|operand| in_operand(operand, see));
}

fn in_variable<'a>(variable: &'a Variable, see: &mut See<'_, 'a>) {
    for declarator in &variable.declarators {
        declarator
            .dimensions
            .iter()
            .flatten()
            .for_each(|size| in_expression(size, see));
        if let Some(initializer) = &declarator.initializer {
            in_initializer(initializer, see);
        }
    }
}

fn in_initializer<'a>(initializer: &'a Initializer, see: &mut See<'_, 'a>) {
    match &initializer.kind {
        InitializerKind::Value(value) => in_expression(value, see),
        InitializerKind::List(elements) => elements
            .iter()
            .for_each(|element| in_initializer(element, see)),
        // The words of a property are not names of the module.
        InitializerKind::String(_) | InitializerKind::Property(..) => {}
    }
}

fn in_operand<'a>(operand: &'a Operand, see: &mut See<'_, 'a>) {
    match &operand.kind {
        OperandKind::Symbol(symbol) => see(&symbol.name),
        OperandKind::Offset(parts) | OperandKind::Element(parts) => {
            let (symbol, expression) = &**parts;
            see(&symbol.name);
            in_expression(expression, see);
        }
        OperandKind::Constant(value) => in_expression(value, see),
        OperandKind::Sink => {}
        OperandKind::Not(operand) => in_operand(operand, see),
        OperandKind::Pair(left, right) => {
            in_operand(left, see);
            in_operand(right, see);
        }
        OperandKind::Vector(elements) | OperandKind::List(elements) => {
            elements.iter().for_each(|element| in_operand(element, see));
        }
        OperandKind::Memory { address, rest } => {
            in_operand(address, see);
            rest.iter().for_each(|element| in_operand(element, see));
        }
    }
}

fn in_expression<'a>(expression: &'a Expression, see: &mut See<'_, 'a>) {
    match &expression.kind {
        ExpressionKind::Literal(_) => {}
        ExpressionKind::Symbol(name) | ExpressionKind::Generic(name) => see(name),
        ExpressionKind::Unary(_, operand)
        | ExpressionKind::Cast(_, operand)
        | ExpressionKind::Mask(_, operand) => {
            in_expression(operand, see);
        }
        ExpressionKind::Binary(_, left, right) => {
            in_expression(left, see);
            in_expression(right, see);
        }
        ExpressionKind::Conditional(parts) => {
            parts.iter().for_each(|part| in_expression(part, see))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Statement, parse, parse_statements};

    #[test]
    fn an_instruction_uses_its_guard_and_every_operand() {
        let text =
            "@!%p1 foo.x %r1|%p2, {a, _, -b}, [%rd1+c, {%d.x}], !e, (f), t[g], 1 ? h : (.u64) i;";
        let [Statement::Instruction(instruction)] = &parse_statements(text).unwrap()[..] else {
            panic!()
        };
        let mut names = Vec::new();
        instruction.for_each_name(|name| names.push(name.as_str()));
        assert_eq!(
            names,
            [
                "%p1", "%r1", "%p2", "a", "b", "%rd1", "c", "%d", "e", "f", "t", "g", "h", "i"
            ]
        );
    }

    #[test]
    fn a_body_uses_inner_blocks_initialisers_tables_and_names_of_inlined_functions() {
        let module = parse(
            ".version 8.0 .target sm_90 .func f() {
                .loc 1 2 3, function_name $L__s0+4, inlined_at 1 1 1
                { { mov.u64 %rd1, a; } }
                .local .u64 x[N] = {generic(b)+4, 0xFF(c)};
                T: .branchtargets L1, L2;
                P: .callprototype _ (.param .b32 _);
                ret; }",
        );
        let mut names = Vec::new();
        let module = module.unwrap();
        module
            .function("f")
            .unwrap()
            .for_each_name(|name| names.push(name.as_str()));
        assert_eq!(names, ["$L__s0", "%rd1", "a", "N", "b", "c", "L1", "L2"]);
    }
}
