//! The tasks of a row with one of its two words, in turns of additions and of what goes through the pipe of minima.

use super::grid::TaskStep;
use super::order::{LoopScheduler, RegisterSet};
use crate::encoding::{Bits, FIRST, OpcodeClass, RESULT, REUSE, SECOND, STALL, THIRD, WAITS, kind};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// Instructions between an addition and the minimum that takes its sum, at least.
const BETWEEN: usize = 5;
/// Instructions between two of one element that add and compare, at least.
const BETWEEN_BOTH: usize = 7;
/// Clocks to wait until a sum or a minimum is there, whatever follows; and what adds and compares.
pub(super) const SETTLES: u8 = 6;
const SETTLES_BOTH: u8 = 8;

/// What is left for later turns.
#[derive(Default)]
pub(super) struct PendingTasks {
    pub waiting: VecDeque<Minimum>,
    /// The sum of an element with the first word of its row.
    sums: HashMap<u8, u8>,
    /// Where an element was last made by an instruction that adds and compares.
    made: HashMap<u8, usize>,
    /// The register that operand slot 0 keeps, of a row.
    kept: u8,
    banks: Banks,
}

/// A minimum that is still to be taken.
pub(super) struct Minimum {
    element: u8,
    /// One sum or two.
    sums: Vec<u8>,
    /// Where the later of its sums is.
    after: usize,
}

impl Minimum {
    fn reads(&self) -> Vec<u8> {
        [&[self.element], &self.sums[..]].concat()
    }
}

/// Reads of either bank that were not made yet: one a clock is.
#[derive(Clone, Copy, Default)]
struct Banks([usize; 2]);

impl Banks {
    /// After an instruction that reads these registers.
    fn and(self, registers: &[u8]) -> Self {
        let mut reads = self.0;
        for register in registers {
            reads[usize::from(register % 2)] += 1;
        }
        Self(reads.map(|reads| reads.saturating_sub(1)))
    }

    fn behind(self) -> usize {
        self.0[0].max(self.0[1])
    }
}

/// A task of a turn: the word of its column, and the element.
#[derive(Clone, Copy)]
struct Task {
    word: u8,
    element: u8,
}

/// What is left of a turn.
struct TurnRemainder {
    /// The row's word.
    own: u8,
    additions: Vec<Task>,
    /// Tasks that one instruction does.
    both: Vec<Task>,
    /// How many minima of earlier rows are to be taken meanwhile.
    minima: usize,
}

/// What goes through the pipe of minima next.
enum NextMinimum {
    Both(usize),
    Minimum,
}

