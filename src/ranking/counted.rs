//! Lists of what the emulated device counted, which has no clock.

use super::origin::{Lines, Origin, may_copy_asynchronously};
use super::timed::weakest;
use super::{Options, listed, newest, precedence};
use crate::device::emulated::Counts;
use crate::graph::ElementType;
use crate::results::StoredRun;
use crate::store::{SampleRow, Status, Verification, short_commit};
use crate::timing::Scope;
use repro_types::CellId;
use serde::Serialize;
use std::collections::BTreeMap;

/// What was verified and counted at one n, least global memory first. No order of speed follows from it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedList {
    pub n: usize,
    pub element: ElementType,
    /// What the emulated device was; none where it counted in addition to a GPU, as its default.
    pub compute_capability: Option<(u32, u32)>,
    pub entries: Vec<CountedEntry>,
    /// How many more there are, which were not asked for.
    pub further: usize,
}

/// What one solve did. A task is one of n³, those of padding vertices left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CountedEntry {
    /// From 1, by the bytes of sectors. None where these may not be all: where the source has asynchronous copies, which stored counts leave
    /// out, or fewer bytes were counted than reading and writing the matrix once takes.
    pub place: Option<usize>,
    pub implementation: String,
    /// Those that are not at their defaults.
    pub params: String,
    pub origin: Origin,
    pub launches: u64,
    /// Global memory that threads loaded and stored, bytes a task.
    pub global_bytes_a_task: f64,
    /// Global memory in whole sectors of 32 bytes, bytes a task.
    pub sector_bytes_a_task: f64,
    /// Shared memory, bytes a task.
    pub shared_bytes_a_task: f64,
    /// Barriers of whole blocks, each counted once a block.
    pub barriers: u64,
    /// Ways of the worst load of shared memory over 32 banks: 1 is without conflict, 0 is without load.
    pub worst_ways: u64,
    pub lines: Option<Lines>,
    /// The paper and place that it follows, or what its author states.
    pub source: Option<String>,
    pub verification: Option<Verification>,
    pub run: String,
    pub commit: String,
}

/// What one run counted of a cell.
struct Counted<'a> {
    run: &'a StoredRun,
    id: CellId,
    rows: Vec<&'a SampleRow>,
    counts: Counts,
}

type Key = (usize, ElementType, Option<(u32, u32)>);

/// Lists of every n and type of distance; of one machine as of another, since counts are the same on all.
pub(super) fn lists(runs: &[StoredRun], options: &Options) -> Vec<CountedList> {
    let all = runs.iter().flat_map(|run| counted(run, options));
    let list = |(key, entries, further)| {
        let (n, element, compute_capability) = key;
        CountedList { n, element, compute_capability, entries, further }
    };
    let mut lists: Vec<CountedList> = listed(all, options.top, entry, placed).map(list).collect();
    lists.sort_by_key(|list| (list.compute_capability, list.element, std::cmp::Reverse(list.n)));
    lists
}

/// Every cell of a run that was verified and counted, with the list and the variant that it belongs to.
fn counted<'a>(run: &'a StoredRun, options: &Options) -> Vec<(Key, (String, String), Counted<'a>)> {
    let mut cells: BTreeMap<CellId, Counts> = BTreeMap::new();
    for row in &run.results.counts {
        *cells.entry(row.cell.clone()).or_default() += row.counts;
    }
    let capability = run.device().filter(|device| device.info.emulated).map(|of| of.info.compute_capability);
    let of_cell = |(id, counts): (CellId, Counts)| {
        let element = run.manifest.experiment.element_of(&id.graph);
        let is_right = |row: &&SampleRow| {
            row.scope == Scope::Kernel && row.status == Status::Counted && row.verified && row.is_of(&id)
        };
        let rows: Vec<&SampleRow> = run.samples.iter().filter(is_right).collect();
        if rows.is_empty() || !options.wants(id.n, element) {
            return None;
        }
        let params = run.results.facts.written_non_default(&id.implementation, &id.params);
        let variant = (id.implementation.clone(), params);
        Some(((id.n, element, capability), variant, Counted { run, id, rows, counts }))
    };
    cells.into_iter().filter_map(of_cell).collect()
}

