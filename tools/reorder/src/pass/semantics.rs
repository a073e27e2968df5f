//! What a loop of tasks computes, whatever order and registers its instructions have.

use crate::encoding::{
    Bits, COMBINES_PREDICATES, FIRST, NO_REGISTER, OFFSET, OPCODE, OpcodeClass, RESULT, SECOND, STALL, THIRD,
    WAITS, kind,
};
use std::collections::{BTreeSet, HashMap};

/// Clocks that an instruction can hold back the next at most.
const MOST_STALL: u32 = 15;

/// Four words from shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoadSlot {
    /// The register of the address, and the rest of it.
    pub address: u8,
    pub offset: i32,
    /// The instruction.
    pub code: u128,
    /// Clocks that it comes after the first load, at least.
    pub clock: u32,
}

impl LoadSlot {
    fn new(code: u128, clock: u32) -> Self {
        Self { address: FIRST.byte_of(code), offset: Self::offset_of(code), code, clock }
    }

    /// Signed, of 24 bits.
    fn offset_of(code: u128) -> i32 {
        (OFFSET.extract(code) << 8) as i32 >> 8
    }
}

/// More than any offset.
const A_ROUND: i32 = 1 << 24;

/// Loads of registers that the body reads before it writes them.
fn loaded_for_the_next(body: &[u128]) -> Vec<u128> {
    let (mut written, mut early) = (BTreeSet::new(), BTreeSet::new());
    for &code in body {
        let read: &[Bits] = match kind(code) {
            OpcodeClass::Add(second) => &[FIRST, second],
            OpcodeClass::Both => &[FIRST, SECOND],
            _ => &[],
        };
        early.extend(
            read.iter().map(|field| field.byte_of(code)).filter(|register| !written.contains(register)),
        );
        let count = if kind(code) == OpcodeClass::Load { 4 } else { 1 };
        if kind(code) != OpcodeClass::Other {
            written.extend((0..count).map(|at| RESULT.byte_of(code) + at));
        }
    }
    let mut last: HashMap<u8, u128> = HashMap::new();
    for &code in body.iter().filter(|code| kind(**code) == OpcodeClass::Load) {
        last.insert(RESULT.byte_of(code), code);
    }
    let is_last =
        |code: &u128| kind(*code) == OpcodeClass::Load && last.get(&RESULT.byte_of(*code)) == Some(code);
    let is_early = |code: &u128| (0..4).any(|at| early.contains(&(RESULT.byte_of(*code) + at)));
    body.iter().copied().filter(|code| is_last(code) && is_early(code)).collect()
}

/// One of the words of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Word {
    pub load: usize,
    pub at: u8,
}

/// The sum of two words, the one of the lower load first.
pub(super) type Sum = [Word; 2];

/// A register that takes the minimum of itself and one sum or two, again and again.
#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    pub register: u8,
    pub pairs: Vec<[Sum; 2]>,
    /// The first sum of the next pair.
    half: Option<Sum>,
    /// Whether by instructions that add and compare, a sum each.
    pub at_once: bool,
}

impl Accumulator {
    /// A new one, and its place.
    fn add_to(all: &mut Vec<Self>, register: u8, at_once: bool) -> usize {
        all.push(Self { register, pairs: Vec::new(), half: None, at_once });
        all.len() - 1
    }

    fn take(&mut self, sum: Sum, at_once: bool) -> Result<(), String> {
        if self.at_once != at_once {
            return Err(format!("R{} takes sums now in one way, now in another", self.register));
        }
        match self.half.take() {
            Some(half) => self.pairs.push([half, sum]),
            None => self.half = Some(sum),
        }
        Ok(())
    }
}

/// The body of a loop.
pub(super) struct LoopSemantics {
    /// What comes before the first load, and the jump at the end.
    pub head: Vec<u128>,
    pub jump: u128,
    /// What counts the rounds, behind the first task, with its clocks after the one before.
    pub counters: Vec<(u128, u32)>,
    pub loads: Vec<LoadSlot>,
    /// Loads for the next round, and their registers: each brings what the load of its place in `loads` brought for this one.
    pub carried: Vec<(usize, u8)>,
    pub accumulators: Vec<Accumulator>,
    /// An addition with the place of its second word, a minimum and one that does both, to make others from.
    pub addition: (Bits, u128),
    pub minimum: u128,
    pub both: Option<u128>,
    /// Registers that the body writes and that hold nothing at its end.
    pub free: BTreeSet<u8>,
}

