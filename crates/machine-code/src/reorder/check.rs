//! Whether a kernel computes what it did before a pass over its machine code, seen from its listing alone.
//!
//! Nothing but the loop of tasks may differ. There loads from shared memory, additions and minima are followed register by register: whatever is
//! read later has to be the same expression. No result is read sooner than the compiler itself lets such a result be read, and none of a load before
//! its barrier was waited for.

use super::follow::is_read_behind;
use crate::instruction::Instruction;
use crate::listing::Kernel;
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
    timing(was.instructions, is.instructions)
}

/// What a register holds, as an expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Value {
    /// What it held when the round began.
    Start(u8),
    /// The word of this place behind an address.
    Word(Box<Value>, String, u8),
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
type Known = HashMap<(&'static str, Vec<Value>), usize>;

fn expression(known: &mut Known, what: &'static str, mut operands: Vec<Value>) -> Value {
    operands.sort();
    let next = known.len();
    Value::Of(*known.entry((what, operands)).or_insert(next))
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
            let plain: Option<Vec<u8>> =
                instruction.sources().map(|source| plain_register(source.text())).collect();
            match (instruction.opcode.as_str(), plain) {
                ("FADD", Some(sources)) if sources.len() == 2 => {
                    run.write(instruction, "sum", &sources, known)?
                }
                ("VIMNMX3", Some(sources))
                    if sources.len() == 3 && instruction.last_predicate() == Some("PT") =>
                {
                    run.write(instruction, "minimum", &sources, known)?;
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

    fn write(
        &mut self,
        instruction: &Instruction,
        what: &'static str,
        sources: &[u8],
        known: &mut Known,
    ) -> Result<(), String> {
        if instruction.predicate.is_some() {
            return Err("a task is done under a predicate".into());
        }
        let operands = sources.iter().map(|register| self.value(*register)).collect();
        let [result] = instruction.written()[..] else { return Err("a task has no result".into()) };
        self.values.insert(result, expression(known, what, operands));
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
    matches!(instruction.name(), "FADD" | "VIMNMX3")
}

/// The fewest clocks between a result of one kind and its use by another, with two rounds after each other.
fn nearest(instructions: &[Instruction]) -> Result<HashMap<(String, String), u64>, String> {
    let mut clock = 0;
    let mut made: HashMap<u8, (u64, String)> = HashMap::new();
    let mut all: HashMap<(String, String), u64> = HashMap::new();
    for instruction in instructions.iter().chain(instructions) {
        for read in instruction.reads() {
            if let Some((at, by)) = made.get(&read.register) {
                let least = all.entry((by.clone(), instruction.name().to_string())).or_insert(u64::MAX);
                *least = (clock - at).min(*least);
            }
        }
        for register in instruction.written() {
            made.remove(&register);
            if is_task(instruction) {
                made.insert(register, (clock, instruction.name().to_string()));
            }
        }
        let control = instruction.control.ok_or("its encoding is not known")?;
        clock += u64::from(control.stall.max(1));
    }
    Ok(all)
}

fn timing(before: &[Instruction], after: &[Instruction]) -> Result<(), String> {
    let (was, is) = (nearest(before)?, nearest(after)?);
    for (pair, clocks) in &is {
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
