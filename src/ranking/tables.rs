//! Lists as tables, and in sentences what stands below them.

use super::counted::{CountedEntry, CountedList};
use super::left_out::LeftOut;
use super::origin::{Lines, Origin};
use super::timed::{Energy, List, TimedEntry};
use super::{Clock, Ranking};
use crate::lists::{distinct, grouped};
use crate::report::text::{ESTIMATE, Grid, RATE, UNDER_LOAD, digits, percent, rate};
use crate::results::{EnergySource, LONG_ENOUGH_S};
use crate::store::{Compared, Status, Verification};
use crate::timing::{LOADED, Scope};

/// Marks in cells; [`notes`] explains those that are there.
const EXTERNAL: &str = "*";
const OVERLAPS: &str = "=";
const READING: &str = "‡";
const NOT_AS_RUN: &str = "§";

/// The last column.
const FROM: &str = "from";

/// Names of implementations may be broken where a table would else be too wide.
const NARROW: usize = 18;

/// Where a table is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Where room is short: parameters stand below names, and [`sources`] has where these come from.
    Terminal,
    /// In a document or on a page.
    Document,
}

impl Medium {
    /// The table with what it needs here.
    fn fitted(self, mut grid: Grid) -> Grid {
        if self == Self::Terminal {
            grid.header.pop();
            grid.rows.iter_mut().for_each(|row| drop(row.pop()));
        }
        grid.with_keys(2).with_narrow_text(NARROW)
    }
}

/// A list as a table, fastest first.
pub fn grid(list: &List, shown: Medium) -> Grid {
    let parts = if list.sharded { ", sharded matrix" } else { "" };
    let List { n, element, graph, machine, clock, scope, .. } = list;
    let timed = match (clock, Clock::of(*scope, true)) {
        // All usual scopes are one time there.
        (Clock::Host, Some(Clock::Events)) => format!("on the CPU, by {clock}"),
        _ => format!("by {clock} (scope {scope})"),
    };
    let title = format!("n = {n}, {element}, {graph}{parts}: {machine}, {timed}");
    let header = [
        "".to_string(),
        "implementation".to_string(),
        RATE.to_string(),
        "interval".to_string(),
        "samples".to_string(),
        "of the\nfirst".to_string(),
        "of the\nfloor".to_string(),
        "J a\nsolve".to_string(),
        "lines".to_string(),
        "verified".to_string(),
        FROM.to_string(),
    ];
    shown.fitted(Grid::new(title, header, list.entries.iter().map(|entry| row(entry, shown))))
}

fn row(entry: &TimedEntry, shown: Medium) -> Vec<String> {
    let interval = match entry.samples {
        1 => "-".to_string(),
        _ => format!("{} to {}", rate(entry.tasks_per_s.low), rate(entry.tasks_per_s.high)),
    };
    let mut rate_text = rate(entry.tasks_per_s.value);
    if entry.iterations.is_some() {
        rate_text = format!("{ESTIMATE} {rate_text}");
    }
    if entry.others_load.is_some() {
        rate_text = format!("{rate_text} {UNDER_LOAD}");
    }
    let passed = if passes_ceiling(entry) { format!(" {UNDER_LOAD}") } else { String::new() };
    vec![
        format!("{}{}", entry.rank, if entry.overlaps_above { OVERLAPS } else { "" }),
        name(entry, shown),
        rate_text,
        interval,
        entry.samples.to_string(),
        digits(entry.of_first),
        entry.of_floor.map_or("-".to_string(), |share| format!("{}{passed}", percent(share))),
        entry.energy.map_or("-".to_string(), energy),
        lines(entry.lines),
        verified(entry.verification),
        entry.source.clone().unwrap_or_else(|| "-".to_string()),
    ]
}

/// Whether a solve on the CPU took less than its ceilings allow: then others used the host while these were measured.
fn passes_ceiling(entry: &TimedEntry) -> bool {
    entry.devices == 0 && entry.of_floor.is_some_and(|share| share > 1.0)
}

fn name(entry: &TimedEntry, shown: Medium) -> String {
    let mut name = named(&entry.implementation, entry.origin, &entry.params, shown);
    if entry.slower_params > 0 {
        name += &format!(", best of {}", entry.slower_params + 1);
    }
    if entry.devices > 1 {
        name += &format!(", {} GPUs", entry.devices);
    }
    if entry.processes > 1 {
        name += &format!(", {} processes", entry.processes);
    }
    name
}

fn named(implementation: &str, origin: Origin, params: &str, shown: Medium) -> String {
    let mark = if origin == Origin::External { EXTERNAL } else { "" };
    let params = match (params, shown) {
        ("", _) => String::new(),
        (params, Medium::Terminal) => format!("\n({params})"),
        (params, Medium::Document) => format!(" ({params})"),
    };
    format!("{implementation}{mark}{params}")
}

