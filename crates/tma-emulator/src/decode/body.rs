//! Functions, statement by statement.

use std::{
    collections::{HashMap, HashSet},
    rc::Rc,
    sync::Arc,
};

use ptx::{Block, Instruction, Item, Module, Space, Span, Statement};
use ptx_isa::Form;

use super::{
    Decode, Image, InstructionSet, Modifiers, NotSupported, Unsupported,
    image::{Shared, align_of},
    lines::Lines,
    respelled::respelled,
    results,
    scope::{Register, Scope, Symbol, is_shared},
    signature,
};
use crate::machine::{
    Alu, Code, Constant, Function, Operation, Passed, Program, SHARED_START, Slot, Special,
    in_source,
};

/// Larger frames in local memory are refused.
const MAX_LOCAL_BYTES: u64 = 512 << 10;

/// Decodes one kernel and its callees.
pub(crate) struct Decoder<'m, A> {
    module: &'m Module,
    pub(crate) image: &'m Image,
    pub(crate) scope: Scope,
    /// True in the kernel itself, false in a function that it calls.
    pub(crate) in_entry: bool,
    code: Code<A>,
    /// Indices of functions by name; those that are not decoded yet wait in the queue.
    ids: HashMap<&'m str, usize>,
    queue: Vec<(usize, &'m ptx::Function)>,
    unsupported: Vec<Unsupported>,
    shared: Vec<Shared>,
    shared_places: HashMap<usize, Option<u64>>,
    shared_end: u64,
    /// Another kernel comes after this one in the text.
    is_followed: bool,
    /// Variables with decoded functions.
    reached: HashSet<String>,
    /// Cache of forms, by opcode and kinds of operands.
    pub(super) forms: HashMap<String, Option<Rc<Form>>>,
    // State of the current function:
    constants: HashMap<ConstantKey, Slot>,
    function: Function,
    labels: Vec<Option<usize>>,
    carry: Option<Slot>,
    lines: Lines,
    /// The registers that each instruction names, in functions with products of a warpgroup.
    named: Vec<(u32, Vec<Slot>)>,
    /// The registers of these products.
    products: HashSet<Slot>,
    /// Instructions of the current function with unused results.
    without_effect: HashSet<Span>,
    // State of the current instruction:
    guard: Option<(Slot, bool)>,
}

type ConstantKey = String;

/// Decodes the kernel `entry` and every function that it may call.
pub(crate) fn decode<A: InstructionSet>(
    module: &Module,
    image: &Image,
    name: &str,
    text: &Arc<str>,
    entry: &str,
) -> Result<Code<A>, Vec<Unsupported>> {
    let files = module.items.iter().filter_map(|item| match item {
        Item::File(file) => Some((file.index, file.unescaped_path())),
        _ => None,
    });
    let code = Code {
        program: Program::new(name, Arc::clone(text), files.collect()),
        operations: Vec::new(),
    };
    let mut decoder = Decoder {
        module,
        image,
        scope: Scope::default(),
        in_entry: true,
        code,
        ids: HashMap::new(),
        queue: Vec::new(),
        unsupported: Vec::new(),
        shared: image.shared.clone(),
        shared_places: HashMap::new(),
        shared_end: SHARED_START,
        is_followed: is_followed(module, entry),
        reached: HashSet::new(),
        forms: HashMap::new(),
        constants: HashMap::new(),
        function: Function::default(),
        labels: Vec::new(),
        carry: None,
        lines: Lines::default(),
        named: Vec::new(),
        products: HashSet::new(),
        without_effect: HashSet::new(),
        guard: None,
    };
    // The caller has found the entry.
    if decoder.function_id(entry).is_err() {
        return Err(Vec::new());
    }
    while let Some((id, function)) = decoder.queue.pop() {
        decoder.in_entry = id == 0;
        decoder.function(id, function);
    }
    decoder.code.program.complete(decoder.shared_end);
    match decoder.unsupported.is_empty() {
        true => Ok(decoder.code),
        false => {
            decoder
                .unsupported
                .sort_by_key(|item| (item.location.line, item.location.column));
            Err(decoder.unsupported)
        }
    }
}