/// The entry of a cell, still without place.
fn entry(
    &(n, element, _): &Key,
    (implementation, params): &(String, String),
    found: &[Counted],
) -> Option<CountedEntry> {
    let newest = newest(found.iter().map(|one| one.run))?;
    let best = found.iter().max_by_key(|one| precedence(one.run, one.rows.len(), newest))?;
    let Counted { run, id, rows, counts } = best;
    let a_task = |bytes: u64| bytes as f64 / (n as f64).powi(3);
    let known = run.environment().and_then(|environment| environment.implementation(id.variant()));
    let given = &run.manifest.experiment.given;
    let least = 2 * (n * n * element.bytes()) as u64;
    Some(CountedEntry {
        place: (counts.transferred_bytes() >= least
            && !known.is_some_and(|record| may_copy_asynchronously(record, given)))
        .then_some(0),
        origin: Origin::of(implementation, given),
        launches: counts.launches,
        global_bytes_a_task: a_task(counts.global_bytes()),
        sector_bytes_a_task: a_task(counts.transferred_bytes()),
        shared_bytes_a_task: a_task(counts.shared_load.bytes + counts.shared_store.bytes),
        barriers: counts.barriers,
        worst_ways: counts.shared_load.banks_32.worst,
        lines: known.and_then(|record| Lines::of(record, given, element)),
        source: known.map(|record| record.source.clone()).filter(|source| !source.is_empty()),
        verification: weakest(rows.iter().filter_map(|row| row.verification)),
        run: run.name(),
        commit: short_commit(&run.manifest.build.commit).to_string(),
        implementation: implementation.clone(),
        params: params.clone(),
    })
}

/// Sorted by bytes, those that are not all counted last. Equal bytes are an equal place.
fn placed(mut entries: Vec<CountedEntry>) -> Vec<CountedEntry> {
    entries.sort_by(|a, b| {
        let by_bytes = a.place.is_none().cmp(&b.place.is_none());
        let by_bytes = by_bytes.then(a.sector_bytes_a_task.total_cmp(&b.sector_bytes_a_task));
        by_bytes.then_with(|| (&a.implementation, &a.params).cmp(&(&b.implementation, &b.params)))
    });
    let mut above: Option<(usize, f64)> = None;
    for (at, entry) in entries.iter_mut().enumerate() {
        let bytes = entry.sector_bytes_a_task;
        let place = above.filter(|(_, more)| *more == bytes).map_or(at + 1, |(place, _)| place);
        entry.place = entry.place.map(|_| place);
        above = Some((place, bytes));
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn structure() -> StoredRun {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
        StoredRun::open(&folder).unwrap()
    }

    #[test]
    fn counts_are_of_the_whole_solve_and_equal_bytes_share_a_place() {
        let lists = lists(&[structure()], &Options::default());
        let entries = &lists.iter().find(|list| list.n == 128).unwrap().entries;
        let of = |name: &str| entries.iter().find(|one| one.implementation == name).unwrap();
        // Three kernels: 4 + 4 + 4 launches; (1024 + 9216 + 18432 sectors' bytes) follow from counts.csv.
        let sectors = f64::from(512 + 512 + 6144 + 3072 + 13824 + 4608);
        let staged = of("staged-load");
        assert_eq!((staged.launches, staged.sector_bytes_a_task), (12, sectors * 32.0 / 128f64.powi(3)));
        assert_eq!(staged.place, of("katz-kider").place);
        assert_eq!(entries[0].place, Some(1));
        assert_eq!(entries.last().unwrap().place, Some(entries.len()));
    }

    #[test]
    fn what_was_not_verified_has_no_place_and_what_moves_less_than_the_matrix_has_none_by_bytes() {
        let mut run = structure();
        for row in run.samples.iter_mut().filter(|row| row.implementation == "katz-kider") {
            row.verified = false;
        }
        for row in run.results.counts.iter_mut().filter(|row| row.cell.implementation == "two-phase") {
            (row.counts.global_load.sectors, row.counts.global_store.sectors) = (1, 1);
        }
        let lists = lists(&[run], &Options::default());
        let names: Vec<&str> = lists[0].entries.iter().map(|one| one.implementation.as_str()).collect();
        assert!(!names.contains(&"katz-kider"));
        let last = lists[0].entries.last().unwrap();
        assert_eq!((last.implementation.as_str(), last.place), ("two-phase", None));
        assert_eq!(lists[0].entries[0].place, Some(1));
    }
}
