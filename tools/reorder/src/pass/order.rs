//! A loop of tasks in the order and the registers in which the model (`crate::model`) takes least clocks for it.
//!
//! The tasks of a row go through the columns with one word of the row, which stays in its operand slot, then with the other. `turn.rs` has
//! their order. Loads fill one of two sets of registers while the tasks use the other.

use super::grid::{TaskStep, WordPair};
use super::semantics::{LoopSemantics, Word};
use super::turn::{PendingTasks, Registers, SETTLES};
use crate::encoding::{ALL, NONE, READ_BARRIER, RESULT, REUSE, STALL, STAYS, WAITS, WRITE_BARRIER};
use std::collections::HashMap;

/// Rows of fewer columns are short.
const SHORT: usize = 8;
/// The most clocks of waiting that an instruction can encode.
const LONGEST: u32 = 15;

/// A set of registers that loads fill together: those of a step's columns, or of a group of rows.
pub(super) struct RegisterSet {
    quads: Vec<u8>,
    pub(super) barrier: u8,
    /// Whether loads were issued that nobody waited for.
    pub(super) pending: bool,
}

pub(super) struct LoopScheduler<'a> {
    pub(super) meaning: &'a LoopSemantics,
    pub(super) registers: Registers,
    /// What comes before the first load.
    head: Vec<u128>,
    pub(super) code: Vec<u128>,
    /// Where the words of loads are.
    places: HashMap<Word, u8>,
    pub(super) turns: PendingTasks,
}