/// Returns whether another kernel comes after this one.
fn is_followed(module: &Module, entry: &str) -> bool {
    let last = module.entries().filter(|entry| entry.body.is_some()).last();
    last.is_some_and(|last| last.name != *entry)
}

/// Returns why a function without a body cannot be called: another module or CUDA's device runtime has it.
fn without_body(name: &str) -> String {
    // The device runtime of dynamic parallelism has names of its own since CUDA 12 (CDP2).
    let own = name.strip_prefix("__cudaCDP2");
    let function = own.or(name.strip_prefix("cuda")).unwrap_or_default();
    let launches = ["LaunchDevice", "GetParameterBuffer"];
    if launches.iter().any(|start| function.starts_with(start)) {
        format!(
            "`{name}` launches a kernel from a kernel (dynamic parallelism), which the emulator does not support"
        )
    } else if !function.is_empty() {
        format!("`{name}` is a function of CUDA's device runtime, which the emulator lacks")
    } else {
        format!("`{name}` has no body in this module")
    }
}

impl<'m, A: InstructionSet> Decoder<'m, A> {
    fn function(&mut self, id: usize, function: &'m ptx::Function) {
        self.function = Function {
            name: function.name.as_str().to_owned(),
            start: self.code.operations.len(),
            ..Function::default()
        };
        self.scope = Scope::default();
        self.constants.clear();
        self.labels.clear();
        (self.carry, self.guard) = (None, None);
        self.lines = Lines::default();
        self.scope.enter();
        let mut offset = 0;
        for parameter in &function.parameters {
            let passed = if self.in_entry {
                offset = self.entry_parameter(parameter, offset);
                continue;
            } else {
                self.passed(parameter)
            };
            self.function.parameters.push(passed);
        }
        for parameter in &function.returns {
            let passed = self.passed(parameter);
            self.function.returns.push(passed);
        }
        if let Some(body) = &function.body {
            self.without_effect = results::without_effect::<A>(body);
            self.block(body);
        }
        self.guard = None;
        self.emit(A::end_of_function());
        self.scope.leave();
        self.function.slots = self.scope.slots;
        self.function.registers = std::mem::take(&mut self.scope.registers);
        for (site, mut registers) in std::mem::take(&mut self.named) {
            registers.retain(|register| self.products.contains(register));
            if !registers.is_empty() {
                self.code.program.add_products(site, registers);
            }
        }
        self.products.clear();
        if self.function.local_bytes > MAX_LOCAL_BYTES {
            let reason = format!(
                "it needs {} bytes of local memory",
                self.function.local_bytes
            );
            self.refuse(function.name.as_str(), *function.span, reason);
        }
        for operation in &mut self.code.operations[self.function.start..] {
            // Labels without a place occur only in text that ends too early, which never runs.
            operation.action.for_each_target(|target| {
                *target = self.labels.get(*target).copied().flatten().unwrap_or(0);
            });
        }
        self.code.program.functions[id] = std::mem::take(&mut self.function);
    }

    fn entry_parameter(&mut self, parameter: &ptx::Parameter, offset: u64) -> u64 {
        let size = signature::parameter(parameter);
        let offset = offset.next_multiple_of((size.align_bytes as u64).max(1));
        self.declare_param(parameter.name.as_str(), Symbol::Param { offset });
        offset + size.size_bytes as u64
    }

    fn passed(&mut self, parameter: &ptx::Parameter) -> Passed {
        if parameter.space == Space::Reg {
            let register = Register {
                slot: self.scope.slot(),
                ty: parameter.ty,
            };
            self.scope
                .declare(parameter.name.as_str(), Symbol::Register(register));
            return Passed::Register(register.slot);
        }
        let size = signature::parameter(parameter);
        let (bytes, align) = (size.size_bytes as u64, size.align_bytes as u64);
        let offset = self.local(align, bytes);
        self.declare_param(parameter.name.as_str(), Symbol::Local { offset, bytes });
        Passed::Local { offset, bytes }
    }

