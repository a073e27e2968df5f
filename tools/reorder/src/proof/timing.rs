//! Whether a loop in another order reads anything before it is there, and whether a value is read on any way from a place of a kernel on.

use crate::encoding::ALL;
use crate::kernel::{Instruction, Kernel, Loop};
use std::collections::{BTreeMap, BTreeSet, HashMap};

fn is_jump(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "BRA" | "BRX" | "BRXU" | "JMP" | "JMX" | "CALL" | "RET" | "EXIT")
}

/// What a result comes from, as far as its time depends on it.
fn is_task(instruction: &Instruction) -> bool {
    matches!(instruction.name(), "FADD" | "FMNMX" | "IMAD" | "VIADDMNMX" | "VIMNMX3")
}

/// Instructions of one name are there at one time, but for products of 64 bits and upper halves.
fn of_one_speed(instruction: &Instruction) -> String {
    let is_wide = ["WIDE", "HI"].into_iter().any(|modifier| instruction.has(modifier));
    if is_wide { instruction.opcode.clone() } else { instruction.name().to_string() }
}

/// The fewest clocks that may lie between a result of one instruction and its use by another.
#[derive(Default)]
struct MinimumDistances {
    clock: u64,
    made: HashMap<u8, (u64, String)>,
    least: HashMap<(String, String), u64>,
}

impl MinimumDistances {
    fn follow(&mut self, instruction: &Instruction) {
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
        self.clock += instruction.clocks();
    }

    /// With two rounds of a loop after each other, and what is done when it ends.
    fn of_loop(instructions: &[Instruction], behind: &[Instruction]) -> Self {
        let mut nearest = Self::default();
        let until_jump = behind.iter().take_while(|instruction| !is_jump(instruction));
        instructions
            .iter()
            .chain(instructions)
            .chain(until_jump)
            .for_each(|instruction| nearest.follow(instruction));
        nearest
    }

    /// In the whole of a kernel: only where nothing shows that an instruction waited longer than its predecessors' stalls.
    fn of_kernel(kernel: &Kernel) -> Self {
        let mut nearest = Self::default();
        for instruction in &kernel.instructions() {
            if instruction.control.waits != 0 || is_jump(instruction) {
                nearest.made.clear();
            }
            nearest.follow(instruction);
        }
        nearest
    }
}

/// More clocks than any result of an addition or a minimum takes.
const ENOUGH: u64 = 32;

/// That nothing is read before it is there, in the loop after the pass, the second of the two, and `behind` it. The compiler's distances are
/// those of `before`.
///
/// # Errors
/// What may be read too early.
pub(super) fn timing(before: &Kernel, [was, is]: [&Loop; 2], behind: &[Instruction]) -> Result<(), String> {
    let allowed = MinimumDistances::of_kernel(before).least;
    for (pair, clocks) in MinimumDistances::of_loop(&is.instructions, behind).least {
        let least = allowed.get(&pair).copied().unwrap_or(ENOUGH);
        if clocks < least {
            return Err(format!(
                "{} reads a result of {} after {clocks} clocks, and the compiler leaves {least}",
                pair.1, pair.0
            ));
        }
    }
    let (was_used, is_used) = (addresses(&was.instructions), addresses(&is.instructions));
    for (register, clocks) in is_used {
        if was_used.get(&register).is_some_and(|least| clocks < *least) {
            return Err(format!("R{register} is an address and used too early"));
        }
    }
    let [were, are] = [counters(&was.instructions), counters(&is.instructions)];
    if were.len() != are.len() || were.iter().zip(&are).any(|(was, is)| *is < ENOUGH.min(*was)) {
        return Err("the round counter is used sooner after its update than in the compiler's code".into());
    }
    kept(&is.instructions)?;
    loads(&is.instructions)
}

/// Clocks between what counts rounds behind the first task, one after the other, the jump at the end included, and from the last before the
/// jump to the first load of the next round.
fn counters(instructions: &[Instruction]) -> Vec<u64> {
    let (mut clock, mut began, mut others, mut load) = (0, false, Vec::new(), None);
    for instruction in instructions {
        match instruction.name() {
            "LDS" => load = load.or(Some(clock)),
            _ if is_task(instruction) => began = true,
            _ if began => others.push(clock),
            _ => {}
        }
        clock += instruction.clocks();
    }
    let mut gaps: Vec<u64> = others.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let counted = others.len().checked_sub(2).and_then(|at| others.get(at));
    gaps.extend(counted.zip(load).map(|(counted, first)| clock - counted + first));
    gaps
}