impl LoopScheduler<'_> {
    /// The tasks of these rows, and minima of those before them.
    pub(super) fn rows(
        &mut self,
        step: &TaskStep,
        rows: &[usize],
        sets: &mut [&mut RegisterSet; 2],
    ) -> Result<(), String> {
        let turns: Vec<(usize, usize)> =
            (0..2).flat_map(|part| rows.iter().map(move |row| (part, *row))).collect();
        let minima = self.turns.waiting.len();
        let alone = self.takes_one_sum();
        for (at, (part, row)) in turns.iter().enumerate() {
            let mut turn = TurnRemainder {
                own: self.place(step.rows[*row][*part])?,
                additions: Vec::new(),
                both: Vec::new(),
                // Those of one sum are as many as additions: with each turn those of the turn before.
                minima: if alone {
                    self.turns.waiting.len()
                } else {
                    (minima * (at + 1)).div_ceil(turns.len()) - (minima * at).div_ceil(turns.len())
                },
            };
            for (column, element) in step.columns.iter().zip(&step.elements[*row]) {
                let task = Task { word: self.place(column[*part])?, element: element.register };
                if element.at_once { turn.both.push(task) } else { turn.additions.push(task) }
            }
            self.turn(turn, sets)?;
        }
        Ok(())
    }

    fn turn(&mut self, mut left: TurnRemainder, sets: &mut [&mut RegisterSet; 2]) -> Result<(), String> {
        self.turns.kept = left.own;
        let additions = left.additions.len();
        // Instructions of the pipe of minima are spread evenly between additions.
        let all = left.both.len() + left.minima;
        let mut done = 0;
        loop {
            let added = additions - left.additions.len();
            if (done < all && (done + 1) * additions <= added * all)
                || (left.additions.is_empty() && !left.both.is_empty())
            {
                done += 1;
                match self.next(&left) {
                    Some(NextMinimum::Both(at)) => {
                        self.both(&mut left, at, sets)?;
                        continue;
                    }
                    Some(NextMinimum::Minimum) => {
                        self.minimum();
                        left.minima -= 1;
                        continue;
                    }
                    // Nothing is ready, and it is not waited for.
                    None => {}
                }
            }
            if left.additions.is_empty() {
                return Ok(());
            }
            self.addition(&mut left, sets)?;
        }
    }

    /// What leaves the banks least behind with the best addition after it; of two that are alike, the kind of which more is left.
    fn next(&self, left: &TurnRemainder) -> Option<NextMinimum> {
        let is_old = |place: usize, least| self.code.len() - place > least;
        // Nothing else of the row is left, and its word does not stay.
        let must = left.additions.is_empty() && !left.both.is_empty();
        let behind = |registers: &[u8]| {
            let banks = self.turns.banks.and(registers);
            let with = left.additions.iter().map(|task| banks.and(&[task.word]).behind());
            with.min().unwrap_or_else(|| banks.behind())
        };
        let is_settled =
            |task: &Task| self.turns.made.get(&task.element).is_none_or(|made| is_old(*made, BETWEEN_BOTH));
        let both = left.both.iter().enumerate().filter(|(_, task)| must || is_settled(task));
        let both = both.map(|(at, task)| (behind(&[task.word, task.element]), at)).min();
        let ready =
            self.turns.waiting.front().filter(|next| !must && left.minima > 0 && is_old(next.after, BETWEEN));
        let minimum = ready.map(|next| behind(&next.reads()));
        match (both, minimum) {
            (Some((one, at)), Some(other)) if (one, left.minima) <= (other, left.both.len()) => {
                Some(NextMinimum::Both(at))
            }
            (_, Some(_)) => Some(NextMinimum::Minimum),
            (Some((_, at)), None) => Some(NextMinimum::Both(at)),
            (None, None) => None,
        }
    }

    fn addition(&mut self, left: &mut TurnRemainder, sets: &mut [&mut RegisterSet; 2]) -> Result<(), String> {
        let behind = |at: &usize| self.turns.banks.and(&[left.additions[*at].word]).behind();
        let at = (0..left.additions.len()).min_by_key(behind).ok_or("it has rows without additions")?;
        let Task { word, element } = left.additions.remove(at);
        let sum = self.registers.take(1 - element % 2).ok_or("there are too few registers for sums")?;
        let (second, template) = self.meaning.addition;
        self.task(left, template, &[(RESULT, sum), (FIRST, left.own), (second, word)], sets);
        self.turns.banks = self.turns.banks.and(&[word]);
        let after = self.code.len() - 1;
        let early = self.turns.sums.remove(&element);
        if early.is_some() || self.takes_one_sum() {
            let sums = early.into_iter().chain([sum]).collect();
            self.turns.waiting.push_back(Minimum { element, sums, after });
        } else {
            self.turns.sums.insert(element, sum);
        }
        Ok(())
    }

    /// Whether a minimum is of an element and one sum.
    fn takes_one_sum(&self) -> bool {
        matches!(kind(self.meaning.minimum), OpcodeClass::Minimum([_, _]))
    }

    fn both(
        &mut self,
        left: &mut TurnRemainder,
        at: usize,
        sets: &mut [&mut RegisterSet; 2],
    ) -> Result<(), String> {
        let Task { word, element } = left.both.remove(at);
        let template = self.meaning.both.ok_or("it has nothing that adds and compares")?;
        if self.turns.made.get(&element).is_some_and(|made| self.code.len() - made <= BETWEEN_BOTH) {
            self.settle(SETTLES_BOTH);
        }
        self.turns.made.insert(element, self.code.len());
        self.task(
            left,
            template,
            &[(RESULT, element), (FIRST, left.own), (SECOND, word), (THIRD, element)],
            sets,
        );
        self.turns.banks = self.turns.banks.and(&[word, element]);
        Ok(())
    }

    /// One that reads the row's word through slot 0, where it stays while the turn lasts.
    fn task(
        &mut self,
        left: &TurnRemainder,
        template: u128,
        fields: &[(Bits, u8)],
        sets: &mut [&mut RegisterSet; 2],
    ) {
        let mut code = template;
        self.plain(&mut code);
        for (field, register) in fields {
            field.set(&mut code, *register);
        }
        REUSE.set(&mut code, (left.additions.len() + left.both.len() > 0).into());
        let waits = sets.iter_mut().filter(|set| set.pending).fold(0, |waits, set| {
            set.pending = false;
            waits | 1 << set.barrier
        });
        WAITS.set(&mut code, waits);
        self.code.push(code);
    }

    /// Waits where nothing is left to do until a result is there.
    fn settle(&mut self, clocks: u8) {
        if let Some(last) = self.code.last_mut() {
            STALL.set(last, clocks);
        }
    }

    pub(super) fn minimum(&mut self) {
        let Some(next) = self.turns.waiting.pop_front() else { return };
        let mut code = self.meaning.minimum;
        self.plain(&mut code);
        if self.code.len() - next.after <= BETWEEN {
            self.settle(SETTLES);
        }
        // What is read through the first slot is not to drive out what the row keeps there.
        let mut operands = next.reads();
        if next.element % 2 == self.turns.kept % 2 {
            operands.swap(0, 1);
        }
        RESULT.set(&mut code, next.element);
        for (field, register) in [FIRST, SECOND, THIRD].into_iter().zip(&operands) {
            field.set(&mut code, *register);
        }
        self.code.push(code);
        self.turns.banks = self.turns.banks.and(&operands);
        next.sums.into_iter().for_each(|sum| self.registers.give_back(sum));
    }
}

