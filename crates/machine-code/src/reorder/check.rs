//! Whether a kernel computes what it did before a pass over its machine code, seen from its listing alone.
//!
//! Nothing but the loop of tasks may differ. There loads from shared memory, additions and minima are followed register by register: whatever is
//! read later has to be the same expression. No result is read sooner than the compiler itself lets such a result be read, and none of a load before
//! its barrier was waited for.

use super::follow::is_read_behind;
use crate::instruction::Instruction;
use crate::listing::Kernel;
use crate::operand::Operand;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// # Errors
/// What is not as it was, or is too soon.
pub fn check(before: &Kernel, after: &Kernel) -> Result<(), String> {
    if before == after {
        return Ok(());
    }
    let [was, is] = [before.task_loop()?, after.task_loop()?];
    if before.name != after.name || was.first != is.first || was.instructions.len() != is.instructions.len() {
        return Err("its loop is another one".into());
    }
    let end = was.first + was.instructions.len();
    let (old, new) = (&before.instructions, &after.instructions);
    if old.len() != new.len() || old[..was.first] != new[..was.first] || old[end..] != new[end..] {
        return Err("something outside of its loop differs".into());
    }
    let mut known = Known::default();
    let old = Run::of(was.instructions, &mut known)?;
    let new = Run::of(is.instructions, &mut known)?;
    let same = |(one, other): (&Instruction, &Instruction)| {
        (&one.predicate, &one.opcode, &one.operands) == (&other.predicate, &other.opcode, &other.operands)
    };
    if old.others.len() != new.others.len()
        || !old.others.iter().copied().zip(new.others.iter().copied()).all(same)
    {
        return Err("instructions differ that do no task".into());
    }
    let written: BTreeSet<u8> = old.values.keys().chain(new.values.keys()).copied().collect();
    for register in written {
        let start = Value::Start(register);
        let of = |run: &Run| run.values.get(&register).cloned().unwrap_or_else(|| start.clone());
        if of(&old) == of(&new) {
            continue;
        }
        // Another value is left behind: nobody may want it.
        if [&old, &new].iter().any(|run| run.wanted.contains(&register)) {
            return Err(format!("R{register} goes into the next round as another value"));
        }
        if is_read_behind(after, end, register)? {
            return Err(format!("R{register} is read later and has another value"));
        }
    }
    timing(before, is.instructions)
}

/// What a register holds, as an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Value {
    /// What it held when the round began.
    Start(u8),
    /// The word of this place behind an address.
    Word(Box<Value>, String, u8),
    /// What a register that a whole warp shares holds when the tasks begin.
    Uniform(String),
    /// A number that stands for an expression of others: sums and minima in any order of their operands.
    Of(usize),
}

/// A round of the loop, followed.
struct Run<'a> {
    /// Of registers that tasks write.
    values: BTreeMap<u8, Value>,
    /// What does no task: all of it comes before the tasks, but for the jump at the end.
    others: Vec<&'a Instruction>,
    /// Registers of which the round uses what they held when it began.
    wanted: BTreeSet<u8>,
    /// Registers that were written before the tasks.
    prepared: BTreeSet<u8>,
}

/// Expressions and their numbers, the same for both runs: equal ones are one.
#[derive(Default)]
struct Known {
    numbers: HashMap<(&'static str, Vec<Value>), usize>,
    /// Of minima of anything: what they are the least of.
    least: HashMap<usize, Vec<Value>>,
}

impl Known {
    /// The sum or product of these in any order.
    fn of(&mut self, what: &'static str, mut operands: Vec<Value>) -> Value {
        operands.sort();
        let next = self.numbers.len();
        Value::Of(*self.numbers.entry((what, operands)).or_insert(next))
    }

