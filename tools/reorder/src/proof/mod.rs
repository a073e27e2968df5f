//! Whether a kernel computes what it did before a pass over its machine code, seen from its listing alone.
//!
//! Nothing but the loop of tasks may differ. There loads from shared memory, additions and minima are followed register by register: whatever is
//! read later has to be the same expression. No result is read sooner than the compiler itself lets such a result be read, and none of a load before
//! its barrier was waited for.

use crate::encoding::Control;
use crate::kernel::{Instruction, Kernel};
use repro_machine_code::Operand;
use std::collections::{BTreeMap, BTreeSet, HashMap};
pub use timing::is_live_after;
use timing::timing;

mod timing;

/// # Errors
/// What is not as it was, or is too soon.
pub fn check(before: &Kernel, after: &Kernel) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    let [was, is] = [before.task_loop()?, after.task_loop()?];
    if before.name() != after.name() || was.range != is.range {
        return Err("its loop is another one".into());
    }
    let (first, end) = (was.range.start, was.range.end);
    let (old, new) = (before.instructions(), after.instructions());
    if old.len() != new.len() || old[..first] != new[..first] || old[end..] != new[end..] {
        return Err("something outside of its loop differs".into());
    }
    let is_entered = |instruction: &Instruction| {
        before.place_of_jump(instruction).is_some_and(|to| first < to && to < end)
    };
    if old.iter().any(is_entered) {
        return Err("its loop is entered in the middle".into());
    }
    let behind = &new[end..];
    let mut known = Expressions::default();
    let old = SymbolicRun::new(&was.instructions, &mut known)?;
    let new = SymbolicRun::new(&is.instructions, &mut known)?;
    // The bits for the scheduler may ask for a longer wait, and for nothing else.
    let same = |(one, other): (&Instruction, &Instruction)| {
        let asks = |instruction: &Instruction| Control { stall: 0, ..instruction.control };
        (&one.predicate, &one.opcode, &one.operands, asks(one))
            == (&other.predicate, &other.opcode, &other.operands, asks(other))
            && one.control.stall <= other.control.stall
    };
    if old.others.len() != new.others.len()
        || !old.others.iter().copied().zip(new.others.iter().copied()).all(same)
    {
        return Err("an instruction other than a load, a sum or a minimum was changed".into());
    }
    // A load may read its address late.
    if let Some(address) = new.addresses.iter().find(|address| new.values.contains_key(address)) {
        return Err(format!("R{address} is an address and written by tasks"));
    }
    let written: BTreeSet<u8> = old.values.keys().chain(new.values.keys()).copied().collect();
    for register in written {
        let start = Expression::Start(register);
        let of = |run: &SymbolicRun| run.values.get(&register).cloned().unwrap_or_else(|| start.clone());
        if of(&old) == of(&new) {
            continue;
        }
        // Another value is left behind: nobody may want it.
        if [&old, &new].iter().any(|run| run.wanted.contains(&register)) {
            return Err(format!("R{register} goes into the next round as another value"));
        }
        if is_live_after(after, end, register)? {
            return Err(format!("R{register} is read later and has another value"));
        }
    }
    timing(before, [&was, &is], behind)
}

/// What a register holds, as an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Expression {
    /// What it held when the round began.
    Start(u8),
    /// The word of this place behind an address.
    Word(Box<Expression>, String, u8),
    /// What a register that a whole warp shares holds when the tasks begin.
    Uniform(String),
    /// A number that stands for an expression of others: sums and minima in any order of their operands.
    Of(usize),
}

/// A round of the loop, followed.
#[derive(Default)]
struct SymbolicRun<'a> {
    /// Of registers that tasks write.
    values: BTreeMap<u8, Expression>,
    /// What does no task: all of it comes before the tasks, but for what counts rounds and the jump at the end.
    others: Vec<&'a Instruction<'a>>,
    tasks_began: bool,
    /// Registers of which the round uses what they held when it began.
    wanted: BTreeSet<u8>,
    /// Registers that were written before the tasks.
    prepared: BTreeSet<u8>,
    /// Of loads.
    addresses: BTreeSet<u8>,
    /// Registers that a whole warp shares and that were changed behind the first task.
    counting: BTreeSet<u8>,
}

