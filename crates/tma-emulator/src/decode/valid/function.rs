//! Checks a function's body: its declarations, and the names that its instructions use.

use ptx::{
    Block, ExpressionKind, Function, Identifier, Instruction, LabelListKind, Number, Operand,
    OperandKind, Space, Statement, Type, Variable,
};

use super::{
    Mistakes, module,
    names::{Meaning, Scope, registers},
    opcodes,
    types::{Takes, is_integer, is_like, takes},
};

struct Checker<'c, 'm> {
    globals: &'c Scope<'m>,
    scope: Scope<'m>,
    /// True if all instructions of its PTX ISA are known.
    knows: bool,
    mistakes: &'c mut Mistakes,
}

pub(super) fn check<'m>(
    function: &'m Function,
    globals: &Scope<'m>,
    knows: bool,
    mistakes: &mut Mistakes,
) {
    directives(function, mistakes);
    let mut checker = Checker {
        globals,
        knows,
        scope: Scope::default(),
        mistakes,
    };
    checker.scope.enter();
    for parameter in function.returns.iter().chain(&function.parameters) {
        module::align(parameter.align, *parameter.span, checker.mistakes);
        let meaning = match parameter.space {
            Space::Reg => Meaning::Register(parameter.ty),
            _ => Meaning::Name,
        };
        // `_` denotes parameters without a name.
        if parameter.name != *"_" {
            checker.declare(&parameter.name, meaning);
        }
    }
    if let Some(body) = &function.body {
        checker.statements(body);
    }
}

fn directives(function: &Function, mistakes: &mut Mistakes) {
    let extent = |name| function.directive(name).and_then(|found| found.extent());
    for name in [".maxntid", ".reqntid"] {
        if extent(name).is_some_and(|extent| extent.contains(&0)) {
            let what = format!("`{name}` is 0 but must be at least 1");
            mistakes.add(*function.name.span, "11.4", what);
        }
    }
    if function.directive(".maxntid").is_some() && function.directive(".reqntid").is_some() {
        let what = "`.maxntid` and `.reqntid` contradict each other".to_owned();
        mistakes.add(*function.name.span, "11.4", what);
    }
}

