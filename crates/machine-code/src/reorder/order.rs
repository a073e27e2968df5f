//! A loop of tasks in the order and the registers in which the model of `docs/machine-code.md` takes least clocks for it.
//!
//! Additions of a row go through the columns with one word of the row, which stays in its operand slot, then with the other. Two additions, one of an even and one of an odd
//! column, and a minimum take turns: the minimum is one of the row before, so that its sums are there. Sums lie in the bank that
//! their element does not. So no bank is read more than three times in three clocks, and a minimum is issued every third.

use super::grid::{Pair, Step};
use super::meaning::{Meaning, Word};
use super::registers::Registers;
use crate::encoding::{
    FIRST, NONE, READ_BARRIER, RESULT, REUSE, SECOND, STALL, STAYS, THIRD, WAITS, WRITE_BARRIER,
};
use std::collections::{HashMap, VecDeque};

/// Instructions between an addition and the minimum that takes its sum, at least.
const BETWEEN: usize = 5;
/// Clocks that the last of all and the last before the loads wait: results are there whatever follows.
const SETTLES: u8 = 6;
/// All barriers.
const ALL: u8 = 0x3f;

struct Minimum {
    element: u8,
    sums: [u8; 2],
    /// Where the later of its sums is.
    after: usize,
}

/// A set of registers that loads fill together: those of a step's columns, or of a group of rows.
struct Set {
    quads: Vec<u8>,
    barrier: u8,
    /// Whether loads were issued that nobody waited for.
    pending: bool,
}

pub(super) struct Order<'a> {
    meaning: &'a Meaning,
    registers: Registers,
    code: Vec<u128>,
    /// Where the words of loads are.
    places: HashMap<Word, u8>,
    waiting: VecDeque<Minimum>,
    /// The register that an operand slot keeps, of a row.
    kept: u8,
}

impl<'a> Order<'a> {
    /// The instructions of the loop, as many as it had.
    ///
    /// # Errors
    /// Why it cannot be done.
    pub fn of(meaning: &'a Meaning, steps: &[Step]) -> Result<Vec<u128>, String> {
        let first = steps.first().ok_or("it has no steps")?;
        let groups = Self::groups(&first.rows)?;
        let of_columns = Self::loads_of(&first.columns).len();
        let of_group =
            Self::loads_of(groups.first().map_or(&[][..], |group| &first.rows[group.clone()])).len();
        let mut registers = Registers::of(&meaning.free, 2 * (of_columns + of_group))?;
        let mut set = |count, barrier| Set { quads: registers.take_quads(count), barrier, pending: false };
        let mut columns = [set(of_columns, 0), set(of_columns, 1)];
        let mut rows = [set(of_group, 2), set(of_group, 3)];
        let mut order = Self {
            meaning,
            registers,
            code: Vec::new(),
            places: HashMap::new(),
            waiting: VecDeque::new(),
            kept: 0,
        };
        order.fill(&mut columns[0], &Self::loads_of(&first.columns))?;
        let of = |step: &Step, group: usize| -> Result<Vec<usize>, String> {
            let groups = Self::groups(&step.rows)?;
            Ok(Self::loads_of(&step.rows[groups[group].clone()]))
        };
        order.fill(&mut rows[0], &of(first, 0)?)?;
        let count = groups.len();
        for (at, step) in steps.iter().enumerate() {
            let mut next_columns =
                steps.get(at + 1).map(|next| Self::loads_of(&next.columns)).unwrap_or_default();
            if Self::groups(&step.rows)?.len() != count {
                return Err("its steps have groups of rows of different sizes".into());
            }
            for (group, members) in Self::groups(&step.rows)?.into_iter().enumerate() {
                let turn = at * count + group;
                let next = if group + 1 < count {
                    Some((step, group + 1))
                } else {
                    steps.get(at + 1).map(|one| (one, 0))
                };
                if let Some((step, group)) = next {
                    order.fill(&mut rows[(turn + 1) % 2], &of(step, group)?)?;
                }
                let some = next_columns.len().div_ceil(count - group);
                let loads: Vec<usize> = next_columns.drain(..some).collect();
                order.fill_from(
                    &mut columns[(at + 1) % 2],
                    &loads,
                    of_columns - next_columns.len() - some,
                )?;
                for row in members {
                    let sets = [&mut columns[at % 2], &mut rows[turn % 2]];
                    order.row(step, row, sets)?;
                }
            }
        }
        while !order.waiting.is_empty() {
            order.minimum();
        }
        let mut all = meaning.head.clone();
        if let Some(last) = all.last_mut() {
            STALL.set(last, SETTLES.max(STALL.byte_of(*last)));
        }
        if let Some(first) = order.code.first_mut() {
            // Of what was begun before the loop, too.
            WAITS.set(first, ALL);
        }
        if let Some(last) = order.code.last_mut() {
            STALL.set(last, SETTLES);
        }
        all.extend(order.code);
        all.push(meaning.jump);
        Ok(all)
    }