    /// Declares a variable in `.param`. If a variable of the module has the same name, ptxas 13.0 uses that one
    /// in each kernel but the module's last, and in its callees.
    fn declare_param(&mut self, name: &str, symbol: Symbol) {
        let is_variable = self.image.names.contains_key(name);
        let symbol = match self.is_followed && is_variable {
            false => symbol,
            true => Symbol::Refused(format!(
                "`{name}` names both a parameter and a variable of the module, and ptxas 13.0 takes the variable \
                 in every kernel but the module's last; rename the parameter"
            )),
        };
        self.scope.declare(name, symbol);
    }

    fn local(&mut self, align: u64, bytes: u64) -> u64 {
        let offset = self
            .function
            .local_bytes
            .next_multiple_of(align.clamp(1, 1 << 20));
        self.function.local_bytes = offset.saturating_add(bytes).min(1 << 40);
        offset
    }

    fn block(&mut self, block: &'m Block) {
        self.scope.enter();
        for statement in &block.statements {
            match statement {
                Statement::Label(label) => {
                    self.labels.push(None);
                    let label = (label.as_str(), Symbol::Label(self.labels.len() - 1));
                    self.scope.declare(label.0, label.1);
                }
                Statement::LabelList(list) => {
                    let targets = list.targets.iter().map(|t| t.as_str().to_owned()).collect();
                    self.scope
                        .declare(list.label.as_str(), Symbol::Targets(targets));
                }
                _ => {}
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Instruction(instruction) => self.instruction(instruction),
                Statement::Label(label) => {
                    if let Some(Symbol::Label(index)) = self.scope.find(label.as_str()) {
                        self.labels[index] = Some(self.code.operations.len());
                    }
                }
                Statement::Variable(variable) => self.declare(variable),
                Statement::Block(inner) => self.block(inner),
                Statement::Location(location) => {
                    self.lines.see(location, &mut self.code.program);
                }
                Statement::Pragma(_) | Statement::LabelList(_) | Statement::CallPrototype(_) => {}
            }
        }
        self.scope.leave();
    }

    fn declare(&mut self, variable: &ptx::Variable) {
        for declarator in &variable.declarators {
            let name = declarator.name.as_str();
            let refused = |reason: &str| Symbol::Refused(format!("`{name}` is {reason}"));
            let symbol = match (variable.space, variable.size_bytes(declarator)) {
                (Space::Reg, _) => {
                    let elements = variable.vector.map_or(1, ptx::Vector::elements) as usize;
                    match declarator.range {
                        Some(count) => {
                            self.scope.declare_range(name, count, variable.ty, elements);
                            continue;
                        }
                        None => self.scope.register(variable.ty, elements),
                    }
                }
                (Space::Local | Space::Param, Some(bytes)) => {
                    let offset = self.local(align_of(variable), bytes);
                    let symbol = Symbol::Local { offset, bytes };
                    if variable.space == Space::Param {
                        self.declare_param(name, symbol);
                        continue;
                    }
                    symbol
                }
                (space, bytes) if is_shared(space) => {
                    self.shared.push(Shared {
                        name: in_source(name).to_owned(),
                        align: align_of(variable),
                        bytes,
                    });
                    Symbol::Shared {
                        key: self.shared.len() - 1,
                    }
                }
                _ => refused("a variable of a kind that functions cannot have"),
            };
            self.scope.declare(name, symbol);
        }
    }