fn energy(energy: Energy) -> String {
    let mark = if energy.source == EnergySource::Reading { READING } else { "" };
    format!("{}{mark}", digits(energy.joules))
}

fn lines(lines: Option<Lines>) -> String {
    let written = |lines: Lines| format!("{}{}", lines.count, if lines.as_run { "" } else { NOT_AS_RUN });
    lines.map_or("-".to_string(), written)
}

/// How results were compared, in a few words.
fn verified(verification: Option<Verification>) -> String {
    let Some(Verification { how, rows }) = verification else { return "yes".to_string() };
    let where_compared = rows.map_or("whole".to_string(), |rows| format!("{rows} rows"));
    match how {
        Compared::Exact => format!("{where_compared}, exact"),
        Compared::Bounds { widest } => format!("{where_compared}, bounds {widest:.1e}"),
    }
}

/// A list of counts as a table, least global memory first.
pub fn counted_grid(list: &CountedList, shown: Medium) -> Grid {
    let device = list.compute_capability.map_or("the emulated device".to_string(), |(major, minor)| {
        format!("the emulated device as compute capability {major}.{minor}")
    });
    let title = format!("n = {}, {}: counted on {device}, NOT timed", list.n, list.element);
    let header = [
        "place\nby bytes",
        "implementation",
        "global bytes a\ntask, sectors",
        "asked for\nby threads",
        "shared bytes\na task",
        "worst\nways",
        "launches",
        "barriers",
        "lines",
        "verified",
        FROM,
    ];
    shown.fitted(Grid::new(title, header, list.entries.iter().map(|entry| counted_row(entry, shown))))
}

fn counted_row(entry: &CountedEntry, shown: Medium) -> Vec<String> {
    vec![
        entry.place.map_or("-".to_string(), |place| place.to_string()),
        named(&entry.implementation, entry.origin, &entry.params, shown),
        digits(entry.sector_bytes_a_task),
        digits(entry.global_bytes_a_task),
        digits(entry.shared_bytes_a_task),
        entry.worst_ways.to_string(),
        entry.launches.to_string(),
        entry.barriers.to_string(),
        lines(entry.lines),
        verified(entry.verification),
        entry.source.clone().unwrap_or_else(|| "-".to_string()),
    ]
}

/// Where the implementations of all lists come from, a row each. None where no record has a word on it.
pub fn sources(ranking: &Ranking) -> Option<Grid> {
    let timed = ranking.lists.iter().flat_map(|list| &list.entries);
    let timed = timed.map(|one| (&one.implementation, one.origin, &one.source));
    let counted = ranking.counted.iter().flat_map(|list| &list.entries);
    let all = timed.chain(counted.map(|one| (&one.implementation, one.origin, &one.source)));
    let named_once = distinct(all.filter_map(|(name, origin, source)| {
        Some((named(name, origin, "", Medium::Terminal), source.as_ref()?.clone()))
    }));
    let rows = named_once.into_iter().map(|(name, source)| vec![name, source]);
    Grid::new("Where they come from", ["implementation", FROM], rows).unless_empty()
}