/// Clocks between what last writes an address in a round and the first load from there.
fn addresses(instructions: &[Instruction]) -> BTreeMap<u8, u64> {
    let (mut clock, mut written, mut used) = (0, BTreeMap::new(), BTreeMap::new());
    for instruction in instructions {
        if instruction.name() == "LDS" {
            for read in instruction.reads() {
                if let Some(at) = written.get(&read.register) {
                    used.entry(read.register).or_insert(clock - at);
                }
            }
        } else {
            instruction.written().into_iter().for_each(|register| {
                written.insert(register, clock);
            });
        }
        clock += instruction.clocks();
    }
    used
}

/// That no register is written while an operand slot keeps it for an instruction to come.
fn kept(instructions: &[Instruction]) -> Result<(), String> {
    let mut slots: BTreeMap<(usize, u8), u8> = BTreeMap::new();
    for instruction in instructions.iter().chain(instructions) {
        for read in instruction.reads() {
            let slot = (read.slot, read.register % 2);
            slots.remove(&slot);
            if read.kept {
                slots.insert(slot, read.register);
            }
        }
        for register in instruction.written() {
            if slots.values().any(|kept| *kept == register) {
                return Err(format!("R{register} is written while an operand slot keeps it"));
            }
        }
    }
    Ok(())
}

/// That no register is touched between a load into it and a wait for that.
fn loads(after: &[Instruction]) -> Result<(), String> {
    let is_load = |instruction: &Instruction| instruction.name() == "LDS";
    // What was begun before may be words that the first tasks add, in integers by a product with a register that the warp shares.
    let is_sum = |instruction: &Instruction| match instruction.opcode.as_str() {
        "IMAD" => instruction.sources().any(|source| source.text().starts_with("UR")),
        _ => is_task(instruction) && instruction.name() != "IMAD",
    };
    let first = after.iter().find(|instruction| is_load(instruction) || is_sum(instruction));
    let waits = first.map_or(0, |first| first.control.waits);
    if waits != ALL {
        return Err("its first load or task does not wait for what was begun before".into());
    }
    // Registers that a load fills, by the barrier that is set then.
    let mut loading: BTreeMap<u8, BTreeSet<u8>> = BTreeMap::new();
    for instruction in after {
        let control = instruction.control;
        loading.retain(|barrier, _| control.waits >> barrier & 1 == 0);
        let is_loading = |register: &u8| loading.values().any(|loading| loading.contains(register));
        let early = instruction.touched().find(is_loading);
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

/// Whether a register is read from instruction `from` on before it is written.
///
/// # Errors
/// Where it is not known which instruction follows.
pub fn is_live_after(kernel: &Kernel, from: usize, register: u8) -> Result<bool, String> {
    let instructions = kernel.instructions();
    let mut seen = BTreeSet::new();
    // With each place the predicate under which it was written on the way there, if only under one.
    let mut open: Vec<(usize, Option<&str>)> = vec![(from, None)];
    while let Some((at, under)) = open.pop() {
        if !seen.insert((at, under)) {
            continue;
        }
        let Some(instruction) = instructions.get(at) else { continue };
        let predicate = instruction.predicate.as_deref();
        let is_written = under.is_some() && predicate == under;
        if !is_written && instruction.reads().iter().any(|read| read.register == register) {
            return Ok(true);
        }
        let always = predicate.is_none();
        let writes = instruction.written().contains(&register);
        if always && writes {
            continue;
        }
        let under = match under {
            _ if writes => predicate,
            Some(known) if changes(instruction, known) => None,
            known => known,
        };
        match instruction.name() {
            "EXIT" if always => {}
            "BRA" => {
                let target = kernel.place_of_jump(instruction).ok_or("it has a jump to no place in it")?;
                open.push((target, under));
                if !always || has_condition(instruction) {
                    open.push((at + 1, under));
                }
            }
            "BRX" | "BRXU" | "JMX" | "CALL" | "RET" | "JMP" => {
                return Err(format!("cannot determine the instruction after {}", instruction.name()));
            }
            _ => open.push((at + 1, under)),
        }
    }
    Ok(false)
}

/// Whether it may write the predicate of this guard, `@!P0`: those that it writes come first.
fn changes(instruction: &Instruction, guard: &str) -> bool {
    if instruction.name() == "R2P" {
        // All at once, whatever their names.
        return true;
    }
    let name = guard.trim_start_matches(['@', '!']);
    instruction.operands.iter().any(|operand| operand.text() == name)
}

/// A jump may have a condition in addition to its predicate.
fn has_condition(instruction: &Instruction) -> bool {
    instruction.operands.len() > 1
}