    fn instruction(&mut self, instruction: &'m Instruction) {
        let opcode = &instruction.opcode;
        let source = self.lines.current();
        self.code
            .program
            .add_site(opcode.name(), *instruction.span, source);
        let before = self.code.operations.len();
        let respelled = respelled(instruction);
        let instruction = respelled.as_ref().unwrap_or(instruction);
        let opcode = &instruction.opcode;
        let result = self.guard(instruction).and_then(|()| {
            let (stem, decode) = A::family(opcode).ok_or("the instruction is not known")?;
            match decode {
                Decode::Form(decode) => {
                    let form = self.form(instruction)?;
                    decode(self, instruction, &form)
                }
                Decode::Words(decode) => {
                    let mut modifiers = Modifiers::new(opcode, stem);
                    decode(self, instruction, &mut modifiers)?;
                    modifiers.finish()
                }
            }
        });
        // The last of several operations counts as the instruction.
        if self.code.operations.len() > before
            && let Some(last) = self.code.operations.last_mut()
        {
            last.counts = 1;
        }
        if let Err(reason) = result {
            let reason = reason.sentence(instruction);
            self.refuse(opcode.name(), *instruction.span, reason);
        }
        self.guard = None;
    }

    fn guard(&mut self, instruction: &Instruction) -> Result<(), NotSupported> {
        self.guard = match &instruction.guard {
            None => None,
            Some(guard) => match self.scope.find(guard.register.as_str()) {
                Some(Symbol::Register(register)) => Some((register.slot, guard.negated)),
                _ => return Err("its predicate is not a register".into()),
            },
        };
        Ok(())
    }

    /// Returns whether the module may have collectives without `.sync` (PTX ISA 9.7.9.5, 9.7.13.8).
    pub(crate) fn is_before_sync(&self) -> bool {
        let ptx::Version { major, minor } = self.module.version;
        let names = self.module.target.names.iter();
        let numbers =
            names.filter_map(|name| name.as_str().strip_prefix("sm_")?.parse::<u32>().ok());
        (major, minor) < (6, 4) || numbers.max().is_some_and(|number| number < 70)
    }

    fn refuse(&mut self, instruction: &str, span: ptx::Span, reason: String) {
        self.unsupported.push(Unsupported {
            instruction: instruction.to_owned(),
            reason,
            location: self.code.program.location_of(span, self.lines.current()),
        });
    }

    /// Returns whether the result of an instruction of the current function is not used.
    pub(crate) fn decides_nothing(&self, instruction: &Instruction) -> bool {
        self.without_effect.contains(&*instruction.span)
    }

    /// Marks the current instruction as a product with these registers; its own uses do not count as accesses.
    pub(crate) fn add_products(&mut self, registers: impl IntoIterator<Item = Slot>) {
        let site = self.code.program.last_site();
        self.named.retain(|(other, _)| *other != site);
        self.products.extend(registers);
    }

    /// Records that the kernel reads a special register.
    pub(super) fn reads(&mut self, special: Special) {
        let program = &mut self.code.program;
        match special {
            Special::Workspace(_) => program.reads_workspace = true,
            Special::ReservedSmemOffset(0) => program.first_shared = 0,
            _ => {}
        }
    }

    /// Records that the current instruction names a register.
    pub(super) fn name(&mut self, slot: Slot) {
        let site = self.code.program.last_site();
        match self.named.last_mut() {
            Some((last, slots)) if *last == site => slots.push(slot),
            _ => self.named.push((site, vec![slot])),
        }
    }

    /// Notes that the kernel reads pending arrivals from the states that arrivals return.
    pub(crate) fn read_pending_counts(&mut self) {
        self.code.program.reads_pending_counts = true;
    }

    /// Adds an operation under the guard of the instruction.
    pub(crate) fn emit(&mut self, action: A) {
        let guard = self.guard;
        self.push(action, guard);
    }

    /// Adds an operation that only writes unnamed slots, independent of the guard.
    pub(crate) fn emit_hidden(&mut self, action: A) {
        self.push(action, None);
    }

    fn push(&mut self, action: A, guard: Option<(Slot, bool)>) {
        self.code.program.add_operation();
        self.code.operations.push(Operation {
            action,
            guard,
            counts: 0,
        });
    }

    /// Computes a value into a slot without a name.
    pub(crate) fn temporary(&mut self, alu: impl FnOnce(Slot) -> Alu) -> Slot {
        let d = self.scope.slot();
        self.emit_hidden(alu(d).into());
        d
    }