/// Aligned groups of four for loads, and single ones of either bank for sums.
pub(super) struct Registers {
    quads: VecDeque<u8>,
    singles: [VecDeque<u8>; 2],
}

impl Registers {
    /// # Errors
    /// When there are fewer than `quads` groups.
    pub fn allocate(free: &BTreeSet<u8>, quads: usize) -> Result<Self, String> {
        let is_free = |first: &u8| (0..4).all(|at| free.contains(&(first + at)));
        let all: Vec<u8> = (0..252).step_by(4).filter(is_free).collect();
        if all.len() < quads {
            return Err(format!("{} groups of four registers are free, and {quads} are needed", all.len()));
        }
        let taken = &all[..quads];
        let mut singles = [VecDeque::new(), VecDeque::new()];
        for register in free.iter().filter(|register| !taken.contains(&(**register / 4 * 4))) {
            singles[usize::from(register % 2)].push_back(*register);
        }
        Ok(Self { quads: taken.iter().copied().collect(), singles })
    }

    pub fn take_quads(&mut self, count: usize) -> Vec<u8> {
        self.quads.drain(..count.min(self.quads.len())).collect()
    }

    /// One of this bank, the one that was given back first, or else one of the other bank.
    pub fn take(&mut self, bank: u8) -> Option<u8> {
        let bank = usize::from(bank);
        self.singles[bank].pop_front().or_else(|| self.singles[1 - bank].pop_front())
    }

    pub fn give_back(&mut self, register: u8) {
        self.singles[usize::from(register % 2)].push_back(register);
    }
}