impl<'a> LoopScheduler<'a> {
    /// The instructions of the loop, as many as it had.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn schedule(meaning: &'a LoopSemantics, steps: &[TaskStep]) -> Result<Vec<u128>, String> {
        // Short rows in twos, a word of each in turn, where otherwise an instruction would wait for what the row itself just made.
        let is_short = steps.iter().all(|step| step.columns.len() < SHORT);
        if is_short && meaning.both.is_some() {
            let in_twos = Self::with(meaning, steps, 2);
            if in_twos.is_ok() {
                return in_twos;
            }
        }
        Self::with(meaning, steps, 1)
    }

    fn with(meaning: &'a LoopSemantics, steps: &[TaskStep], together: usize) -> Result<Vec<u128>, String> {
        let first = steps.first().ok_or("it has no steps")?;
        let groups = Self::groups(&first.rows)?;
        let first_columns = Self::loads_of(&first.columns);
        let first_rows = Self::loads_of(groups.first().map_or(&[][..], |group| &first.rows[group.clone()]));
        let (of_columns, of_group) = (first_columns.len(), first_rows.len());
        let is_carried = !meaning.carried.is_empty();
        let known = |loads: &[usize]| loads.iter().filter(|load| **load < meaning.carried.len()).count();
        if is_carried
            && (known(&first_columns), known(&first_rows), steps.len() % 2) != (of_columns, of_group, 0)
        {
            return Err(
                "the words that it prefetches are not those of its first step, or its number of steps is odd"
                    .into(),
            );
        }
        let mut registers =
            Registers::allocate(&meaning.free, 2 * (of_columns + of_group) - meaning.carried.len())?;
        // The round before filled the first sets where it loaded for this one.
        let mut first_set = |loads: &[usize], barrier| {
            let carried = loads.iter().filter_map(|load| meaning.carried.get(*load));
            let carried: Vec<u8> = carried.map(|(_, register)| *register).collect();
            let quads = if is_carried { carried } else { registers.take_quads(loads.len()) };
            RegisterSet { quads, barrier, pending: false }
        };
        let (columns_first, rows_first) = (first_set(&first_columns, 0), first_set(&first_rows, 2));
        let mut set =
            |count, barrier| RegisterSet { quads: registers.take_quads(count), barrier, pending: false };
        let mut columns = [columns_first, set(of_columns, 1)];
        let mut rows = [rows_first, set(of_group, 3)];
        let mut order = Self {
            meaning,
            registers,
            head: meaning.head.clone(),
            code: Vec::new(),
            places: HashMap::new(),
            turns: PendingTasks::default(),
        };
        let of = |step: &TaskStep, group: usize| -> Result<Vec<usize>, String> {
            let groups = Self::groups(&step.rows)?;
            Ok(Self::loads_of(&step.rows[groups[group].clone()]))
        };
        if is_carried {
            order.have(&columns[0], &first_columns);
            order.have(&rows[0], &first_rows);
        } else {
            order.fill_from(&mut columns[0], &first_columns, 0)?;
            order.fill_from(&mut rows[0], &first_rows, 0)?;
        }
        let of_next = |loads: &[usize]| -> Vec<usize> {
            loads.iter().filter_map(|load| meaning.carried.get(*load)).map(|(real, _)| *real).collect()
        };
        let count = groups.len();
        for (at, step) in steps.iter().enumerate() {
            let mut next_columns = steps
                .get(at + 1)
                .map_or_else(|| of_next(&first_columns), |next| Self::loads_of(&next.columns));
            if Self::groups(&step.rows)?.len() != count {
                return Err("its steps have groups of rows of different sizes".into());
            }
            for (group, members) in Self::groups(&step.rows)?.into_iter().enumerate() {
                let turn = at * count + group;
                let next_rows = if group + 1 < count {
                    of(step, group + 1)?
                } else {
                    steps.get(at + 1).map_or_else(|| Ok(of_next(&first_rows)), |one| of(one, 0))?
                };
                order.fill_from(&mut rows[(turn + 1) % 2], &next_rows, 0)?;
                let some = next_columns.len().div_ceil(count - group);
                let loads: Vec<usize> = next_columns.drain(..some).collect();
                let from = of_columns.saturating_sub(next_columns.len() + some);
                order.fill_from(&mut columns[(at + 1) % 2], &loads, from)?;
                let last_load = order.code.len();
                let mut sets = [&mut columns[at % 2], &mut rows[turn % 2]];
                for members in members.collect::<Vec<_>>().chunks(together) {
                    order.rows(step, members, &mut sets)?;
                }
                if at + 1 == steps.len() && group + 1 == count {
                    while !order.turns.waiting.is_empty() {
                        order.minimum();
                    }
                    order.count_rounds(last_load);
                }
            }
        }
        // Code behind the loop does not know of these loads.
        let under_way = columns.iter().chain(&rows).filter(|set| set.pending);
        let waits = under_way.fold(0, |waits, set| waits | 1 << set.barrier);
        while !order.turns.waiting.is_empty() {
            order.minimum();
        }
        let mut all = order.head;
        if let Some(last) = all.last_mut() {
            STALL.set(last, SETTLES.max(STALL.byte_of(*last)));
        }
        if let Some(first) = order.code.first_mut() {
            // Of what was begun before the loop, too.
            WAITS.set(first, ALL);
        }
        if let Some(last) = order.code.last_mut() {
            STALL.set(last, SETTLES);
            if waits != 0 {
                WAITS.set(last, waits | WAITS.byte_of(*last));
            }
        }
        all.extend(order.code);
        all.push(meaning.jump);
        Ok(all)
    }

    /// Rows whose words come with the same loads.
    fn groups(rows: &[WordPair]) -> Result<Vec<std::ops::Range<usize>>, String> {
        let same =
            |one: &WordPair, other: &WordPair| one.map(|word| word.load) == other.map(|word| word.load);
        let mut groups = Vec::new();
        let mut from = 0;
        for at in 1..=rows.len() {
            if at == rows.len() || !same(&rows[from], &rows[at]) {
                groups.push(from..at);
                from = at;
            }
        }
        let size = groups.first().map_or(0, std::iter::ExactSizeIterator::len);
        if groups.iter().any(|group| group.len() != size) {
            return Err("its rows come with loads of different sizes".into());
        }
        Ok(groups)
    }

    fn loads_of(pairs: &[WordPair]) -> Vec<usize> {
        let mut loads: Vec<usize> = pairs.iter().flatten().map(|word| word.load).collect();
        loads.sort_unstable();
        loads.dedup();
        loads
    }

    /// Takes the registers of a set as loaded.
    fn have(&mut self, set: &RegisterSet, loads: &[usize]) {
        for (load, quad) in loads.iter().zip(&set.quads) {
            self.places.extend((0..4).map(|at| (Word { load: *load, at }, quad + at)));
        }
    }

    /// Puts what counts the rounds behind the last load, which depends on it, no nearer to each other than the compiler does.
    fn count_rounds(&mut self, last_load: usize) {
        let mut place = last_load;
        for (code, clocks) in &self.meaning.counters {
            place = (place + *clocks as usize).min(self.code.len());
            self.code.insert(place, *code);
        }
    }

    /// Loads into the registers of a set, from its quad `from` on.
    fn fill_from(&mut self, set: &mut RegisterSet, loads: &[usize], from: usize) -> Result<(), String> {
        for (at, load) in loads.iter().enumerate() {
            let quad = *set.quads.get(from + at).ok_or("a step has more loads than the one before")?;
            self.wait_for_address(*load);
            let mut code = self.meaning.loads[*load].code;
            RESULT.set(&mut code, quad);
            self.plain(&mut code);
            WRITE_BARRIER.set(&mut code, set.barrier);
            self.places.extend((0..4).map(|at| (Word { load: *load, at }, quad + at)));
            self.code.push(code);
            set.pending = true;
        }
        Ok(())
    }

    /// The first load from an address comes no earlier than the compiler has it, for the sake of what computes the address.
    fn wait_for_address(&mut self, load: usize) {
        let loads = &self.meaning.loads;
        let of_address = loads.iter().filter(|other| other.address == loads[load].address);
        let due = of_address.map(|other| other.clock).min().unwrap_or_default();
        let now: u32 = self.code.iter().map(|code| STALL.extract(*code)).sum();
        let missing = due.saturating_sub(now);
        let last = self.code.last_mut().or(self.head.last_mut());
        if let Some(last) = last.filter(|_| missing > 0) {
            STALL.set(last, (STALL.extract(*last) + missing).min(LONGEST) as u8);
        }
    }

    /// Nothing to wait for, nothing kept.
    pub(super) fn plain(&self, code: &mut u128) {
        for (field, value) in
            [(STALL, 1), (STAYS, 1), (WRITE_BARRIER, NONE), (READ_BARRIER, NONE), (WAITS, 0), (REUSE, 0)]
        {
            field.set(code, value);
        }
    }

    pub(super) fn place(&self, word: Word) -> Result<u8, String> {
        self.places.get(&word).copied().ok_or_else(|| "a word is used before it is loaded".to_string())
    }
}