    /// The least of these in any order, and of what they are the least of.
    fn least(&mut self, halves: bool, operands: Vec<Value>) -> Value {
        let mut all = Vec::new();
        for operand in operands {
            match operand {
                Value::Of(number) if self.least.contains_key(&number) => {
                    all.extend(self.least[&number].clone())
                }
                _ => all.push(operand),
            }
        }
        all.sort();
        all.dedup();
        let value = self.of(if halves { "least of halves" } else { "least" }, all.clone());
        if let Value::Of(number) = value {
            self.least.insert(number, all);
        }
        value
    }
}

impl<'a> Run<'a> {
    fn of(instructions: &'a [Instruction], known: &mut Known) -> Result<Self, String> {
        let mut run = Self {
            values: BTreeMap::new(),
            others: Vec::new(),
            wanted: BTreeSet::new(),
            prepared: BTreeSet::new(),
        };
        for (at, instruction) in instructions.iter().enumerate() {
            let texts: Vec<&str> = instruction.sources().map(Operand::text).collect();
            let least = instruction.last_predicate() == Some("PT");
            let halves = instruction.has("U16x2");
            match (instruction.opcode.as_str(), &texts[..]) {
                ("FADD", [one, other]) => {
                    let sum = [run.read(one)?, run.read(other)?];
                    run.write(instruction, known.of("sum", sum.into()))?;
                }
                // Tasks multiply by nothing but what the whole loop multiplies by.
                ("IMAD", [one, factor, other]) if factor.starts_with("UR") => {
                    let (one, other) = (run.read(one)?, run.read(other)?);
                    let product = known.of("product", vec![one, Value::Uniform(factor.to_string())]);
                    run.write(instruction, known.of("sum of integers", vec![product, other]))?;
                }
                ("VIADDMNMX" | "VIADDMNMX.U16x2", [one, other, least_yet]) if least => {
                    let (one, other, least_yet) = (run.read(one)?, run.read(other)?, run.read(least_yet)?);
                    let sum =
                        known.of(if halves { "sum of halves" } else { "sum of integers" }, vec![one, other]);
                    run.write(instruction, known.least(halves, vec![sum, least_yet]))?;
                }
                ("VIMNMX3" | "VIMNMX3.U16x2", [..]) if least && texts.len() == 3 => {
                    let all = texts.iter().map(|text| run.read(text)).collect::<Result<Vec<_>, _>>()?;
                    run.write(instruction, known.least(halves, all))?;
                }
                ("LDS.128", _) => run.load(instruction)?,
                _ => run.other(instruction, at + 1 == instructions.len())?,
            }
        }
        Ok(run)
    }

    fn value(&mut self, register: u8) -> Value {
        match self.values.get(&register) {
            Some(value) => value.clone(),
            None => {
                self.want(register);
                Value::Start(register)
            }
        }
    }

    /// What the register in an operand holds.
    fn read(&mut self, text: &str) -> Result<Value, String> {
        let register = plain_register(text).ok_or_else(|| format!("a task has the operand {text}"))?;
        Ok(self.value(register))
    }

    fn want(&mut self, register: u8) {
        if !self.prepared.contains(&register) {
            self.wanted.insert(register);
        }
    }

    fn other(&mut self, instruction: &'a Instruction, is_last: bool) -> Result<(), String> {
        if !self.values.is_empty() && !is_last {
            return Err("what does no task comes between tasks".into());
        }
        for read in instruction.reads() {
            if self.values.contains_key(&read.register) {
                return Err(format!("R{} is made by tasks and used by what does none", read.register));
            }
            self.want(read.register);
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

    fn write(&mut self, instruction: &Instruction, value: Value) -> Result<(), String> {
        if instruction.predicate.is_some() {
            return Err("a task is done under a predicate".into());
        }
        let [result] = instruction.written()[..] else { return Err("a task has no result".into()) };
        self.values.insert(result, value);
        Ok(())
    }

    fn load(&mut self, instruction: &Instruction) -> Result<(), String> {
        let address: Vec<u8> = instruction.reads().iter().map(|read| read.register).collect();
        let ([address], None) = (&address[..], &instruction.predicate) else {
            return Err("a load has another address than one register and a number".into());
        };
        let text: String = instruction.sources().map(|source| source.text().replace(".reuse", "")).collect();
        let behind = text.split_once('+').map_or(String::new(), |(_, behind)| behind.to_string());
        // The address is what the instructions that do no task made of it: nobody else may write it.
        let value = match self.values.get(address) {
            Some(_) => {
                return Err(format!("R{address} is an address and written by tasks before its last load"));
            }
            None => Box::new(self.value(*address)),
        };
        for (at, register) in (0..).zip(instruction.written()) {
            self.values.insert(register, Value::Word(value.clone(), behind.clone(), at));
        }
        Ok(())
    }
}

/// R12 or R12.reuse, and nothing else.
fn plain_register(text: &str) -> Option<u8> {
    text.trim_end_matches(".reuse").strip_prefix('R')?.parse().ok()
}

/// What a result comes from, as far as its time depends on it.
fn is_task(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "FADD" | "IMAD" | "VIADDMNMX" | "VIMNMX3")
}

/// Instructions of one name are there at one time, but for products of 64 bits and upper halves.
fn of_one_speed(instruction: &Instruction) -> String {
    let is_wide = ["WIDE", "HI"].into_iter().any(|modifier| instruction.has(modifier));
    if is_wide { instruction.opcode.clone() } else { instruction.name().to_string() }
}

/// The fewest clocks that may lie between a result of one instruction and its use by another.
#[derive(Default)]
struct Nearest {
    clock: u64,
    made: HashMap<u8, (u64, String)>,
    least: HashMap<(String, String), u64>,
}

impl Nearest {
    fn follow(&mut self, instruction: &Instruction) -> Result<(), String> {
        for read in instruction.reads() {
            if let Some((at, by)) = self.made.get(&read.register) {
                let least = self.least.entry((by.clone(), of_one_speed(instruction))).or_insert(u64::MAX);
                *least = (self.clock - at).min(*least);
            }
        }
        for register in instruction.written() {
            self.made.remove(&register);
            if is_task(instruction) {
                self.made.insert(register, (self.clock, of_one_speed(instruction)));
            }
        }
        let control = instruction.control.ok_or("its encoding is not known")?;
        self.clock += u64::from(control.stall.max(1));
        Ok(())
    }

