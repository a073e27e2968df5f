//! What a loop of tasks computes, whatever order and registers its instructions have.

use crate::encoding::{Bits, FIRST, Kind, OFFSET, RESULT, SECOND, STALL, THIRD, kind};
use std::collections::{BTreeSet, HashMap};

/// Four words from shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The register of the address, and the rest of it.
    pub address: u8,
    pub offset: i32,
    /// The instruction.
    pub code: u128,
    /// Clocks that it comes after the first load, at least.
    pub clock: u32,
}

/// One of the words of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Word {
    pub load: usize,
    pub at: u8,
}

/// The sum of two words, the one of the lower load first.
pub(super) type Sum = [Word; 2];

/// A register that takes the minimum of itself and two sums, again and again.
#[derive(Clone, Debug)]
pub(super) struct Accumulator {
    pub register: u8,
    pub pairs: Vec<[Sum; 2]>,
    /// Whether by instructions that add and compare, a sum each.
    pub at_once: bool,
}

impl Accumulator {
    /// A new one, and its place.
    fn add_to(all: &mut Vec<Self>, register: u8, at_once: bool) -> usize {
        all.push(Self { register, pairs: Vec::new(), at_once });
        all.len() - 1
    }

    fn take(&mut self, pair: [Sum; 2], at_once: bool) -> Result<(), String> {
        if self.at_once != at_once {
            return Err(format!("R{} takes sums now in one way, now in another", self.register));
        }
        self.pairs.push(pair);
        Ok(())
    }
}

/// The body of a loop.
pub(super) struct Meaning {
    /// What comes before the first load, and the jump at the end.
    pub head: Vec<u128>,
    pub jump: u128,
    pub loads: Vec<Load>,
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
enum Held {
    Word(Word),
    Sum(Sum),
    Accumulator(usize),
}

impl Meaning {
    /// # Errors
    /// What about the loop is not as this pass needs it.
    pub fn of(body: &[u128]) -> Result<Self, String> {
        let (&jump, body) = body.split_last().ok_or("it is empty")?;
        let first = body.iter().position(|code| kind(*code) != Kind::Other).ok_or("it has no loads")?;
        let (head, body) = body.split_at(first);
        let mut held: HashMap<u8, Held> = HashMap::new();
        let mut written = BTreeSet::new();
        let (mut loads, mut accumulators): (Vec<Load>, Vec<Accumulator>) = (Vec::new(), Vec::new());
        let (mut addition, mut minimum, mut both) = (None, None, None);
        // The first of two sums, of elements that take one at a time.
        let mut halves: HashMap<usize, Sum> = HashMap::new();
        let mut clock = 0;
        for &code in body {
            let result = RESULT.byte_of(code);
            let now = clock;
            clock += STALL.of(code);
            let word = |held: &HashMap<u8, Held>, register| match held.get(&register) {
                Some(Held::Word(word)) => Ok(*word),
                _ => Err("it adds what it did not load"),
            };
            match kind(code) {
                Kind::Load => {
                    // Signed, of 24 bits.
                    let offset = (OFFSET.of(code) << 8) as i32 >> 8;
                    let load = loads.len();
                    loads.push(Load { address: FIRST.byte_of(code), offset, code, clock: now });
                    for at in 0..4 {
                        held.insert(result + at, Held::Word(Word { load, at }));
                        written.insert(result + at);
                    }
                }
                Kind::Add(second) => {
                    let mut sum = [word(&held, FIRST.byte_of(code))?, word(&held, second.byte_of(code))?];
                    sum.sort();
                    held.insert(result, Held::Sum(sum));
                    written.insert(result);
                    addition = Some((second, code));
                }
                Kind::Minimum3 => {
                    let operands = [FIRST, SECOND, THIRD].map(|field| field.byte_of(code));
                    let mut own = None;
                    let mut sums = Vec::new();
                    for register in operands {
                        match held.get(&register) {
                            Some(Held::Sum(sum)) => sums.push(*sum),
                            Some(Held::Accumulator(known)) => own = own.or(Some(*known)),
                            Some(Held::Word(_)) => return Err("it takes the minimum of a word".into()),
                            None => own = Some(Accumulator::add_to(&mut accumulators, register, false)),
                        }
                    }
                    let (Some(own), [one, two]) = (own, &sums[..]) else {
                        return Err("it has a minimum of something else than an element and two sums".into());
                    };
                    accumulators[own].take([*one, *two], false)?;
                    held.insert(result, Held::Accumulator(own));
                    written.insert(result);
                    minimum = Some(code);
                }
                Kind::Both => {
                    let mut sum = [word(&held, FIRST.byte_of(code))?, word(&held, SECOND.byte_of(code))?];
                    sum.sort();
                    let own = match held.get(&THIRD.byte_of(code)) {
                        Some(Held::Accumulator(known)) => *known,
                        None => Accumulator::add_to(&mut accumulators, THIRD.byte_of(code), true),
                        Some(_) => {
                            return Err("it has a minimum of something else than an element and a sum".into());
                        }
                    };
                    match halves.remove(&own) {
                        Some(half) => accumulators[own].take([half, sum], true)?,
                        None => {
                            halves.insert(own, sum);
                        }
                    }
                    held.insert(result, Held::Accumulator(own));
                    written.insert(result);
                    both = Some(code);
                }
                Kind::Other => return Err("it has other instructions between those of tasks".into()),
            }
        }
        if !halves.is_empty() {
            return Err("it has elements that take an odd number of sums".into());
        }
        for (at, accumulator) in accumulators.iter().enumerate() {
            if !matches!(held.get(&accumulator.register), Some(Held::Accumulator(known)) if *known == at) {
                return Err(format!("R{} ends as something else than it began", accumulator.register));
            }
            written.remove(&accumulator.register);
        }
        for load in &loads {
            written.remove(&load.address);
        }
        Ok(Self {
            head: head.to_vec(),
            jump,
            loads,
            accumulators,
            addition: addition.ok_or("it has no addition")?,
            minimum: minimum.ok_or("it has no minimum of three")?,
            both,
            free: written,
        })
    }
}
