//! What a loop of tasks computes, whatever order and registers its instructions have.

use crate::encoding::{FIRST, Kind, OFFSET, RESULT, SECOND, THIRD, kind};
use std::collections::{BTreeSet, HashMap};

/// Four words from shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load {
    /// The register of the address, and the rest of it.
    pub address: u8,
    pub offset: i32,
    /// The instruction.
    pub code: u128,
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
}

/// The body of a loop.
pub(super) struct Meaning {
    /// What comes before the first load, and the jump at the end.
    pub head: Vec<u128>,
    pub jump: u128,
    pub loads: Vec<Load>,
    pub accumulators: Vec<Accumulator>,
    /// An addition and a minimum, to make others from.
    pub addition: u128,
    pub minimum: u128,
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
        let (mut addition, mut minimum) = (None, None);
        for &code in body {
            let result = RESULT.byte_of(code);
            match kind(code) {
                Kind::Load => {
                    // Signed, of 24 bits.
                    let offset = (OFFSET.of(code) << 8) as i32 >> 8;
                    let load = loads.len();
                    loads.push(Load { address: FIRST.byte_of(code), offset, code });
                    for at in 0..4 {
                        held.insert(result + at, Held::Word(Word { load, at }));
                        written.insert(result + at);
                    }
                }
                Kind::Add => {
                    let word = |register| match held.get(&register) {
                        Some(Held::Word(word)) => Ok(*word),
                        _ => Err("it adds what it did not load"),
                    };
                    let mut sum = [word(FIRST.byte_of(code))?, word(SECOND.byte_of(code))?];
                    sum.sort();
                    held.insert(result, Held::Sum(sum));
                    written.insert(result);
                    addition = Some(code);
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
                            None => {
                                own = Some(accumulators.len());
                                accumulators.push(Accumulator { register, pairs: Vec::new() });
                            }
                        }
                    }
                    let (Some(own), [one, two]) = (own, &sums[..]) else {
                        return Err("it has a minimum of something else than an element and two sums".into());
                    };
                    accumulators[own].pairs.push([*one, *two]);
                    held.insert(result, Held::Accumulator(own));
                    written.insert(result);
                    minimum = Some(code);
                }
                Kind::Other => return Err("it has other instructions between those of tasks".into()),
            }
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
            free: written,
        })
    }
}
