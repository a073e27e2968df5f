//! A league table of implementations from stored runs: who is fastest at an n, in a type of distance, by one clock.
//!
//! A list holds what may be compared: times of one machine, on graphs of one kind, at one n, in one type of distance, by one clock around
//! one part of a solve. Only verified results count. What the emulated device counted has no time, and stands in lists of its own.

mod clock;
mod counted;
mod kind;
mod left_out;
mod origin;
mod tables;
mod timed;

pub use clock::Clock;
pub use counted::{CountedEntry, CountedList};
pub use kind::GraphKind;
pub use left_out::LeftOut;
pub use origin::{Lines, Origin};
pub use tables::{Medium, counted_grid, grid, left_out_lines, notes, sources};
pub use timed::{Energy, List, TimedEntry};

use crate::graph::ElementType;
use crate::lists::grouped;
use crate::results::{StoredRun, by_machine};
use crate::timing::Scope;
use serde::Serialize;

/// What is ranked.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The part of a solve whose time counts.
    pub scope: Scope,
    /// Only these n; all where it is empty.
    pub sizes: Vec<usize>,
    /// Only these types of distance; all where it is empty.
    pub elements: Vec<ElementType>,
    /// Whether every set of parameters has a place of its own; otherwise an implementation has one, by its fastest.
    pub every_parameter: bool,
    /// So many places of each list, the first ones.
    pub top: Option<usize>,
}

impl Options {
    fn wants(&self, n: usize, element: ElementType) -> bool {
        (self.sizes.is_empty() || self.sizes.contains(&n))
            && (self.elements.is_empty() || self.elements.contains(&element))
    }
}

/// The lists that runs give, and what has no place in them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// By machine, then by clock, kind of graph and type of distance, the largest n first.
    pub lists: Vec<List>,
    /// Lists of what the emulated device counted.
    pub counted: Vec<CountedList>,
    /// Cells without a valid time, and why.
    pub left_out: Vec<LeftOut>,
}

impl Ranking {
    /// Leaves out lists by time of one implementation alone, unless a machine and clock has no others. Tells how many were left out.
    pub fn drop_lists_of_one(&mut self) -> usize {
        let before = self.lists.len();
        let all = self.lists.drain(..).map(|list| ((list.machine.clone(), list.clock), list));
        for (_, lists) in grouped(all.collect::<Vec<_>>()) {
            let are_alone = lists.iter().all(|list| list.implementations() == 1);
            self.lists.extend(lists.into_iter().filter(|list| are_alone || list.implementations() > 1));
        }
        before - self.lists.len()
    }
}

/// Ranks what `runs` measured and counted. Several runs of one machine give one list.
pub fn rank(runs: &[StoredRun], options: &Options) -> Ranking {
    let machines = by_machine(runs);
    Ranking {
        lists: machines.iter().flat_map(|machine| timed::lists(machine, options)).collect(),
        counted: counted::lists(runs, options),
        left_out: left_out::of(runs, options),
    }
}

/// By key, what `entry` makes of each variant's measurements, as `placed` leaves them: the first `top` of them, and how many more there are.
fn listed<Key: PartialEq, Variant: PartialEq, Of, TimedEntry>(
    all: impl Iterator<Item = (Key, Variant, Of)>,
    top: Option<usize>,
    entry: impl Fn(&Key, &Variant, &[Of]) -> Option<TimedEntry>,
    placed: impl Fn(Vec<TimedEntry>) -> Vec<TimedEntry>,
) -> impl Iterator<Item = (Key, Vec<TimedEntry>, usize)> {
    let by_key = grouped(all.map(|(key, variant, of)| (key, (variant, of))));
    by_key.into_iter().map(move |(key, found)| {
        let entries = grouped(found).into_iter();
        let mut entries = placed(entries.filter_map(|(variant, all)| entry(&key, &variant, &all)).collect());
        let further = entries.split_off(top.unwrap_or(usize::MAX).min(entries.len())).len();
        (key, entries, further)
    })
}

/// Whether a run of the newest build that measured a cell counts before another, and then one with more samples: a key to take the largest
/// of. `newest` is the run of the cell that began last.
fn precedence(run: &StoredRun, samples: usize, newest: &StoredRun) -> (bool, bool, usize, String) {
    // Turns with another build slow small cells down.
    let is_alone = run.manifest.pair.is_none();
    (is_alone, run.manifest.build == newest.manifest.build, samples, run.manifest.started.clone())
}

/// The run of those of a cell that began last.
fn newest<'a>(runs: impl Iterator<Item = &'a StoredRun>) -> Option<&'a StoredRun> {
    runs.max_by_key(|run| &run.manifest.started)
}