impl<'m> Checker<'_, 'm> {
    fn declare(&mut self, name: &'m Identifier, meaning: Meaning) {
        if !self.scope.declare(name.as_str(), meaning) {
            self.twice(name, name.as_str());
        }
    }

    fn twice(&mut self, at: &Identifier, name: &str) {
        let what = format!("`{name}` is defined twice between the same braces");
        self.mistakes.add(*at.span, "5.4", what);
    }

    fn find(&mut self, name: &Identifier) -> Option<Meaning> {
        let found = self.scope.find(name.as_str());
        let found = found.or_else(|| self.globals.find(name.as_str()));
        if found.is_none() {
            let what = format!("`{}` is not declared", name.as_str());
            self.mistakes.add(*name.span, "4.4, 5.4", what);
        }
        found
    }

    fn block(&mut self, block: &'m Block) {
        self.scope.enter();
        self.statements(block);
        self.scope.leave();
    }

    fn statements(&mut self, block: &'m Block) {
        // Labels may be used before their declaration.
        for statement in &block.statements {
            match statement {
                Statement::Label(label) => self.declare(label, Meaning::Label),
                Statement::LabelList(list) => self.declare(&list.label, Meaning::Name),
                Statement::CallPrototype(prototype) => {
                    self.declare(&prototype.label, Meaning::Name);
                }
                _ => {}
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Variable(variable) => self.variable(variable),
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Block(inner) => self.block(inner),
                Statement::LabelList(list) => {
                    for target in &list.targets {
                        if list.kind == LabelListKind::BranchTargets {
                            self.label(target);
                        } else {
                            self.find(target);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn variable(&mut self, variable: &'m Variable) {
        module::variable(variable, self.mistakes);
        for declarator in &variable.declarators {
            let meaning = match variable.space {
                Space::Reg => registers(variable),
                _ => Meaning::Name,
            };
            let name = &declarator.name;
            match declarator.range {
                Some(count) => {
                    let again = self.scope.declare_range(name.as_str(), count, meaning);
                    again.into_iter().for_each(|again| self.twice(name, &again));
                }
                None => self.declare(name, meaning),
            }
        }
    }

    fn label(&mut self, name: &Identifier) {
        if self.find(name).is_some_and(|found| found != Meaning::Label) {
            let what = format!("`{}` is not a label", name.as_str());
            self.mistakes.add(*name.span, "9.7.12", what);
        }
    }

    fn instruction(&mut self, instruction: &'m Instruction) {
        let stem = instruction.opcode.stem();
        if self.knows && !opcodes::is_known(stem) {
            let what = format!("there is no instruction `{stem}`");
            self.mistakes.add(*instruction.span, "9.7", what);
        }
        if let Some(guard) = &instruction.guard
            && let Some(found) = self.find(&guard.register)
            && found != Meaning::Register(Type::Pred)
        {
            let name = guard.register.as_str();
            let is = match found {
                Meaning::Register(ty) => format!("is `{}`", ty.as_str()),
                _ => "is not a register".into(),
            };
            let what = format!("`{name}` {is}, but a guard must be a predicate");
            self.mistakes.add(*guard.register.span, "9.3", what);
        }
        if instruction.opcode.stem() == "bra"
            && let [
                Operand {
                    kind: OperandKind::Symbol(symbol),
                    ..
                },
            ] = &*instruction.operands
        {
            return self.label(&symbol.name);
        }
        let takes = takes(instruction);
        for (index, operand) in instruction.operands.iter().enumerate() {
            let takes = takes.as_ref().and_then(|takes| takes.get(index).copied());
            self.operand(operand, takes.unwrap_or(Takes::Any));
        }
    }

    fn operand(&mut self, operand: &'m Operand, takes: Takes) {
        match &operand.kind {
            OperandKind::Symbol(symbol) => {
                let Some(found) = self.find(&symbol.name) else {
                    return;
                };
                let name = symbol.name.as_str();
                let is_scalar = symbol.component.is_none();
                let ty = match found {
                    Meaning::Register(ty) if is_scalar => ty,
                    Meaning::Vector(ty) if !is_scalar => ty,
                    Meaning::Special(ty) => return self.special(operand, name, ty, takes),
                    _ => return,
                };
                if let Some(problem) = is_like(ty, takes) {
                    let what = format!("`{name}` is `{}`, but {problem}", ty.as_str());
                    self.mistakes.add(*symbol.name.span, "9.4", what);
                }
            }
            OperandKind::Constant(value) => {
                let number = match &value.kind {
                    ExpressionKind::Literal(literal) => Some(literal.number()),
                    _ => None,
                };
                let is_float = matches!(number, Some(Number::F32 { .. } | Number::F64 { .. }));
                let what = match (takes.ty(), number) {
                    (Some(ty @ (Type::F32 | Type::F64)), Some(Number::Integer { .. })) => {
                        format!(
                            "an integer is given where the instruction takes `{}`",
                            ty.as_str()
                        )
                    }
                    (Some(ty), _) if is_float && is_integer(ty) => format!(
                        "a floating-point number is given where the instruction takes `{}`",
                        ty.as_str()
                    ),
                    _ => return self.names(operand),
                };
                self.mistakes.add(*operand.span, "9.4", what);
            }
            OperandKind::Not(inner) => self.operand(inner, takes),
            OperandKind::Pair(first, second) => {
                self.operand(first, takes);
                self.operand(second, Takes::Any);
            }
            OperandKind::Vector(all) if matches!(takes, Takes::Wide(_) | Takes::Special(_)) => {
                if matches!(takes, Takes::Wide(_)) {
                    self.same_size(all);
                }
                all.iter().for_each(|one| self.operand(one, takes));
            }
            OperandKind::Memory { address, rest } => {
                let takes = match takes {
                    Takes::Address { .. } => takes,
                    _ => Takes::Any,
                };
                match &address.kind {
                    OperandKind::Offset(sum) => {
                        let base = Operand {
                            kind: OperandKind::Symbol(sum.0.clone()),
                            span: address.span,
                        };
                        self.base(&base, takes);
                    }
                    _ => self.operand(address, takes),
                }
                rest.iter().for_each(|one| self.operand(one, Takes::Any));
            }
            _ => self.names(operand),
        }
    }

    /// Checks that the registers of a vector have one size.
    fn same_size(&mut self, all: &[Operand]) {
        let bytes = |operand: &Operand| match self.scope.find(operand.as_name()?)? {
            Meaning::Register(ty) => ty.size_bytes(),
            _ => None,
        };
        let mut sizes = all.iter().filter_map(bytes);
        let first = sizes.next();
        if sizes.any(|size| Some(size) != first)
            && let Some(operand) = all.first()
        {
            let what = "the registers of a vector are of different sizes".to_owned();
            self.mistakes.add(*operand.span, "6.4.3", what);
        }
    }

    /// Checks the register of an address with an offset.
    fn base(&mut self, base: &Operand, takes: Takes) {
        if let OperandKind::Symbol(symbol) = &base.kind
            && let Some(Meaning::Register(ty)) = self.find(&symbol.name)
            && let Some(problem) = is_like(ty, takes)
        {
            let what = format!(
                "`{}` is `{}`, but {problem}",
                symbol.name.as_str(),
                ty.as_str()
            );
            self.mistakes.add(*symbol.name.span, "9.4", what);
        }
    }

    fn special(&mut self, operand: &Operand, name: &str, ty: Type, takes: Takes) {
        let what = match takes {
            Takes::Special(takes) => {
                // A register of 32 bits is truncated to 16, but never extended.
                let bytes = |ty: Type| ty.size_bytes().unwrap_or(0);
                if bytes(takes) <= bytes(ty) && (bytes(ty) < 8 || bytes(takes) == 8) {
                    return;
                }
                format!(
                    "`{name}` is `{}`, but the instruction takes `{}`",
                    ty.as_str(),
                    takes.as_str()
                )
            }
            Takes::Any | Takes::Wide(_) => return,
            _ => {
                format!("the special register `{name}` can only be read by `mov` and `cvt`")
            }
        };
        self.mistakes.add(*operand.span, "10", what);
    }

    fn names(&mut self, operand: &'m Operand) {
        let mut names = Vec::new();
        operand.for_each_name(|name| names.push(name));
        for name in names {
            self.find(name);
        }
    }
}