/// Expressions and their numbers, the same for both runs: equal ones are one.
#[derive(Default)]
struct Expressions {
    numbers: HashMap<(&'static str, Vec<Expression>), usize>,
    /// Of minima: what of, and what they are the least of.
    least: HashMap<usize, (&'static str, Vec<Expression>)>,
}

impl Expressions {
    /// The sum or product of these in any order.
    fn commutative(&mut self, what: &'static str, mut operands: Vec<Expression>) -> Expression {
        operands.sort();
        let next = self.numbers.len();
        Expression::Of(*self.numbers.entry((what, operands)).or_insert(next))
    }

    /// The least of these in any order, and of what they are the least of.
    fn least(&mut self, what: &'static str, operands: Vec<Expression>) -> Expression {
        let mut all = Vec::new();
        for operand in operands {
            let known = if let Expression::Of(number) = operand { self.least.get(&number) } else { None };
            match known.filter(|(of, _)| *of == what) {
                Some((_, known)) => all.extend(known.clone()),
                None => all.push(operand),
            }
        }
        all.sort();
        all.dedup();
        let value = self.commutative(what, all.clone());
        if let Expression::Of(number) = value {
            self.least.insert(number, (what, all));
        }
        value
    }
}

impl<'a> SymbolicRun<'a> {
    fn new(instructions: &'a [Instruction<'a>], known: &mut Expressions) -> Result<Self, String> {
        let mut run = Self::default();
        for (at, instruction) in instructions.iter().enumerate() {
            let texts: Vec<&str> = instruction.sources().map(Operand::text).collect();
            let least = instruction.last_predicate() == Some("PT");
            let (sum_of, least_of) = if instruction.has("U16x2") {
                ("sum of halves", "least of halves")
            } else {
                ("sum of integers", "least of integers")
            };
            match (instruction.opcode.as_str(), &texts[..]) {
                ("FADD", [one, other]) => {
                    let sum = [run.read(one)?, run.read(other)?];
                    run.write(instruction, known.commutative("sum", sum.into()))?;
                }
                // Tasks multiply by nothing but what the whole loop multiplies by.
                ("IMAD", [one, factor, other]) if factor.starts_with("UR") => {
                    run.counts_none(factor)?;
                    let (one, other) = (run.read(one)?, run.read(other)?);
                    let product =
                        known.commutative("product", vec![one, Expression::Uniform(factor.to_string())]);
                    run.write(instruction, known.commutative("sum of integers", vec![product, other]))?;
                }
                ("VIADDMNMX" | "VIADDMNMX.U16x2", [one, other, least_yet]) if least => {
                    let (one, other, least_yet) = (run.read(one)?, run.read(other)?, run.read(least_yet)?);
                    let sum = known.commutative(sum_of, vec![one, other]);
                    run.write(instruction, known.least(least_of, vec![sum, least_yet]))?;
                }
                ("VIMNMX3" | "VIMNMX3.U16x2", [..]) if least && texts.len() == 3 => {
                    let all = texts.iter().map(|text| run.read(text)).collect::<Result<Vec<_>, _>>()?;
                    run.write(instruction, known.least(least_of, all))?;
                }
                ("FMNMX", [one, other]) if least => {
                    let both = vec![run.read(one)?, run.read(other)?];
                    run.write(instruction, known.least("least of floats", both))?;
                }
                ("LDS.128", _) => run.load(instruction)?,
                _ => run.other(instruction, at + 1 == instructions.len())?,
            }
        }
        Ok(run)
    }

    fn value(&mut self, register: u8) -> Expression {
        match self.values.get(&register) {
            Some(value) => value.clone(),
            None => {
                self.want(register);
                Expression::Start(register)
            }
        }
    }

    /// What the register in an operand holds.
    fn read(&mut self, text: &str) -> Result<Expression, String> {
        let register = plain_register(text).ok_or_else(|| format!("a task has the operand {text}"))?;
        Ok(self.value(register))
    }

    fn want(&mut self, register: u8) {
        if !self.prepared.contains(&register) {
            self.wanted.insert(register);
        }
    }

    fn other(&mut self, instruction: &'a Instruction<'a>, is_last: bool) -> Result<(), String> {
        // Loads bring nothing but words: what has to do with neither these nor their addresses may stand among the first of them.
        let disturbs =
            |register: &u8| self.values.contains_key(register) || self.addresses.contains(register);
        if !is_last && self.tasks_began {
            self.count(instruction)?;
        } else if !is_last && instruction.written().iter().any(disturbs) {
            return Err(
                "an instruction between the first loads writes a loaded register or an address".into()
            );
        }
        for read in instruction.reads() {
            if self.values.contains_key(&read.register) {
                return Err(format!(
                    "R{} is computed by a sum or minimum but read by another kind of instruction",
                    read.register
                ));
            }
            self.want(read.register);
        }
        if !is_last && matches!(instruction.name(), "BRA" | "EXIT") {
            return Err("it has more than one way out".into());
        }
        // Under a predicate the old value may stay.
        let written = instruction.written();
        if is_last && !written.is_empty() {
            return Err("its last instruction writes a register".into());
        }
        if instruction.predicate.is_some() {
            written.iter().for_each(|register| self.want(*register));
        }
        self.prepared.extend(written);
        self.others.push(instruction);
        Ok(())
    }

    /// What counts rounds may stand between tasks: it has no register of a thread, and nothing that comes later in the round uses its own.
    fn count(&mut self, instruction: &Instruction) -> Result<(), String> {
        let is_known = matches!(instruction.name(), "UIADD3" | "UISETP" | "PLOP3");
        if !is_known || !instruction.written().is_empty() || !instruction.reads().is_empty() {
            return Err("an instruction between the tasks is neither a task nor a round counter".into());
        }
        let names = instruction.operands.iter().flat_map(|operand| uniform_registers(operand.text()));
        self.counting.extend(names);
        Ok(())
    }

    /// That a task or load has no operand that was changed since the round began.
    fn counts_none(&self, text: &str) -> Result<(), String> {
        match uniform_registers(text).find(|name| self.counting.contains(name)) {
            Some(name) => Err(format!("UR{name} counts rounds and is used behind that")),
            None => Ok(()),
        }
    }

    fn write(&mut self, instruction: &Instruction, value: Expression) -> Result<(), String> {
        if instruction.predicate.is_some() {
            return Err("a task is done under a predicate".into());
        }
        let [result] = instruction.written()[..] else { return Err("a task has no result".into()) };
        self.tasks_began = true;
        self.values.insert(result, value);
        Ok(())
    }

    fn load(&mut self, instruction: &Instruction) -> Result<(), String> {
        let address: Vec<u8> = instruction.reads().iter().map(|read| read.register).collect();
        let ([address], None) = (&address[..], &instruction.predicate) else {
            return Err("a load has another address than one register and a number".into());
        };
        let text: String = instruction.sources().map(|source| source.text().replace(".reuse", "")).collect();
        self.counts_none(&text)?;
        let behind = text.replacen(&format!("R{address}"), "R", 1);
        // The address is what the instructions that do no task made of it: nobody else may write it.
        let value = match self.values.get(address) {
            Some(_) => {
                return Err(format!("R{address} is an address and written by tasks before its last load"));
            }
            None => Box::new(self.value(*address)),
        };
        self.addresses.insert(*address);
        for (at, register) in (0..).zip(instruction.written()) {
            self.values.insert(register, Expression::Word(value.clone(), behind.clone(), at));
        }
        Ok(())
    }
}

/// The numbers of registers that a whole warp shares in a text such as R2+UR9+0x280.
fn uniform_registers(text: &str) -> impl Iterator<Item = u8> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_prefix("UR")?.parse().ok())
}

/// R12 or R12.reuse, and nothing else.
fn plain_register(text: &str) -> Option<u8> {
    text.trim_end_matches(".reuse").strip_prefix('R')?.parse().ok()
}