/// What a register holds.
#[derive(Clone, Copy)]
enum RegisterValue {
    Word(Word),
    Sum(Sum),
    Accumulator(usize),
}

/// The head of a body, its instructions before the first load, and the rest. What stands among the first loads and is no load, such as
/// the comparison that the jump depends on, is put into the head where it has nothing to do with those.
fn hoist_header(body: &[u128], first: usize) -> Result<(Vec<u128>, Vec<u128>), String> {
    let (head, body) = body.split_at(first);
    let mut head = head.to_vec();
    let loads = body.iter().position(|code| !matches!(kind(*code), OpcodeClass::Load | OpcodeClass::Other));
    let (first, tasks) = body.split_at(loads.ok_or("it has no tasks")?);
    let mut rest: Vec<u128> = Vec::new();
    for &code in first {
        if kind(code) == OpcodeClass::Load {
            rest.push(code);
            continue;
        }
        // What combines predicates alone has other numbers there.
        let fields = if OPCODE.extract(code) == COMBINES_PREDICATES {
            [NO_REGISTER; 4]
        } else {
            [RESULT, FIRST, SECOND, THIRD].map(|field| field.byte_of(code))
        };
        // Some operands are two registers.
        let uses =
            |register: u8| fields.iter().any(|field| *field == register || field.wrapping_add(1) == register);
        let of_load = |load: &u128| {
            let result = RESULT.byte_of(*load);
            (result..=result.saturating_add(3)).any(uses) || fields[0] == FIRST.byte_of(*load)
        };
        if WAITS.extract(code) != 0 || rest.iter().any(of_load) {
            return Err("it has other instructions between its loads".into());
        }
        // What it needs is still as long ago as it was.
        let between: u32 = rest.iter().map(|load| STALL.extract(*load)).sum();
        if let Some(last) = head.last_mut() {
            let stall = (STALL.extract(*last) + between).min(MOST_STALL);
            STALL.set(last, stall as u8);
        }
        head.push(code);
    }
    rest.extend(tasks);
    Ok((head, rest))
}