    /// Returns a slot with this value at the entry of the function.
    pub(crate) fn constant(&mut self, constant: Constant) -> Slot {
        let key = format!("{constant:?}");
        if let Some(slot) = self.constants.get(&key) {
            return *slot;
        }
        let slot = self.scope.slot();
        self.function.constants.push((slot, constant));
        self.constants.insert(key, slot);
        slot
    }

    /// Returns the slot of the carry flag (PTX ISA, section 9.7.2).
    pub(crate) fn carry(&mut self) -> Slot {
        let slot = self.carry.unwrap_or_else(|| self.scope.slot());
        self.carry = Some(slot);
        slot
    }

    /// Returns the label's number, which becomes an index when the function is complete.
    pub(crate) fn label(&mut self, name: &str) -> Result<usize, NotSupported> {
        match self.scope.find(name) {
            Some(Symbol::Label(label)) => Ok(label),
            _ => Err(format!("there is no label `{name}`").into()),
        }
    }

    /// Places a shared variable when it is first used, so that each kernel has only the variables that it uses.
    pub(super) fn shared_address(&mut self, key: usize, offset: u64, generic: bool) -> Constant {
        let Shared { name, align, bytes } = &self.shared[key];
        let place = *self
            .shared_places
            .entry(key)
            .or_insert_with(|| match *bytes {
                None => {
                    let align = (*align).max(self.code.program.dynamic_shared_align);
                    self.code.program.dynamic_shared_align = align;
                    None
                }
                Some(bytes) => {
                    let start = self.shared_end.next_multiple_of(*align);
                    self.shared_end = start.saturating_add(bytes).min(1 << 40);
                    self.code.program.shared_names.add(name, start, bytes);
                    Some(start)
                }
            });
        match place {
            Some(start) => Constant::Shared(start.wrapping_add(offset), generic),
            None => Constant::DynamicShared(offset, generic),
        }
    }

    /// Returns the index of a function with a body.
    pub(crate) fn function_id(&mut self, name: &str) -> Result<usize, NotSupported> {
        if let Some(id) = self.ids.get(name) {
            return Ok(*id);
        }
        let aliased = self.module.items.iter().find_map(|item| match item {
            Item::Alias(alias) if alias.name == *name => Some(alias.aliased.as_str()),
            _ => None,
        });
        let function = self
            .module
            .function(aliased.unwrap_or(name))
            .ok_or_else(|| NotSupported::from(format!("`{name}` is not declared")))?;
        if function.body.is_none() {
            return Err(without_body(name).into());
        }
        let id = self.code.program.functions.len();
        self.code.program.functions.push(Function::default());
        self.ids.insert(function.name.as_str(), id);
        if let Some(address) = self.image.functions.get(function.name.as_str()) {
            self.code.program.addresses.insert(*address, id);
        }
        self.queue.push((id, function));
        Ok(id)
    }

    /// Returns whether the module declares a function without its body.
    pub(crate) fn is_external(&self, name: &str) -> bool {
        let declared = self.module.function(name);
        declared.is_some_and(|function| function.body.is_none())
    }

    pub(super) fn function_address(&mut self, name: &str) -> Result<u64, NotSupported> {
        self.function_id(name)?;
        let address = self.image.functions.get(name).copied();
        address.ok_or_else(|| format!("`{name}` has no address").into())
    }

    /// Decodes the functions with an address in any variable: an object of an earlier launch may point to its
    /// table of virtual functions.
    pub(crate) fn reach_all(&mut self) {
        let image = self.image;
        let mut variables: Vec<&String> = image.mentions.keys().collect();
        // In the same order in each run.
        variables.sort();
        variables.into_iter().for_each(|name| self.reach(name));
    }

    /// Decodes the functions with an address in a variable, or in another variable that it points to.
    pub(super) fn reach(&mut self, variable: &str) {
        let image = self.image;
        let Some(mentions) = image.mentions.get(variable) else {
            return;
        };
        if !self.reached.insert(variable.to_owned()) {
            return;
        }
        for name in mentions {
            // A function that cannot be called is reported when it is called.
            let _ = self.function_id(name);
            self.reach(name);
        }
    }
}