/// What marks and columns mean, a sentence each, as far as the lists have them.
pub fn notes(ranking: &Ranking) -> Vec<String> {
    let timed = || ranking.lists.iter().flat_map(|list| &list.entries);
    let counted = || ranking.counted.iter().flat_map(|list| &list.entries);
    let lines = || timed().filter_map(|one| one.lines).chain(counted().filter_map(|one| one.lines));
    let is_external = |origin: Origin| origin == Origin::External;
    let is_by = |scope: Scope| ranking.lists.iter().any(|list| list.scope == scope);
    let as_run = lines().all(|one| one.as_run);
    let mark = format!(
        " {NOT_AS_RUN} was counted in this version's source, which is not known to be the one that ran."
    );
    let passed = if timed().any(passes_ceiling) { ", or the ceiling that it passes was" } else { "" };
    let notes = [
    (
        timed().next().is_some(),
        "Every time is of a verified result. A rate is n³ over the median, or n² (n + 1) / 2 where one side of an undirected graph is solved; its interval holds 95% from six samples on. The floor is the shortest time that the machine's ceilings allow."
            .into(),
    ),
    (
        is_by(Scope::ProgramSolve),
        "Scope program-solve rests on the word of each program's adapter that it solves neither while it loads nor while it stores. --scope program rests on nobody's word.".into(),
    ),
    (
        is_by(Scope::Program),
"Scope program has all that a program computes, from before it is executed until none of its processes computes any more, and rests on nobody's word; runs by release 0.2.0 and earlier gave it two more seconds after it had said that its result is stored.".into(),
    ),
    (
        timed().any(|one| one.overlaps_above),
        format!(
            "{OVERLAPS} its interval overlaps that of the place above: the samples do not show which is faster."
        ),
    ),
    (
        timed().any(|one| is_external(one.origin)) || counted().any(|one| is_external(one.origin)),
        format!("{EXTERNAL} is not of this program: somebody brought it."),
    ),
    (
        timed().any(|one| one.slower_params > 0),
        "\"best of\" so many sets of parameters: the fastest was chosen by these same samples. --all gives each its place.".into(),
    ),
    (
        timed().any(|one| one.iterations.is_some()),
        format!("{ESTIMATE} is estimated from some of the n iterations."),
    ),
    (
        timed().any(|one| one.others_load.is_some() || passes_ceiling(one)),
        format!(
            "{UNDER_LOAD} was measured under load{passed}: others used the host's CPU for more than {} of the time of its cores.",
            percent(LOADED)
        ),
    ),
    (
        timed().any(|one| one.energy.is_some()),
        format!(
            "J a solve is by the GPU's own counter; {READING} is the driver's power reading times the seconds, of solves of at least {LONG_ENOUGH_S} s."
        ),
    ),
    (
        lines().next().is_some(),
        format!(
            "Lines are those of the kernel file and the headers that it reaches, without blank lines and comments; the host's code is not counted.{}",
            if as_run { "" } else { &mark }
        ),
    ),
    (
        counted().next().is_some(),
        "The emulated device has no clock: the order by bytes of global memory is no order of speed. Every result was verified. Asynchronous copies (cp.async, bulk copies) are not in counts.csv: kernels whose source has some, or whose bytes are too few for the matrix, have no place."
            .into(),
    ),
    ];
    notes.into_iter().filter_map(|(applies, note)| applies.then_some(note)).collect()
}

/// Cells without a valid time, a line for each run and reason.
pub fn left_out_lines(all: &[LeftOut]) -> Vec<String> {
    by_reason(all).into_iter().map(|[run, cells, reason]| format!("{run}: {cells} {reason}")).collect()
}

/// Run, cells and reason.
fn by_reason(all: &[LeftOut]) -> Vec<[String; 3]> {
    let reasons = grouped(all.iter().map(|one| {
        let why = if one.message.is_empty() { String::new() } else { format!(": {}", one.message) };
        let reason = match one.status {
            Status::Skipped => format!("not run{why}"),
            status => format!("{status}{why}"),
        };
        ((one.run.clone(), reason), one.cell.to_string())
    }));
    reasons
        .into_iter()
        .map(|((run, reason), cells)| match &cells[..] {
            [cell] => [run, cell.clone(), reason],
            cells => [run, format!("{} cells", cells.len()), reason],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_types::CellId;

    #[test]
    fn verification_is_told_by_where_and_how() {
        let of = |text: &str| verified(Some(text.to_string().try_into().unwrap()));
        let texts = ["exact", "exact-rows:32", "bounds:6.1e-5"].map(of);
        assert_eq!(texts, ["whole, exact", "32 rows, exact", "whole, bounds 6.1e-5"]);
        assert_eq!(verified(None), "yes");
    }

    #[test]
    fn cells_of_one_reason_are_one_line_and_each_status_is_named() {
        let left_out = |run: &str, n: usize, status, message: &str| LeftOut {
            run: run.into(),
            cell: CellId::new("katz-kider", n, "", ""),
            status,
            message: message.into(),
        };
        let printed = left_out_lines(&[
            left_out("a", 64, Status::Skipped, "too long"),
            left_out("a", 65, Status::Skipped, "too long"),
            left_out("b", 64, Status::Skipped, "too long"),
            left_out("a", 66, Status::Impossible, "1 s is less than 2 s"),
            left_out("a", 67, Status::Throttled, ""),
        ]);
        let expected = [
            "a: 2 cells not run: too long",
            "b: katz-kider n = 64 not run: too long",
            "a: katz-kider n = 66 impossible: 1 s is less than 2 s",
            "a: katz-kider n = 67 throttled",
        ];
        assert_eq!(printed, expected);
    }

    #[test]
    fn marks_stand_in_their_cells() {
        let of = |as_run| lines(Some(Lines { count: 7, as_run }));
        assert_eq!([of(true), of(false), lines(None)], ["7", "7§", "-"]);
        let printed = |source| energy(Energy { joules: 2.0, source });
        assert_eq!([printed(EnergySource::Counter), printed(EnergySource::Reading)], ["2.000", "2.000‡"]);
        assert_eq!(named("a", Origin::External, "x=1", Medium::Document), "a* (x=1)");
        assert_eq!(named("a", Origin::Ours, "x=1", Medium::Terminal), "a\n(x=1)");
        assert_eq!(named("a", Origin::Ours, "", Medium::Terminal), "a");
    }
}