    /// With two rounds of a loop after each other.
    fn of_loop(instructions: &[Instruction]) -> Result<Self, String> {
        let mut nearest = Self::default();
        instructions.iter().chain(instructions).try_for_each(|instruction| nearest.follow(instruction))?;
        Ok(nearest)
    }

    /// In the whole of a kernel: only where nothing says that an instruction waited longer than its predecessors' stalls.
    fn of_kernel(kernel: &Kernel) -> Result<Self, String> {
        let mut nearest = Self::default();
        for instruction in &kernel.instructions {
            let waits = instruction.control.ok_or("its encoding is not known")?.waits != 0;
            if waits || matches!(instruction.name(), "BRA" | "BRX" | "JMP" | "CALL" | "RET" | "EXIT") {
                nearest.made.clear();
            }
            nearest.follow(instruction)?;
        }
        Ok(nearest)
    }
}

/// More clocks than any result of an addition or a minimum takes.
const ENOUGH: u64 = 32;

fn timing(before: &Kernel, after: &[Instruction]) -> Result<(), String> {
    // Of what lies far apart in the whole kernel, with a wait in between, the loop says something at least.
    let mut was = Nearest::of_loop(before.task_loop()?.instructions)?.least;
    was.extend(Nearest::of_kernel(before)?.least);
    let is = Nearest::of_loop(after)?.least;
    for (pair, clocks) in is.iter().filter(|(_, clocks)| **clocks < ENOUGH) {
        let least = was.get(pair).copied().ok_or_else(|| format!("{} of {} is new", pair.1, pair.0))?;
        if *clocks < least {
            return Err(format!(
                "{} reads a result of {} after {clocks} clocks, and the compiler leaves {least}",
                pair.1, pair.0
            ));
        }
    }
    // Registers that a load fills, by the barrier that says when.
    let mut loading: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    let is_load = |instruction: &Instruction| instruction.name() == "LDS";
    for instruction in after {
        let control = instruction.control.ok_or("its encoding is not known")?;
        loading.retain(|barrier, _| control.waits >> barrier & 1 == 0);
        let touched = instruction
            .reads()
            .iter()
            .map(|read| read.register)
            .chain(instruction.written())
            .collect::<Vec<_>>();
        let early =
            touched.iter().find(|register| loading.values().any(|loading| loading.contains(register)));
        if let Some(register) = early {
            return Err(format!("R{register} is used before its load was waited for"));
        }
        if is_load(instruction) {
            let barrier = control.write_barrier.ok_or("a load sets no barrier")?;
            loading.entry(barrier).or_default().extend(instruction.written());
        } else if let Some(barrier) = control.write_barrier.filter(|barrier| loading.contains_key(barrier)) {
            return Err(format!("barrier {barrier} is set for two things at once"));
        }
    }
    if loading.is_empty() { Ok(()) } else { Err("a load is under way when the round ends".into()) }
}
