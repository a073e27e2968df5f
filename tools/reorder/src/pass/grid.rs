//! The tasks of a loop as a grid: elements of a tile, each the sum of a word of its row and one of its column, two of each a step.

use super::semantics::{LoopSemantics, Word};
use std::collections::BTreeMap;

/// Two words that are used together, of two vertices.
pub(super) type WordPair = [Word; 2];

/// The tasks of two vertices.
pub(super) struct TaskStep {
    /// Those that every column of a row takes one after the other, and which stay in their operand slot meanwhile.
    pub rows: Vec<WordPair>,
    pub columns: Vec<WordPair>,
    /// By row, then by column.
    pub elements: Vec<Vec<Element>>,
}

/// An element of a tile.
#[derive(Clone, Copy)]
pub(super) struct Element {
    pub register: u8,
    /// Whether by instructions that add and compare, a sum each.
    pub at_once: bool,
}

impl TaskStep {
    /// The steps of a loop in their order.
    ///
    /// # Errors
    /// When the tasks are no such grid.
    pub fn all(meaning: &LoopSemantics) -> Result<Vec<Self>, String> {
        let steps = meaning.accumulators.first().map_or(0, |one| one.pairs.len());
        (0..steps).map(|step| Self::new(meaning, step)).collect()
    }

    fn new(meaning: &LoopSemantics, step: usize) -> Result<Self, String> {
        let no_grid = || "its tasks are no grid of rows and columns".to_string();
        // Every sum has a word by either address.
        let sides = meaning.loads.first().ok_or_else(no_grid)?.address;
        let is_first = |word: &Word| meaning.loads[word.load].address == sides;
        let offset = |word: &Word| meaning.loads[word.load].offset;
        let mut elements: BTreeMap<(WordPair, WordPair), Element> = BTreeMap::new();
        for one in &meaning.accumulators {
            let [mut early, mut late] = *one.pairs.get(step).ok_or_else(no_grid)?;
            for sum in [&mut early, &mut late] {
                sum.sort_by_key(|word| !is_first(word));
                if !is_first(&sum[0]) || is_first(&sum[1]) {
                    return Err(no_grid());
                }
            }
            if offset(&early[0]) > offset(&late[0]) {
                std::mem::swap(&mut early, &mut late);
            }
            let element = Element { register: one.register, at_once: one.at_once };
            elements.insert(([early[0], late[0]], [early[1], late[1]]), element);
        }
        let distinct = |pairs: Vec<WordPair>| -> Vec<WordPair> {
            let mut pairs = pairs;
            pairs.sort_by_key(|pair| (offset(&pair[0]), pair[0].at));
            pairs.dedup();
            pairs
        };
        let mut rows = distinct(elements.keys().map(|(row, _)| *row).collect());
        let mut columns = distinct(elements.keys().map(|(_, column)| *column).collect());
        if rows.len() * columns.len() != elements.len() || elements.len() != meaning.accumulators.len() {
            return Err(no_grid());
        }
        let element = |row: WordPair, column: WordPair| elements.get(&(row, column)).copied();
        let mut by_row = Vec::new();
        let turned = rows.len() < columns.len();
        if turned {
            std::mem::swap(&mut rows, &mut columns);
        }
        for row in &rows {
            let of = |column: &WordPair| {
                if turned { element(*column, *row) } else { element(*row, *column) }
            };
            by_row.push(columns.iter().map(of).collect::<Option<Vec<Element>>>().ok_or_else(no_grid)?);
        }
        Ok(Self { rows, columns, elements: by_row })
    }
}