    /// Rows whose words come with the same loads.
    fn groups(rows: &[Pair]) -> Result<Vec<std::ops::Range<usize>>, String> {
        let same = |one: &Pair, other: &Pair| one.map(|word| word.load) == other.map(|word| word.load);
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

    fn loads_of(pairs: &[Pair]) -> Vec<usize> {
        let mut loads: Vec<usize> = pairs.iter().flatten().map(|word| word.load).collect();
        loads.sort_unstable();
        loads.dedup();
        loads
    }

    fn fill(&mut self, set: &mut Set, loads: &[usize]) -> Result<(), String> {
        self.fill_from(set, loads, 0)
    }

    /// Loads into the registers of a set, from its quad `from` on.
    fn fill_from(&mut self, set: &mut Set, loads: &[usize], from: usize) -> Result<(), String> {
        for (at, load) in loads.iter().enumerate() {
            let quad = *set.quads.get(from + at).ok_or("a step has more loads than the one before")?;
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

    /// Nothing to wait for, nothing kept.
    fn plain(&self, code: &mut u128) {
        for (field, value) in
            [(STALL, 1), (STAYS, 1), (WRITE_BARRIER, NONE), (READ_BARRIER, NONE), (WAITS, 0), (REUSE, 0)]
        {
            field.set(code, value);
        }
    }

    fn place(&self, word: Word) -> Result<u8, String> {
        self.places.get(&word).copied().ok_or_else(|| "a word is used before it is loaded".to_string())
    }

    /// The tasks of a row: additions of its own, minima of the row before.
    fn row(&mut self, step: &Step, row: usize, mut sets: [&mut Set; 2]) -> Result<(), String> {
        let count = step.columns.len();
        let mut sums: Vec<Vec<u8>> = vec![Vec::new(); count];
        for part in 0..2 {
            let own = self.place(step.rows[row][part])?;
            self.kept = own;
            for (column, sums) in sums.iter_mut().enumerate() {
                let other = self.place(step.columns[column][part])?;
                let element = step.elements[row][column];
                let sum =
                    self.registers.take(1 - element % 2).ok_or("there are too few registers for sums")?;
                let mut code = self.meaning.addition;
                self.plain(&mut code);
                for (field, register) in [(RESULT, sum), (FIRST, own), (SECOND, other)] {
                    field.set(&mut code, register);
                }
                if column + 1 < count {
                    // Its first operand, in slot 0.
                    REUSE.set(&mut code, 1);
                }
                let waits = sets.iter_mut().filter(|set| set.pending).fold(0, |waits, set| {
                    set.pending = false;
                    waits | 1 << set.barrier
                });
                WAITS.set(&mut code, waits);
                self.code.push(code);
                sums.push(sum);
                if let [early, late] = sums[..] {
                    self.waiting.push_back(Minimum {
                        element,
                        sums: [early, late],
                        after: self.code.len() - 1,
                    });
                }
                if column % 2 == 1 {
                    let is_ready =
                        self.waiting.front().is_some_and(|next| self.code.len() - next.after > BETWEEN);
                    if is_ready {
                        self.minimum();
                    }
                }
            }
        }
        Ok(())
    }

    fn minimum(&mut self) {
        let Some(next) = self.waiting.pop_front() else { return };
        let mut code = self.meaning.minimum;
        self.plain(&mut code);
        if self.code.len() - next.after <= BETWEEN {
            // Nothing else is left to do in between.
            if let Some(last) = self.code.last_mut() {
                STALL.set(last, SETTLES);
            }
        }
        // What is read through the first slot is not to drive out what the row keeps there.
        let [early, late] = next.sums;
        let operands = if next.element % 2 == self.kept % 2 {
            [early, next.element, late]
        } else {
            [next.element, early, late]
        };
        for (field, register) in
            [RESULT, FIRST, SECOND, THIRD].into_iter().zip([next.element].into_iter().chain(operands))
        {
            field.set(&mut code, register);
        }
        self.code.push(code);
        next.sums.into_iter().for_each(|sum| self.registers.give_back(sum));
    }
}