impl LoopSemantics {
    /// # Errors
    /// What about the loop is not as this pass needs it.
    pub fn of(body: &[u128]) -> Result<Self, String> {
        let (&jump, body) = body.split_last().ok_or("it is empty")?;
        let first =
            body.iter().position(|code| kind(*code) != OpcodeClass::Other).ok_or("it has no loads")?;
        let (head, body) = hoist_header(body, first)?;
        let mut held: HashMap<u8, RegisterValue> = HashMap::new();
        let mut written = BTreeSet::new();
        let (mut loads, mut accumulators): (Vec<LoadSlot>, Vec<Accumulator>) = (Vec::new(), Vec::new());
        let (mut counters, mut counted) = (Vec::new(), 0);
        // What was loaded a round ago comes first, and its places before all others.
        for code in loaded_for_the_next(&body) {
            let (load, result) = (loads.len(), RESULT.byte_of(code));
            loads.push(LoadSlot { offset: LoadSlot::offset_of(code) - A_ROUND, ..LoadSlot::new(code, 0) });
            for at in 0..4 {
                held.insert(result + at, RegisterValue::Word(Word { load, at }));
            }
        }
        let mut carried = vec![(0, 0); loads.len()];
        let (mut addition, mut minimum, mut both) = (None, None, None);
        let mut clock = 0;
        for &code in &body {
            let result = RESULT.byte_of(code);
            let now = clock;
            clock += STALL.extract(code);
            let word = |held: &HashMap<u8, RegisterValue>, register| match held.get(&register) {
                Some(RegisterValue::Word(word)) => Ok(*word),
                _ => Err("it adds a register that it did not load"),
            };
            match kind(code) {
                OpcodeClass::Load => {
                    let load = loads.len();
                    loads.push(LoadSlot::new(code, now));
                    for (early, real) in carried.iter_mut().enumerate() {
                        if loads[early].code == code {
                            *real = (load, result);
                        }
                    }
                    for at in 0..4 {
                        held.insert(result + at, RegisterValue::Word(Word { load, at }));
                        written.insert(result + at);
                    }
                }
                OpcodeClass::Add(second) => {
                    let mut sum = [word(&held, FIRST.byte_of(code))?, word(&held, second.byte_of(code))?];
                    sum.sort();
                    held.insert(result, RegisterValue::Sum(sum));
                    written.insert(result);
                    addition = Some((second, code));
                }
                OpcodeClass::Minimum(operands) => {
                    if minimum.is_some_and(|other| kind(other) != kind(code)) {
                        return Err("it mixes two- and three-operand minimum instructions".into());
                    }
                    let mut own = None;
                    let mut sums = Vec::new();
                    for register in operands.iter().map(|field| field.byte_of(code)) {
                        match held.get(&register) {
                            Some(RegisterValue::Sum(sum)) => sums.push(*sum),
                            Some(RegisterValue::Accumulator(known)) => own = own.or(Some(*known)),
                            Some(RegisterValue::Word(_)) => {
                                return Err("it takes the minimum of a word".into());
                            }
                            None => own = Some(Accumulator::add_to(&mut accumulators, register, false)),
                        }
                    }
                    let Some(own) = own.filter(|_| sums.len() + 1 == operands.len()) else {
                        return Err(
                            "it takes a minimum of something other than one accumulator and sums".into()
                        );
                    };
                    sums.into_iter().try_for_each(|sum| accumulators[own].take(sum, false))?;
                    held.insert(result, RegisterValue::Accumulator(own));
                    written.insert(result);
                    minimum = Some(code);
                }
                OpcodeClass::Both => {
                    let mut sum = [word(&held, FIRST.byte_of(code))?, word(&held, SECOND.byte_of(code))?];
                    sum.sort();
                    let own = match held.get(&THIRD.byte_of(code)) {
                        Some(RegisterValue::Accumulator(known)) => *known,
                        None => Accumulator::add_to(&mut accumulators, THIRD.byte_of(code), true),
                        Some(_) => {
                            return Err(
                                "it takes a minimum of something other than one accumulator and a sum".into(),
                            );
                        }
                    };
                    accumulators[own].take(sum, true)?;
                    held.insert(result, RegisterValue::Accumulator(own));
                    written.insert(result);
                    both = Some(code);
                }
                OpcodeClass::Other if WAITS.extract(code) == 0 => {
                    counters.push((code, if counters.is_empty() { 1 } else { now - counted }));
                    counted = now;
                }
                OpcodeClass::Other => return Err("it has other instructions between those of tasks".into()),
            }
        }
        for (at, accumulator) in accumulators.iter().enumerate() {
            if accumulator.half.is_some() {
                return Err("it has elements that take an odd number of sums".into());
            }
            if !matches!(held.get(&accumulator.register), Some(RegisterValue::Accumulator(known)) if *known == at)
            {
                return Err(format!(
                    "R{} is an accumulator when the loop begins but not when it ends",
                    accumulator.register
                ));
            }
            written.remove(&accumulator.register);
        }
        for load in &loads {
            written.remove(&load.address);
        }
        for (_, register) in &carried {
            (0..4).for_each(|at| {
                written.remove(&(register + at));
            });
        }
        Ok(Self {
            head,
            jump,
            counters,
            loads,
            carried,
            accumulators,
            addition: addition.ok_or("it has no addition")?,
            minimum: minimum.ok_or("it has no minimum")?,
            both,
            free: written,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FADD R72, R4.reuse, R86, and LDS.128 R96, [R0+0x280], as compiled.
    const ADD: u128 = 0x040f_e200_0000_0000 << 64 | 0x0000_0056_0448_7221;
    const LOAD: u128 = 0x000e_2200_0000_0c00 << 64 | 0x0002_8000_0060_7984;

    fn with(mut code: u128, fields: &[(Bits, u8)]) -> u128 {
        fields.iter().for_each(|(field, register)| field.set(&mut code, *register));
        code
    }

    /// Four words of a row and of a column.
    fn loads() -> [u128; 2] {
        [(4, 0), (84, 2)].map(|(to, from)| with(LOAD, &[(RESULT, to), (FIRST, from)]))
    }

    /// An instruction of another kind with these registers and such a stall.
    fn other(registers: [u8; 4], stall: u8) -> u128 {
        let mut code = 0x7210;
        for (field, register) in [RESULT, FIRST, SECOND, THIRD].into_iter().zip(registers) {
            field.set(&mut code, register);
        }
        STALL.set(&mut code, stall);
        code
    }

    #[test]
    fn what_stands_among_the_first_loads_goes_before_them() {
        let (counter, comparison) = (other([9, 9, 255, 255], 2), other([255, 9, 255, 255], 1));
        let (head, rest) = hoist_header(&[counter, LOAD, LOAD, comparison, ADD], 1).unwrap();
        assert_eq!(rest, [LOAD, LOAD, ADD]);
        assert_eq!(head[1], comparison);
        // As long after what it needs as it was.
        assert_eq!(STALL.extract(head[0]), 2 + 2 * STALL.extract(LOAD));
    }

    #[test]
    fn a_round_begins_with_what_the_one_before_loaded() {
        // VIMNMX3 R66, R66, R72, R73.
        let minimum = with(0x000f_e200_0380_0149 << 64 | 0x0000_0048_4242_720f, &[]);
        let (early, late) = (ADD, with(ADD, &[(RESULT, 73), (FIRST, 5), (SECOND, 87)]));
        let [left, right] = loads();
        let (counter, jump) = (other([255, 255, 255, 255], 1), other([255, 255, 255, 255], 6));
        let body = [early, late, minimum, left, right, counter, jump];
        let meaning = LoopSemantics::of(&body).unwrap();
        assert_eq!(meaning.carried, [(2, 4), (3, 84)]);
        assert_eq!(meaning.counters, [(counter, 1)]);
        assert_eq!(meaning.accumulators[0].pairs[0].map(|sum| sum.map(|word| word.load)), [[0, 1], [0, 1]]);
        // Before those of its own round, and not free for others.
        assert!(meaning.loads[0].offset < meaning.loads[2].offset);
        assert_eq!(meaning.free.into_iter().collect::<Vec<_>>(), [72, 73]);
        // Without one of the loads it adds what nobody loaded.
        assert!(LoopSemantics::of(&[early, late, minimum, left, counter, jump]).is_err());
    }

    #[test]
    fn minima_of_two_take_a_sum_each_and_do_not_mix_with_those_of_three() {
        let jump = other([255, 255, 255, 255], 6);
        let [left, right] = loads();
        let (early, late) = (ADD, with(ADD, &[(RESULT, 73), (FIRST, 5), (SECOND, 87)]));
        // FMNMX R66, R66, R72 and R73.
        let [first, second] = [72_u128, 73].map(|sum| 0x000f_e200_0380_0000 << 64 | sum << 32 | 0x4242_7209);
        let meaning = LoopSemantics::of(&[left, right, early, late, first, second, jump]).unwrap();
        let pairs = &meaning.accumulators[0].pairs;
        assert_eq!((meaning.accumulators.len(), pairs.len(), meaning.accumulators[0].at_once), (1, 1, false));
        let places = pairs[0].map(|sum| sum.map(|word| (word.load, word.at)));
        assert_eq!(places, [[(0, 0), (1, 2)], [(0, 1), (1, 3)]]);
        let odd = LoopSemantics::of(&[left, right, early, first, jump]).err().unwrap();
        assert!(odd.contains("odd number of sums"), "{odd}");
        // VIMNMX3 R67, R67, R72, R73.
        let of_three = 0x000f_e200_0380_0149 << 64 | 0x0000_0048_4343_720f;
        let mixed = LoopSemantics::of(&[left, right, early, late, first, of_three, jump]).err().unwrap();
        assert!(mixed.contains("mixes two- and three-operand"), "{mixed}");
    }

    #[test]
    fn what_has_to_do_with_the_loads_is_refused() {
        let counter = other([9, 9, 255, 255], 2);
        // It reads a word, is half of a pair that does, writes one, or writes an address.
        for registers in [[9, 97, 255, 255], [9, 95, 255, 255], [98, 9, 255, 255], [0, 9, 255, 255]] {
            let body = [counter, LOAD, other(registers, 1), ADD];
            assert!(hoist_header(&body, 1).is_err(), "{registers:?}");
        }
        let mut waiting = other([9, 9, 255, 255], 1);
        WAITS.set(&mut waiting, 1);
        assert!(hoist_header(&[counter, LOAD, waiting, ADD], 1).is_err());
    }
}
